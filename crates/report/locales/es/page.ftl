# Frases que solo usa la página HTML.

page-title = peaje login: { $what }
when-and-where = Medido desde { $started } hasta { $finished }, { $measured } de ello con carga, desde la máquina { $host }.
page-asked = Qué se preguntó
page-found = Qué se encontró
page-cost = Qué cuesta
page-actions = Qué hacer
page-plots = Gráficas
page-numbers = Todas las cifras
page-settings = Ajustes
page-environment = Desde dónde se midió
page-facts = Lo que se leyó en el servidor
page-findings-all = Todos los hallazgos con sus pruebas
page-details = Detalles
page-evidence = Pruebas
page-toc = En esta página

asked-closed = ¿Qué cuesta un inicio de sesión, fase por fase? { $n ->
    [one] Un cliente, una operación tras otra
   *[other] { $n } clientes en paralelo; cada uno empieza su siguiente operación cuando acaba la anterior
  }.
asked-open = ¿Qué cuesta un inicio de sesión, fase por fase? Se ofrecen { $rate } operaciones/s, las siga o no el servidor (bucle abierto), con { $n } a la vez como mucho.
asked-amount-iterations = { $n } operaciones de cada cliente en cada serie.
asked-amount-operations = { $n } operaciones en cada serie.
asked-amount-duration = Cada serie se midió durante { $time }.
asked-series = Series: { $list }.
asked-query = Consulta de cada operación: { $query }
asked-no-query = Sin consulta: cada operación solo conecta y cierra.


cost-series = { $label }: { $sentences }
cost-wait = El { $share } de los { $total } de una operación es entrar y salir; la consulta tarda { $query }.
cost-per-thousand = 1.000 inicios de sesión cuestan { $cpu } de CPU del servidor.
cost-per-thousand-whole = 1.000 operaciones que inician sesión cada vez cuestan { $cpu } de CPU del servidor.
cost-unknown = No se midió nada a lo que poner precio.
actions-incomplete = Esta ejecución no está entera: arregle lo que la detuvo o hizo fallar operaciones y vuelva a medir.
actions-none = Esta ejecución no da motivo para hacer nada.

plots-of-some = Los gráficos muestran las primeras { $shown } de { $of } series.
plot-phases-title = Adónde va el tiempo de una operación
plot-phases-x = tiempo medio de una operación
plot-phases-alt = Barras apiladas: el tiempo medio de una operación de cada serie, por partes. Las mismas cifras están en «{ $heading }».
plot-distribution-title = Latencia por percentil
plot-distribution-x = percentil (90, 99 y 99,9 % a distancias iguales)
plot-distribution-y = latencia (logarítmica)
plot-distribution-alt = Líneas: latencia de cada serie por percentil. Los percentiles principales están en la tabla de todas las cifras.
plot-logarithmic = { $title } (log.)
plot-uncorrected = { $label }, desde inicio (sin corregir)
plot-timeline-title = Ritmo y operaciones a la vez a lo largo del tiempo
plot-timeline-x = tiempo medido en la serie
plot-timeline-rate = operaciones/s
plot-timeline-flight = a la vez
plot-timeline-failed = fallos/s
plot-timeline-alt = Líneas: operaciones completadas por segundo y operaciones a la vez de cada serie a lo largo del tiempo.

num-scheduled = operaciones previstas
num-completed = completadas
num-failed = fallidas
num-skipped = sin empezar
num-in-flight = cortadas al detener
num-logins = inicios de sesión
num-elapsed = tiempo transcurrido de la serie
num-logins-per-s = inicios de sesión por segundo
num-throughput = operaciones por segundo
num-throughput-interval = … intervalo del 95 %
num-peak = mejor ventana, operaciones por segundo
num-latency = latencia, { $figure }
num-service = desde inicio (sin corregir), { $figure }
num-lag = retraso al empezar, { $figure }
num-query = consulta, { $figure }
num-phase = { $phase }, media
num-phase-share = { $phase }, parte del inicio de sesión
num-phase-trips = { $phase }, viajes de ida y vuelta
num-pool = pool: { $part }, media
num-rtt = ida y vuelta por la red
num-client-cpu = CPU del cliente por inicio de sesión
num-client-crypto = … de ella, criptografía
num-server-logins = inicios de sesión contados por el servidor
num-server-cpu-login = CPU del servidor por inicio de sesión, consultas incluidas
num-server-cpu-operation = CPU del servidor por operación
num-server-percent = CPU del servidor, de un núcleo
num-listen-overflows = desbordes de la cola de escucha
num-retransmits = segmentos retransmitidos
num-time-wait = sockets en TIME_WAIT al final
num-figure = cifra
fig-mean = media
fig-max = máximo

set-url = cadena de conexión
set-started = comienzo (UTC)
set-finished = fin (UTC)
set-loop = carga
set-loop-closed = bucle cerrado
set-loop-poisson = bucle abierto, intervalos al azar (Poisson), { $rate } operaciones/s
set-loop-constant = bucle abierto, intervalos iguales, { $rate } operaciones/s
set-loop-burst = bucle abierto, ráfagas de { $n }, { $rate } operaciones/s
set-concurrency = concurrencia
set-iterations = operaciones de cada cliente
set-operations = operaciones de cada serie
set-duration = duración de cada serie
set-warm-up = calentamiento
set-warm-up-none = ninguno
set-warm-up-fixed = { $time } en cada serie
set-warm-up-stationary = hasta que el ritmo se asiente, { $time } como mucho
set-slices = turnos de cada serie
set-threads = hilos de trabajo
set-source-addresses = direcciones de origen
set-query = consulta
set-close = cierre
set-close-polite = cortés: se despide y espera a que el servidor cierre
set-close-quick = rápido: se despide y cierra
set-close-reset = brusco: corta la conexión (RST)
set-scram-cache = claves SCRAM derivadas
set-cache-off = se derivan en cada inicio de sesión
set-cache-on = se guardan
set-resolve = resolución de nombres
set-resolve-each = en cada inicio de sesión
set-resolve-once = una vez, antes de la ejecución
set-pool = pool
set-pool-value = de { $min } a { $max } conexiones, inactividad { $idle }, vida { $lifetime }
set-never = sin límite
set-login-timeout = tiempo límite de inicio de sesión
set-tag = etiqueta
set-seed = semilla
set-expect-rejects = se esperan rechazos

env-version = peaje
env-kernel = núcleo del sistema
env-cpu = CPU
env-cores = núcleos
env-tls = biblioteca TLS
env-host = host
env-command = línea de órdenes
env-clock = reloj
env-clock-value = resolución { $resolution } ns, { $cost } ns por lectura

fact-name = nombre
fact-value = valor
fact-source = fuente
fact-at = leído
fact-start = al comienzo
yes = sí
no = no

verdict-found = encontrado
verdict-healthy = sin problema
verdict-cannot-say = no se puede decir
footer = Hecho por peaje { $version } a partir de un fichero de ejecución ({ $schema }). Los tiempos de las operaciones cuentan desde el instante en que tocaban. 1 ms = 1.000 µs.
