# Una ejecución de `peaje watch`: quién inicia y cierra sesión.

head-watched = Quién inicia y cierra sesión
head-watch-gaps = Cuándo no se pudo leer nada
head-excluded = Contado aparte

col-group = grupo
col-sessions = sesiones
col-of-limit = del límite
col-logouts-per-s = cierres/s
col-session-life = vida media de sesión
col-replaced = renovadas/h
col-verdict = veredicto

watch-all = { $server }: todas las sesiones
watch-length = { $readings ->
    [one] una lectura
   *[other] { $readings } lecturas
 }, una cada { $interval }; los veredictos miran los últimos { $window }.
watch-coverage = El { $share } de los inicios de sesión se vio como sesión; lo que duró menos que el tiempo entre dos lecturas solo está en los contadores.
watch-coverage-low = Solo el { $share } de los inicios de sesión se vio como sesión: la mayoría dura menos que el tiempo entre dos lecturas y dice poco de cada aplicación. Un --interval más corto ve más.
watch-life-since-start = * media desde el arranque del servidor: aún se vieron pocos inicios de sesión.
watch-verdict-at = Veredicto a las { $at }.
watch-pal-alarms = La regla de PAL (más de 2 inicios/s) da la alarma con { $rate } inicios/s. { $why }
watch-pal-silent = La regla de PAL (más de 2 inicios/s) calla con { $rate } inicios/s. { $why }
watch-pal-several = La regla de PAL (más de 2 inicios/s) da la alarma en { $n } de { $of } servidores. { $why }
watch-pal-why = Engaña: una tasa no dice nada del uso de pools; cuánto vive una sesión, sí.
watch-scale = Los tiempos se escalaron: un segundo cuenta como { $scale } s.
watch-groups-more = { $n ->
    [one] un grupo más pequeño está en el fichero de la ejecución.
   *[other] { $n } grupos más pequeños están en el fichero de la ejecución.
 }
watch-gap = { $server }, de { $from } a { $until }: { $message }
watch-gap-open = { $server }, desde { $from }: { $message }
watch-excluded = { $server }: { $name } ({ $reason }), { $n ->
    [one] una sesión
   *[other] { $n } sesiones
 }
excluded-replication = replicación
excluded-server-agent = agente del propio servidor
excluded-health-check = comprobación de salud
excluded-own = el propio peaje
watch-cost = Los inicios de sesión de { $name } mantienen { $progress } inicios en curso en todo momento y ocupan { $cores } núcleos del servidor (el { $share }).
watch-cost-progress = Los inicios de sesión de { $name } mantienen { $progress } inicios en curso en todo momento.
watch-cost-unknown = No se puede decir cuánto cuestan estos inicios de sesión: indique con --login-run una ejecución de `peaje login` contra este servidor.

verdict-in-words-no-pooling = no usa pool
verdict-in-words-short-scripts = programas cortos
verdict-in-words-pool-below-min = el pool cierra bajo su mínimo
verdict-in-words-idle-timeout-churn = actúa el tiempo de inactividad
verdict-in-words-lifetime-wave = las vidas acaban juntas
verdict-in-words-pool-min-too-big = mínimo del pool excesivo
verdict-in-words-pool-max-too-small = máximo del pool escaso
verdict-in-words-session-leak = fuga de sesiones
verdict-in-words-failed-login-storm = inicios fallidos
verdict-in-words-restart-or-failover = reinicio o conmutación
verdict-in-words-pool-per-user = un pool por usuario
verdict-in-words-slow-logins = inicios lentos
verdict-in-words-cannot-say = aún no se puede decir
verdict-in-words-healthy = sin problema
pattern-in-words-steady = estable
pattern-in-words-batch-workers = procesos por lotes
pattern-in-words-interactive-users = personas
pattern-in-words-maximum-lifetime = vida máxima
grade-suspected = sospecha
grade-likely = probable
grade-confirmed = confirmado
verdict-with-grade = { $words } ({ $grade })
asked-watch = Quién inicia y cierra sesión, leído cada { $interval }.
asked-replay = La grabación { $file }.

head-predictions = Lo que predicen los pools declarados
prediction-of-all = todas las aplicaciones
prediction-baseline = { $app }: de { $least } a { $most } inicios/s son sanos: cada sesión se renueva una vez en su vida máxima.
prediction-baseline-one = { $app }: { $most } inicios/s son sanos: cada sesión se renueva una vez en su vida máxima.
prediction-idle = { $app }: el tiempo de inactividad causa hasta { $rate } inicios/s más, si el uso llega a ráfagas.
prediction-refill = { $app }: si este pool cierra sesiones inactivas bajo su propio mínimo, { $rate } inicios/s todo el día.
prediction-sum = { $app }: { $clients } clientes × mínimo { $min } = { $sessions } sesiones, el { $share } del límite de { $limit }; { $more } ({ $share-more }) mientras un despliegue ejecuta un cuarto más de clientes. { $room ->
    [fits] Caben.
    [tight] Es justo.
    [serious] Es peligroso.
   *[refused] Los últimos clientes son rechazados.
 }
prediction-ramp = { $app }: tras una conmutación un cliente necesita { $time } para abrir { $n } sesiones una tras otra, a { $login } por inicio; dentro de un límite de 15 s abre { $opened }.
