//! The standard input of a server.

use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// The standard input, read by a thread of its own: a runtime that ends waits for no such thread, as
/// it would for tokio's.
pub(super) struct Input {
    pieces: mpsc::Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    read: usize,
}

impl Input {
    pub(super) fn open() -> io::Result<Self> {
        let (sender, pieces) = mpsc::channel(4);
        thread::Builder::new()
            .name("stdin".into())
            .spawn(move || read(&sender))?;
        Ok(Self {
            pieces,
            piece: Vec::new(),
            read: 0,
        })
    }
}

fn read(pieces: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut input = io::stdin().lock();
    loop {
        let mut piece = vec![0; PIECE];
        let read = match input.read(&mut piece) {
            Ok(0) => return,
            Ok(read) => {
                piece.truncate(read);
                Ok(piece)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        if pieces.blocking_send(read).is_err() {
            return;
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.read == self.piece.len() {
            match ready!(self.pieces.poll_recv(cx)) {
                Some(piece) => {
                    self.piece = piece?;
                    self.read = 0;
                }
                None => return Poll::Ready(Ok(())),
            }
        }
        let left = self.piece.get(self.read..).unwrap_or_default();
        let taken = left.get(..into.remaining()).unwrap_or(left);
        into.put_slice(taken);
        let taken = taken.len();
        self.read += taken;
        Poll::Ready(Ok(()))
    }
}
