//! Connections: no more than there is room for, none that is too slow, and none cut off at the end.

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
use toolwright_runtime::Cancel;

use crate::LAST_WORDS;

/// Connections beyond these wait in the system's queue.
const CONNECTIONS: usize = 1024;

/// How long a client may take to send a request's head.
const HEAD: Duration = Duration::from_secs(15);

/// The most bytes of a request's head.
const LONGEST_HEAD: usize = 64 * 1024;

/// How long a client may take to read what was sent.
const READING: Duration = Duration::from_secs(30);

/// After the system refused a connection, as where no file may be opened any more.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    stop: Cancel,
    end_calls: Cancel,
    grace: Duration,
) {
    let open = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    while let Some(taken) = unless(&stop, Arc::clone(&room).acquire_owned()).await {
        let Ok(place) = taken else { break };
        let Some(accepted) = unless(&stop, listener.accept()).await else {
            break;
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_gone(&error) => continue,
            Err(_) => {
                sleep(PAUSE).await;
                continue;
            }
        };
        // Without it small answers wait for the client's acknowledgements.
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(LONGEST_HEAD)
            .serve_connection(
                TokioIo::new(Patient::new(stream)),
                TowerToHyperService::new(router.clone()),
            );
        let connection = open.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks is the client's.
            let _ = connection.await;
            drop(place);
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
        () = sleep(LAST_WORDS) => {}
    }
}

async fn unless<T>(stop: &Cancel, work: impl Future<Output = T>) -> Option<T> {
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

/// A connection that breaks where its client reads nothing for too long.
struct Patient {
    stream: TcpStream,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            waiting: None,
        }
    }

    fn watched<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(READING)));
        match waiting.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watched(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watched(flushed, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
