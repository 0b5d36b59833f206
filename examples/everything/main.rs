//! Every feature in one program.
//!
//! `cargo run --example everything -- jsonl` answers calls: one JSON object a line in, one a line out.
//!
//! ```text
//! {"id": 1, "name": "add", "arguments": "{\"a\": 1, \"b\": \"2\"}"}
//! {"id":1,"ok":true,"code":null,"text":"3","value":3,"repairs":[{"path":"b","kind":"unquoted",…}]}
//! ```
//!
//! A line with a `batch` is a turn of calls that run at once:
//!
//! ```text
//! {"id": 2, "batch": [{"id": "a", "name": "echo", "arguments": {"text": "hi"}}, {"id": "b", "name": "ask", "arguments": {"q": "Where?"}}]}
//! {"id":2,"results":[{"id":"a","ok":true,…},{"id":"b","ok":true,…}],"pending":[],"halt":{"reason":"ask_user",…}}
//! ```

mod jsonl;
mod lines;
mod output;
mod reply;
mod tools;
mod trouble;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

const USAGE: &str = "usage: everything jsonl";

fn main() -> ExitCode {
    // A panic is a tool's, and its call is answered. Whoever reads no standard error shall not have
    // the program wait for it behind pages of a backtrace.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let served = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["jsonl"] => output::take()
            .and_then(|output| jsonl::serve(&tools::registry(), io::stdin().lock(), output)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match served {
        // Whoever asked has heard enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}
