//! Lines of a stream, none of which may be longer than a limit.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Of a line that is too long, so many bytes are kept of its start and of its end.
const KEPT: usize = 256;

/// Reads lines.
pub(super) struct Lines<R> {
    from: R,
    most: usize,
}

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// As it was written; what is no UTF-8 has become U+FFFD.
    Whole(String),
    /// One that was too long, of which the ends are left.
    Cut { head: String, tail: String },
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// Lines of at most so many bytes each.
    pub(super) fn new(from: R, most: usize) -> Self {
        Self { from, most }
    }

    /// The next line; nothing at the end of the stream. What stands behind the last line's end is a
    /// line too.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut cut: Option<(Vec<u8>, Vec<u8>)> = None;
        loop {
            let part = self.from.fill_buf().await?;
            if part.is_empty() {
                return Ok(match cut {
                    None if line.is_empty() => None,
                    cut => Some(finished(line, cut)),
                });
            }
            let end = part.iter().position(|byte| *byte == b'\n');
            let taken = part.get(..end.unwrap_or(part.len())).unwrap_or(part);
            match &mut cut {
                Some((_, tail)) => keep_tail(tail, taken),
                None if line.len() + taken.len() > self.most => {
                    line.extend_from_slice(taken.get(..KEPT).unwrap_or(taken));
                    let mut head = std::mem::take(&mut line);
                    let mut tail = Vec::new();
                    keep_tail(&mut tail, &head);
                    keep_tail(&mut tail, taken);
                    head.truncate(KEPT);
                    cut = Some((head, tail));
                }
                None => line.extend_from_slice(taken),
            }
            let used = end.map_or(part.len(), |end| end + 1);
            self.from.consume(used);
            if end.is_some() {
                return Ok(Some(finished(line, cut)));
            }
        }
    }
}

/// The last bytes of all that was put there.
fn keep_tail(tail: &mut Vec<u8>, more: &[u8]) {
    let start = more.len().saturating_sub(KEPT);
    tail.extend_from_slice(more.get(start..).unwrap_or_default());
    let over = tail.len().saturating_sub(KEPT);
    tail.drain(..over);
}

fn finished(line: Vec<u8>, cut: Option<(Vec<u8>, Vec<u8>)>) -> Line {
    let text = |bytes: Vec<u8>| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    match cut {
        Some((head, tail)) => Line::Cut {
            head: text(head),
            tail: text(tail),
        },
        None => Line::Whole(text(line)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], most: usize, at_once: usize) -> Vec<Line> {
        let reader = tokio::io::BufReader::with_capacity(at_once, text);
        let mut lines = Lines::new(reader, most);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_are_whole_or_cut_however_they_arrive() {
        let long = format!("start{}end", "x".repeat(2_000));
        let text = format!("one\n{long}\n\nlast");
        for at_once in [1, 7, 512, 4_096] {
            let lines = lines(text.as_bytes(), 100, at_once).await;
            assert_eq!(lines.len(), 4, "{at_once}");
            assert_eq!(lines[0], Line::Whole("one".into()));
            let Line::Cut { head, tail } = &lines[1] else {
                panic!("{:?}", lines[1]);
            };
            assert!(
                head.starts_with("startx") && head.len() <= KEPT,
                "{at_once}"
            );
            assert!(tail.ends_with("xend") && tail.len() <= KEPT, "{at_once}");
            assert_eq!(lines[2], Line::Whole(String::new()));
            assert_eq!(lines[3], Line::Whole("last".into()));
        }
    }
}
