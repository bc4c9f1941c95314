use std::os::unix::fs::{PermissionsExt as _, symlink};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

fn place(folder: &Path) -> DaemonAddress {
    DaemonAddress::new(&|name| (name == "COPYDESK_RUNTIME_DIR").then(|| folder.into()))
}

#[test]
fn the_users_runtime_folder_comes_before_the_temporary_one() {
    let socket = |vars: &[(&str, &str)]| {
        DaemonAddress::new(&|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
            .socket()
    };
    let own = format!("copydesk-{}/daemon.sock", runtime_folder::user());
    assert_eq!(socket(&[]), Path::new("/tmp").join(&own));
    assert_eq!(socket(&[("TMPDIR", "/t"), ("XDG_RUNTIME_DIR", "relative")]), Path::new("/t").join(&own));
    assert_eq!(socket(&[("TMPDIR", "/t"), ("XDG_RUNTIME_DIR", "/x")]), Path::new("/x/copydesk/daemon.sock"));
    assert_eq!(
        socket(&[("COPYDESK_RUNTIME_DIR", "/c"), ("XDG_RUNTIME_DIR", "/x")]),
        Path::new("/c/daemon.sock")
    );
}

#[tokio::test]
async fn one_listens_and_its_socket_goes_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let place = place(&dir.path().join("run"));
    assert!(matches!(place.connect().await, Err(TransportError::NoDaemon)));
    let listener = place.listen().unwrap();
    assert!(matches!(place.listen(), Err(TransportError::AlreadyRunning)));
    let (client, daemon) = tokio::join!(place.connect(), listener.accept());
    let ((_, mut writer), (mut reader, _)) = (client.unwrap().split(), daemon.unwrap().split());
    writer.write_all(b"hello").await.unwrap();
    let mut read = [0; 5];
    reader.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"hello");
    drop(listener);
    assert!(!place.socket().exists());
    assert!(matches!(place.connect().await, Err(TransportError::NoDaemon)));
    place.listen().unwrap();
}

#[tokio::test]
async fn what_a_killed_daemon_left_is_cleared_away() {
    let dir = tempfile::tempdir().unwrap();
    let place = place(&dir.path().join("run"));
    drop(place.listen().unwrap());
    // A stale socket: the standard library does not remove it on drop.
    drop(std::os::unix::net::UnixListener::bind(place.socket()).unwrap());
    assert!(place.socket().exists());
    assert!(matches!(place.connect().await, Err(TransportError::NoDaemon)));
    let listener = place.listen().unwrap();
    let (client, daemon) = tokio::join!(place.connect(), listener.accept());
    assert!(client.is_ok() && daemon.is_ok());
}

#[tokio::test]
async fn a_folder_that_is_not_ours_alone_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refusal = |folder: &Path| place(folder).listen().unwrap_err().to_string();
    let open = dir.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
    let expected =
        format!("{0}: others may enter this folder (its mode is 755); run `chmod 700 {0}`", open.display());
    assert_eq!(refusal(&open), expected);
    assert_eq!(place(&open).connect().await.unwrap_err().to_string(), expected);

    let (target, link) = (dir.path().join("target"), dir.path().join("link"));
    std::fs::create_dir(&target).unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o700)).unwrap();
    symlink(&target, &link).unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    for odd in [&link, &file] {
        assert!(refusal(odd).contains("this is a symlink or not a folder"), "{}", refusal(odd));
    }
    assert!(refusal(&file.join("below")).contains("cannot create or read this folder"));
}

#[tokio::test]
async fn a_socket_path_that_is_too_long_is_explained() {
    let long = Path::new("/tmp").join("x".repeat(MAX_SOCKET_PATH));
    let refusal = place(&long).listen().unwrap_err().to_string();
    assert!(refusal.contains("but the system allows only"), "{refusal}");
    assert_eq!(place(&long).connect().await.unwrap_err().to_string(), refusal);
}
