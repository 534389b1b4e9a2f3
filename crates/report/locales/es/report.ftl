# Frases comunes al resumen del terminal y a la página.

## Qué respondió

at = { $what } en { $place }
socket = socket { $path }
not-identified = { $what } en { $place } (sin identificar: no se leyó nada del servidor)
unidentified-answered = Algo respondió en { $place }, sin identificar
nothing-answered = Nada respondió en { $place }
database = base de datos { $name }
user = usuario { $name }
reference-server = servidor de referencia: estas cifras describen esta máquina, no su base de datos
throwaway-server = { $product } desechable arrancado para esta ejecución
segment = Todas las cifras se refieren al tramo entre { $segment }.
segment-console = usted y la consola del pooler
segment-through = usted y el servidor, a través de un pooler, un proxy o una traducción de direcciones
segment-pooler = usted y el servidor, a través de { $name }

## Cómo terminó

interrupted = INTERRUMPIDO: la ejecución se detuvo a mano. Las cifras cubren lo medido hasta entonces.
stopped = DETENIDO ({ $rule }): { $message }.
stopped-next-rejected = Compruebe { $engine ->
        [postgres] contraseña, rol y pg_hba.conf
        [mysql] contraseña, y el host y el método de autenticación de la cuenta,
        [sqlserver] contraseña, base de datos y el estado del error 18456 en el registro de errores del servidor
       *[other] contraseña y cuenta
      } antes de repetir: más intentos rechazados pueden bloquear la cuenta.
stopped-next-server-full = Averigüe quién ocupa las sesiones ({ $engine ->
        [mysql] information_schema.processlist
        [sqlserver] sys.dm_exec_sessions
       *[other] pg_stat_activity
      }) o mida con menos --concurrency.
stopped-next-account-limit = Mire los límites { $owner ->
        [role] del rol (rolconnlimit en pg_roles)
        [database] de la base de datos (datconnlimit en pg_database)
       *[account] de la cuenta (show grants; max_connections, max_user_connections en mysql.user)
      }: lo que se alcanzó es { $resource }, no el límite del servidor. O mida con menos --concurrency.
stopped-next-server-gone = Mire el servidor y su registro, y vuelva a medir.
stopped-next-generator = Suba el límite de ficheros abiertos (ulimit -n), reparta la carga con --source-addresses o baje --concurrency.
stopped-next-other-clients = Mire antes el registro y la carga del servidor; después baje --concurrency o --rate.
stopped-next-free-sessions = Baje --concurrency o mida cuando haya menos sesiones en uso.
tls-overrides = --tls sustituyó a { $setting } de la cadena de conexión.
tls-overrides-default = --tls sustituyó el ajuste de TLS de la cadena de conexión.

## Palabras

mode-unpooled = sin pool
mode-pooled = con pool
mode-persistent = persistente
tls-as-url = TLS según la URL
tls-off = sin TLS
tls-full = TLS completo
tls-resumed = TLS reanudado
series-label = { $mode }, { $tls }

phase-resolve = resolver el nombre
phase-connect = conectar
phase-negotiate = negociar
phase-tls = negociación TLS
phase-ticket = tique
phase-authenticate = autenticar
phase-session = abrir la sesión
phase-first_query = consulta
phase-close = cerrar
part-wait = esperar al pool
part-query = consulta
part-open = abrir la sesión
part-give-back = devolver

outcome-ok = bien
outcome-refused = conexión rechazada por el host
outcome-unreachable = inalcanzable
outcome-timed-out = tiempo agotado
outcome-not-resolved = nombre sin resolver
outcome-rejected = rechazado por el servidor
outcome-server-full = servidor lleno
outcome-reset = conexión cortada
outcome-tls-not-offered = el servidor no ofrece TLS
outcome-tls-failed = falló TLS
outcome-unsupported = autenticación no admitida
outcome-protocol = error de protocolo
outcome-generator = sin puertos, ficheros o memoria locales
outcome-aborted = abortado al detener

severity-info = Nota
severity-warning = AVISO
severity-critical = CRÍTICO

all-series = todas las series
quoted = «{ $text }»
n-logins = { $n ->
    [one] 1 inicio de sesión
   *[other] { $n } inicios de sesión
  }

## Tablas

col-series = serie
col-logins-per-s = inicios/s
col-operations-per-s = oper./s
col-peak-per-s = pico/s
col-p50 = p50
col-p99 = p99
col-p99-service = p99 (inicio)
col-failed = fallos
col-where = adónde va el tiempo
col-operations = operaciones
col-logins = inicios
col-elapsed = transcurrido
col-mean = media por oper.
col-query = consulta
col-lag = p99 retraso
col-server-logins = servidor
col-own-logins = peaje
col-encrypted = cifradas
col-server-cpu = CPU serv./oper.
col-client-cpu = CPU cl./inicio
col-crypto = cifrado
col-interval = oper./s 95 %

note-percentiles = p50, p99: una operación, desde que tocaba hasta cerrar. Con pool, oper. no son inicios.
note-open-loop = Bucle abierto a { $rate } operaciones/s: p99 cuenta desde el instante en que tocaba la operación; «p99 (inicio)», solo desde que arrancó. Fíese de p99: contiene la espera que nota el usuario.
note-clocks = transcurrido: toda la serie; media por oper.: una operación; consulta: solo ella; { $n ->
    [one] van de una en una.
   *[other] hasta { $n } a la vez.
  }
clock-check = { $workers } a la vez × { $elapsed } / { $operations } operaciones = { $computed } cada una; media medida { $mean } ({ $label }).

time-of-operation = { $label }: { $total } = { $parts }
time-of-pooled = { $said }; pool: { $n ->
    [one] 1 sesión
   *[other] { $n } sesiones
  }{ $slices ->
    [one] { "" }
   *[other] { " " }en { $slices } turnos
  }
legend = Medias de una operación: { $list }.
note-authenticate = PostgreSQL responde de una vez: «autenticar» contiene la contraseña y la apertura de la sesión (cachés del catálogo, bibliotecas precargadas, disparadores); «abrir la sesión», casi nada.
no-figures = { $label }: sin cifras (demasiado pocas operaciones terminaron bien).

## Secciones

head-time = Adónde va el tiempo
head-clocks = Los dos relojes
head-happened = TLS y autenticación, tal como ocurrieron
head-server = La cuenta del propio servidor y la nuestra
head-server-source = La cuenta del propio servidor ({ $source }) y la nuestra
head-bound = Qué limitó el ritmo
head-distance = Distancia
head-failures = Lo que no funcionó
head-gaps = Lo que no se pudo leer
head-findings = Hallazgos

first-login = Primer inicio, a solas, cachés frías: { $total } = { $parts }
first-login-bare = Primer inicio, a solas, cachés frías: { $total }.
first-login-failed = El primer inicio de sesión falló tras { $total }: { $outcome }.

seen-no-tls = Sin TLS: { $logins }.
seen-tls = { $version }, { $cipher }{ $exchange }, { $key }: { $logins }, { $resumed } reanudados.
seen-exchange = , intercambio de claves { $name }
seen-key = clave del servidor { $name }
seen-key-unknown = clave del servidor desconocida
seen-login-only = Solo protegió el mensaje de inicio de sesión: lo demás fue en claro.
not-resumed = { $label }: se pidió reanudar las sesiones TLS y no ocurrió; negociación completa en { $logins }.
partly-resumed = { $label }: se pidió reanudar las sesiones TLS y ocurrió en el { $share } de { $logins }.
seen-auth = Autenticación { $method }: { $logins }.
seen-auth-iterations = Autenticación { $method }, { $iterations } iteraciones, { $cached ->
    [yes] clave tomada de la caché
   *[no] clave derivada en cada inicio
  }: { $logins }.

n-of-m = { $n } de { $m }
server-cores = { $used } de los { $cores } núcleos de esta máquina se van en inicios de sesión.
server-cores-manager = { $used } de los { $cores } núcleos de esta máquina no hacen más que abrir sesiones.
server-cores-elsewhere = { $used } núcleos del servidor se van en inicios de sesión.
source-processes = CPU de los procesos del servidor
server-cores-whole = { $used } de los { $cores } núcleos atienden operaciones que inician sesión cada vez.
server-cores-whole-elsewhere = { $used } núcleos del servidor atienden operaciones que inician sesión cada vez.
note-encrypted = cifradas: de las sesiones halladas en muestras de la lista del servidor, no de todas; de la que aún está entrando no se sabe si va cifrada, y no se cuenta como tal.
client-note = La CPU del cliente es la de peaje; { $engine ->
        [mysql] su controlador puede gastar varias veces más.
        [sqlserver] su controlador puede gastar varias veces más.
       *[other] su controlador puede gastar de 5 a 10 veces más (pgbench -C).
      }

bound-server = { $label }: limitado por el servidor{ $reasons }.
bound-generator-logins = { $label }: LIMITADO POR EL GENERADOR, al menos { $rate } inicios/s{ $reasons }. El servidor quizá pueda más.
bound-generator-operations = { $label }: LIMITADO POR EL GENERADOR, al menos { $rate } operaciones/s{ $reasons }. El servidor quizá pueda más.
bound-schedule = { $label }: el límite fue la cadencia pedida, no el servidor: se hicieron { $rate } de { $offered } operaciones/s ofrecidas (p99 de retraso { $lag }).
bound-latency = { $label }: { $workers ->
    [one] el límite fue la latencia de un solo cliente, no el servidor: { $rate } operaciones/s, una tras otra, de { $took } cada una.
   *[other] nada se saturó: { $workers } clientes esperaban sus propias operaciones, de { $took } cada una, { $rate } operaciones/s.
  }
bound-undecided = { $label }: no se puede decir qué limitó el ritmo{ $reasons }.
bound-reasons = { " " }({ $list })
reason-client-cpu = hilo más ocupado, { $value } de un núcleo, límite { $limit }
reason-client-share-of-machine = peaje usó el { $value } de todos los núcleos, límite { $limit }
reason-server-share-of-machine = el servidor usó el { $value } de todos los núcleos, límite { $limit }
reason-run-queue-delay = los hilos esperaron un núcleo el { $value } del tiempo, límite { $limit }
reason-lag = operaciones que empezaron tarde: p99 { $value }, límite { $limit }
reason-no-file-descriptor = se agotaron los descriptores de fichero: { $value } veces
reason-no-local-memory = se agotó la memoria para sockets: { $value } veces
reason-no-local-port = se agotaron los puertos locales: { $value } veces
reason-listen-overflows = la cola de escucha de este host perdió { $value } conexiones
reason-waiting = nada estaba saturado: cada cliente esperaba al servidor
reason-too-short = demasiado corta para juzgar
reason-server-gone = el servidor desapareció antes del final: { $value } fallos

cause-client-cpu = CPU de un hilo de trabajo
cause-client-share-of-machine = parte de la máquina que usa peaje
cause-server-share-of-machine = parte de la máquina que usa el servidor
cause-run-queue-delay = espera de un núcleo
cause-lag = inicios con retraso
cause-no-file-descriptor = sin descriptores de fichero
cause-no-local-memory = sin memoria para sockets
cause-no-local-port = sin puertos locales
cause-listen-overflows = cola de escucha llena
cause-waiting = espera del servidor
cause-too-short = demasiado corta
cause-server-gone = servidor desaparecido

distance = { $label }: de { $total }, { $distance } son distancia: { $trips } viajes de ida y vuelta × { $rtt }; desde un host a 0,5 ms espere unos { $near }.

failed-operations = { $label }: { $failed } de { $scheduled } operaciones fallaron: { $list }.
skipped-operations = { $label }: { $skipped } de { $scheduled } operaciones tocaban y no llegaron a empezar.
in-flight-operations = { $label }: { $n ->
    [one] 1 operación quedó cortada
   *[other] { $n } operaciones quedaron cortadas
  } al detener.
failure = { $count } × { $kind }
failure-code = { $count } × { $kind } ({ $code })
failure-message = { $failure }: «{ $message }»
address-failed = { $host } ({ $address }): { $outcome } tras { $took }.

gap = { $what }: { $why }
gap-next = { $what }: { $why }. Siguiente paso: { $next }

finding-next = Siguiente paso: { $step }
finding-title = { $title } (peaje explain { $code })
none-found = Nada llama la atención.
none-found-partly = Nada llama la atención en lo que se pudo juzgar; lo demás está en «no se puede decir».
no-diagnosis = Esta ejecución no contiene hallazgos: no se diagnosticó.
codes-healthy = Sin problema: { $list }.
codes-cannot-say = No se puede decir: { $list }.
codes-reason-until = { $reason }; veredicto a las { $at }
