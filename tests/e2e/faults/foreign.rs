//! An adb server of another version, as far as a client of ours gets with it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Answers `host:version` with 40, which no client since 2018 speaks.
pub(super) struct ForeignServer {
    port: u16,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ForeignServer {
    /// Takes a port; `yields` says whether it gives way when it is told to.
    pub(super) fn on(port: u16, yields: bool) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        // The server before it may take a moment to let go.
        let listener = (0..200).find_map(|_| {
            let listener = TcpListener::bind(("127.0.0.1", port)).ok();
            if listener.is_none() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            listener
        });
        let listener = listener.expect("the port is free");
        let thread = std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if seen.load(Ordering::Relaxed) || (answer(client) == Asked::ToGo && yields) {
                    return;
                }
            }
        });
        Self { port, ended, thread: Some(thread) }
    }
}

#[derive(PartialEq)]
enum Asked {
    ToGo,
    Else,
}

/// A length in four hexadecimal digits, and the request.
fn answer(mut client: TcpStream) -> Asked {
    let mut request = || -> Option<Vec<u8>> {
        let mut length = [0; 4];
        client.read_exact(&mut length).ok()?;
        let length = usize::from_str_radix(std::str::from_utf8(&length).ok()?, 16).ok()?;
        let mut text = vec![0; length];
        client.read_exact(&mut text).ok()?;
        Some(text)
    };
    let asked = request().unwrap_or_default();
    let reply: &[u8] = match asked.as_slice() {
        b"host:version" => b"OKAY00040028",
        b"host:kill" => b"OKAY",
        _ => b"FAIL000funknown service",
    };
    let _ = client.write_all(reply);
    if asked == b"host:kill" { Asked::ToGo } else { Asked::Else }
}

impl Drop for ForeignServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
