use copydesk_rpc::transport::DaemonAddress;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;

use super::*;

const MINUTES: Duration = Duration::from_secs(600);

/// Echoes each byte until the client disconnects or the daemon ends; stops the daemon on `i` and `n`.
struct Echo {
    turns: watch::Sender<usize>,
    ending: watch::Sender<bool>,
}

impl DaemonService for Echo {
    fn serve(&self, connection: SocketConnection, daemon: DaemonHandle) -> BoxFuture<()> {
        let (mut reader, mut writer) = connection.split();
        Box::pin(async move {
            let mut byte = [0; 1];
            loop {
                tokio::select! {
                    () = daemon.shutdown_token().cancelled() => break,
                    read = reader.read_exact(&mut byte) => match (read, byte) {
                        (Err(_), _) => break,
                        (_, [b'i']) => daemon.stop(StopTiming::Idle),
                        (_, [b'n']) => daemon.stop(StopTiming::Now),
                        (_, [b'p']) => panic!("as the test wants"),
                        _ => {}
                    },
                }
                writer.write_all(&byte).await.unwrap();
            }
            let _ = writer.write_all(b".").await;
        })
    }

    fn running_turns(&self) -> watch::Receiver<usize> {
        self.turns.subscribe()
    }

    fn shut_down(&self) -> BoxFuture<()> {
        self.ending.send_replace(true);
        let mut turns = self.running_turns();
        Box::pin(async move { drop(turns.wait_for(|turns| *turns == 0).await) })
    }
}

struct Daemon {
    _dir: tempfile::TempDir,
    place: DaemonAddress,
    turns: watch::Sender<usize>,
    /// True once the service was asked to end its work.
    ending: watch::Receiver<bool>,
    task: JoinHandle<io::Result<()>>,
}

fn start(idle: Duration) -> Daemon {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("run");
    let place = DaemonAddress::new(&|name| (name == "COPYDESK_RUNTIME_DIR").then(|| folder.clone().into()));
    let turns = watch::Sender::new(0);
    let (ending_sender, ending) = watch::channel(false);
    let service = Arc::new(Echo { turns: turns.clone(), ending: ending_sender });
    let listener = place.listen().unwrap();
    Daemon { _dir: dir, place, turns, ending, task: tokio::spawn(run(service, listener, idle, || Ok(()))) }
}

impl Daemon {
    /// A client that the service has answered once.
    async fn client(
        &self,
    ) -> tokio::io::Join<copydesk_rpc::transport::SocketReader, copydesk_rpc::transport::SocketWriter> {
        let (reader, writer) = self.place.connect().await.unwrap().split();
        let mut client = tokio::io::join(reader, writer);
        say(&mut client, b'x').await;
        client
    }

    async fn ends(self) {
        self.task.await.unwrap().unwrap();
        assert!(!self.place.socket().exists());
    }
}

async fn say(client: &mut (impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin), byte: u8) {
    client.write_all(&[byte]).await.unwrap();
    assert_eq!(client.read_u8().await.unwrap(), byte);
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_nobody_needs_ends() {
    let begun = tokio::time::Instant::now();
    start(MINUTES).ends().await;
    assert_eq!(begun.elapsed().as_secs(), 600);
}

#[tokio::test(start_paused = true)]
async fn a_turn_keeps_it_alive_and_so_does_a_client() {
    let daemon = start(MINUTES);
    let begun = tokio::time::Instant::now();
    tokio::time::sleep(MINUTES / 2).await;
    daemon.turns.send_replace(1);
    tokio::time::sleep(MINUTES * 3).await;
    assert!(!daemon.task.is_finished());
    let client = daemon.client().await;
    daemon.turns.send_replace(0);
    tokio::time::sleep(MINUTES * 3).await;
    assert!(!daemon.task.is_finished());
    drop(client);
    let left = tokio::time::Instant::now();
    daemon.ends().await;
    // The idle time counts from the moment the last client left.
    assert_eq!((left.elapsed().as_secs(), begun.elapsed().as_secs()), (600, 300 + 1800 + 1800 + 600));
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_nobody_can_find_ends_though_a_turn_waits_for_somebody() {
    let mut daemon = start(MINUTES);
    daemon.turns.send_replace(1);
    let client = daemon.client().await;
    std::fs::remove_file(daemon.place.socket()).unwrap();
    // Another daemon's socket; ours must not remove it.
    std::fs::write(daemon.place.socket(), "").unwrap();
    tokio::time::sleep(MINUTES * 3).await;
    assert!(!daemon.task.is_finished(), "attached clients are still served");
    drop(client);
    daemon.ending.wait_for(|ending| *ending).await.unwrap();
    daemon.turns.send_replace(0);
    daemon.task.await.unwrap().unwrap();
    assert!(daemon.place.socket().exists());
}

#[tokio::test]
async fn a_stop_when_idle_waits_for_the_turns_and_serves_meanwhile() {
    let daemon = start(MINUTES);
    daemon.turns.send_replace(2);
    let mut client = daemon.client().await;
    say(&mut client, b'i').await;
    daemon.turns.send_replace(1);
    let mut another = daemon.client().await;
    say(&mut another, b'y').await;
    assert!(!daemon.task.is_finished());
    daemon.turns.send_replace(0);
    // Both clients hear of the end before it.
    assert_eq!((client.read_u8().await.unwrap(), another.read_u8().await.unwrap()), (b'.', b'.'));
    daemon.ends().await;
}

#[tokio::test]
async fn a_stop_now_ends_what_runs_even_after_a_softer_one_and_serves_meanwhile() {
    let mut daemon = start(MINUTES);
    daemon.turns.send_replace(1);
    let mut client = daemon.client().await;
    say(&mut client, b'i').await;
    assert!(!*daemon.ending.borrow());
    say(&mut client, b'n').await;
    daemon.ending.wait_for(|ending| *ending).await.unwrap();
    say(&mut client, b'z').await;
    assert!(!daemon.task.is_finished());
    daemon.turns.send_replace(0);
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert_eq!(rest, b".");
    daemon.ends().await;
}

#[tokio::test]
async fn a_service_that_panics_takes_nobody_along() {
    let daemon = start(MINUTES);
    let mut client = daemon.client().await;
    let mut doomed = daemon.client().await;
    doomed.write_all(b"p").await.unwrap();
    assert!(doomed.read_u8().await.is_err());
    say(&mut client, b'z').await;
    client.write_all(b"n").await.unwrap();
    daemon.ends().await;
}
