//! The real machine: readings agree with what this test does, and with what the standard library knows.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use peaje_host::{HostError, LinuxHost, this_host};

/// A port below the ephemeral range, found by binding it.
fn listener_at(ip: Ipv4Addr) -> TcpListener {
    (20_000..32_000).find_map(|port| TcpListener::bind((ip, port)).ok()).expect("a port is free")
}

/// Burns CPU in this process until `done` says so.
fn burn_until(done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    let mut x = 1_u64;
    while !done() {
        assert!(Instant::now() < end, "20 s of work were not enough");
        (0..100_000_u64).for_each(|i| x = std::hint::black_box(x.wrapping_mul(31).wrapping_add(i)));
    }
}

#[test]
fn identity() {
    let identity = this_host().identity();
    assert!(identity.kernel.starts_with("Linux ") && identity.kernel.ends_with(std::env::consts::ARCH), "{identity:?}");
    let by_library = std::thread::available_parallelism().unwrap().get() as u32;
    // The library rounds a quota down, this one up.
    assert!(identity.cores == by_library || identity.cores == by_library + 1, "{identity:?}, library {by_library}");
    let hostname = Command::new("uname").arg("-n").output().unwrap().stdout;
    assert_eq!(identity.hostname.as_deref(), Some(String::from_utf8(hostname).unwrap().trim()));
}

#[test]
fn own_cpu_grows_with_work() {
    let host = this_host();
    let pid = std::process::id();
    let before = host.process_cpu(pid).unwrap();
    burn_until(|| host.process_cpu(pid).unwrap().since(before).user >= Duration::from_millis(50));
}

#[test]
fn a_tree_holds_live_and_ended_children() {
    let host = this_host();
    // The shell's child ends after some work, then the shell waits for its input: both are visible while it lives.
    let script = "(i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done); echo done; read line";
    let mut shell = Command::new("sh")
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stdout.take().unwrap()), &mut line).unwrap();
    let child = host.process_cpu(shell.id()).unwrap();
    let tree = host.tree_cpu(std::process::id()).unwrap();
    drop(shell.stdin.take());
    shell.wait().unwrap();
    assert!(child.total() >= Duration::from_millis(10), "the ended grandchild's time is missing: {child:?}");
    assert!(tree.total() >= child.total(), "{tree:?} is less than the child's {child:?}");
    assert!(matches!(host.process_cpu(shell.id()), Err(HostError::NoSuchProcess { .. })), "it was waited for");
}

#[test]
fn run_delay_grows_when_cores_are_short() {
    let host = this_host();
    let before = host.own_thread_run_delay().expect("schedstat");
    let stop = AtomicBool::new(false);
    // Three busy threads on each core: this one must wait.
    let busy = host.identity().cores * 3;
    std::thread::scope(|scope| {
        for _ in 0..busy {
            scope.spawn(|| burn_until(|| stop.load(Ordering::Relaxed)));
        }
        burn_until(|| host.own_thread_run_delay().unwrap() > before + Duration::from_millis(5));
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn time_wait_is_a_level_and_counters_are_read() {
    let reading = this_host().network();
    assert!(reading.listen_overflows.is_some() && reading.listen_drops.is_some(), "{reading:?}");
    assert!(reading.syn_cookies_sent.is_some() && reading.retransmits.is_some(), "{reading:?}");
    // Loopback connections closed by this side first leave TIME_WAIT here.
    let listener = listener_at(Ipv4Addr::LOCALHOST);
    for _ in 0..20 {
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        drop(client);
        drop(server);
    }
    let time_wait = this_host().network().time_wait.expect("sockstat");
    assert!(time_wait >= 1, "{time_wait}");
}

#[test]
fn a_full_listen_queue_is_counted() {
    let host = this_host();
    let before = host.network();
    // Nobody accepts: the first connections fill the queue, the later ones overflow it and give up after a moment.
    let listener = listener_with_queue_of_one();
    let address = listener.local_addr().unwrap();
    let open: Vec<_> = (0..6).map(|_| TcpStream::connect_timeout(&address, Duration::from_millis(300))).collect();
    let counted = host.network().since(before);
    assert!(counted.listen_overflows > Some(0), "{counted:?} after {} connections", open.len());
    assert!(counted.listen_drops > Some(0), "{counted:?}");
}

/// The standard library's queues are longer.
fn listener_with_queue_of_one() -> TcpListener {
    use rustix::net::{AddressFamily, SocketType, bind, listen, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    let bound = (20_000..32_000).any(|port| bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, port))).is_ok());
    assert!(bound, "no port is free");
    listen(&socket, 1).expect("it listens");
    TcpListener::from(socket)
}

#[test]
fn the_listener_is_this_process() {
    let host = this_host();
    let own = Some(std::process::id());
    let any = listener_at(Ipv4Addr::UNSPECIFIED).local_addr().unwrap();
    assert_eq!(host.listener_pid(any), None, "the listener is closed already");
    let listener = listener_at(Ipv4Addr::UNSPECIFIED);
    let port = listener.local_addr().unwrap().port();
    assert_eq!(host.listener_pid(SocketAddr::from((Ipv4Addr::LOCALHOST, port))), own);
    // TEST-NET-1 is nobody's: the wildcard listener here is not its server.
    assert_eq!(host.listener_pid(SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), port))), None);
    let exact = listener_at(Ipv4Addr::LOCALHOST);
    assert_eq!(host.listener_pid(exact.local_addr().unwrap()), own);
}

#[test]
fn a_process_has_a_name_and_a_socket_has_a_process() {
    let host = this_host();
    let mut sleep = Command::new("sleep").arg("30").spawn().unwrap();
    assert_eq!(host.process_name(sleep.id()).as_deref(), Some("sleep"));
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    assert_eq!(host.process_name(sleep.id()), None, "it has ended");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    assert_eq!(host.socket_pid(&path), None);
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert_eq!(host.socket_pid(&path), Some(std::process::id()));
    drop(listener);
    assert_eq!(host.socket_pid(&path), None, "nobody listens any more");
}

#[test]
fn limits_and_ports() {
    let host = this_host();
    let (first, last) = host.ephemeral_ports().expect("ip_local_port_range");
    assert!(first < last);
    let before = host.open_files_limit().unwrap();
    let raised = host.raise_open_files_limit().unwrap();
    assert!(raised >= before);
    assert_eq!(host.open_files_limit(), Some(raised));
}

#[test]
fn an_empty_root_knows_nothing() {
    let root = tempfile::tempdir().unwrap();
    let host: &dyn peaje_host::Host = &LinuxHost::at(root.path());
    assert_eq!(host.network(), peaje_host::NetworkReading::default());
    assert_eq!((host.own_thread_run_delay(), host.ephemeral_ports()), (None, None));
    assert!(!host.ignores_signal(1));
    let identity = host.identity();
    assert_eq!((identity.cpu, identity.hostname), (None, None));
    assert!(identity.cores >= 1 && identity.kernel.starts_with("Linux (unknown release)"));
}
