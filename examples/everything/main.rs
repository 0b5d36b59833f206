//! Every feature in one program.
//!
//! `cargo run --example everything -- jsonl` answers calls: one JSON object a line in, one a line out.
//!
//! ```text
//! {"id": 1, "name": "add", "arguments": "{\"a\": 1, \"b\": \"2\"}"}
//! {"id":1,"ok":true,"code":null,"text":"3","value":3,"repairs":[{"path":"b","kind":"unquoted",…}]}
//! ```

mod jsonl;
mod tools;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

const USAGE: &str = "usage: everything jsonl";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let served = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["jsonl"] => jsonl::serve(&tools::registry(), io::stdin().lock(), io::stdout().lock()),
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
