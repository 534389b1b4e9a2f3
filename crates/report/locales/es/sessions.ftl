# Una ejecución de `peaje sessions`: la escalera, lo que dice y sus hallazgos.

col-held = sesiones
col-step-time = abiertas en
col-each = cada una
col-login-p50 = inicio p50
col-login-p99 = inicio p99
col-server-memory = servidor
col-available = disponible
col-fits = caben
col-processes = procesos
col-threads = hilos
col-target = destino
col-per-session = por sesión
col-of-machine = de la máquina
col-fixed = fijo
col-open-time = abiertas en
col-knee = codo
col-first-wall = primer muro

head-ladder = Sesiones abiertas, escalón a escalón
head-ladder-of = Sesiones abiertas, escalón a escalón: { $label }
head-targets = Uno junto a otro
head-held = Lo que cuesta una sesión abierta
head-held-of = Lo que cuesta una sesión abierta: { $label }
sessions-columns = «cada una»: tiempo del escalón por cada sesión que abrió; «servidor»: memoria de los procesos del servidor, las páginas compartidas una vez; «caben»: sesiones que caben en memoria con una reserva, según lo predicho en ese escalón{ $bound ->
    [upper-bound] { " " }(máximo: las sesiones nunca trabajaron)
   *[estimate] {""}
 }.
sessions-columns-short = «cada una»: tiempo del escalón por cada sesión que abrió.
sessions-stopped = La escalera terminó antes de su último escalón: { $guard }.
guard-memory-floor = se alcanzó la memoria que debe quedar disponible (--memory-floor)
guard-swap = la máquina empezó a paginar (--swap-guard)
guard-free-sessions = se ocupó la mitad de las sesiones libres

sessions-memory = Una sesión toma { $bytes } de la memoria del servidor{ $interval }; { $fixed } están sin ninguna.
sessions-interval = { " " }(95 %: { $low } a { $high })
sessions-views = Una sesión toma { $bytes } según las vistas del servidor{ $interval }: lo que reservó, no lo que dio su máquina.
sessions-machine = La memoria disponible de la máquina pierde { $bytes } por cada una{ $interval }.
sessions-group = El uso del grupo de control crece { $bytes } por cada una{ $interval }, con la parte del núcleo, sin la caché de páginas.
sessions-idle-worked = Cada sesión: ociosa { $idle }; después de su consulta { $worked }.
sessions-idle-only = Cada sesión: ociosa { $idle }; después de su consulta: no medido (--warm-query), así que toda predicción es un máximo.
sessions-worked-only = Cada sesión: después de su consulta { $worked }.
sessions-account = De { $host } por sesión: { $list }.
account-pss = los procesos del servidor { $bytes }
account-page-tables = tablas de páginas { $bytes }
account-kernel-stacks = pilas del núcleo { $bytes }
account-slab = objetos del núcleo { $bytes }
account-per-cpu = objetos por procesador { $bytes }
account-sockets = búferes de sockets { $bytes }
account-client = el propio peaje { $bytes }
account-unexplained = sin explicar { $bytes }
sessions-client = El propio peaje toma { $bytes } por cada sesión que mantiene.
sessions-growth = Un inicio crece con las sesiones elevadas a { $exponent }: { $first } en el primer escalón, { $last } en el último.
sessions-knee-said = Codo en { $sessions } sesiones (95 %: { $low } a { $high }), { $cause }: cada una tarda { $after } después, { $before } antes.
sessions-straight = Sin codo: la escalera es recta hasta { $sessions } sesiones, hasta donde puede saberse.
knee-memory = la memoria de la máquina
knee-cgroup-memory = la memoria del grupo de control del servidor
knee-scheduler = los procesadores, no la memoria
knee-unknown = causa desconocida
sessions-wall = Primer muro: { $wall } en { $sessions } sesiones{ $upper ->
    [yes] , un máximo
   *[no] {""}
 }{ $beyond ->
    [yes] { " " }(extrapolado: se midieron { $measured })
   *[no] {""}
 }.
sessions-more-walls = Después: { $list }.
sessions-one-wall = { $wall } { $sessions }
wall-memory = la memoria física
wall-cgroup-memory = la memoria del grupo de control
wall-server-limit = el límite propio del servidor
wall-account-limit = el límite de la cuenta o de la base de datos
wall-server-files = los ficheros abiertos del servidor
wall-client-files = los ficheros abiertos de peaje
wall-processes = los procesos
wall-threads = los hilos
wall-ports = los puertos del cliente
sessions-churn = Con { $rate } sesiones cerradas y abiertas de nuevo cada segundo entre { $sessions }, un inicio tarda { $login } (p50){ $switches }.
sessions-churn-switches = { " " }y cuesta { $n } cambios de contexto
sessions-probe = Entre { $sessions } sesiones un inicio más tarda { $login } (p50), la consulta { $query }{ $beside }.
sessions-probe-beside = , { $query } junto a las que trabajan
sessions-closing = { $sessions } sesiones se cerraron en { $time }{ $memory }{ $left }.
sessions-closing-memory = ; volvieron { $bytes } de la memoria del servidor
sessions-closing-left = ; el servidor aún cuenta { $n } de ellas
sessions-dropped-said = El servidor cerró { $n ->
    [one] una sesión
   *[other] { $n } sesiones
 }: { $list }.
sessions-dropped-one = { $reason } ({ $n })
asked-sessions = ¿Qué cuesta una sesión abierta, y cuántas caben? Escalones: { $steps }; { $concurrency ->
    [one] un inicio tras otro
   *[other] { $concurrency } inicios a la vez
 }.
set-steps = Escalones
set-settle = Espera antes de medir un escalón
set-active = Parte de las sesiones que trabaja
set-warm-query = Ejecutado una vez en cada sesión
set-churn = Sesiones cerradas y abiertas de nuevo, por segundo
set-memory-floor = Memoria que debe quedar disponible
set-swap-guard = Paginar termina la ejecución
set-reserve = Memoria que una predicción deja libre
asked-warm = Ejecutado una vez en cada sesión: { $query }
asked-idle = Las sesiones no ejecutan nada después de su inicio.

plot-held-time-title = Tiempo de una sesión más
plot-held-time-y = tiempo por sesión
plot-held-memory-title = Memoria del servidor
plot-held-memory-y = memoria
plot-held-x = sesiones abiertas
plot-held-time-alt = Tiempo de una sesión más frente a las sesiones abiertas, con el codo. Las cifras están en la tabla de escalones.
plot-held-memory-alt = Memoria del servidor frente a las sesiones abiertas, con la recta ajustada y los muros. Las cifras están en la tabla de escalones.
plot-held-knee = codo { $sessions }
plot-held-wall = primer muro { $sessions }
plot-held-fit = { $label } (recta: { $bytes } cada una)
plot-held-limit = límite { $bytes }

memory-per-session = Lo que toma una sesión abierta
    .short-not-read = no se leyó la memoria del servidor
    .short-too-few-steps = muy pocos escalones
    .found-idle = Una sesión que nunca trabajó toma { $bytes } de la memoria del servidor.
    .found-idle-more1 = Con tablas de páginas, pilas del núcleo y búferes de sockets son { $whole_bytes }.
    .found-idle-more2 = Las { $allowed } sesiones que el servidor permite tomarían { $all_bytes }; hay { $memory }.
    .next-idle = Mida lo que una sesión conserva tras su propia consulta (--warm-query); que el servidor no permita más sesiones de las que caben.
    .found-worked = Después de su consulta una sesión toma { $bytes } de la memoria del servidor.
    .found-worked-more1 = Ociosa tomaba { $idle_bytes }.
    .found-worked-more2 = Con tablas de páginas, pilas del núcleo y búferes de sockets son { $whole_bytes }.
    .found-worked-more3 = Las { $allowed } sesiones que el servidor permite tomarían { $all_bytes }; hay { $memory }.
    .next-worked = Que el servidor no permita más sesiones de las que caben, y ponga un pooler delante de las que esperan.
    .healthy-idle = Una sesión que nunca trabajó toma { $bytes }, que aquí es poco.
    .healthy-worked = Después de su consulta una sesión toma { $bytes }, que aquí es poco.
    .cannot-say-not-read = No se sabe lo que toma una sesión: no se pudo leer la memoria del servidor. Ejecute peaje en su máquina, o dé --observed-by.
    .cannot-say-too-few-steps = No se sabe lo que toma una sesión: se hicieron { $steps } de { $needed } escalones.

first-wall = Lo que primero impide más sesiones
    .title-memory = La memoria es el primer muro
    .title-cgroup-memory = La memoria del grupo de control es el primer muro
    .title-system = Un límite del sistema operativo es el primer muro
    .title-client = Un límite de este cliente es el primer muro
    .short-unknown = no se conoce ningún límite
    .found-memory = La memoria se acaba primero: caben { $bound ->
        [upper-bound] como mucho
       *[estimate] unas
      } { $sessions } sesiones; después la máquina pagina.
    .found-memory-more1 = El servidor permitiría { $allowed }.
    .found-memory-more2 = Está extrapolado: se midieron { $measured }.
    .next-memory = Ponga el límite propio del servidor por debajo, para que el inicio que sobra se rechace antes de que sufran todos; un pooler necesita menos sesiones.
    .found-cgroup-memory = El grupo de control en que vive el servidor se acaba primero: en él caben { $bound ->
        [upper-bound] como mucho
       *[estimate] unas
      } { $sessions } sesiones, le sobre lo que le sobre a la máquina.
    .found-cgroup-memory-more1 = Su límite es { $memory }.
    .found-cgroup-memory-more2 = El servidor permitiría { $allowed }.
    .found-cgroup-memory-more3 = Está extrapolado: se midieron { $measured }.
    .next-cgroup-memory = Suba el límite del grupo (MemoryMax del servicio, la memoria del contenedor), o ponga el límite propio del servidor por debajo.
    .healthy-own-limit = El límite propio del servidor llega primero: { $name } = { $limit }, { $taken } ocupadas; el inicio que sobra se rechaza y nadie más sufre.
    .healthy-own-limit-more1 = En memoria cabrían { $memory_sessions }.
    .found-system = { $name } = { $limit } se acaba primero, con { $sessions } sesiones ({ $taken } ya tomados): los inicios fallan entonces con errores de límites que no puso ningún DBA.
    .found-system-more1 = El servidor permitiría { $allowed }.
    .next-system = Suba { $name } por encima de lo que necesita el límite del servidor, en la unidad del servicio.
    .found-client = Un límite de este cliente termina la escalera en { $sessions } sesiones: { $name } = { $limit }, { $taken } tomados. No dice nada del servidor.
    .next-client = Suba { $name } aquí, o dé más direcciones de origen.
    .cannot-say-unknown = No se conoce ni un límite ni el crecimiento de la memoria.

sessions-knee = Donde una sesión más empieza a costar más
    .title = Codo de las sesiones abiertas
    .title-memory = La memoria está llena: la máquina pagina
    .title-cgroup-memory = El grupo de control está lleno: el servidor pagina
    .title-scheduler = Más sesiones de las que atienden los procesadores
    .short-too-few-steps = muy pocos escalones
    .found-memory = Desde unas { $sessions } sesiones ({ $low } a { $high }) cada una tarda { $after_us } en vez de { $before_us }, { $ratio } veces: la memoria está llena y la máquina pagina.
    .found-memory-more1 = Con { $predicted_at } sesiones la predicción era { $predicted }.
    .next-memory = Quédese por debajo: un pooler o pools más pequeños, o más memoria; ponga el límite propio del servidor por debajo del codo.
    .found-cgroup-memory = Desde unas { $sessions } sesiones ({ $low } a { $high }) cada una tarda { $after_us } en vez de { $before_us }, { $ratio } veces: la memoria del grupo de control del servidor está llena, aunque a la máquina pueda sobrarle.
    .found-cgroup-memory-more1 = Con { $predicted_at } sesiones la predicción era { $predicted }.
    .next-cgroup-memory = Suba el límite de memoria del grupo, o quédese por debajo: un pooler, pools más pequeños, el límite propio del servidor por debajo del codo.
    .found-scheduler = Desde unas { $sessions } sesiones ({ $low } a { $high }) cada una tarda { $after_us } en vez de { $before_us }, { $ratio } veces. No faltaba memoria; se esperaba más a los procesadores.
    .found-scheduler-more1 = Con { $predicted_at } sesiones se predijo que cabrían { $predicted } en memoria.
    .next-scheduler = Menos sesiones trabajando a la vez: un pool de cerca del doble de los núcleos atiende más que cientos de sesiones.
    .found-unknown = Desde unas { $sessions } sesiones ({ $low } a { $high }) cada una tarda { $after_us } en vez de { $before_us }, { $ratio } veces. Nada de lo leído lo explica.
    .found-unknown-more1 = Con { $predicted_at } sesiones se predijo que cabrían { $predicted } en memoria.
    .next-unknown = Mida de nuevo con la memoria y los procesadores de la máquina del servidor a la vista (allí mismo, o con --observed-by).
    .healthy-straight = Recta hasta { $sessions } sesiones: cada una tardó { $each_us }.
    .cannot-say-too-few-steps = No se distingue un codo del ruido: { $steps } escalones, y hacen falta { $needed }.

process-or-thread = Un proceso o un hilo por sesión
    .short-not-read = no se leyó la memoria
    .found-compared = Una sesión toma { $process_bytes } en { $process }, un proceso cada una, y { $thread_bytes } en { $thread }, un hilo cada una: { $ratio } veces.
    .found-compared-more1 = Sin sesiones toman { $process_fixed } y { $thread_fixed }.
    .found-compared-more2 = { $sessions } sesiones estaban abiertas a los { $process_us } y { $thread_us }.
    .found-compared-more3 = { $process } se dobla en { $process_knee } sesiones.
    .found-compared-more4 = { $thread } se dobla en { $thread_knee } sesiones.
    .next-compared = Con procesos ponga un pooler delante antes de añadir memoria. Qué productos representa cada modelo, y a cuáles ninguno, lo dice peaje explain process-or-thread.
    .healthy-compared = Un proceso cada una en { $process } toma apenas más que un hilo cada una en { $thread }: { $process_bytes } y { $thread_bytes }.
    .cannot-say-not-read = No se pueden comparar procesos e hilos: no se leyó la memoria de uno de ellos.

logins-slow-down = Los inicios tardan más con más sesiones abiertas
    .title = Tiempo de inicio frente a sesiones abiertas
    .short-too-few-steps = muy pocos escalones
    .found-power = Un inicio tarda { $ratio } veces más con { $sessions } sesiones abiertas que en el primer escalón: { $last_us }, { $first_us } al principio. Crece con la potencia { $exponent } de las sesiones.
    .found-power-more1 = (95 %: { $low } a { $high }; 1 sería en proporción.)
    .next-power = Mire la fase que crece; mantenga menos sesiones abiertas, y cuente con que tras una conmutación los inicios sean más lentos.
    .healthy-power = Un inicio tarda más o menos lo mismo con { $sessions } sesiones abiertas que en el primer escalón: { $last_us }, { $first_us } al principio.
    .cannot-say-too-few-steps = No se sabe cómo crece el tiempo de inicio: { $steps } escalones, y hacen falta { $needed }.

sessions-dropped = Sesiones que el servidor cerró
    .short-not-held = no se mantuvo ninguna sesión
    .found-dropped = { $dropped } de { $held } sesiones mantenidas terminaron desde el otro lado; la mayoría { $reason ->
        [closed] sin una palabra
       *[other] con «{ $reason }»
      }.
    .found-dropped-more1 = Sus palabras: { $message }
    .next-dropped = Ponga el plazo de ociosidad del pool por debajo del del servidor; si no hubo palabra, pregunte quién está en medio.
    .healthy-none = Las { $held } sesiones siguieron abiertas mientras se mantuvieron.
    .cannot-say-not-held = No se mantuvo ninguna sesión.

idle-sessions-cost = Lo que cuestan las sesiones nunca usadas
    .short-unseen = no se ven otras sesiones
    .short-not-read = no se leyó la memoria
    .found-unused = { $unused } sesiones de otros nunca se usaron; a { $bytes } cada una toman { $all_bytes }.
    .found-unused-more1 = Son { $share } de la memoria.
    .next-unused = Vea de quién son con peaje check, y baje el mínimo de esos pools.
    .healthy-unused = { $unused ->
        [0] Nadie mantiene sesiones que nunca se usaron.
        [one] Una sesión nunca se usó.
       *[other] { $unused } sesiones nunca se usaron; toman { $all_bytes }.
      }
    .cannot-say-unseen = Aquí no se ve si otros mantienen sesiones que nunca usaron.
    .cannot-say-not-read = No se sabe lo que cuestan las sesiones nunca usadas: no se leyó la memoria del servidor.

pooler-saves = Lo que ahorraría un pooler
    .short-not-read = no se leyó la memoria
    .found-open-now = De { $sessions } sesiones de otros trabajaban { $at_work }. Un pooler con { $pool } devolvería { $saved_bytes }, a { $bytes } cada una.
    .found-open-now-more1 = Es { $share } de la memoria.
    .found-ladder = Para mantener { $sessions } sesiones como aquí, un pooler con { $pool } hacia el servidor ahorraría { $saved_bytes }, a { $bytes } cada una.
    .found-ladder-more1 = Es { $share } de la memoria.
    .next = Dimensione el pool por el minuto de más carga (peaje watch), y compruebe que las aplicaciones no guardan estado en sus sesiones.
    .healthy-open-now = Un pooler devolvería { $saved_bytes }: poco.
    .healthy-ladder = Un pooler ahorraría { $saved_bytes } con { $sessions } sesiones: poco.
    .cannot-say-not-read = No se sabe lo que ahorraría un pooler: no se leyó la memoria del servidor.
