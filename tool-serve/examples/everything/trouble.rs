//! Tools that do what tools do on a bad day, and tools whose answers end a turn.

use std::error::Error;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolwright::{Outcome, Schema, tool};

/// Panics with these words.
#[tool]
pub(crate) fn boom(msg: &str) -> u8 {
    panic!("{msg}")
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a value does not go quietly")
    }
}

/// Panics when it is done, while it clears away.
#[tool]
pub(crate) fn boom_drop() -> &'static str {
    let _bomb = Bomb;
    "done"
}

/// Never answers.
#[tool(read_only)]
pub(crate) async fn hang() -> u8 {
    std::future::pending().await
}

/// Keeps a processor busy for so many milliseconds, and hears nothing meanwhile.
#[tool(read_only, blocking)]
pub(crate) fn spin(ms: u64) -> u64 {
    let (start, whole) = (Instant::now(), Duration::from_millis(ms));
    while start.elapsed() < whole {
        std::hint::spin_loop();
    }
    ms
}

/// Waits until a file is there, and hears nothing meanwhile.
#[tool(read_only, blocking)]
pub(crate) fn wait_for_file(path: &Path) -> &'static str {
    while !path.exists() {
        std::thread::sleep(PAUSE);
    }
    "it is there"
}

/// Between two lines of `append_slow`, and two looks of `wait_for_file`.
const PAUSE: Duration = Duration::from_millis(100);

/// Appends numbered lines to a file, ten a second. It is dropped where it waits, so no line follows
/// the answer.
#[tool]
pub(crate) async fn append_slow(
    path: &Path,
    /// How many
    lines: u32,
) -> io::Result<u32> {
    let mut file = open(path)?;
    for line in 1..=lines {
        writeln!(file, "line {line}")?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(lines)
}

/// A line of a journal.
#[derive(Serialize, Deserialize, Schema)]
pub(crate) struct Charge {
    key: String,
    cents: u64,
}

/// Charges an account and writes that into a journal: once for each key, however often it is called.
#[tool(destructive, idempotent, blocking)]
pub(crate) fn charge(
    /// The same for the same charge
    key: String,
    cents: u64,
    /// The file
    journal: &Path,
) -> Result<Charge, ChargeError> {
    let mut file = open(journal)?;
    // Until the file is closed: other calls and other processes look into it, too.
    file.lock()?;
    let mut written = Vec::new();
    file.read_to_end(&mut written)?;
    let lines = written.split(|byte| *byte == b'\n');
    let mut charges = lines.filter_map(|line| serde_json::from_slice::<Charge>(line).ok());
    if let Some(before) = charges.find(|before| before.key == key) {
        return match before.cents {
            same if same == cents => Ok(before),
            other => Err(ChargeError::Other(other)),
        };
    }
    let charge = Charge { key, cents };
    // A line that a crash left without its end gets one. What is written is written at once.
    let torn = written.last().is_some_and(|byte| *byte != b'\n');
    let mut line = Vec::from(if torn { "\n" } else { "" });
    serde_json::to_writer(&mut line, &charge).map_err(io::Error::from)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()?;
    Ok(charge)
}

#[derive(Debug)]
pub(crate) enum ChargeError {
    File(io::Error),
    Other(u64),
}

impl From<io::Error> for ChargeError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for ChargeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Other(cents) => write!(f, "{cents} cents were charged under this key before"),
        }
    }
}

/// To append to. Pipes and devices may never let go of who opens them.
fn open(path: &Path) -> io::Result<File> {
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("there is something that is not a file"));
    }
    OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
}

/// Answers with so many bytes, in lines of 80.
#[tool(read_only)]
pub(crate) fn big(#[arg(range(..=67_108_864))] bytes: u32) -> String {
    const LINE: &str =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg\n";
    let bytes = usize::try_from(bytes).unwrap_or_default();
    let mut text = LINE.repeat(bytes / LINE.len());
    text.extend(LINE.chars().take(bytes % LINE.len()));
    text
}

/// Knows more than the model may.
#[derive(Debug)]
pub(crate) struct LoginFailed(Refused);

#[derive(Debug)]
struct Refused;

impl fmt::Display for LoginFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the account service refused the login")
    }
}

impl Error for LoginFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "401 for https://accounts.example.com/v1/login?key=example-key-9f31c2 \
             with `authorization: Bearer example-token-5d07aa`",
        )
    }
}

impl Error for Refused {}

/// Fails in few words; what caused it holds a token and a key.
#[tool]
pub(crate) fn fail_secret() -> Result<u8, LoginFailed> {
    Err(LoginFailed(Refused))
}

/// Prints to the standard output.
#[tool(read_only)]
pub(crate) fn noisy() -> &'static str {
    println!("{{\"id\":0,\"ok\":true}} was not said by the one who answers");
    "printed"
}

/// Asks the user.
#[tool(read_only)]
pub(crate) fn ask(q: String) -> Outcome {
    Outcome::ask(q)
}

/// Ends with words that go to the user as they are.
#[tool(name = "final", read_only, return_direct)]
pub(crate) fn final_words(text: String) -> String {
    text
}
