//! Calls as lines of JSON, each answered with a line.

use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::runtime::{Builder, Runtime};
use toolwright::{Context, Executor, Registry, ToolCall, executor::Batch};

use super::lines::{self, Asked, Bad, Item};
use super::reply::{BatchReply, Halt, Place, Reply, Waiting};

/// Arguments of 8 MiB are 48 MiB in a string that escapes each of their bytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// How long a call may take.
const LIMIT: Duration = Duration::from_secs(2);

/// How many calls of a batch run at once.
const AT_ONCE: usize = 64;

/// Answers every line until there is none left. Blank lines are no lines.
pub(crate) fn serve(
    registry: &Registry,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    let server = Server {
        registry,
        executor: Executor::parallel(registry, AT_ONCE).timeout(LIMIT),
        runtime: Builder::new_current_thread().enable_time().build()?,
    };
    let end = server.serve(input, output);
    // Threads that tools still keep busy are not waited for.
    server.runtime.shutdown_background();
    end
}

struct Server<'r> {
    registry: &'r Registry,
    executor: Executor,
    runtime: Runtime,
}

impl Server<'_> {
    fn serve(&self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = (&mut input)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(());
            }
            if !bytes.ends_with(b"\n") && bytes.len() as u64 == LONGEST_LINE {
                input.skip_until(b'\n')?;
                let text = format!("the line is longer than {LONGEST_LINE} bytes");
                let bad = Bad::new("too_large", text);
                write(&mut output, &Reply::bad(None, bad))?;
            } else if !bytes.trim_ascii().is_empty() {
                self.answer(bytes.trim_ascii(), &mut output)?;
            }
        }
    }

    fn answer(&self, line: &[u8], output: &mut impl Write) -> io::Result<()> {
        let line = match lines::parse(line, "the line") {
            Ok(line) => line,
            Err(bad) => return write(output, &Reply::bad(None, bad)),
        };
        match lines::asked(&line) {
            Ok(Asked::Register(tool)) => {
                let reply = match lines::register(self.registry, tool) {
                    Ok(text) => Reply::registered(line.id, text),
                    Err(bad) => Reply::bad(line.id, bad),
                };
                write(output, &reply)
            }
            Ok(Asked::Call(call, cx)) => {
                let batch = self.run(&[call], &cx);
                write(output, &one(line.id, &batch)?)
            }
            Ok(Asked::Batch(items, cx)) => self.answer_batch(line.id, items, &cx, output),
            Err(bad) => write(output, &Reply::bad(line.id, bad)),
        }
    }

    fn run(&self, calls: &[ToolCall], cx: &Context) -> Batch {
        self.runtime.block_on(self.executor.run(calls, cx))
    }

    /// What is not a call is answered in its place, and the others run.
    fn answer_batch(
        &self,
        id: Option<&RawValue>,
        items: Vec<Item<'_>>,
        cx: &Context,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let (mut calls, mut places, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        for (index, item) in items.into_iter().enumerate() {
            let place = Place { index, id: item.id };
            match item.call {
                Ok(call) => {
                    calls.push(call);
                    places.push(place);
                }
                Err(why) => bad.push((index, Reply::bad(item.id, why))),
            }
        }
        let batch = self.run(&calls, cx);
        let (mut results, mut pending) = (bad, Vec::new());
        for (reply, place) in batch.calls().iter().zip(&places) {
            match reply {
                toolwright::executor::Reply::Answered(result) => {
                    results.push((place.index, Reply::answered(place.id, result)?));
                }
                toolwright::executor::Reply::Pending(waits) => {
                    pending.push(Waiting::of(waits, *place));
                }
            }
        }
        results.sort_by_key(|(index, _)| *index);
        let reply = BatchReply {
            id,
            results: results.into_iter().map(|(_, reply)| reply).collect(),
            pending,
            halt: Halt::of(&batch, &places)?,
        };
        write(output, &reply)
    }
}

/// What a line's one call came to.
fn one<'r>(id: Option<&'r RawValue>, batch: &'r Batch) -> io::Result<Reply<'r>> {
    let place = Place { index: 0, id };
    let reply = match batch.results().next() {
        Some(result) => Reply::answered(id, result)?,
        None => Reply::waiting(id),
    };
    Ok(reply.halting(Halt::of(batch, &[place])?))
}

fn write(output: &mut impl Write, reply: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, reply)?;
    output.write_all(b"\n")?;
    output.flush()
}
