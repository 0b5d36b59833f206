//! A server that is a child process: one message a line, on its standard input and output.

use std::io;
use std::process::Stdio;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use toolwright_runtime::tool::Cancel;

use super::child::{Guarded, LAST_WORDS};
use super::desk::{Desk, Outgoing};
use super::frame::id_of_cut;
use super::group::Group;
use super::lines::{Line, Lines};
use super::stderr::{self, Tail};

/// A server's standard output may run ahead by so many messages.
const AHEAD: usize = 64;

/// A connection to a process, which ends with it.
pub(super) struct Process {
    desk: Arc<Desk>,
    /// Without a limit of its own: the [`Desk`] limits requests, which wait for room before they are
    /// written down, and answers.
    write: Option<mpsc::UnboundedSender<Queued>>,
    read: mpsc::Receiver<ServerJsonRpcMessage>,
    /// Fired when this is closed or dropped.
    stop: Cancel,
    /// Fired when the process has ended.
    gone: Cancel,
    /// Reads what the process says beside the protocol.
    aside: JoinHandle<()>,
}

/// A line to write.
struct Queued {
    line: Outgoing,
    done: oneshot::Sender<io::Result<()>>,
}

impl Process {
    /// Starts the command. Of a message of more than `most` bytes the ends are read.
    pub(super) fn start(
        command: &mut Command,
        desk: &Arc<Desk>,
        tail: &Tail,
        most: usize,
    ) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Group::prepare(command);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the process has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;

        let (stop, gone) = (Cancel::new(), Cancel::new());
        let (write, lines) = mpsc::unbounded_channel();
        let (messages, read) = mpsc::channel(AHEAD);
        tokio::spawn(write_all(stdin, lines, stop.clone()));
        tokio::spawn(read_all(
            stdout,
            messages,
            Arc::clone(desk),
            most,
            gone.clone(),
        ));
        let aside = tokio::spawn(stderr::follow(stderr, desk.events.clone(), tail.clone()));
        tokio::spawn(Guarded::new(child).run(stop.clone(), gone.clone()));
        Ok(Self {
            desk: Arc::clone(desk),
            write: Some(write),
            read,
            stop,
            gone,
            aside,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the server's process is gone")
}

impl Transport<RoleClient> for Process {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Written down here and not in the future, so that lines keep the order of their messages.
        let sent = self.enqueue(&message);
        async move {
            match sent? {
                Some(sent) => sent.await.map_err(|_| closed())?,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.read.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write = None;
        self.stop.cancel();
        self.gone.cancelled().await;
        // A child of the process's own may hold the pipe.
        let _ = timeout(LAST_WORDS, &mut self.aside).await;
        Ok(())
    }
}

impl Process {
    /// Nothing to wait for where there is nothing to write.
    fn enqueue(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> io::Result<Option<oneshot::Receiver<io::Result<()>>>> {
        let Some(mut line) = self.desk.outgoing(message)? else {
            return Ok(None);
        };
        line.text.push('\n');
        let (done, sent) = oneshot::channel();
        let write = self.write.as_ref().ok_or_else(closed)?;
        write.send(Queued { line, done }).map_err(|_| closed())?;
        Ok(Some(sent))
    }
}

/// Ends, and with that closes the process's input, when there is nothing more to write.
async fn write_all(
    mut stdin: ChildStdin,
    mut lines: mpsc::UnboundedReceiver<Queued>,
    stop: Cancel,
) {
    loop {
        let next = tokio::select! {
            next = lines.recv() => next,
            () = stop.cancelled() => None,
        };
        let Some(Queued { line, done }) = next else {
            return;
        };
        if line.slot.as_ref().is_some_and(|slot| !slot.leaves()) {
            let _ = done.send(Ok(()));
            continue;
        }
        let write = async {
            stdin.write_all(line.text.as_bytes()).await?;
            stdin.flush().await
        };
        let written = tokio::select! {
            written = write => written,
            () = stop.cancelled() => Err(closed()),
        };
        let failed = written.is_err();
        let _ = done.send(written);
        if failed {
            return;
        }
    }
}

/// Ends when the process writes no more, is gone, or nobody reads.
async fn read_all(
    stdout: impl AsyncRead + Unpin,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
    desk: Arc<Desk>,
    most: usize,
    gone: Cancel,
) {
    let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, stdout), most);
    loop {
        let line = tokio::select! {
            biased;
            line = lines.next() => line,
            () = gone.cancelled() => return,
        };
        let message = match line {
            Ok(Some(Line::Whole(line))) if line.trim().is_empty() => None,
            Ok(Some(Line::Whole(line))) => desk.incoming(&line),
            Ok(Some(Line::Cut { head, tail })) => too_long(&desk, &head, &tail, most),
            Ok(None) | Err(_) => return,
        };
        if let Some(message) = message
            && messages.send(message).await.is_err()
        {
            return;
        }
    }
}

/// Nobody waits for an answer that was too long to be read.
fn too_long(desk: &Desk, head: &str, tail: &str, most: usize) -> Option<ServerJsonRpcMessage> {
    let why = format!("a message of more than {most} bytes");
    desk.bad(why.clone());
    desk.fail(id_of_cut(head, tail)?, &why)
}
