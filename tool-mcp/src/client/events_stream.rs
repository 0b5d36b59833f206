//! Server-sent events out of a body, none of which may be larger than a limit: of the bytes that stand
//! between two empty lines, names of fields and ends of lines included, and comments left out.

use std::fmt;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Event {
    /// Type of the event; `message` without one.
    pub(super) kind: Option<String>,
    pub(super) data: Option<String>,
    pub(super) id: Option<String>,
    /// So many milliseconds is to be waited before the stream is asked for again.
    pub(super) retry: Option<u64>,
}

/// Why a body was not read to its end.
#[derive(Debug)]
pub(super) enum Broken<E> {
    /// The connection.
    Source(E),
    TooLarge(usize),
}

impl<E: fmt::Display> fmt::Display for Broken<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::TooLarge(most) => write!(f, "an event of more than {most} bytes"),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Broken<E> {}

/// The event that is being read, by the rules of browsers: what they pass over is passed over.
///
/// Source: "Interpreting an event stream" of the HTML standard.
#[derive(Default)]
struct Reader {
    event: Event,
    /// So many bytes came of it. A comment counts until its line ends, for that is how long it is held.
    len: usize,
    line: Vec<u8>,
    /// A line's end may be of two characters, and they may come apart.
    after_return: bool,
    is_begun: bool,
}

impl Reader {
    /// Reads on. The events that end within these bytes.
    ///
    /// # Errors
    /// When an event is larger than `most`.
    fn read(&mut self, mut bytes: &[u8], most: usize, found: &mut Vec<Event>) -> Result<(), usize> {
        if self.after_return && !bytes.is_empty() {
            self.after_return = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        loop {
            let end = bytes.iter().position(|byte| b"\r\n".contains(byte));
            let (line, rest) = bytes
                .split_at_checked(end.unwrap_or(bytes.len()))
                .unwrap_or_default();
            self.line.extend_from_slice(line);
            if self.len + self.line.len() > most {
                return Err(most);
            }
            bytes = match rest {
                [] => return Ok(()),
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            };
            self.after_return = rest == b"\r";
            found.extend(self.line_ended());
        }
    }

    /// Takes the line. The event, if it ends it.
    fn line_ended(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        // A stream may begin with a mark of its byte order.
        let start = if self.is_begun { "" } else { "\u{feff}" };
        let line = line.strip_prefix(start).unwrap_or(&line);
        self.is_begun = true;
        if line.is_empty() {
            self.len = 0;
            let event = std::mem::take(&mut self.event);
            return (event != Event::default()).then_some(event);
        }
        if line.starts_with(':') {
            return None;
        }
        self.len += line.len() + 1;
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let event = &mut self.event;
        match name {
            "data" => match &mut event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                none => *none = Some(value.to_owned()),
            },
            "event" => event.kind = Some(value.to_owned()),
            "id" if !value.contains('\0') => event.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                event.retry = value.parse().ok();
            }
            _ => {}
        }
        None
    }
}

/// The events of a body. One that is too large is an error, and the end.
pub(super) fn events<E>(
    body: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    most: usize,
) -> impl Stream<Item = Result<Event, Broken<E>>> + Send + 'static
where
    E: Send + 'static,
{
    let start = (Reader::default(), false);
    let found = body.scan(start, move |(reader, is_over), part| {
        if *is_over {
            return std::future::ready(None);
        }
        let mut found = Vec::new();
        let read = part.map_err(Broken::Source).and_then(|part| {
            let read = reader.read(&part, most, &mut found);
            read.map_err(Broken::TooLarge)
        });
        let broken = read.err();
        *is_over = broken.is_some();
        let found = found.into_iter().map(Ok).chain(broken.map(Err));
        std::future::ready(Some(stream::iter(found.collect::<Vec<_>>())))
    });
    found.flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    async fn read(text: &str, most: usize, at_once: usize) -> Vec<Result<Option<String>, String>> {
        let parts: Vec<_> = text
            .as_bytes()
            .chunks(at_once)
            .map(|part| Ok::<_, std::io::Error>(Bytes::copy_from_slice(part)))
            .collect();
        let events = events(futures_util::stream::iter(parts), most);
        let events = events.map(|event| event.map(|event| event.data).map_err(|e| e.to_string()));
        events.collect().await
    }

    #[tokio::test]
    async fn an_event_is_limited_and_a_stream_is_not() {
        for (end, at_once) in [("\n", 1), ("\n", 1_000), ("\r\n", 1), ("\r\n", 3)] {
            let some = format!("data: one{end}{end}").repeat(100);
            let events = read(&some, 20, at_once).await;
            assert_eq!(events.len(), 100, "{at_once}");
            assert!(
                events
                    .iter()
                    .all(|event| *event == Ok(Some("one".to_owned())))
            );
            let many = format!("data: x{end}").repeat(10);
            let large = format!("{some}{many}{end}{some}");
            let events = read(&large, 20, at_once).await;
            let error = events.last().unwrap().as_ref().unwrap_err();
            assert!(error.contains("more than 20 bytes"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_stream_is_kept_open_by_comments_and_held_up_by_none() {
        for (end, at_once) in [
            ("\n", 1),
            ("\n", 1_000),
            ("\r", 7),
            ("\r\n", 1),
            ("\r\n", 3),
        ] {
            let waits = format!(": wait{end}").repeat(100);
            let text = format!("data: one{end}{waits}{end}{waits}data: two{end}{end}");
            let events = read(&text, 20, at_once).await;
            let expected = ["one", "two"].map(|data| Ok(Some(data.to_owned())));
            assert_eq!(events, expected, "{end:?} {at_once}");
            let endless = format!(":{}", "x".repeat(20));
            let events = read(&endless, 20, at_once).await;
            let error = events.last().unwrap().as_ref().unwrap_err();
            assert!(error.contains("more than 20 bytes"), "{error}");
        }
    }
}
