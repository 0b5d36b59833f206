//! The accept loop: limits the number of connections, drops slow ones, and drains them at the end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWrite;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_io_timeout::TimeoutWriter;
use toolwright_runtime::tool::Cancel;

use toolwright_mcp::outside::CANCEL_GRACE;

/// Further connections wait in the system's queue.
const MAX_CONNECTIONS: usize = 1024;

/// Time for a client to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Size of a request's head that is always taken. `hyper` looks at the limit before each read, so up to twice as much may arrive.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// Time for a client to read what was sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a failed accept, for example without free file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(200);

pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    stop: Cancel,
    end_calls: Cancel,
    grace: Duration,
) {
    let open = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Some(taken) = unless_cancelled(&stop, Arc::clone(&permits).acquire_owned()).await {
        let Ok(permit) = taken else { break };
        let Some(accepted) = unless_cancelled(&stop, listener.accept()).await else {
            break;
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_gone(&error) => continue,
            Err(_) => {
                sleep(ACCEPT_BACKOFF).await;
                continue;
            }
        };
        // Otherwise small responses wait for the client's acknowledgements.
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(
                TokioIo::new(with_write_timeout(stream)),
                TowerToHyperService::new(router.clone()),
            );
        let connection = open.watch(connection);
        tokio::spawn(async move {
            // A broken connection is the client's problem.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let mut closed = std::pin::pin!(open.shutdown());
    tokio::select! {
        () = &mut closed => return,
        () = sleep(grace) => end_calls.cancel(),
    }
    tokio::select! {
        () = closed => {}
        () = sleep(CANCEL_GRACE) => {}
    }
}

async fn unless_cancelled<T>(stop: &Cancel, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = stop.cancelled() => None,
        done = work => Some(done),
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// Makes writing fail if a client reads nothing for too long.
fn with_write_timeout<S: AsyncWrite>(stream: S) -> Pin<Box<TimeoutWriter<S>>> {
    let mut stream = TimeoutWriter::new(stream);
    stream.set_timeout(Some(WRITE_TIMEOUT));
    Box::pin(stream)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_is_not_waited_for() {
        let (stream, _client) = duplex(4);
        let begun = Instant::now();
        let written = with_write_timeout(stream).write_all(b"more than 4").await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), WRITE_TIMEOUT.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_slowly_is_waited_for() {
        let (stream, mut client) = duplex(4);
        let mut stream = with_write_timeout(stream);
        let write = stream.write_all(b"more than 4");
        let read = async {
            for _ in 0.."more than 4".len() {
                sleep(WRITE_TIMEOUT / 2).await;
                client.read_u8().await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(write, read);
        written.unwrap();
    }
}
