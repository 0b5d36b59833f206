//! Every feature in one program.
//!
//! ```text
//! cargo run --example everything -- stdio                           MCP on stdin and stdout
//! cargo run --example everything -- http --listen 127.0.0.1:8080    MCP at /mcp, and all else
//! cargo run --example everything -- list | call add --a 1 --b 2     and the rest of a command line
//! cargo run --example everything -- jsonl
//! ```
//!
//! Calls of tools that are `destructive` wait for a yes: of the command line's `--approve` or terminal, of the user
//! of a client, or by `POST /calls/{id}`. `jsonl` asks nobody: whoever writes its lines has decided. Some tools write
//! into whatever file they are told, so serve them to nobody but tests.
//!
//! The last one answers calls: one JSON object a line in, one a line out.
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

mod fixtures;
mod jsonl;
mod lines;
mod offers;
mod output;
mod reply;
mod tools;
mod trouble;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use toolwright::serve::Serve;
use toolwright::{Context, Registry};

fn main() -> ExitCode {
    // A panic is a tool's, and its call is answered. Whoever reads no standard error shall not have
    // the program wait for it behind pages of a backtrace.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [_, "jsonl"] => jsonl(),
        [program, "stdio"] => program_of(&all()).run_with([program, "mcp"]),
        [program, "http", ref rest @ ..] => {
            program_of(&all()).run_with([&[program, "serve"], rest].concat())
        }
        _ => program_of(&all()).run_with(arguments),
    }
}

fn jsonl() -> ExitCode {
    let served = output::take()
        .and_then(|output| jsonl::serve(&tools::registry(), io::stdin().lock(), output));
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

/// The tools, and what the conformance suite of MCP asks for.
fn all() -> Registry {
    let registry = tools::registry();
    registry.extend(&fixtures::tools());
    registry
}

fn program_of(registry: &Registry) -> Serve {
    let prompts = offers::Prompts::new();
    let cx = Context::new().with(registry.clone()).with(prompts.clone());
    Serve::new(registry.clone())
        .name("everything")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Tools to try servers and clients with.")
        .context(cx)
        .mcp(move |server| offers::offer(server, &prompts))
}
