//! Messages as lines, over a pair of pipes such as the standard input and output.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::time::timeout;
use toolwright_runtime::tool::Cancel;

use super::Shared;
use super::caller::{self, RequestOrigin};
use super::dispatch::{self, RpcAnswer};
use super::incoming::{Incoming, ParseError, Request};
use super::peer::Peer;
use super::requests::Requests;
use super::running::AbortOnDrop;
use super::sink::{PipeSink, Sink};
use crate::outside::CANCEL_GRACE;
use crate::protocol::{Line, Lines, RpcError, code, response};

/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// As much as is written at once.
const BUFFER: usize = 256 * 1024;

/// Serves a client until it has said all, or the server is told to stop.
pub(super) async fn serve(
    shared: Arc<Shared>,
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let (lines, outgoing) = mpsc::unbounded_channel();
    let peer = Arc::new(Peer::on_a_pipe());
    let requests = Arc::clone(&peer.requests);
    let out = PipeSink { lines, requests };
    let done = Cancel::new();
    let writing = write(output, outgoing, Arc::clone(&peer.requests), done.clone());
    let mut writing = AbortOnDrop::start(writing);
    let (grace, stop) = (shared.limits.grace, shared.stop.clone());
    let read = AbortOnDrop::start(Pipe { shared, peer, out }.run(input)).await;
    let read = read.map_err(io::Error::other)?;
    // What a call still comes to that does not end nobody waits for.
    done.cancel();
    // A client may read as slowly as it likes, but not hold up a server that is told to stop.
    let given_up = async {
        stop.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        written = &mut writing => written.map_err(io::Error::other)?.and(read),
        () = given_up => read,
    }
}

struct Pipe {
    shared: Arc<Shared>,
    peer: Arc<Peer>,
    out: PipeSink,
}

impl Pipe {
    async fn run(self, input: impl AsyncRead + Unpin) -> io::Result<()> {
        let read = tokio::select! {
            read = self.read(input) => read,
            () = self.shared.stop.cancelled() => Ok(()),
        };
        self.peer.hung_up.cancel();
        read?;
        // Whoever has said all may still wait for answers.
        let requests = &self.peer.requests;
        let answered = async {
            if timeout(self.shared.limits.grace, requests.all_answered())
                .await
                .is_err()
            {
                self.shared.end_calls.cancel();
                let _ = timeout(CANCEL_GRACE, requests.all_answered()).await;
            }
        };
        tokio::select! {
            () = answered => Ok(()),
            () = self.out.lines.closed() => Ok(()),
        }
    }

    async fn read(&self, input: impl AsyncRead + Unpin) -> io::Result<()> {
        let limit = self.shared.limits.message;
        let mut lines = Lines::new(BufReader::with_capacity(PIECE, input), limit);
        loop {
            let line = tokio::select! {
                line = lines.next() => line?,
                // Nobody hears the answers any more.
                () = self.out.lines.closed() => return Ok(()),
            };
            self.peer.requests.room().await;
            match line {
                Some(Line::Whole(line)) => self.handle_line(line.trim_ascii()),
                Some(Line::Cut { head, .. }) => {
                    let text = format!("the message is longer than {limit} bytes");
                    let bad = ParseError::new(code::INVALID_REQUEST, text);
                    self.out
                        .line(bad.torn(&String::from_utf8_lossy(&head)).to_json());
                }
                None => return Ok(()),
            }
        }
    }

    /// Handles a line. An invalid message is answered, unless it is none that expects an answer, and ends nothing.
    fn handle_line(&self, line: &[u8]) {
        // A shell may write a byte order mark and nothing else.
        if !line.is_empty() && line != "\u{feff}".as_bytes() {
            self.hear(Incoming::read(line), line.len());
        }
    }

    fn hear(&self, read: Result<Incoming<'_>, ParseError>, bytes: usize) {
        match read {
            Ok(Incoming::Request(request)) => self.begin(&request, bytes),
            Ok(Incoming::Notification { method, .. })
                if method == "notifications/initialized" && self.peer.starts_to_watch() =>
            {
                let out = Sink::Pipe(self.out.clone());
                let (shared, peer) = (Arc::clone(&self.shared), Arc::clone(&self.peer));
                let cx = caller::context(&shared, peer.id(), None);
                tokio::spawn(dispatch::watch(shared, peer, cx, out));
            }
            Ok(other) => self.peer.hear(&other),
            Err(bad) => {
                self.out.line(bad.to_json());
            }
        }
    }

    fn begin(&self, request: &Request<'_>, bytes: usize) {
        let id = request.id.clone();
        let stop = self.shared.stop_of(None);
        let most = self.shared.limits.in_flight;
        let mut ticket = match self.peer.requests.start(&id, bytes, most, &stop) {
            Ok(ticket) => ticket,
            Err(why) => {
                let error = RpcError::new(code::INVALID_REQUEST, why);
                self.out.line(response(&id, &Err(error)));
                return;
            }
        };
        let origin = RequestOrigin {
            peer: Some(Arc::clone(&self.peer)),
            out: Sink::Pipe(self.out.clone()),
            own: None,
        };
        let later = match dispatch::begin(&self.shared, request, &origin, &stop) {
            RpcAnswer::Now(answer) => {
                self.out.line(response(&id, &answer));
                return;
            }
            RpcAnswer::Later(later) => later,
        };
        let out = self.out.clone();
        tokio::spawn(async move {
            let answer = later.await;
            if ticket.begin_answer() {
                out.line(response(&id, &answer));
            }
        });
    }
}

async fn write(
    output: impl AsyncWrite + Unpin,
    lines: mpsc::UnboundedReceiver<String>,
    requests: Arc<Requests>,
    done: Cancel,
) -> io::Result<()> {
    let written = write_all(output, lines, &requests, &done).await;
    requests.is_gone();
    written
}

async fn write_all(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<String>,
    requests: &Requests,
    done: &Cancel,
) -> io::Result<()> {
    loop {
        let line = tokio::select! {
            biased;
            line = lines.recv() => line,
            () = done.cancelled(), if !lines.is_closed() => {
                lines.close();
                continue;
            }
        };
        let Some(mut text) = line else {
            return output.shutdown().await;
        };
        while text.len() < BUFFER
            && let Ok(line) = lines.try_recv()
        {
            text.push_str(&line);
        }
        output.write_all(text.as_bytes()).await?;
        output.flush().await?;
        requests.written(text.len());
    }
}
