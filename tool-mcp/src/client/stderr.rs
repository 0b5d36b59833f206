//! Output of the server's process beside the protocol.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, BufReader};

use super::event::{ClientEvent, EventListener};
use crate::protocol::{Line, Lines};

/// A line that is longer is passed on by its ends alone.
const LONGEST: usize = 8 * 1024;

/// So much of the end is kept, for the words of an error.
const KEPT: usize = 4 * 1024;

/// The end of what a process wrote. Clones are one.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<String>>);

impl Tail {
    pub(super) fn read(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn push(&self, line: &str) {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.push_str(line);
        tail.push('\n');
        let mut over = tail.len().saturating_sub(KEPT);
        while !tail.is_char_boundary(over) {
            over += 1;
        }
        tail.drain(..over);
    }
}

/// Passes lines on until the process closes the pipe.
pub(super) async fn follow(stderr: impl AsyncRead + Unpin, events: EventListener, tail: Tail) {
    let mut lines = Lines::new(BufReader::new(stderr), LONGEST);
    while let Ok(Some(line)) = lines.next().await {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let line = match line {
            Line::Whole(line) => text(&line),
            Line::Cut { head, tail } => format!("{}…{}", text(&head), text(&tail)),
        };
        tail.push(&line);
        events.tell(&ClientEvent::Stderr(line));
    }
}
