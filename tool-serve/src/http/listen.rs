//! The accept loop: limits the number of connections, drops slow ones, and drains them at the end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};
use toolwright_runtime::tool::Cancel;

use crate::CANCEL_GRACE;

/// Further connections wait in the system's queue.
const MAX_CONNECTIONS: usize = 1024;

/// Time for a client to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximal size of a request's head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

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
                TokioIo::new(WriteTimeoutStream::new(stream)),
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

/// Stream that fails if its client reads nothing for too long.
struct WriteTimeoutStream {
    stream: TcpStream,
    timeout: Option<Pin<Box<Sleep>>>,
}

impl WriteTimeoutStream {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            timeout: None,
        }
    }

    fn with_timeout<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timeout = None;
            return written;
        }
        let timeout = self
            .timeout
            .get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        match timeout.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for WriteTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.with_timeout(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.with_timeout(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.with_timeout(flushed, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
