//! Tools that talk to whoever sits at the terminal.
//!
//! `cargo run -p toolwright --example console` lets them ask and tell once.
//!
//! They hold up a thread until somebody answers. Where a program can wait in another way, a tool
//! returns `Outcome::ask`: the conversation then halts, and goes on when the answer is there, in another
//! process if need be.

use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};

use toolwright::{Context, Encoder, ToolCall, text::Printable, tool, tools};

/// A terminal: what is typed, and what is shown.
pub(crate) struct Console<R, W>(Mutex<(R, W)>);

impl<R: BufRead, W: Write> Console<R, W> {
    pub(crate) fn new(input: R, output: W) -> Self {
        Self(Mutex::new((input, output)))
    }

    fn ask(&self, question: &str) -> io::Result<String> {
        let mut both = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (input, output) = &mut *both;
        write!(output, "{} ", Printable::new(question))?;
        output.flush()?;
        let mut answer = String::new();
        if input.read_line(&mut answer)? == 0 {
            let gone = "nobody answers: the input has ended";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, gone));
        }
        Ok(answer.trim().to_owned())
    }

    fn tell(&self, message: &str) -> io::Result<()> {
        let mut both = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(both.1, "{}", Printable::new(message))?;
        both.1.flush()
    }
}

/// What the tools need of a terminal.
pub(crate) trait Terminal: Send + Sync + 'static {
    fn ask(&self, question: &str) -> io::Result<String>;
    fn tell(&self, message: &str) -> io::Result<()>;
}

impl<R: BufRead + Send + 'static, W: Write + Send + 'static> Terminal for Console<R, W> {
    fn ask(&self, question: &str) -> io::Result<String> {
        self.ask(question)
    }

    fn tell(&self, message: &str) -> io::Result<()> {
        self.tell(message)
    }
}

/// Whoever is there.
pub(crate) struct User(pub(crate) Box<dyn Terminal>);

/// Asks the user, and waits for a line.
#[tool(blocking, exclusive)]
pub(crate) fn ask_user(question: &str, #[state] user: &User) -> io::Result<String> {
    user.0.ask(question)
}

/// Tells the user something, and waits for nothing.
#[tool(blocking, exclusive)]
pub(crate) fn tell_user(message: &str, #[state] user: &User) -> io::Result<()> {
    user.0.tell(message)
}

// The tests include this file, and have no use for it.
#[allow(dead_code)]
fn main() {
    let console = Console::new(io::BufReader::new(io::stdin()), io::stdout());
    let tools = tools![ask_user, tell_user; state = User(Box::new(console))];
    for (name, arguments) in [
        ("ask_user", r#"{"question": "Where to?"}"#),
        ("tell_user", r#"{"message": "Thanks."}"#),
    ] {
        let result = tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new());
        println!("{name}: {}", result.content(Encoder::auto()));
    }
}
