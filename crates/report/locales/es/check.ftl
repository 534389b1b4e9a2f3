# Una ejecución de `peaje check`: lo que se puede saber sin carga.

head-check-sessions = Sesiones abiertas
head-check-logins = Inicios de sesión, según los cuenta el servidor
head-check-probe = Un inicio de sesión desde aquí
head-check-encryption = Cifrado y autenticación
head-check-settings = Ajustes que deciden sobre los inicios de sesión
head-check-machine = La máquina del servidor
head-check-next = A continuación

col-application = aplicación @ máquina
col-active = trabajan
col-in-transaction = en trans.
col-never-used = sin usar
col-youngest = más nueva
col-oldest = más vieja

check-asked = ¿Qué se puede saber sin carga? { $n ->
    [0] Ningún inicio de sesión salvo los que leen.
    [one] Un inicio de sesión.
   *[other] { $n } inicios de sesión, uno tras otro.
 }
check-asked-since = ¿Qué ha pasado desde la visita de { $place }?

check-open-of = { $n ->
    [one] Está ocupada una sesión
   *[other] Están ocupadas { $n } sesiones
 } de { $limit } permitidas{ $reserved ->
    [0] {""}
   *[other] , { $reserved } de ellas reservadas a administradores
 }; quedan { $free } libres.
check-open = { $n ->
    [one] Hay una sesión abierta.
   *[other] Hay { $n } sesiones abiertas.
 }
check-active = { $n ->
    [0] Ninguna trabaja ahora.
    [one] Una trabaja ahora.
   *[other] { $n } trabajan ahora.
 }
check-never-used = { $n ->
    [one] Una no ha ejecutado nunca nada.
   *[other] { $n } no han ejecutado nunca nada.
 }
check-apart = { $n ->
    [one] Otra más es de replicación o del propio servidor.
   *[other] Otras { $n } son de replicación o del propio servidor.
 }
check-peak = El máximo desde el arranque del servidor: { $n }.
check-applications-more = { $n ->
    [one] Una aplicación menor está en el fichero de la ejecución.
   *[other] { $n } aplicaciones menores están en el fichero de la ejecución.
 }
check-local-socket = esta máquina

check-since-start = En { $time } desde que empezaron los contadores:
check-since-unknown = Desde que empezaron los contadores (el servidor no dice cuándo):
check-since-visit = Desde la visita de { $at } ({ $time }):
check-since-not = La visita de { $at } no se puede comparar: { $why }.
check-no-comparison-another-server = respondió otro servidor
check-no-comparison-restarted = el servidor se reinició entre medias
check-no-comparison-counters-reset = sus contadores se pusieron a cero entre medias
check-no-comparison-clock-step = el reloj del servidor no es posterior al de entonces
check-no-comparison-nothing-counted = una de las dos visitas no tiene contadores
check-logins = { $lead } { $n ->
    [one] un inicio de sesión
   *[other] { $n } inicios de sesión
 }{ $rate }.
check-rate = , { $rate } por segundo
check-rate-hour = , { $rate } por hora
check-mean-life = Una sesión vive { $life } de media ({ $basis ->
    [session-time] tiempo de todas las sesiones ÷ inicios
   *[other] tiempo × sesiones abiertas ahora ÷ inicios
 }).
check-requests = { $n } peticiones por inicio de sesión.
check-encrypted-logins = El { $share } de los inicios iban cifrados.
check-failed = { $n ->
    [one] Falló un inicio de sesión
   *[other] Fallaron { $n } inicios de sesión
 }{ $list }.
check-failed-credentials = { $n } por contraseña o nombre erróneos
check-failed-limit = { $n } por un límite
check-abandoned = { $n ->
    [one] Una sesión acabó sin despedirse.
   *[other] { $n } sesiones acabaron sin despedirse.
 }

check-probe = { $n ->
    [one] Un inicio de sesión tardó { $total }
   *[other] { $n } inicios de sesión, uno tras otro, tardaron { $total } de media
 }; el { $share } es de: { $phase }. ({ $parts })

check-tls = Este inicio de sesión iba cifrado: { $version }, clave del servidor { $key }.
check-no-tls = Este inicio de sesión no iba cifrado.
check-certificate = El certificado termina el { $day }, dentro de { $n ->
    [one] un día
   *[other] { $n } días
 }.
check-certificate-ended = El certificado TERMINÓ el { $day }.
check-encrypted-sessions = { $some } de { $n ->
    [one] 1 sesión abierta va cifrada.
   *[other] { $n } sesiones abiertas van cifradas.
 }
check-authentication = Sesiones abiertas por autenticación: { $list }.
check-our-authentication = Este inicio de sesión: { $method }.

check-machine-managed = No se puede decir: es un servicio gestionado y su máquina solo la ve su dueño.
check-machine-remote = No se puede decir: el servidor está en otra máquina; ejecute peaje allí para ver su cola de escucha y sus ficheros abiertos.
check-machine-not-its-process = No se puede decir: no se sabe si aquí escucha el propio proceso del servidor (un contenedor, un túnel, un proxy o un proceso de otro usuario).
check-listen-queue = Cola de escucha: { $length } (límite del núcleo somaxconn { $somaxconn }).
check-overflows = Conexiones descartadas en esta máquina desde su arranque por una cola de escucha llena: { $n }.
check-open-files = Ficheros abiertos permitidos al servidor: { $n }.
check-open-files-unlimited = Ficheros abiertos permitidos al servidor: sin límite.
check-ports = Puertos locales de las conexiones salientes: { $first } a { $last }.

check-gaps-more = { $n ->
    [one] Otra cosa más está en el fichero de la ejecución.
   *[other] Otras { $n } están en el fichero de la ejecución.
 }
check-findings-more = { $n ->
    [one] Uno más: { $list }.
   *[other] { $n } más: { $list }.
 }
check-healthy = { $n ->
    [one] Se miró una cosa y está sana.
   *[other] Se miraron { $n } cosas y están sanas.
 }
check-nothing-serious = No destaca nada grave.

check-page-title = peaje check: { $what }
check-next-explain = qué significa y qué hacer
check-next-grants = los permisos que faltan
check-next-watch = quién entra y sale, quién no usa pool
check-next-login = qué cambian TLS y un pool, en 20 inicios cada uno
check-next-since = guarda esta visita; --since today.json dirá después qué ha pasado

## Hallazgos de una comprobación: véase src/findings.rs

room-for-sessions = Sitio para sesiones
    .title-now = Queda poco sitio para sesiones
    .title-was-reached = Se alcanzó el límite de sesiones
    .short-unreadable = no se puede leer el límite
    .found-now = El { $share } de las sesiones está ocupado: { $in_use } de { $limit }{ $reserved ->
        [0] {""}
       *[other] , { $reserved } de ellas reservadas a administradores
     }; quedan { $free } libres.
    .found-now-more1 = El máximo hasta ahora fue { $peak }.
    .found-now-more2 = Se han rechazado { $refused } inicios por un límite.
    .next-now = Vea quién las tiene (peaje watch), baje el máximo de los pools o ponga un pooler delante; después suba { $engine ->
        [mysql] max_connections
        [sqlserver] user connections
       *[other] max_connections
     }.
    .found-was-reached = Ahora hay sitio ({ $in_use } de { $limit } sesiones), y no siempre lo ha habido.
    .found-was-reached-more1 = El máximo a la vez fue { $peak }.
    .found-was-reached-more2 = Se han rechazado { $refused } inicios por un límite.
    .next-was-reached = Sume el máximo de todos los pools de todos los servidores de aplicaciones y compárelo con { $limit }; grabe un día con peaje watch.
    .healthy-room = { $in_use } de { $limit } sesiones están ocupadas; quedan { $free } libres.
    .cannot-say-unreadable = No se pudo leer el límite de sesiones.

certificate-expires = El certificado del servidor
    .title-ended = El certificado del servidor ha terminado
    .title-soon = El certificado del servidor termina pronto
    .short-no-tls = sin cifrar
    .found-ended = El certificado terminó el { $day }, { $days ->
        [0] hoy
        [one] hace un día
       *[other] hace { $days } días
     }: los clientes que lo comprueban ya no entran.
    .next-ended = Ponga ya un certificado nuevo; los pools ocultan el fallo hasta que abren una sesión nueva.
    .found-soon = El certificado termina el { $day }, dentro de { $days ->
        [one] un día
       *[other] { $days } días
     }: desde entonces los clientes que lo comprueban no entrarán.
    .next-soon = Pida ya el certificado nuevo, con los mismos nombres, y compruébelo desde la máquina de un cliente.
    .healthy-valid = El certificado vale hasta el { $day }.
    .cannot-say-no-tls = Este inicio de sesión no iba cifrado, así que no se vio ningún certificado.

sessions-live-short = Cuánto viven las sesiones
    .title-since-start = Las sesiones viven poco
    .title-since-visit = Las sesiones han vivido poco desde la última visita
    .short-not-counted = se han contado muy pocos inicios
    .short-too-short = contados menos de diez minutos
    .found-since-start = Desde que empezaron los contadores una sesión ha vivido { $life_us } de media; cada una se sustituye { $replaced_per_h } veces por hora. Se sospecha: alguien no usa pool, o los pools cierran lo que vuelven a necesitar.
    .found-since-start-more1 = Son { $logins_per_s } inicios por segundo.
    .next-since-start = Ejecute peaje watch: dice qué aplicación es, y si no usa pool o su pool cierra demasiado pronto.
    .found-since-visit = Desde la última visita una sesión ha vivido { $life_us } de media; cada una se sustituye { $replaced_per_h } veces por hora. Se sospecha: alguien no usa pool, o los pools cierran lo que vuelven a necesitar.
    .found-since-visit-more1 = Son { $logins_per_s } inicios por segundo.
    .next-since-visit = Ejecute peaje watch: dice qué aplicación es, y si no usa pool o su pool cierra demasiado pronto.
    .healthy-since-start = Las sesiones viven { $life_us } de media.
    .healthy-since-visit = Desde la última visita las sesiones han vivido { $life_us } de media.
    .cannot-say-too-short = Se han contado inicios durante menos de diez minutos.
    .cannot-say-not-counted = El servidor no cuenta inicios, no dice desde cuándo, o ha contado muy pocos.

idle-in-transaction = Sesiones ociosas dentro de una transacción
    .title-long = Sesiones ociosas mucho tiempo dentro de una transacción
    .short-unseen = no se ven las sesiones
    .found-long = { $sessions ->
        [one] Una sesión mantiene abierta una transacción y no hace nada
       *[other] { $sessions } sesiones mantienen abierta una transacción y no hacen nada
     }, la más larga desde hace { $for_us }: { $applications }. Conservan bloqueos y frenan la limpieza de filas viejas.
    .found-long-more1 = El servidor termina tales sesiones tras { $closed_after_us }.
    .found-long-more2 = Nada las termina: { $no_timeout } es 0.
    .next-long = Confirme antes de que la aplicación llame a otro{ $engine ->
        [postgres] ; ponga idle_in_transaction_session_timeout
        [mysql] ; en MariaDB ponga idle_transaction_timeout
       *[other] {""}
     }.
    .healthy-none = Ninguna sesión está ociosa dentro de una transacción.
    .healthy-short = { $sessions ->
        [one] Una sesión está ociosa
       *[other] { $sessions } sesiones están ociosas
     } dentro de una transacción, { $for_us } como mucho.
    .cannot-say-unseen = No se pudo ver la lista de sesiones.

unencrypted-applications = Cifrado de las aplicaciones
    .title-in-clear = Aplicaciones que no cifran
    .title-not-forced = El cifrado no es obligatorio
    .short-unseen = no se ve el cifrado de las sesiones
    .found-in-clear = { $in_clear ->
        [one] Una de { $sessions } sesiones por la red no va cifrada
       *[other] { $in_clear } de { $sessions } sesiones por la red no van cifradas
     }: { $applications }.
    .found-in-clear-more1 = El cifrado añade unos { $tls_us } a cada inicio desde aquí.
    .found-in-clear-more2 = En cada inicio lo pagan las que no parecen usar pool (ninguna sesión de más de un minuto): { $unpooled }.
    .next-in-clear = Active el cifrado en sus cadenas de conexión, que las que no usan pool conserven sus sesiones, y después oblíguelo ({ $engine ->
        [mysql] require_secure_transport
        [sqlserver] ForceEncryption
       *[other] reglas hostssl en pg_hba.conf
     }).
    .found-not-forced = { $sessions ->
        [0] Ninguna sesión por la red va ahora en claro, pero el servidor la dejaría entrar.
        [one] La sesión por la red va cifrada, pero el servidor dejaría entrar una en claro.
       *[other] Las { $sessions } sesiones por la red van cifradas, pero el servidor dejaría entrar una en claro.
     }
    .next-not-forced = Oblíguelo: { $engine ->
        [mysql] require_secure_transport = ON
        [sqlserver] ForceEncryption en el Administrador de configuración de SQL Server
       *[other] hostssl en lugar de host en pg_hba.conf
     }.
    .healthy-forced = El servidor no deja entrar a nadie sin cifrado.
    .healthy-none-in-clear = Ninguna sesión por la red va en claro.
    .cannot-say-unseen = No se pudo ver si las sesiones van cifradas.

many-failed-logins = Inicios de sesión fallidos
    .title-since-start = Fallan muchos inicios de sesión
    .title-since-visit = Desde la última visita han fallado muchos inicios
    .short-not-counted = no se cuentan los fallidos
    .found-since-start = Falló el { $share } de todos los inicios desde que empezaron los contadores: { $failed } junto a { $logins } buenos.
    .found-since-start-more1 = Contraseña o nombre erróneos: { $credentials }.
    .found-since-start-more2 = Rechazados por un límite: { $at_limit }.
    .next-since-start = Lea una hora del registro del servidor: nombra el usuario y la máquina; a menudo es un cliente olvidado.
    .found-since-visit = Falló el { $share } de los inicios desde la última visita: { $failed } junto a { $logins } buenos.
    .found-since-visit-more1 = Contraseña o nombre erróneos: { $credentials }.
    .found-since-visit-more2 = Rechazados por un límite: { $at_limit }.
    .next-since-visit = Lea el registro del servidor de esas horas: nombra el usuario y la máquina; a menudo es un cliente olvidado.
    .healthy-since-start = Fallaron { $failed } inicios junto a { $logins } buenos.
    .healthy-since-visit = Desde la última visita fallaron { $failed } inicios junto a { $logins } buenos.
    .cannot-say-not-counted = El servidor no cuenta los inicios fallidos.

login-timeout-too-short = El límite del servidor para un inicio de sesión
    .title-server = El límite del servidor para un inicio está cerca
    .short-unreadable = no se puede leer el límite
    .short-no-login = no se midió ningún inicio
    .found-server = El inicio más lento tardó { $worst_us }, el { $timeout_share } de los { $limit_us } tras los que el servidor lo abandona ({ $setting }).
    .next-server = Averigüe por qué es lento (peaje login); suba { $setting } solo donde lo expliquen la distancia o un directorio.
    .healthy-server = El inicio más lento tardó { $worst_us } de los { $limit_us } que permite { $setting }.
    .cannot-say-unreadable = No se pudo leer el límite del servidor para un inicio.
    .cannot-say-no-login = No se midió ningún inicio.

slow-logins-recorded = Lo que el servidor guardó de inicios lentos
    .title-ring-buffer = El servidor guardó inicios lentos
    .title-host-cache = El servidor guardó máquinas cuyas conexiones fallan
    .short-not-kept = esta versión no guarda nada
    .short-not-logged = log_connections no tiene setup_durations
    .short-unreadable = no se puede leer
    .found-ring-buffer = El servidor guardó { $logins } inicios fallidos o anormales; el más lento tardó { $slowest_us }.
    .found-ring-buffer-more1 = La mayor parte: { $part }.
    .found-ring-buffer-more2 = { $slow } de ellos tardaron un segundo o más.
    .next-ring-buffer = Lea sus tiempos en sys.dm_os_ring_buffers (RING_BUFFER_CONNECTIVITY): queueing es que no había trabajador libre, network el cliente o el camino, windows-authentication el controlador de dominio.
    .found-host-cache = Errores de la peor máquina: { $worst }.
    .found-host-cache-more1 = Tras { $limit } seguidos (max_connect_errors) el servidor rechaza una máquina.
    .found-host-cache-more2 = Conexiones rechazadas por ello: { $blocked }.
    .found-host-cache-more3 = Consultas de nombres de máquina que fallaron: { $names }.
    .next-host-cache = Arregle lo que hace fallar esas conexiones y después flush hosts; use skip_name_resolve donde los nombres no se puedan resolver.
    .healthy-ring-buffer = El servidor guardó { $logins } inicios fallidos o anormales, ninguno de un segundo o más.
    .healthy-host-cache = Ninguna máquina está cerca de ser rechazada, y todos los nombres se resolvieron.
    .healthy-in-the-log = El registro del servidor dice cuánto tardó en prepararse cada inicio (setup_durations).
    .cannot-say-not-kept = Esta versión no guarda nada de inicios lentos; PostgreSQL 18 escribe sus tiempos en su registro.
    .cannot-say-not-logged = El servidor podría escribir en su registro cuánto tardó cada inicio: añada setup_durations a log_connections.
    .cannot-say-unreadable = No se pudo leer lo que el servidor guardó.

never-used-sessions = Sesiones que nunca se usaron
    .title-unused = Muchas sesiones nunca se usaron
    .short-unseen = el servidor no lo dice, o no se ven las sesiones
    .found-unused = { $unused } de { $sessions } sesiones ({ $share }) no han ejecutado nunca nada: { $applications }.
    .next-unused = Baje el mínimo de esos pools, a menudo de 0 a 5, y deje el máximo; tras un reinicio todas inician sesión a la vez.
    .healthy-unused = { $unused ->
        [0] Todas las sesiones se han usado.
       *[other] { $unused } de { $sessions } sesiones no han ejecutado nunca nada.
     }
    .cannot-say-unseen = No se pudo ver si las sesiones se usaron alguna vez.

listen-backlog-too-small = La cola de escucha
    .title-queue = La cola de escucha es corta
    .short-managed = servicio gestionado
    .short-remote = otra máquina
    .short-unknown-process = no se sabe quién escucha
    .found-queue = La cola de escucha del servidor admite { $length } conexiones, y hubo { $sessions } sesiones abiertas a la vez: si vuelven todas de golpe, algunas se descartan y esperan un segundo o más.
    .found-queue-more1 = El límite del núcleo es { $somaxconn } (somaxconn).
    .found-queue-more2 = Desde su arranque, en esta máquina se descartaron { $overflows } conexiones por una cola llena.
    .next-queue = Suba net.core.somaxconn{ $engine ->
        [mysql] {" "}y back_log
       *[other] {""}
     }, y reinicie el servidor.
    .healthy-queue = La cola de escucha del servidor admite { $length } conexiones.
    .cannot-say-managed = No se puede decir: es un servicio gestionado y su máquina solo la ve su dueño.
    .cannot-say-remote = No se puede decir: el servidor está en otra máquina; ejecute peaje allí.
    .cannot-say-unknown-process = No se puede decir: no se sabe qué proceso escucha ahí, o escucha en un socket.

thread-cache-too-small = La caché de hilos
    .title-cache = La caché de hilos es pequeña
    .short-unreadable = no se pueden leer los contadores
    .found-cache = El { $misses } de las { $connections } conexiones tuvo que esperar un hilo nuevo ({ $created } hilos hechos); thread_cache_size es { $size }.
    .found-cache-more1 = Son { $per_s } hilos por segundo.
    .next-cache = Suba thread_cache_size, y vea quién inicia sesión tan a menudo: peaje watch.
    .healthy-cache = Se hicieron { $created } hilos para { $connections } conexiones.
    .healthy-thread-pool = Un pool de hilos sirve las sesiones.
    .cannot-say-unreadable = No se pudieron leer los contadores de hilos.
