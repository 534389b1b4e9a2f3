# La pantalla en vivo de `peaje watch` y sus líneas. Breve: una línea tiene 60 columnas.

screen-waiting = Esperando la primera lectura …
screen-too-small = Esta ventana tiene { $width } x { $height } caracteres; peaje watch necesita { $least_width } x { $least_height }.
screen-frozen = CONGELADA, { $n ->
    [one] una lectura desde entonces
   *[other] { $n } lecturas desde entonces
 }
screen-verdict-at = veredicto a las { $at }
screen-dropped = { $n ->
    [one] una imagen omitida
   *[other] { $n } imágenes omitidas
 }
screen-every = cada { $interval }
screen-server-of = servidor { $n } de { $of }
screen-starting = las tasas necesitan otra lectura
screen-not-read = NO SE PUEDE LEER
screen-through = a través de { $what }
screen-something-between = a través de algo que no dice su nombre

screen-sessions = sesiones { $n }
screen-sessions-of = sesiones { $n } de { $limit }
screen-active = trabajando { $n }
screen-queue = en espera { $n }
screen-peak = máximo { $n }
screen-never-used = sin usar { $n }
screen-logins = inicios { $rate }/s
screen-logouts = cierres { $rate }/s
screen-life = vida media de sesión { $life }
screen-life-since-start = vida media de sesión { $life } (media desde el arranque)
screen-replaced = cada una renovada { $n } veces por hora
screen-failed = inicios fallidos { $n }
screen-failed-by-class = inicios fallidos { $n } ({ $classes })
screen-failed-credentials = { $n } credenciales
screen-failed-limit = { $n } límite
screen-failed-unknown = inicios fallidos: no se dice
screen-probes = { $n ->
    [one] una prueba de puerto
   *[other] { $n } pruebas de puerto
 }
screen-coverage = visto el { $share } de los inicios
screen-encrypted = cifradas { $share }
screen-authentication = autenticación { $methods }
screen-authentication-unknown = autenticación: no se dice
screen-ages = edades: mediana { $median }, máxima { $oldest }
screen-ages-at-least = edades, al menos: mediana { $median }, máxima { $oldest }
screen-pal-alarms = PAL (> 2 inicios/s): alarma
screen-pal-silent = PAL (> 2 inicios/s): calla
screen-pal-why = engaña: no dice cuánto viven las sesiones

screen-col-server = servidor
screen-col-logins = inicios/s
screen-col-logouts = cierres/s
screen-col-sessions = sesiones
screen-col-limit = límite
screen-col-life = vida
screen-col-recent = inicios
screen-col-verdict = veredicto
screen-more-servers = { $n ->
    [one] y otro servidor con menos inicios
   *[other] y otros { $n } servidores con menos inicios
 }
screen-applications = aplicaciones { $n }
screen-processes = procesos cliente { $n }
screen-by-logins = más inicios
screen-by-sessions = más sesiones
screen-by-life = vida más corta
screen-by-verdict = lo hallado antes
screen-by-name = por nombre
screen-no-applications = aún no se vio ninguna aplicación
screen-no-match = ninguna coincide con «{ $filter }»

screen-findings = { $n ->
    [0] hallazgos
   *[other] hallazgos { $n }
 }
screen-nothing = nada llama la atención
screen-nothing-yet = nada llama la atención por ahora; un veredicto necesita más inicios
screen-gap = sin cifras de { $from } a { $until }, { $server }: { $message }
screen-gap-open = sin cifras desde { $from }, { $server }: { $message }
screen-gap-because-restarted = el servidor se reinició
screen-gap-because-counters-reset = se reiniciaron sus contadores
screen-gap-because-another-server = otro servidor responde en esta dirección
screen-gap-because-clock-step = se ajustó su reloj
screen-gap-because-unreachable = no se puede alcanzar
screen-gap-because-no-privilege = falta un privilegio
screen-gap-because-not-sampled = no se hizo ninguna lectura a tiempo

screen-filter = filtro: { $filter }_   (Intro lo conserva, Esc lo descarta)
screen-filtered = filtro «{ $filter }» (Esc lo quita)
screen-key-quit = q salir
screen-key-help = ? ayuda
screen-key-sort = s orden
screen-key-filter = / filtro
screen-key-freeze = f congelar
screen-key-page = Intro explicar
screen-key-servers = ←→ servidor
screen-key-processes = p procesos
screen-page = { $code }, líneas { $first } a { $last } de { $of }
screen-page-keys = Esc volver   Arriba, Abajo, RePág, AvPág mover

screen-help = peaje watch: teclas
screen-help-quit = termina
screen-help-sort = otro orden de las aplicaciones
screen-help-filter = muestra lo que coincide: nombre, veredicto
screen-help-freeze = detiene la pantalla; las lecturas siguen
screen-help-focus = entre aplicaciones y hallazgos
screen-help-move = elige, y desplaza una página
screen-help-page = la página de lo hallado
screen-help-servers = un servidor, o todos
screen-help-processes = procesos en lugar de aplicaciones
screen-help-back = cierra, quita el filtro, todos los servidores
screen-help-star = media desde el arranque del servidor
screen-help-dot = en una curva: intervalo sin cifra
