//! Calls as lines over a pair of pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::message::{self, Call};
use crate::server::{Failure, Server};

/// How many calls wait for their answers at a time.
const IN_FLIGHT: usize = 64;

/// A client of one server.
pub(crate) struct Pipe {
    pub(crate) server: Server,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Pipe {
    pub(crate) fn open(
        programs: &Path,
        program: &str,
        how: &str,
        version: &str,
    ) -> Result<Self, Failure> {
        let mut server = Server::start(programs, program, how)?;
        let input = server.0.stdin.take().ok_or("no input")?;
        let output = server.0.stdout.take().ok_or("no output")?;
        let output = BufReader::with_capacity(64 * 1024, output);
        let mut pipe = Self {
            server,
            input,
            output,
            id: 0,
        };
        if version == message::SESSIONS {
            writeln!(pipe.input, "{}", message::hello())?;
            pipe.output.read_line(&mut String::new())?;
            writeln!(pipe.input, "{}", message::READY)?;
        }
        Ok(pipe)
    }

    fn ask(&mut self, call: &Call, out: &mut String) {
        self.id += 1;
        call.write(self.id, out);
        out.push('\n');
    }

    fn line<'l>(&mut self, line: &'l mut Vec<u8>) -> Result<&'l [u8], Failure> {
        line.clear();
        if self.output.read_until(b'\n', line)? == 0 {
            return Err("the server has ended".into());
        }
        Ok(line)
    }

    /// One call, whose answer is looked at.
    pub(crate) fn learn(&mut self, call: &mut Call) -> Result<(), Failure> {
        let mut out = String::new();
        self.ask(call, &mut out);
        self.input.write_all(out.as_bytes())?;
        call.learn(self.line(&mut Vec::new())?)
    }

    /// Calls for this long. How many were answered.
    pub(crate) fn go(&mut self, call: &Call, time: Duration) -> Result<u32, Failure> {
        let start = Instant::now();
        let (mut out, mut line) = (String::new(), Vec::new());
        let (mut answered, mut waiting) = (0, 0);
        let mut more = true;
        loop {
            // All that came at once is answered at once.
            if more {
                while waiting < IN_FLIGHT {
                    self.ask(call, &mut out);
                    waiting += 1;
                }
                self.input.write_all(out.as_bytes())?;
                out.clear();
            }
            loop {
                call.check(self.line(&mut line)?)?;
                answered += 1;
                waiting -= 1;
                if waiting == 0 || !self.output.buffer().contains(&b'\n') {
                    break;
                }
            }
            more = start.elapsed() < time;
            if waiting == 0 && !more {
                return Ok(answered);
            }
        }
    }
}
