# Hallazgos. Un código es un mensaje y sus atributos son las redacciones: véase src/findings.rs.

short =
    .not-yet = aún no se ha visto bastante
    .not-known = el servidor no lo dice
    .not-measured = sin medir
    .too-few-logins = demasiado pocos inicios de sesión
    .within-noise = dentro del ruido: mida más tiempo
    .generator-bound = el límite fue peaje
    .something-between = hay algo en medio

cannot-say =
    .not-yet = No se ha visto bastante para juzgar ningún grupo: { $logins } inicios de sesión, y hacen falta { $needed }, además de media hora de lecturas para casi todos los veredictos.
    .not-known = Aquí no se sabe lo que hace falta: el servidor no lo dice, o peaje no puede preguntarlo.
    .not-measured = Ninguna serie de esta ejecución puede decirlo.
    .too-few-logins = Demasiado pocos inicios de sesión para decirlo: { $logins }; hacen falta { $needed }.
    .within-noise = La diferencia entre { $series_off } y { $series_tls } ({ $ratio } veces) no sale del ruido de la medida.
    .generator-bound = El propio peaje fue el cuello de botella en { $series }: sus tiempos contienen las esperas de peaje.

tls-multiplies-login = Lo que TLS añade a un inicio de sesión
    .short-not-measured = ninguna serie con TLS: --tls off,full
    .found-pair = TLS multiplica por { $ratio } la duración de una operación: { $tls_us } en { $series_tls }, { $off_us } en { $series_off }; { $extra_us } de más en cada inicio de sesión.
    .found-pair-more1 = { $rate_bound ->
        [lower-bound] El ritmo pasa de { $off_per_s } a { $tls_per_s } operaciones/s, o más: el límite fue peaje.
       *[measured] El ritmo pasa de { $off_per_s } a { $tls_per_s } operaciones/s.
      }
    .found-pair-more2 = { $cpu_change ->
        [unchanged] La CPU del servidor por inicio de sesión, con su consulta, no cambia: { $tls_cpu_us }, frente a { $off_cpu_us } sin TLS.
       *[changed] La CPU del servidor por inicio de sesión, con su consulta, pasa de { $off_cpu_us } a { $tls_cpu_us } (× { $cpu_ratio }).
      }
    .found-pair-more3 = { $pooled_change ->
        [unchanged] Con un pool, donde la sesión se cifra una vez y se conserva, una operación tarda lo mismo que sin TLS: { $pooled_tls_us }, frente a { $pooled_off_us }.
       *[changed] Con un pool, donde la sesión se cifra una vez y se conserva, una operación pasa de { $pooled_off_us } a { $pooled_tls_us } (× { $pooled_ratio }).
      }
    .found-pair-more4 = Estas medias contienen los { $pool_logins } inicios de sesión que llenaron el pool.
    .found-pooled-only = Incluso con pool, TLS multiplica por { $ratio } la duración de una operación: { $tls_us } en { $series_tls }, { $off_us } en { $series_off }.
    .found-pooled-only-more1 = Contiene los { $pool_logins } inicios de sesión que llenaron el pool.
    .found-share = La negociación TLS ocupa { $tls_us } de un inicio de sesión de { $login_us } en { $series_tls } ({ $tls_share }). Solo --tls off,full mide lo que TLS añade de verdad.
    .next-share = Mida con --tls off,full. Añada lo que añada, un pool lo paga una vez por sesión.
    .next = Mantenga las sesiones abiertas: un pool paga TLS una vez por sesión. Si las aplicaciones han de entrar cada vez, mire el tipo de la clave del servidor y si se reanudan las sesiones TLS.
    .next-pooled-only = Compruebe que el pool conserva sus sesiones (tiempo de inactividad, vida máxima); mida --mode unpooled con --tls off,full para ver el precio de un inicio de sesión.
    .healthy-pair = TLS añade poco aquí, { $extra_us } por operación: { $tls_us } en { $series_tls } frente a { $off_us } en { $series_off } ({ $ratio } veces).
    .healthy-pooled-only = Con pool, TLS añade poco: { $tls_us } frente a { $off_us } por operación ({ $ratio } veces).
    .healthy-pooled-only-more1 = Contienen los { $pool_logins } inicios de sesión que llenaron el pool.
    .healthy-share = La negociación TLS es una parte pequeña de un inicio de sesión en { $series_tls }: { $tls_us } de { $login_us } ({ $tls_share }). Solo --tls off,full mide lo que TLS añade de verdad.

rsa-key-dominates = Lo que cuesta la clave RSA del servidor
    .short-no-tls = sin TLS
    .short-key-unknown = tipo de clave desconocido
    .found-cpu-difference = El servidor firma cada negociación completa con su clave { $key }. Una clave ECDSA P-256 ahorraría hasta unos { $saving_us } de los { $base_us } de CPU del servidor por inicio de sesión en { $series } ({ $saving_share }, una estimación).
    .found-cpu-difference-more1 = Al ritmo medido, eso libera hasta { $saving_cores } núcleos.
    .found-tls-phase = El servidor firma cada negociación completa con su clave { $key }. Una clave ECDSA P-256 ahorraría hasta unos { $saving_us } de los { $base_us } de un inicio de sesión en { $series } ({ $saving_share }, una estimación).
    .next = { $engine ->
        [sqlserver] La documentación de SQL Server pide un certificado cuya clave sirva para el intercambio de claves, lo que en la práctica significa RSA: no use más de 2.048 bits, y mantenga las sesiones abiertas, pues un pool ahorra la negociación entera.
       *[other] Dé al servidor un certificado ECDSA P-256 de la misma autoridad, compruebe que lo aceptan los clientes más antiguos y vuelva a medir.
      }
    .healthy-ecdsa = La clave del servidor es { $key }: firmar es barato.
    .healthy-rsa-small = La clave { $key } del servidor cuesta hasta unos { $saving_us } de { $base_us } ({ $saving_share }): no compensa cambiarla.
    .healthy-resumed = En { $series } se reanudaron las sesiones: la clave del servidor no se usó.
    .cannot-say-no-tls = Ninguna serie usó TLS.
    .cannot-say-key-unknown = No se conoce el tipo de la clave del servidor en { $series }.

pooling-pays = Lo que ahorraría un pool de conexiones
    .short-not-measured = ninguna pareja así de series: --mode unpooled,pooled
    .short-no-pooled = ninguna serie con pool: --mode unpooled,pooled
    .short-no-unpooled = ninguna serie sin pool: --mode unpooled,pooled
    .short-too-few-operations = demasiado pocas operaciones
    .short-pool-did-not-reuse = el pool apenas reutilizó sesiones
    .found-cpu = Una operación tarda { $unpooled_us } en { $series_unpooled } y { $pooled_us } en { $series_pooled }: { $ratio } veces menos. Iniciar sesión cuesta { $overhead_us } de CPU del servidor.
    .found-cpu-more1 = El tiempo con pool contiene los { $pool_logins } inicios de sesión que lo llenaron.
    .found-cpu-more2 = Hacen falta { $break_even_queries } consultas en una conexión para que el inicio añada menos del { $target_share } a su coste; con menos, un pool compensa.
    .found-cpu-more3 = Cada 1.000 inicios de sesión evitados ahorran { $cpu_s_per_1000 } de CPU del servidor.
    .found-cpu-more4 = { $login_cores } de { $cores } núcleos se van en inicios de sesión.
    .found-wall = Una operación tarda { $unpooled_us } en { $series_unpooled } y { $pooled_us } en { $series_pooled }: { $ratio } veces menos. Iniciar sesión tarda { $overhead_us }.
    .found-wall-more1 = El tiempo con pool contiene los { $pool_logins } inicios de sesión que lo llenaron.
    .found-wall-more2 = Hacen falta { $break_even_queries } consultas en una conexión para que el inicio añada menos del { $target_share } a su tiempo; con menos, un pool compensa.
    .next = Busque las aplicaciones que inician sesión en cada consulta y deles un pool, en el controlador { $engine ->
        [sqlserver] (ADO.NET y el gestor ODBC de Microsoft tienen uno: busque Pooling=false y cadenas de conexión que cambian de un usuario a otro).
        [mysql] o delante del servidor (ProxySQL, MaxScale).
       *[other] o delante del servidor (PgBouncer).
      }
    .healthy-cpu = Un pool ganaría poco aquí: una operación tarda { $unpooled_us } sin pool y { $pooled_us } con pool.
    .healthy-cpu-more1 = El tiempo con pool contiene los { $pool_logins } inicios de sesión que lo llenaron.
    .healthy-wall = Un pool ganaría poco aquí: una operación tarda { $unpooled_us } sin pool y { $pooled_us } con pool.
    .healthy-wall-more1 = El tiempo con pool contiene los { $pool_logins } inicios de sesión que lo llenaron.
    .cannot-say-not-measured = No hay serie sin pool y con pool que comparar: mida con --mode unpooled,pooled.
    .cannot-say-no-pooled = No hay serie con pool con la que comparar la que va sin pool: mida con --mode unpooled,pooled.
    .cannot-say-no-unpooled = No hay serie sin pool con la que comparar la que va con pool: mida con --mode unpooled,pooled.
    .cannot-say-too-few-operations = Demasiado pocas operaciones para decirlo: { $operations }; hacen falta { $needed }.
    .cannot-say-within-noise = La diferencia entre { $series_unpooled } y { $series_pooled } ({ $ratio } veces) no sale del ruido de la medida.
    .cannot-say-pool-did-not-reuse = El pool de { $series_pooled } abrió { $pooled_logins } sesiones para { $operations } operaciones: apenas reutilizó ninguna.

slow-logins = Lento al conectar, no al consultar
    .title = Si los inicios de sesión esperan
    .short-no-query = sin consulta
    .short-queueing-possible = puede ser cola: --concurrency 1
    .found-waiting = Un inicio de sesión tarda { $login_us } en estar listo; la consulta, { $query_us }. El servidor solo calcula durante { $cpu_us }: lo demás es espera, sobre todo en la fase «{ $phase }» ({ $phase_us }, { $phase_share } del inicio).
    .found-cpu-unknown = Un inicio de sesión tarda { $login_us } en estar listo; la consulta, { $query_us }. La mayor parte pasa en la fase «{ $phase }» ({ $phase_us }, { $phase_share } del inicio); desde aquí no se puede saber si el servidor calcula o espera.
    .found-waiting-more1 = { $timed_out ->
        [0] El más lento tardó { $worst_us }, el { $worst_share } del tiempo límite de { $timeout_us }.
        [one] 1 inicio de sesión agotó el tiempo límite de { $timeout_us }.
       *[other] { $timed_out } inicios de sesión agotaron el tiempo límite de { $timeout_us }.
      }
    .found-cpu-unknown-more1 = { $timed_out ->
        [0] El más lento tardó { $worst_us }, el { $worst_share } del tiempo límite de { $timeout_us }.
        [one] 1 inicio de sesión agotó el tiempo límite de { $timeout_us }.
       *[other] { $timed_out } inicios de sesión agotaron el tiempo límite de { $timeout_us }.
      }
    .found-waiting-more2 = En PostgreSQL la fase «{ $undivided }» contiene también la apertura de la sesión: el cliente ve una sola respuesta.
    .found-cpu-unknown-more2 = En PostgreSQL la fase «{ $undivided }» contiene también la apertura de la sesión: el cliente ve una sola respuesta.
    .found-timed-out = { $timed_out } inicios de sesión de { $series } agotaron el tiempo límite de { $timeout_us }; solo { $logins } llegaron a término.
    .found-watched = { watch-who }: un inicio de sesión tarda { $login_us } de media, según la ejecución dada con --login-run.
    .found-watched-more1 = { watch-in-progress }
    .found-watched-more2 = { watch-cores }
    .found-watched-more3 = { watch-between }
    .next = { slow-logins-advice } Mientras tanto, un pool evita la espera, y un tiempo límite mayor, los fallos.
    .healthy-fast = Un inicio de sesión está listo en { $login_us } en { $series }.
    .healthy-distance = Un inicio de sesión está listo en { $login_us } en { $series }; el { $distance_share } es distancia, no el servidor.
    .healthy-queueing = Un inicio de sesión está listo en { $login_us } en { $series } porque la máquina está ocupada ({ $busy_share } de sus núcleos): se espera un núcleo, no a un tercero.
    .healthy-computing = Un inicio de sesión está listo en { $login_us } en { $series }, y el servidor calcula durante { $cpu_us } ({ $cpu_share }): trabaja, no espera.
    .cannot-say-no-query = { $series } no hizo ninguna consulta con la que comparar un inicio de sesión.
    .cannot-say-queueing-possible = Con { $concurrency } a la vez y sin conocer la CPU del servidor, { $login_us } por inicio de sesión pueden ser cola. Mida con --concurrency 1.

slow-logins-advice = { $stage ->
        [resolve] Mire el servicio de nombres del cliente: los servidores de /etc/resolv.conf, y un resolutor con caché delante de ellos.
        [connect] Todavía no trabaja nada de la base de datos: mire el camino (un primer paquete perdido se repite al cabo de un segundo o más), los cortafuegos y proxys que haya en él y la cola de escucha del servidor.
        [negotiate] { slow-logins-negotiate }
        [tls] En la negociación no se comprueba ninguna contraseña: mire si se pierden paquetes (los certificados ocupan varios), quién termina TLS en medio y si el servidor encuentra un núcleo para ella.
        [ticket] Mire el centro de distribución de claves que da el tique, y el servicio de nombres que lleva hasta él.
        [authenticate] { slow-logins-authenticate }
        [session] { slow-logins-session }
       *[other] { slow-logins-anywhere }
      }
slow-logins-negotiate = { $engine ->
        [sqlserver] En esa fase no se comprueba ninguna contraseña ni corre ningún disparador: mire si quedan hilos de trabajo libres (work_queue_count en sys.dm_os_schedulers) y lo que haya en medio.
        [mysql] Esa fase es la espera del saludo del servidor, de la que late-greeting dice más; en ella no hay contraseña, servicio de directorio ni init_connect.
       *[other] En esa fase no se comprueba ninguna contraseña: el servidor crea un proceso para la sesión y, con log_hostname, busca el nombre del cliente. Mire eso, y lo que haya en medio.
      }
slow-logins-authenticate = { $engine ->
        [sqlserver] Mire a quién pregunta el servidor mientras alguien entra (controladores de dominio), qué hace él mismo entonces (disparadores de inicio de sesión, auditorías, el clasificador de Resource Governor) y si le quedan hilos de trabajo libres. El evento process_login_finish desglosa el tiempo.
        [mysql] Mire a quién pregunta el servidor mientras comprueba la contraseña: un servicio de directorio (LDAP, PAM) tras el complemento de la cuenta; y los complementos de auditoría que ven el inicio.
       *[other] Mire a quién pregunta el servidor mientras alguien entra: servicio de directorio (LDAP, RADIUS, PAM), resolución del nombre del cliente; y qué hace él mismo entonces: session_preload_libraries, disparadores de inicio de sesión, discos. log_connections = setup_durations de PostgreSQL 18, o el registro del servidor, desglosa el tiempo.
      }
slow-logins-session = { $engine ->
        [sqlserver] Mire qué hace el servidor mismo al abrir una sesión (disparadores de inicio de sesión, auditorías, el clasificador de Resource Governor) y si le quedan hilos de trabajo libres. El evento process_login_finish desglosa el tiempo.
        [mysql] La contraseña ya está comprobada: mire qué hace el servidor al abrir una sesión: init_connect, complementos de auditoría.
       *[other] La contraseña ya está comprobada: mire qué hace el servidor al abrir una sesión: session_preload_libraries, disparadores de inicio de sesión, cachés del catálogo, discos. log_connections = setup_durations de PostgreSQL 18, o el registro del servidor, desglosa el tiempo.
      }
slow-logins-anywhere = { $engine ->
        [sqlserver] Mire a quién pregunta el servidor mientras alguien entra (controladores de dominio), qué hace él mismo entonces (disparadores de inicio de sesión, auditorías, el clasificador de Resource Governor) y si le quedan hilos de trabajo libres. El evento process_login_finish desglosa el tiempo.
        [mysql] Mire a quién pregunta el servidor mientras alguien entra: servicio de directorio (LDAP, PAM), resolución del nombre del cliente (skip_name_resolve); y qué hace él mismo entonces: init_connect, complementos de auditoría, hilos por crear.
       *[other] Mire a quién pregunta el servidor mientras alguien entra: servicio de directorio (LDAP, RADIUS, PAM), resolución del nombre del cliente; y qué hace él mismo entonces: session_preload_libraries, disparadores de inicio de sesión, discos. log_connections = setup_durations de PostgreSQL 18, o el registro del servidor, desglosa el tiempo.
      }

scram-derivation-dominates = Lo que cuesta al cliente derivar la clave SCRAM
    .short-mixed-with-tls = TLS y SCRAM en la misma cifra: --tls off
    .short-cpu-unknown = CPU del cliente desconocida
    .short-auth-unknown = autenticación desconocida
    .found-wall = El cliente calcula durante { $crypto_us } de cada inicio de sesión de { $login_us } en { $series } ({ $share }): deriva la clave SCRAM de la contraseña cada vez. Un núcleo del cliente llega a { $ceiling_per_s } inicios/s como mucho. Su controlador puede necesitar de 5 a 10 veces más: mídalo con pgbench -C.
    .found-client-cpu = El cliente es el cuello de botella en { $series }, y derivar la clave SCRAM son { $crypto_us } de su CPU por inicio de sesión. Un núcleo del cliente llega a { $ceiling_per_s } inicios/s como mucho. Su controlador puede necesitar de 5 a 10 veces más: mídalo con pgbench -C.
    .found-wall-more1 = El servidor pide { $iterations } iteraciones.
    .found-client-cpu-more1 = El servidor pide { $iterations } iteraciones.
    .next = Mantenga las sesiones abiertas, o use un controlador o pooler que guarde las claves derivadas. No baje scram_iterations por velocidad sin haber pesado lo que se pierde.
    .healthy-not-scram = Aquí no hay SCRAM: la autenticación fue { $method }.
    .healthy-cached = En { $series } se guardaron las claves derivadas: no se pagó la derivación en cada inicio de sesión.
    .healthy-small = Derivar la clave SCRAM es una parte pequeña de un inicio de sesión en { $series }: { $crypto_us } de { $login_us } ({ $share }). Eso es peaje; su controlador puede necesitar de 5 a 10 veces más: mídalo con pgbench -C.
    .healthy-small-with-tls = SCRAM y TLS juntos son una parte pequeña de un inicio de sesión en { $series }: { $crypto_us } de { $login_us } ({ $share }).
    .cannot-say-mixed-with-tls = TLS y SCRAM están en la misma cifra en { $series } ({ $crypto_us }, { $share }). Mida con --tls off.
    .cannot-say-cpu-unknown = La criptografía del cliente no se midió en { $series }.
    .cannot-say-auth-unknown = No se sabe cómo se autenticó { $series }.

distance-dominates = Cuánto de un inicio de sesión es distancia
    .short-no-rtt = sin tiempo de ida y vuelta
    .found-distance = De un inicio de sesión de { $total_us } en { $series }, { $distance_us } son distancia ({ $distance_share }): { $round_trips } viajes de ida y vuelta × { $rtt_us }. Desde un host a 0,5 ms espere unos { $near_total_us }.
    .next = Acerque la aplicación, o un pooler, al servidor, o mantenga las sesiones abiertas. { $engine ->
        [sqlserver] TLS 1.3, que viene con Encrypt=Strict (SQL Server 2022 o posterior), ahorra un viaje frente a TLS 1.2.
        [mysql] TLS 1.3 ahorra un viaje frente a TLS 1.2.
       *[other] También ayudan menos viajes: sslnegotiation=direct (PostgreSQL 17 o posterior) ahorra uno.
      }
    .healthy-distance = La distancia son { $distance_us } de un inicio de sesión de { $total_us } en { $series } ({ $distance_share }).
    .cannot-say-something-between = Hay algo en medio, y la ida y vuelta se midió solo hasta ahí en { $series }.
    .cannot-say-no-rtt = No se midió el tiempo de ida y vuelta en { $series }.

name-resolution-dominates = Lo que cuesta resolver el nombre del servidor
    .found-slow = Resolver { $host } ocupa { $resolve_us } de un inicio de sesión de { $login_us } en { $series } ({ $share }).
    .found-resolver-timeout = Resolver { $host } tardó { $resolve_us }: la constante de { $timeout_us } de quien pregunta a un servidor de nombres que no responde y luego al siguiente.
    .found-once = Resolver { $host } tardó { $resolve_us }, una vez, antes de la ejecución; un controlador que resuelva en cada inicio de sesión lo sumaría a { $login_us } cada vez ({ $share }).
    .next = Ponga en el cliente un resolutor con caché, o la dirección en la cadena de conexión o en /etc/hosts.
    .next-resolver-timeout = Mire /etc/resolv.conf en el cliente: quite o arregle el servidor de nombres muerto y ponga un resolutor con caché.
    .healthy-fast = Resolver { $host } ocupa { $resolve_us } de un inicio de sesión de { $login_us } ({ $share }).
    .healthy-once = Resolver { $host } tardó { $resolve_us }, una vez, antes de la ejecución.

dead-address = Una dirección que no responde
    .title = Si responden todas las direcciones
    .title-first-refused = Una dirección que rechaza conexiones
    .title-later-refused = Una dirección que rechaza conexiones
    .title-at-once-refused = Una dirección que rechaza conexiones
    .short-not-probed = no se marcaron
    .short-none-answered = ninguna respondió
    .found-first-timed-out = { $address } (número { $position } de { $addresses } { dead-address-among }) se intenta antes que otra que sí responde, y se traga lo que se le envía (peaje lo dejó tras { $took_us }): un cliente que marca en secuencia pierde allí todo su tiempo límite, { $lost_us } en cada inicio de sesión. { $answered } responde en { $answered_us }.
    .found-first-unreachable = { $address } (número { $position } de { $addresses } { dead-address-among }) se intenta antes que otra que sí responde, y es inalcanzable: { $took_us } perdidos en cada inicio de sesión por un cliente que marca en secuencia. { $answered } responde en { $answered_us }.
    .found-first-refused = { $address } (número { $position } de { $addresses } { dead-address-among }) se intenta antes que otra que sí responde, y rechaza las conexiones: { $took_us } perdidos en cada inicio de sesión por un cliente que marca en secuencia. { $answered } responde en { $answered_us }.
    .found-first-not-resolved = { $address } (número { $position } de { $addresses }) se intenta antes que otro que sí responde, y no tiene dirección: { $took_us } perdidos en cada inicio de sesión por un cliente que marca en secuencia. { $answered } responde en { $answered_us }.
    .found-later-timed-out = { $address } (número { $position } de { $addresses } { dead-address-among }), que se intenta después de otra que responde, se traga lo que se le envía (peaje lo dejó tras { $took_us }); un cliente pierde todo su tiempo límite, { $lost_us }, cuando recurre a ella.
    .found-later-unreachable = { $address } (número { $position } de { $addresses } { dead-address-among }), que se intenta después de otra que responde, es inalcanzable; un cliente lo descubre tras { $took_us } cuando recurre a ella.
    .found-later-refused = { $address } (número { $position } de { $addresses } { dead-address-among }), que se intenta después de otra que responde, rechaza las conexiones; un cliente lo descubre tras { $took_us } cuando recurre a ella.
    .found-later-not-resolved = { $address } (número { $position } de { $addresses }), que se intenta después de otra que responde, no tiene dirección; un cliente lo descubre tras { $took_us } cuando recurre a él.
    .found-first-timed-out-more1 = { $windows ->
        [sooner] En Windows son solo unos 21 s, y entonces se intenta la siguiente.
       *[later] Windows la abandonaría a los 21 s, más o menos, después del tiempo límite: las demás direcciones no se intentan nunca.
      } Un cliente con MultiSubnetFailover=True marca todas a la vez y no pierde nada.
    .found-at-once-timed-out = { $address } (número { $position } de { $addresses } { dead-address-among }) se traga lo que se le envía (peaje lo dejó tras { $took_us }). Con MultiSubnetFailover, como en esta ejecución, no se pierde nada: se marcan todas a la vez. Un cliente que marca en secuencia y empieza por esta pierde todo su tiempo límite, { $lost_us }. { $answered } responde en { $answered_us }.
    .found-at-once-unreachable = { $address } (número { $position } de { $addresses } { dead-address-among }) es inalcanzable. Con MultiSubnetFailover, como en esta ejecución, no se pierde nada: se marcan todas a la vez. Un cliente que marca en secuencia y empieza por esta pierde { $took_us }. { $answered } responde en { $answered_us }.
    .found-at-once-refused = { $address } (número { $position } de { $addresses } { dead-address-among }) rechaza las conexiones. Con MultiSubnetFailover, como en esta ejecución, no se pierde nada: se marcan todas a la vez. Un cliente que marca en secuencia y empieza por esta pierde { $took_us }. { $answered } responde en { $answered_us }.
    .found-at-once-not-resolved = { $address } (número { $position } de { $addresses }) no tiene dirección. Con MultiSubnetFailover, como en esta ejecución, no se pierde nada: se marcan todas a la vez. Un cliente que marca en secuencia y empieza por esta pierde { $took_us }. { $answered } responde en { $answered_us }.
    .next = { $engine ->
        [sqlserver] Ponga MultiSubnetFailover=True en todos los clientes: el agente de escucha de un grupo de disponibilidad tiene una dirección en cada subred, y todas menos una callan por diseño. Para los clientes que no lo conocen, ponga a 0 RegisterAllProvidersIP del agente de escucha. Si la dirección está muerta para siempre, quítela del servicio de nombres.
        [mysql] Quite la dirección muerta del servicio de nombres o de la cadena de conexión, o arregle lo que hay detrás; que los clientes marquen con un tiempo límite corto por dirección (connect_timeout, connectTimeout), y primero el host vivo.
       *[other] Quite la dirección muerta del servicio de nombres o de la cadena de conexión, o arregle lo que hay detrás; que los clientes marquen con un tiempo límite corto por dirección (connect_timeout), y primero el host vivo.
      }
    .healthy-all-answered = { $addresses ->
        [one] La única dirección respondió.
       *[other] Las { $addresses } direcciones respondieron.
      }
    .cannot-say-not-probed = Las direcciones no se marcaron una a una.
    .cannot-say-none-answered = { $addresses ->
        [one] La única dirección no respondió.
       *[other] Ninguna de las { $addresses } direcciones respondió.
      }

dead-address-among = { $hosts ->
        [one] de { $host }
       *[other] de la cadena de conexión
      }

late-greeting = El servidor saluda tarde
    .title = Cuándo saluda el servidor
    .short-queueing-possible = puede ser cola: --concurrency 1
    .found-first-lookup = El primer inicio de sesión esperó { $first_us } el saludo del servidor y los siguientes { $later_us }, descontado el viaje de ida y vuelta. skip_name_resolve está en OFF: el servidor resuelve la dirección del cliente a un nombre antes de hablar, y guarda la respuesta un tiempo.
    .found-first-other = El primer inicio de sesión esperó { $first_us } el saludo del servidor y los siguientes { $later_us }, descontado el viaje de ida y vuelta. { late-greeting-no-lookup }
    .found-first-unknown = El primer inicio de sesión esperó { $first_us } el saludo del servidor y los siguientes { $later_us }, descontado el viaje de ida y vuelta. { late-greeting-lookup-unknown }
    .found-every-lookup = Cada inicio de sesión espera { $later_us } el saludo del servidor en { $series }, descontado el viaje de ida y vuelta. skip_name_resolve está en OFF: el servidor resuelve la dirección del cliente a un nombre antes de hablar.
    .found-every-lookup-more1 = host_cache_size es { $host_cache_size }: no se guarda ninguna respuesta.
    .found-every-other = Cada inicio de sesión espera { $later_us } el saludo del servidor en { $series }, descontado el viaje de ida y vuelta. { late-greeting-no-lookup }
    .found-every-unknown = Cada inicio de sesión espera { $later_us } el saludo del servidor en { $series }, descontado el viaje de ida y vuelta. { late-greeting-lookup-unknown }
    .next = Ponga skip_name_resolve = ON y reinicie el servidor (una cuenta cuyo host es un nombre deja entonces de valer: dele antes una dirección), o arregle el DNS inverso de las direcciones de los clientes.
    .next-first-other = Mire quién acepta las conexiones: un servidor recién arrancado, hilos por crear (thread_cache_size), un proxy que conecta por su cuenta antes de saludar.
    .next-every-other = Mire quién acepta las conexiones: un servidor sin núcleos libres, hilos por crear (thread_cache_size), un pool de hilos lleno, un proxy que conecta por su cuenta antes de saludar.
    .next-first-unknown = Mire skip_name_resolve en el servidor. Si está en OFF, póngalo en ON (las cuentas cuyo host es un nombre dejan entonces de valer) o arregle el DNS inverso de las direcciones de los clientes.
    .next-every-unknown = Mire skip_name_resolve en el servidor. Si está en OFF, póngalo en ON (las cuentas cuyo host es un nombre dejan entonces de valer) o arregle el DNS inverso de las direcciones de los clientes.
    .healthy-prompt = El servidor saluda a los { $later_us } en { $series }, descontado el viaje de ida y vuelta.
    .healthy-queueing = Con { $concurrency } a la vez el saludo tarda { $later_us }; a solas tardó { $first_us }: se hace cola ante un servidor ocupado, no se espera un nombre.
    .cannot-say-queueing-possible = Con { $concurrency } a la vez, { $later_us } hasta el saludo del servidor pueden ser cola. Mida con --concurrency 1.

late-greeting-no-lookup = No fue la búsqueda del nombre del cliente: { $why ->
        [socket] por un socket Unix no se busca nada.
        [loopback] de un cliente en loopback no se busca nada.
        [between] quien saluda es algo que hay en medio.
       *[setting] skip_name_resolve está en ON.
      }
late-greeting-lookup-unknown = No se pudo leer si el servidor resuelve la dirección del cliente a un nombre (skip_name_resolve).

login-hooks = Lo que se ejecuta en cada inicio de sesión
    .short-unreadable = ajustes ilegibles
    .found-runs = Además de comprobar la contraseña, cada inicio de sesión desencadena { $hooks ->
        [one] una cosa.
       *[other] { $hooks } cosas.
      }
    .found-runs-more1 = { hook-triggers }
    .found-runs-more2 = { hook-classifier }
    .found-runs-more3 = { hook-statements }
    .found-runs-more4 = { hook-lookup }
    .found-runs-more5 = { hook-hash }
    .found-runs-more6 = Las fases en que se ejecutan, con la comprobación de la contraseña, ocupan { $phase_us } de un inicio de sesión de { $login_us } ({ $phase_share }).
    .found-runs-more7 = { hook-libraries }
    .found-runs-more8 = { hook-audits }
    .found-runs-more9 = { hook-audit-policy }
    .found-runs-more10 = { hook-audit-plugins }
    .found-runs-more11 = { hook-event-sessions }
    .found-runs-more12 = { hook-c2 }
    .found-runs-more13 = { hook-common-criteria }
    .found-runs-more14 = { hook-error-log }
    .found-runs-more15 = { hook-general-log }
    .found-runs-more16 = { hook-log-lines }
    .found-runs-more17 = { hook-pgaudit }
    .found-runs-more18 = { hook-segment }
    .found-runs-more19 = { hook-unread }
    .found-records = Nada retiene un inicio de sesión, hasta donde se pudo leer, pero cada uno desencadena { $hooks ->
        [one] una cosa.
       *[other] { $hooks } cosas.
      }
    .found-records-more1 = { hook-libraries }
    .found-records-more2 = { hook-audits }
    .found-records-more3 = { hook-audit-policy }
    .found-records-more4 = { hook-audit-plugins }
    .found-records-more5 = { hook-event-sessions }
    .found-records-more6 = { hook-c2 }
    .found-records-more7 = { hook-common-criteria }
    .found-records-more8 = { hook-error-log }
    .found-records-more9 = { hook-general-log }
    .found-records-more10 = { hook-log-lines }
    .found-records-more11 = { hook-pgaudit }
    .found-records-more12 = { hook-segment }
    .found-records-more13 = { hook-unread }
    .next-runs = Mida las fases con ello y sin ello, en una copia del servidor: lo que se ejecuta ahí retrasa cada inicio de sesión, y lo que falla ahí deja fuera a todos. Un pool lo paga una vez por sesión.
    .next-records = Multiplíquelo por los inicios de sesión por segundo antes de subir la carga; un pool lo escribe una vez por sesión.
    .healthy-nothing = En un inicio de sesión no se ejecuta ni se escribe nada, según los ajustes y las vistas.
    .cannot-say-unreadable = No se pudo leer lo que se ejecuta en un inicio de sesión: { $unread }.
    .cannot-say-unreadable-more1 = Para verlo: { $mend }.

hook-triggers = Se ejecutan disparadores: { $triggers }.
hook-classifier = Resource Governor ejecuta su clasificador { $classifier }.
hook-statements = El servidor ejecuta las sentencias de { $statements } antes de la primera del cliente, salvo que la cuenta sea de administrador.
hook-lookup = { $lookup } está activo: el servidor busca el nombre de la dirección del cliente.
hook-hash = El servidor aplica a la contraseña muchas vueltas de hash ({ $hash }).
hook-libraries = Se cargan bibliotecas en la sesión: { $libraries }.
hook-audits = Hay auditorías que registran el inicio: { $audits }.
hook-audit-policy = El registro de auditoría anota el inicio (audit_log_policy { $audit_policy }).
hook-audit-plugins = Hay complementos de auditoría que ven el inicio y pueden anotarlo: { $audit_plugins }.
hook-event-sessions = Hay sesiones de eventos que lo registran: { $event_sessions }.
hook-c2 = { $c2_audit_mode } está activo: se traza toda la sesión.
hook-common-criteria = { $common_criteria_compliance_enabled } está activo: se guardan estadísticas de los inicios.
hook-error-log = Una línea va al registro de errores del servidor (nivel de auditoría: { $error_log }).
hook-general-log = Connect y Quit van al registro general ({ $general_log }), y también cada sentencia.
hook-log-lines = { $log_lines ->
        [one] Una línea va al registro del servidor.
       *[other] { $log_lines } líneas van al registro del servidor.
      }
hook-pgaudit = pgaudit registra lo que la sesión hace después (pgaudit.log: { $pgaudit }).
hook-segment = { $segment ->
        [pooler] Hay un pooler en medio: esto ocurre en los inicios de sesión del pooler, no en cada uno de los suyos.
       *[other] Hay algo en medio: si es un pooler, esto ocurre en los inicios de sesión del pooler.
      }
hook-unread = No se pudo leer, así que quizá haya más: { $unread }.

redirected-login = Inicios de sesión que se hacen dos veces
    .title = Si se reenvían los inicios de sesión
    .found-routed = El primer servidor reenvió a otro { $redirected } de { $logins } inicios de sesión en { $series } ({ $share }): cada uno se hizo dos veces.
    .found-gateway = La pasarela reenvió al servidor que hay detrás { $redirected } de { $logins } inicios de sesión en { $series } ({ $share }): cada uno se hizo dos veces.
    .found-routed-more1 = De un inicio medio de { $login_us }, la primera mitad cuesta a uno reenviado unos { $extra_us }, si ambos servidores están igual de lejos.
    .found-routed-more2 = Son unos { $extra_round_trips } viajes de ida y vuelta más.
    .found-gateway-more1 = De un inicio medio de { $login_us }, la primera mitad cuesta a uno reenviado unos { $extra_us }, si pasarela y servidor están igual de lejos.
    .found-gateway-more2 = Son unos { $extra_round_trips } viajes de ida y vuelta más.
    .next-routed = Mantenga las sesiones abiertas: el rodeo se paga una vez por cada una. Donde no se quiera, conecte con el destino mismo, y pida ApplicationIntent=ReadOnly solo donde el trabajo deba ir a una secundaria de solo lectura.
    .next-gateway = Mantenga las sesiones abiertas: el rodeo se paga una vez por cada una. No cambie por ello la directiva de conexión: con Redirect las consultas van derechas al servidor; con Proxy, cada una pasa por la pasarela.
    .healthy-direct = Ningún inicio de sesión se reenvió a otro servidor.

full-authentication-each-time = No se toma la vía rápida de la contraseña
    .title = Cómo se comprueban las contraseñas
    .short-auth-unknown = autenticación desconocida
    .found-never-fast = Ninguno de los { $logins } inicios de sesión de { $series } tomó la vía rápida de caching_sha2_password: { full-authentication-channel }
    .found-rarely-fast = { $full } de { $logins } inicios de sesión de { $series } no tomaron la vía rápida de caching_sha2_password ({ $full_share }): { full-authentication-channel }
    .found-sha256-password = { $full } de { $logins } inicios de sesión de { $series } comprobaron la contraseña entera ({ $full_share }), porque sha256_password no tiene vía rápida: { full-authentication-channel }
    .found-never-fast-more1 = La fase «autenticar» ocupa { $authenticate_us } de un inicio de sesión de { $login_us } ({ $authenticate_share }).
    .found-rarely-fast-more1 = La fase «autenticar» ocupa { $authenticate_us } de un inicio de sesión de { $login_us } ({ $authenticate_share }).
    .found-sha256-password-more1 = La fase «autenticar» ocupa { $authenticate_us } de un inicio de sesión de { $login_us } ({ $authenticate_share }).
    .next = Averigüe qué vacía la caché de contraseñas del servidor: FLUSH PRIVILEGES en una tarea, reinicios, varios servidores tras una misma dirección; o quién responde en su lugar: un proxy, o un servidor que no conoce la vía rápida. Un pool paga la comprobación entera una vez por sesión.
    .next-sha256-password = Pase la cuenta a caching_sha2_password (hay que volver a poner la contraseña) cuando todos sus clientes conozcan ese método.
    .healthy-fast = { $fast } de { $logins } inicios de sesión de { $series } tomaron la vía rápida de la contraseña.
    .healthy-other-method = Aquí ninguna contraseña se comprobó con SHA-2: la autenticación fue { $method }.
    .cannot-say-auth-unknown = No se sabe cómo se autenticó { $series }.

full-authentication-channel = { $channel ->
        [tls] el servidor pide la contraseña cada vez, por TLS, y le aplica el hash miles de veces.
        [socket] el servidor pide la contraseña cada vez, por el socket Unix, y le aplica el hash miles de veces.
       *[rsa] el servidor descifra la contraseña con su clave RSA cada vez, tras más viajes de ida y vuelta, y le aplica el hash miles de veces.
      }

server-full = No quedan sesiones en el servidor
    .title = Sesiones libres en el servidor
    .found-during-load = El servidor rechazó { $refused } de { $attempts } inicios de sesión en { $series } porque no quedaban sesiones ({ $share }), con { $concurrency } a la vez.
    .found-during-load-more1 = { server-full-limit }
    .found-during-load-more2 = { $alone ->
       *[yes] Con una sola a la vez no es peaje quien lo llena: las sesiones las tienen otros, o rechaza algo que está en medio.
      }
    .found-first-login = El servidor rechazó hasta el inicio de sesión hecho a solas, antes de cualquier carga: no quedan sesiones.
    .found-first-login-more1 = { server-full-limit }
    .found-account-limit = El servidor rechazó { $refused } de { $attempts } inicios de sesión en { $series } ({ $share }), con { $concurrency } a la vez, porque { server-full-owner } ha llegado a un límite propio ({ $resource }). Eso no dice nada de lo lleno que está el servidor.
    .found-account-limit-first = El servidor rechazó hasta el inicio de sesión hecho a solas, antes de cualquier carga, porque { server-full-owner } ha llegado a un límite propio ({ $resource }). Eso no dice nada de lo lleno que está el servidor.
    .next-account-limit = { $engine ->
        [mysql] Mire los límites de la cuenta (show grants; select user, host, max_connections, max_user_connections from mysql.user) y el max_user_connections global. Suba el límite (alter user … with …), cierre sesiones de esta cuenta o deje que un pool entre menos veces: un límite por hora cuenta inicios de sesión, no sesiones.
       *[other] Mire los límites: select rolname, rolconnlimit from pg_roles; select datname, datconnlimit from pg_database. Suba el que se alcanzó (alter role … connection limit n, alter database … connection limit n), cierre sesiones que lo gasten o ponga un pooler delante.
      }
    .next-account-limit-first = { $engine ->
        [mysql] Mire los límites de la cuenta (show grants; select user, host, max_connections, max_user_connections from mysql.user) y el max_user_connections global. Suba el límite (alter user … with …), cierre sesiones de esta cuenta o deje que un pool entre menos veces: un límite por hora cuenta inicios de sesión, no sesiones.
       *[other] Mire los límites: select rolname, rolconnlimit from pg_roles; select datname, datconnlimit from pg_database. Suba el que se alcanzó (alter role … connection limit n, alter database … connection limit n), cierre sesiones que lo gasten o ponga un pooler delante.
      }
    .title-account-limit = Un límite de la cuenta o de la base de datos, no del servidor
    .title-account-limit-first = Un límite de la cuenta o de la base de datos, no del servidor
    .next = { $engine ->
        [sqlserver] Averigüe quién ocupa las sesiones (sys.dm_exec_sessions por programa y host) y reduzca los pools con un mínimo demasiado grande (Min Pool Size por el número de clientes); mire `user connections` y, en Azure, los límites del nivel de servicio.
        [mysql] Averigüe quién ocupa las sesiones (information_schema.processlist por usuario y host), reduzca los pools con un mínimo demasiado grande, ponga un pooler delante; suba max_connections solo si hay memoria para ello.
       *[other] Averigüe quién ocupa las sesiones (pg_stat_activity por aplicación y cliente), reduzca los pools con un mínimo demasiado grande, ponga un pooler delante; suba max_connections solo si hay memoria para ello.
      }
    .healthy-room = No se rechazó ningún inicio de sesión por falta de sesiones.

server-full-owner = { $owner ->
        [role] el rol
        [database] la base de datos
       *[account] la cuenta
      }

server-full-limit = Su límite son { $limit } sesiones ({ $engine ->
        [sqlserver] user connections
       *[other] max_connections
      }).

generator-bound = La máquina del propio peaje fue el límite
    .title = Quién fue el límite, peaje o el servidor
    .short-undecided = los indicios se contradicen
    .short-too-short = demasiado corta
    .short-server-gone = el servidor desapareció
    .found-client-cpu = El generador de carga fue el cuello de botella en { $series }: su hilo más ocupado usó el { $value } de un núcleo (límite { $limit }). Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-client-share-of-machine = El generador de carga fue el cuello de botella en { $series }: usó el { $value } de todos los núcleos (límite { $limit }). Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-run-queue-delay = El generador de carga fue el cuello de botella en { $series }: sus hilos esperaron un núcleo el { $value } del tiempo (límite { $limit }). Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-lag = El generador de carga fue el cuello de botella en { $series }: las operaciones empezaron { $value } tarde (límite { $limit }). Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-no-local-port = El generador de carga fue el cuello de botella en { $series }: se quedó sin puertos locales { $value ->
        [one] una vez.
       *[other] { $value } veces.
      } Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-no-file-descriptor = El generador de carga fue el cuello de botella en { $series }: se quedó sin descriptores de fichero { $value ->
        [one] una vez.
       *[other] { $value } veces.
      } Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-no-local-memory = El generador de carga fue el cuello de botella en { $series }: se quedó sin memoria para sockets { $value ->
        [one] una vez.
       *[other] { $value } veces.
      } Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-listen-overflows = La cola de escucha de este host perdió conexiones en { $series } ({ $value }). Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-other = El generador de carga fue el cuello de botella en { $series }. Los ritmos son cotas inferiores de lo que puede el servidor.
    .found-other-more1 = Los indicios: { $reasons }.
    .next = Ejecute peaje en otra máquina que el servidor, dele más --threads o baje --concurrency hasta que el límite sea el servidor.
    .next-no-file-descriptor = Suba el límite de ficheros abiertos (ulimit -n) o baje --concurrency.
    .next-no-local-memory = Baje --concurrency o dé más memoria a esta máquina.
    .next-no-local-port = Reparta la carga entre más direcciones de origen (--source-addresses), use --close reset o espere a que vuelvan los puertos en TIME_WAIT.
    .healthy-server = El servidor, no peaje, limitó el ritmo en { $all_count ->
        [one] la única serie.
       *[other] las { $all_count } series.
      }
    .healthy-schedule = El límite en { $series } fue la cadencia pedida, no el servidor: se hizo todo lo que se ofreció.
    .healthy-waiting = Nada estaba saturado: cada cliente esperaba al servidor.
    .cannot-say-undecided = Los indicios se contradicen en { $series }.
    .cannot-say-undecided-more1 = Los indicios: { $reasons }.
    .cannot-say-too-short = { $series } duró demasiado poco para juzgar.
    .cannot-say-server-gone = El servidor desapareció antes de que acabara { $series }.

serial-client = Un cliente en serie paga toda la latencia
    .title = Lo que paga un cliente en serie
    .found-single = Un solo cliente, una operación tras otra, llega a { $rate_per_s } operaciones/s: { $operation_us } cada una, de los que { $login_us } son iniciar sesión ({ $login_share }). Un servidor más potente no ayuda.
    .found-tls-pair = Un solo cliente, una operación tras otra, tarda { $off_us } en { $series_off } y { $tls_us } en { $series }: un trabajo de { $job_us } tarda { $job_tls_us } con TLS (× { $ratio }). Un servidor más potente no ayuda.
    .found-single-more1 = { $workers } clientes así en paralelo llegarían como mucho a { $workers_per_s } operaciones/s: el servidor calcula { $cpu_us } por cada una, en { $cores } núcleos.
    .found-tls-pair-more1 = { $workers } clientes así en paralelo llegarían como mucho a { $workers_per_s } operaciones/s: el servidor calcula { $cpu_us } por cada una, en { $cores } núcleos.
    .next = Que el trabajo inicie sesión una vez y la conserve, o que se ejecute por partes en paralelo.
    .healthy-concurrent = { $series } llevó { $concurrency } a la vez.
    .healthy-small-share = Iniciar sesión es una parte pequeña de la operación de un cliente en serie: { $login_us } de { $operation_us } ({ $login_share }).

resumption-not-happening = Las sesiones TLS no se reanudan
    .title = La reanudación de sesiones TLS
    .short-not-seen = ninguna negociación vista
    .found-postgresql = En { $series } se pidió reanudar y no ocurrió en { $handshakes } negociaciones. El servidor de PostgreSQL nunca reanuda sesiones TLS: cada inicio de sesión paga una negociación completa.
    .found-never = En { $series } se pidió reanudar y no ocurrió en { $handshakes } negociaciones.
    .found-few = En { $series } se pidió reanudar y ocurrió solo en { $resumed } de { $handshakes } negociaciones ({ $resumed_share }).
    .next = Mire la caché de sesiones y las claves de los tiques de quien termina TLS { $engine ->
        [mysql] (ssl_session_cache_mode en MySQL 8.0.29 o posterior; varios servidores tras una misma dirección han de compartir las claves).
       *[other] (varios servidores tras una misma dirección han de compartirlas).
      }
    .next-postgresql = En PostgreSQL mismo no hay nada que arreglar: mantenga las sesiones abiertas con un pool, o que un pooler o proxy cercano al cliente termine TLS.
    .healthy-resumed = En { $series } se reanudaron las sesiones TLS: { $resumed } de { $handshakes } negociaciones ({ $resumed_share }).
    .cannot-say-not-seen = No se vio ninguna negociación TLS en { $series }.

listen-queue-overflows = La cola de escucha se desbordó
    .title = La cola de escucha
    .short-not-local = servidor en otro host
    .short-unreadable = contadores ilegibles
    .found-overflows = La cola de conexiones por aceptar se desbordó { $overflows ->
        [one] una vez
       *[other] { $overflows } veces
      } en { $series } ({ $logins } inicios de sesión, { $concurrency } a la vez). Un cliente cuya conexión se pierde lo vuelve a intentar al cabo de un segundo o más.
    .next = Suba net.core.somaxconn, y con él la cola del propio servidor, o deje que conecten menos clientes a la vez.
    .healthy-none = Ninguna conexión se perdió por una cola de escucha llena.
    .cannot-say-not-local = El servidor está en otro host; su cola de escucha no se ve desde aquí.
    .cannot-say-unreadable = No se pudieron leer los contadores de red de este host.

counts-disagree = La cuenta del servidor difiere de la nuestra
    .title = La cuenta del servidor y la nuestra
    .short-unknown = contador ilegible
    .short-under-way = inicios en curso al detener
    .found-more = El servidor contó { $server_logins } inicios de sesión en { $series } y peaje hizo { $client_logins }: { $difference } de más. Entraron otros clientes entretanto.
    .found-fewer = El servidor contó { $server_logins } inicios de sesión en { $series } y peaje hizo { $client_logins }: { $difference } de menos. Se reinició su contador, respondió otro servidor o hay en medio un pooler que no se ve.
    .next = Vuelva a medir cuando no entre nadie más.
    .next-fewer = Averigüe qué respondió (primera línea de este informe) y si entretanto se reiniciaron las estadísticas o hubo una conmutación.
    .healthy-equal = El servidor contó tantos inicios de sesión como hizo peaje: { $logins }.
    .cannot-say-unknown = No se pudo leer el contador de inicios de sesión del servidor.
    .cannot-say-under-way = El servidor contó { $server_logins } inicios de sesión en { $series } y peaje terminó { $client_logins }: { $difference } de más. Hasta { $unfinished } estaban en curso al detener ({ $in_flight }) o fallaron ({ $failed }), y el servidor puede haberlos contado.
    .cannot-say-something-between = El servidor contó { $server_logins } inicios de sesión en { $series } y peaje hizo { $client_logins }: hay algo en medio, y el servidor cuenta sus inicios, no los nuestros.

late-starts = Operaciones que empiezan tarde
    .title = Si las operaciones empezaron a tiempo
    .found-overload = En { $series } se ofrecieron { $offered_per_s } operaciones/s y { $rate_bound ->
        [lower-bound] al menos { $throughput_per_s }
       *[measured] { $throughput_per_s }
      } acabaron bien ({ $throughput_share }): se pide más de lo que se puede, y la espera crece mientras dure.
    .found-overload-more1 = El p99 desde el instante previsto es { $latency_p99_us } y desde el inicio, solo { $service_p99_us }; fíese del primero, que es lo que espera un usuario.
    .found-bursts = El ritmo se mantuvo en { $series }, pero las operaciones empezaron hasta { $lag_p99_us } tarde (p99): llegaron a ráfagas.
    .found-bursts-more1 = El p99 desde el instante previsto es { $latency_p99_us } y desde el inicio, solo { $service_p99_us }; fíese del primero, que es lo que espera un usuario.
    .next = Baje --rate para ver la latencia por debajo de la saturación, o busque qué limita el ritmo.
    .next-bursts = Permita más operaciones a la vez (--concurrency) o acepte la espera como precio de las ráfagas.
    .healthy-on-time = Las operaciones empezaron a tiempo en { $series } (p99 de retraso { $lag_p99_us } a { $offered_per_s } operaciones/s).

# Hallazgos de `peaje watch`: partes de frases sobre un grupo de sesiones.
watch-who = { $group_kind ->
        [instance] Clientes de { $group }
        [process] El proceso { $group }
       *[application] { $group }
      }
watch-life = Una sesión vive { $life_us } de media.
watch-replaced = Cada una se sustituye { $replaced_per_h } veces por hora.
watch-share = Es el { $share_of_all } de los inicios de sesión del servidor.
watch-in-progress = En todo momento hay { $in_progress } inicios de sesión en curso.
watch-cores = Estos inicios de sesión ocupan { $cores } núcleos del servidor ({ $cpu_share } de su CPU).
watch-unmeasured = No se puede decir qué cuestan: mida con { $cost_unknown } contra este servidor y dé esa ejecución con --login-run.
# Solo se dice cuando está el parámetro.
watch-between = { $between ->
   *[between] Hay algo entre los clientes y el servidor: esto se refiere a las sesiones entre ese pooler o proxy y el servidor.
 }
watch-grade = { $grade ->
        [confirmed] Confirmado por la vida de las sesiones, por lo que cuenta el servidor o por los ajustes declarados.
        [likely] Probable, por la serie de esta aplicación.
       *[suspected] Sospecha, por los contadores de todo el servidor.
      }
watch-judged = { $groups ->
        [one] se juzgó 1 grupo de sesiones
       *[other] se juzgaron { $groups } grupos de sesiones
      }

failed-login-storm = Inicios de sesión que fallan
    .title = Si fallan los inicios de sesión
    .found-lasting = { watch-who }: fallaron { $failed } inicios de sesión; durante { $for_us }, el { $of_attempts } de los intentos.
    .found-lasting-more1 = { $credentials } llevaban una contraseña errónea o un usuario desconocido.
    .found-lasting-more2 = { $refused } se rechazaron porque se alcanzó un límite.
    .found-lasting-more3 = { watch-between }
    .found-unusual = { watch-who }: fallaron { $failed } inicios de sesión, { $most } de ellos en cinco minutos: muchos más de lo habitual aquí.
    .found-unusual-more1 = { $credentials } llevaban una contraseña errónea o un usuario desconocido.
    .found-unusual-more2 = { $refused } se rechazaron porque se alcanzó un límite.
    .found-unusual-more3 = { watch-between }
    .next = Mire en el registro del servidor qué cliente es. Contraseñas erróneas: alguna configuración guarda una antigua. Rechazados: mire el límite y quién tiene las sesiones.
    .healthy-watched = Apenas falla algún inicio de sesión ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

session-leak = Sesiones que no se devuelven
    .title = Si las sesiones se devuelven
    .found-grows = { watch-who }: las sesiones abiertas crecen un { $growth_per_h } por hora, y pocas se cierran.
    .found-grows-more1 = De las que llevan media hora o más, el { $kept_idle } no ha hecho nada en ese tiempo.
    .found-grows-more2 = A este paso se alcanza el límite en { $full_in_us }.
    .found-grows-more3 = { watch-between }
    .found-grows-more4 = { watch-grade }
    .found-abandoned = { watch-who }: el { $abandoned } de las sesiones que acabaron lo hizo sin despedirse, mucho después de irse su cliente.
    .found-abandoned-more1 = Llevaban { $idle_us } sin hacer nada.
    .found-abandoned-more2 = { watch-between }
    .found-abandoned-more3 = { watch-grade }
    .next-grows = Mire las sesiones inactivas más antiguas (equipo, proceso, última sentencia), cierre las sesiones en el código que las abre y active la detección de fugas del pool; un tiempo límite de inactividad en el servidor es la red de debajo.
    .next-abandoned = Busque qué corta las conexiones inactivas por el camino (cortafuegos, traducción de direcciones, balanceador) y manténgalas vivas por debajo de su plazo, o que el pool las cierre antes.
    .healthy-watched = Las sesiones se devuelven ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

no-pooling = Clientes sin pool
    .title = Si los clientes usan un pool
    .found-group = { watch-who }: { $logins_per_s } inicios de sesión/s, cada uno para un momento. No se usa ningún pool.
    .found-group-more1 = { watch-life }
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = Un inicio de sesión atiende { $requests_per_login } peticiones.
    .found-group-more4 = { watch-share }
    .found-group-more5 = Un pool lo ahorraría casi todo: en todo momento hay { $in_progress } inicios de sesión en curso.
    .found-group-more6 = { watch-cores }
    .found-group-more7 = { watch-unmeasured }
    .found-group-more8 = { watch-between }
    .found-group-more9 = { watch-grade }
    .next = Active el pool de la biblioteca del cliente, o ponga un pooler cerca de él, y vuelva a observar: la vida media de las sesiones debe subir a minutos.
    .healthy-watched = Ninguna aplicación inicia sesión para cada tarea ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

short-scripts = Scripts que inician sesión un momento
    .title = Si hay scripts que inician sesión un momento
    .found-group = { watch-who }: sesiones de un momento que llegan de vez en cuando, { $logins_per_s } inicios de sesión/s de media. Es lo que hacen los scripts y las comprobaciones.
    .found-group-more1 = { watch-life }
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = Ningún inicio de sesión durante el { $pauses } del tiempo.
    .found-group-more4 = { watch-share }
    .found-group-more5 = { watch-in-progress }
    .found-group-more6 = { watch-cores }
    .found-group-more7 = { watch-unmeasured }
    .found-group-more8 = { watch-between }
    .found-group-more9 = { watch-grade }
    .next = Agrupe el trabajo del script en una sesión, láncelo menos a menudo o encárguelo a un agente que permanezca; un pool dentro de un script que termina no sirve, un pooler externo sí.
    .healthy-watched = Ningún script inicia sesión un momento tan a menudo que importe ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-below-min = Un pool que se vacía y se rellena solo
    .title = Si los pools conservan su mínimo
    .found-group = { watch-who }: un número constante de sesiones y, aun así, { $logins_per_s } inicios de sesión/s. El pool cierra sesiones inactivas por debajo de su mínimo y las vuelve a abrir al momento.
    .found-group-more1 = Se cierran a los { $closed_after_us }.
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = { watch-share }
    .found-group-more4 = { watch-in-progress }
    .found-group-more5 = { watch-cores }
    .found-group-more6 = { watch-unmeasured }
    .found-group-more7 = { watch-between }
    .found-group-more8 = { watch-grade }
    .next = Ponga el mínimo del pool a 0 o quítele el tiempo límite de inactividad, y pruebe las sesiones inactivas con un keep-alive en vez de cerrarlas.
    .healthy-watched = Ningún pool cierra sesiones para volver a abrirlas ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

idle-timeout-churn = Pools que crecen y encogen
    .title = Si los pools crecen y encogen
    .found-group = { watch-who }: una ráfaga abre sesiones, el tiempo límite de inactividad las cierra y la ráfaga siguiente las vuelve a abrir: { $logins_per_s } inicios de sesión/s.
    .found-group-more1 = { watch-life }
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = Se cierran cuando llevan unos { $idle_us } sin hacer nada.
    .found-group-more4 = Los cierres de un proceso siguen un período de { $sweep_us }: su pool barre.
    .found-group-more5 = Solo el { $mean_use } de las sesiones trabaja, de media.
    .found-group-more6 = { watch-share }
    .found-group-more7 = { watch-in-progress }
    .found-group-more8 = { watch-cores }
    .found-group-more9 = { watch-unmeasured }
    .found-group-more10 = { watch-between }
    .found-group-more11 = { watch-grade }
    .next = Suba el mínimo de los pools hasta lo que usan las ráfagas, o el tiempo límite de inactividad por encima de la pausa entre dos ráfagas.
    .healthy-watched = Ningún tiempo límite de inactividad cierra lo que pronto vuelve a hacer falta ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

lifetime-wave = Sesiones que caducan a la vez
    .title = Si las sesiones caducan a la vez
    .found-group = { watch-who }: hasta { $at_once } sesiones se cierran a la vez y vuelven a iniciarse, { $waves } veces durante la observación.
    .found-group-more1 = Las olas llegan cada { $every_us }: una vida máxima sin dispersión.
    .found-group-more2 = { watch-replaced }
    .found-group-more3 = { watch-in-progress }
    .found-group-more4 = { watch-cores }
    .found-group-more5 = { watch-unmeasured }
    .found-group-more6 = { watch-between }
    .found-group-more7 = { watch-grade }
    .next = Dé a la vida máxima una dispersión de un décimo, o arranque los pools uno tras otro.
    .healthy-watched = Las sesiones no caducan a la vez ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-max-too-small = Un pool con todas las sesiones ocupadas
    .title = Si los pools llegan a su máximo
    .found-group = { watch-who }: el { $at_work } de las { $sessions } sesiones trabaja casi todo el tiempo, y nunca hay más. Los clientes esperan una.
    .found-group-more1 = Cada proceso tiene { $each }.
    .found-group-more2 = De media, { $waiting } clientes esperan en la cola del pooler.
    .found-group-more3 = { watch-between }
    .found-group-more4 = { watch-grade }
    .next = Averigüe cuántas peticiones corren a la vez cuando ninguna espera (x) y ponga el máximo en torno a x + 1,75 √x, tras mirar el límite del servidor; si sus núcleos ya están ocupados, un pool mayor solo mueve la cola.
    .healthy-watched = Ningún pool está en su máximo con todas las sesiones trabajando ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-min-too-big = Sesiones que nadie necesita
    .title = Si sobran sesiones inactivas
    .found-group = { watch-who }: hay { $sessions } sesiones abiertas, y casi nunca trabaja más del { $peak_use } de ellas.
    .found-group-more1 = La mayoría de los { $processes } procesos tiene { $each }.
    .found-group-more2 = El { $never_used } nunca ejecutó una sentencia.
    .found-group-more3 = Es el { $of_limit } del límite de { $limit } sesiones; un despliegue que arranca procesos nuevos antes de parar los viejos necesita más.
    .found-group-more4 = { watch-between }
    .found-group-more5 = { watch-grade }
    .next = Baje el mínimo de los pools a lo que usa un proceso en su punta, más uno; el máximo puede quedarse.
    .healthy-watched = Ninguna aplicación guarda muchas sesiones que nadie usa ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

pool-per-user = Un pool por usuario
    .title = Si los procesos tienen muchos pools
    .found-group = { watch-who }: un proceso tiene { $pools } pools, con { $each } sesiones en el mediano: un pool por usuario, base de datos o token.
    .found-group-more1 = { watch-replaced }
    .found-group-more2 = { watch-in-progress }
    .found-group-more3 = { watch-cores }
    .found-group-more4 = { watch-unmeasured }
    .found-group-more5 = { watch-between }
    .found-group-more6 = { watch-grade }
    .next = Conéctese con un solo usuario y una sola cadena de conexión, y pase el usuario dentro de la sesión; renueve los tokens con la función del controlador en vez de cambiar la cadena.
    .healthy-watched = Ningún proceso tiene un pool por usuario ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }

restart-or-failover = Sesiones sustituidas de golpe
    .title = Si se sustituyeron sesiones de golpe
    .found-restart = { watch-who }: procesos nuevos sustituyeron de golpe el { $replaced } de las sesiones, { $times ->
        [one] una vez
       *[other] { $times } veces
      }: un reinicio o un despliegue.
    .found-restart-more1 = Pasaron { $ramp_us } hasta que volvieron nueve décimas partes.
    .found-restart-more2 = { watch-between }
    .found-restart-more3 = { watch-grade }
    .found-failover = { watch-who }: se sustituyó de golpe el { $replaced } de las sesiones, { $times ->
        [one] una vez
       *[other] { $times } veces
      }: una conmutación, un pool vaciado o un reinicio.
    .found-failover-more1 = Pasaron { $ramp_us } hasta que volvieron nueve décimas partes.
    .found-failover-more2 = { watch-between }
    .found-failover-more3 = { watch-grade }
    .next = Nada que arreglar. Compare el tiempo hasta que volvieron las sesiones con lo que pueden esperar los usuarios: casi todos los pools abren una sesión tras otra, así que lo mínimo es sesiones × duración del inicio.
    .healthy-watched = No se sustituyeron sesiones de golpe ({ watch-judged }).
    .healthy-watched-more1 = { watch-between }
