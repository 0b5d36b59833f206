//! The standard input and output of a server, each with a thread of its own: tools that block take those of the runtime,
//! and a runtime that ends waits for its own.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

/// Bytes that are read or written at once.
const PIECE: usize = 64 * 1024;

/// The standard input.
pub(super) struct StdinReader {
    pieces: mpsc::Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    read: usize,
}

impl StdinReader {
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

impl AsyncRead for StdinReader {
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

/// The standard output.
pub(super) struct StdoutWriter {
    pieces: std::sync::mpsc::Sender<Vec<u8>>,
    /// The fate of a piece, which comes back to be filled anew.
    written: mpsc::Receiver<io::Result<Vec<u8>>>,
    /// None while the thread has it.
    piece: Option<Vec<u8>>,
}

impl StdoutWriter {
    pub(super) fn open(output: impl Write + Send + 'static) -> io::Result<Self> {
        let (pieces, to_write) = std::sync::mpsc::channel();
        let (tell, written) = mpsc::channel(1);
        thread::Builder::new()
            .name("stdout".into())
            .spawn(move || write(output, &to_write, &tell))?;
        Ok(Self {
            pieces,
            written,
            piece: Some(Vec::new()),
        })
    }

    /// The piece, once it is written.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<&mut Vec<u8>>> {
        if self.piece.is_none() {
            let written = ready!(self.written.poll_recv(cx));
            let written = written.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()));
            // After an error there is nothing to wait for.
            self.piece = Some(Vec::new());
            self.piece = Some(written?);
        }
        Poll::Ready(Ok(self.piece.get_or_insert_default()))
    }
}

fn write(
    mut output: impl Write,
    pieces: &std::sync::mpsc::Receiver<Vec<u8>>,
    tell: &mpsc::Sender<io::Result<Vec<u8>>>,
) {
    for piece in pieces {
        let written = output.write_all(&piece).and_then(|()| output.flush());
        if tell.blocking_send(written.map(|()| piece)).is_err() {
            return;
        }
    }
}

impl AsyncWrite for StdoutWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let piece = ready!(self.poll_piece(cx))?;
        let taken = bytes.get(..PIECE).unwrap_or(bytes);
        piece.clear();
        piece.extend_from_slice(taken);
        if let Some(piece) = self.piece.take()
            && self.pieces.send(piece).is_err()
        {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        Poll::Ready(Ok(taken.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_piece(cx).map_ok(drop)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}
