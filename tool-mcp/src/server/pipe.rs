//! Messages as lines: `rmcp`'s transport over a pair of pipes, such as the standard input and output.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::Shared;
use super::flight::Flight;
use super::limits::ServerLimits;
use super::lines::{Line, Lines};
use super::message::{Bad, Message};
use super::raw;
use crate::outside::CANCEL_GRACE;

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// How many messages that were read wait.
const QUEUE: usize = 64;

/// As much as is written at once.
const BUFFER: usize = 256 * 1024;

/// The transport. Cloning it gives the same one, so that a client whose first message was no good
/// may begin anew.
#[derive(Clone)]
pub(super) struct Pipe {
    incoming: Arc<tokio::sync::Mutex<mpsc::Receiver<ClientJsonRpcMessage>>>,
    out: Out,
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let line = raw::write(&message);
            let id = match &message {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                _ => None,
            };
            match id {
                // It takes room already.
                Some(id) => {
                    let sent = line
                        .map_err(io::Error::from)
                        .and_then(|line| out.line(line));
                    out.flight.landed(id);
                    sent
                }
                None => {
                    out.flight.room().await;
                    out.line(line?)
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.lock().await.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where answers go. What waits there is counted in bytes and not in lines.
#[derive(Clone)]
struct Out {
    lines: mpsc::UnboundedSender<Vec<u8>>,
    flight: Arc<Flight>,
}

impl Out {
    fn line(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.flight.queued(line.len());
        let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.lines.send(line).map_err(closed)
    }

    fn bad(&self, bad: &Bad) -> io::Result<()> {
        self.line(bad.to_json())
    }
}

/// Reads and writes for a transport, which comes back with what ends when all is written.
pub(super) fn open(
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
    shared: Arc<Shared>,
) -> (Pipe, impl Future<Output = io::Result<()>>) {
    let (lines, outgoing) = mpsc::unbounded_channel();
    let (messages, incoming) = mpsc::channel(QUEUE);
    let flight = Arc::clone(&shared.flight);
    let out = Out {
        lines,
        flight: Arc::clone(&flight),
    };
    let pipe = Pipe {
        incoming: Arc::new(tokio::sync::Mutex::new(incoming)),
        out: out.clone(),
    };
    let (grace, told) = (shared.limits.grace, shared.stop.clone());
    let reading = tokio::spawn(async move {
        let read = tokio::select! {
            read = read(input, &messages, &out, &shared.limits) => read,
            () = shared.stop.cancelled() => Ok(()),
        };
        shared.hung_up.cancel();
        read?;
        // Whoever has said all may still wait for answers.
        let landed = async {
            if timeout(grace, out.flight.all_landed()).await.is_err() {
                shared.end_calls.cancel();
                let _ = timeout(CANCEL_GRACE, out.flight.all_landed()).await;
            }
        };
        tokio::select! {
            () = landed => Ok(()),
            () = out.lines.closed() => Ok(()),
        }
    });
    let mut writing = tokio::spawn(write(output, outgoing, flight));
    let end = async move {
        let read = reading.await.map_err(io::Error::other)?;
        // A client may read as slowly as it likes, but not hold up a server that is told to stop.
        let given_up = async {
            told.cancelled().await;
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            written = &mut writing => written.map_err(io::Error::other)?.and(read),
            () = given_up => {
                writing.abort();
                read
            }
        }
    };
    (pipe, end)
}

async fn read(
    mut input: impl AsyncRead + Unpin,
    messages: &mpsc::Sender<ClientJsonRpcMessage>,
    out: &Out,
    limits: &ServerLimits,
) -> io::Result<()> {
    let mut lines = Lines::new(limits.message);
    let mut piece = vec![0; PIECE];
    loop {
        let read = tokio::select! {
            read = input.read(&mut piece) => read?,
            // Nobody hears the answers any more.
            () = out.lines.closed() => return Ok(()),
        };
        if read == 0 {
            break;
        }
        let mut bytes = piece.get(..read).unwrap_or_default();
        while let Some(line) = lines.next(&mut bytes) {
            out.flight.room().await;
            take(line, messages, out, limits).await?;
        }
    }
    match lines.last() {
        Some(line) => take(line, messages, out, limits).await,
        None => Ok(()),
    }
}

/// Hands a line's message on. What is none is answered here, unless nobody waits for that, and ends nothing.
async fn take(
    line: Line,
    messages: &mpsc::Sender<ClientJsonRpcMessage>,
    out: &Out,
    limits: &ServerLimits,
) -> io::Result<()> {
    let line = match &line {
        Line::Whole(line) => line.trim_ascii(),
        Line::TooLong(start) => {
            let text = format!("the message is longer than {} bytes", limits.message);
            let bad = Bad::new(ErrorCode::INVALID_REQUEST, text);
            return out.bad(&bad.torn(&String::from_utf8_lossy(start)));
        }
    };
    if line.is_empty() {
        return Ok(());
    }
    match accept(line, out, limits) {
        Ok(message) => {
            // Without a receiver the service has ended, and nobody waits for an answer.
            let _ = messages.send(message).await;
            Ok(())
        }
        Err(Some(bad)) => out.bad(&bad),
        Err(None) => Ok(()),
    }
}

fn accept(
    line: &[u8],
    out: &Out,
    limits: &ServerLimits,
) -> Result<ClientJsonRpcMessage, Option<Bad>> {
    let message = Message::read(line)?;
    let waits = message.waits();
    if let Some(id) = message.cancelled() {
        out.flight.cancel(id);
    }
    let Some(id) = message.request_id() else {
        return message.into_rmcp(line).map_err(|bad| waits.then_some(bad));
    };
    let started = out.flight.start(&id, line.len(), limits.in_flight);
    started.map_err(|why| message.bad(ErrorCode::INVALID_REQUEST, why))?;
    message.into_rmcp(line).map_err(|bad| {
        out.flight.landed(&id);
        Some(bad)
    })
}

async fn write(
    output: impl AsyncWrite + Unpin,
    lines: mpsc::UnboundedReceiver<Vec<u8>>,
    flight: Arc<Flight>,
) -> io::Result<()> {
    let written = write_all(output, lines, &flight).await;
    flight.is_gone();
    written
}

async fn write_all(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<Vec<u8>>,
    flight: &Flight,
) -> io::Result<()> {
    while let Some(mut bytes) = lines.recv().await {
        while bytes.len() < BUFFER
            && let Ok(line) = lines.try_recv()
        {
            bytes.extend_from_slice(&line);
        }
        output.write_all(&bytes).await?;
        output.flush().await?;
        flight.written(bytes.len());
    }
    output.shutdown().await
}

/// How long a service that has nothing more to read may take to end by itself.
pub(super) const END: Duration = Duration::from_secs(5);
