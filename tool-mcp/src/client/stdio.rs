//! A server that is a child process, or at the other end of pipes: one message a line.

use std::io;
use std::process::Stdio;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use toolwright_json::strip_bom;
use toolwright_runtime::tool::Cancel;

use super::answer::Answered;
use super::child::{Guarded, LAST_WORDS};
use super::connection::{Connection, Outgoing};
use super::group::ProcessGroup;
use super::stderr::{self, Tail};
use crate::protocol::{Line, Lines, MessageKind, PartialMessage};

/// Starts the command, and connects to it. Of a message of more than `most` bytes the ends are read.
pub(super) fn start(
    command: &mut Command,
    connection: &Arc<Connection>,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
    tail: &Tail,
    most: usize,
) -> io::Result<()> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    ProcessGroup::prepare(command);
    let mut child = command.spawn()?;
    let missing = || io::Error::other("the process has no pipes");
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let stderr = child.stderr.take().ok_or_else(missing)?;

    let (stop, gone) = (connection.stop.clone(), Cancel::new());
    tokio::spawn(write_all(stdin, outgoing, stop.clone()));
    let aside = stderr::follow(stderr, connection.events.clone(), tail.clone());
    let mut aside = tokio::spawn(aside);
    tokio::spawn(Guarded::new(child).run(stop.clone(), gone.clone()));
    let connection = Arc::clone(connection);
    tokio::spawn(async move {
        read_all(stdout, &connection, most, &gone).await;
        // A server that writes no more answers no more.
        stop.cancel();
        gone.cancelled().await;
        // A child of the process's own may hold the pipe.
        let _ = timeout(LAST_WORDS, &mut aside).await;
        connection.end();
    });
    Ok(())
}

/// Connects to who is at the other end.
pub(super) fn over(
    (input, output): (super::server::Input, super::server::Output),
    connection: &Arc<Connection>,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
    most: usize,
) {
    let stop = connection.stop.clone();
    tokio::spawn(write_all(output, outgoing, stop.clone()));
    let connection = Arc::clone(connection);
    tokio::spawn(async move {
        read_all(input, &connection, most, &stop).await;
        stop.cancel();
        connection.end();
    });
}

/// Ends, and with that closes the server's input, when there is nothing more to write.
async fn write_all(
    mut stdin: impl AsyncWrite + Unpin,
    mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    stop: Cancel,
) {
    loop {
        let next = tokio::select! {
            next = outgoing.recv() => next,
            () = stop.cancelled() => None,
        };
        let Some(mut next) = next else {
            return;
        };
        next.capacity = None;
        if next.request.as_ref().is_some_and(|(_, way)| !way.leaves()) {
            continue;
        }
        next.text.push('\n');
        let write = async {
            stdin.write_all(next.text.as_bytes()).await?;
            stdin.flush().await
        };
        let written = tokio::select! {
            written = write => written.is_ok(),
            () = stop.cancelled() => false,
        };
        if !written {
            // What it said last may still be read.
            sleep(LAST_WORDS).await;
            stop.cancel();
            return;
        }
        if let Some(done) = next.done.take() {
            let _ = done.send(());
        }
    }
}

/// Ends when the process writes no more, is gone, or nobody reads.
async fn read_all(
    stdout: impl AsyncRead + Unpin,
    connection: &Arc<Connection>,
    most: usize,
    gone: &Cancel,
) {
    let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, stdout), most);
    loop {
        let line = tokio::select! {
            biased;
            line = lines.next() => line,
            () = gone.cancelled() => return,
        };
        match line {
            Ok(Some(Line::Whole(line))) => {
                let line = String::from_utf8_lossy(&line);
                if !line.trim().is_empty() {
                    connection.incoming(0, None, &line);
                }
            }
            Ok(Some(Line::Cut { head, tail })) => {
                let why = format!("a message of more than {most} bytes");
                connection.bad(&why);
                // Nobody waits for an answer that was too long to be read.
                let (head, tail) = (
                    String::from_utf8_lossy(&head),
                    String::from_utf8_lossy(&tail),
                );
                if let Some(id) = id_of_cut(strip_bom(&head), &tail) {
                    connection.settle(id, Answered::Broken(why));
                }
            }
            Ok(None) | Err(_) => return,
        }
        // A server that asks without end must not keep the answers from being written.
        tokio::task::yield_now().await;
    }
}

/// The id of an answer of which only start and end are left, if either says it: it stands before the answer or last in
/// the message, where nothing else can look like it.
fn id_of_cut(head: &str, tail: &str) -> Option<u64> {
    let digits = |text: &str| -> Option<u64> {
        let end = text.find(|char: char| !char.is_ascii_digit());
        text.get(..end.unwrap_or(text.len()))?.parse().ok()
    };
    if let Some(torn) = PartialMessage::read(head) {
        return torn
            .id
            .as_number()
            .filter(|_| torn.kind == MessageKind::Answer);
    }
    let start: String = head.chars().filter(|char| !char.is_whitespace()).collect();
    let start = start.strip_prefix(r#"{"jsonrpc":"2.0","#);
    let start = start
        .or_else(|| head.trim_start().strip_prefix('{'))?
        .trim_start();
    if !start.starts_with(r#""result""#) && !start.starts_with(r#""error""#) {
        return None;
    }
    let tail = tail.trim_end().strip_suffix('}')?.trim_end();
    let start = tail.rfind(|char: char| !char.is_ascii_digit())? + 1;
    let id = digits(tail.get(start..)?)?;
    let before = tail.get(..start)?.trim_end().strip_suffix(':')?.trim_end();
    before.ends_with(r#""id""#).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::id_of_cut;

    #[test]
    fn the_id_of_a_cut_message_stands_at_one_of_its_ends() {
        let head = r#"{"jsonrpc": "2.0", "id": 12, "result": {"#;
        assert_eq!(id_of_cut(head, "}}"), Some(12));
        // One of the server's own ids.
        let asks = r#"{"jsonrpc":"2.0","id":12,"method":"elicitation/create","params":{"#;
        assert_eq!(id_of_cut(asks, "}}"), None);
        let asks = r#"{"jsonrpc":"2.0","method":"x","params":{"#;
        assert_eq!(id_of_cut(asks, r#"},"id":7}"#), None);
        let last = r#"{"jsonrpc":"2.0","result":{"#;
        assert_eq!(id_of_cut(last, r#"},"id":7}"#), Some(7));
        assert_eq!(
            id_of_cut(r#"{"result":{"#, r#""}]},"jsonrpc":"2.0","id":7}"#),
            Some(7)
        );
        assert_eq!(id_of_cut(r#"{"result":{"#, r#"{"id":7}}"#), None);
        assert_eq!(id_of_cut(r#"{"method":"x","#, r#""xid":7}"#), None);
        assert_eq!(id_of_cut("aaaa", "aaaa"), None);
    }
}
