//! Tests of the interpreter's own process. This program is the host and, started again, the interpreter.

// A test that finds less than it expects has failed.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, RunEnd, Session, ThreadMessage};
use toolwright::call::{Cancel, ErrorKind};
use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};
use toolwright_code::{CodeMode, Interpreter, Limits};

/// Adds two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Echoes a text.
#[tool(read_only)]
fn echo(text: &str) -> usize {
    text.len()
}

static KILLED: AtomicUsize = AtomicUsize::new(0);
static COUNTED: AtomicUsize = AtomicUsize::new(0);

/// Kills the interpreters of this process, and counts.
#[tool]
fn kill_and_count() -> usize {
    for child in children() {
        let signal = ["-9", "-15", "-2"][KILLED.load(Ordering::Relaxed) % 3];
        let killed = std::process::Command::new("kill")
            .args([signal, &child])
            .status();
        KILLED.fetch_add(usize::from(killed.unwrap().success()), Ordering::Relaxed);
    }
    COUNTED.fetch_add(1, Ordering::Relaxed)
}

/// Waits for a minute.
#[tool]
async fn wait() -> &'static str {
    tokio::time::sleep(Duration::from_mins(1)).await;
    "waited"
}

fn main() {
    if std::env::args().any(|argument| argument == "--no-worker") {
        // A program that would start itself for ever.
        let built = CodeMode::new(&tools![add]).build();
        std::process::exit(i32::from(built.is_ok()));
    }
    toolwright_code::worker();
    let tests: [(&str, fn()); 14] = [
        ("a_program_runs_in_a_process_of_this_executable", runs),
        (
            "hostile_programs_end_in_time_and_take_no_memory_of_the_host",
            hostile,
        ),
        ("an_interpreter_that_is_killed_is_replayed", killed),
        (
            "a_program_replays_the_same_in_another_process",
            deterministic,
        ),
        ("a_cancelled_program_has_no_process", cancelled),
        (
            "a_busy_program_that_is_cancelled_has_no_process",
            cancelled_busy,
        ),
        ("a_program_ends_by_the_time_limit_of_its_caller", late),
        ("the_environment_is_what_the_host_names", environment),
        (
            "a_program_that_is_no_interpreter_is_an_error",
            no_interpreter,
        ),
        (
            "a_process_that_is_started_as_an_interpreter_and_does_not_become_one_exits",
            marked,
        ),
        (
            "a_program_that_closes_its_pipe_and_lives_on_is_an_error",
            closes_its_pipe,
        ),
        ("calls_within_the_limits_fit_into_a_message", long_messages),
        ("limits_may_be_as_large_as_can_be", largest_limits),
        ("the_examples_print_what_the_guide_says", examples),
    ];
    let filter = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let mut passed = 0;
    for (name, test) in tests {
        if filter
            .as_ref()
            .is_some_and(|filter| !name.contains(&**filter))
        {
            continue;
        }
        test();
        println!("test {name} ... ok");
        passed += 1;
    }
    println!("\ntest result: ok. {passed} passed; 0 failed");
}

/// Returns the ids of the interpreters that this process started.
fn children() -> Vec<String> {
    let id = std::process::id().to_string();
    let output = std::process::Command::new("pgrep")
        .args(["-P", &id])
        .output()
        .unwrap();
    let pgrep = String::from_utf8(output.stdout).unwrap();
    let is_there = |id: &&str| {
        std::fs::read(format!("/proc/{id}/environ"))
            .is_ok_and(|it| String::from_utf8_lossy(&it).contains("TOOLWRIGHT_CODE_WORKER"))
    };
    pgrep.lines().filter(is_there).map(str::to_owned).collect()
}

fn agent(mode: CodeMode, code: &str) -> Agent {
    let arguments = serde_json::json!({ "code": code }).to_string();
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "code", "run_code", arguments,
        )])),
        Ok(ModelResponse::text("done")),
    ]);
    let tool = mode.build().unwrap();
    Agent::with_executor(model, Executor::serial(Toolset::new([tool]).unwrap()))
}

fn answer(mode: CodeMode, code: &str) -> String {
    let agent = agent(mode, code);
    let mut session = Session::ask("Go!");
    let run = runtime().block_on(agent.run(&mut session, &Context::new()));
    run.unwrap().completed().map(drop).unwrap();
    let mut messages = session.thread().messages().iter().rev();
    let answer = messages.find_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answer.unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn runs() {
    let code = "import asyncio\nprint('sum')\nsum(await asyncio.gather(add(1, 2), add(3, 4)))";
    let text = answer(CodeMode::new(&tools![add]), code);
    assert_eq!(text, r#"{"value":10,"printed":"sum\n"}"#);
}

/// Returns the memory that this process has at most had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .trim_end_matches("kB")
        .trim()
        .parse::<usize>()
        .unwrap()
        * 1024
}

fn hostile() {
    let programs = include_str!("hostile.txt").split("\n###");
    let (mut count, mut slowest) = (0, (Duration::ZERO, ""));
    let limit = Duration::from_millis(300);
    let before = peak();
    for program in programs {
        let began = Instant::now();
        let mode = CodeMode::new(&tools![add]).limits(Limits {
            time: limit,
            ..Limits::default()
        });
        let text = answer(
            mode,
            program.split_once('\n').map_or(program, |(_, code)| code),
        );
        let took = began.elapsed();
        if std::env::var_os("SHOW").is_some() {
            let text: String = text
                .chars()
                .rev()
                .take(160)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            println!(
                "{took:?} {:?}\n    {text:?}",
                program.lines().next().unwrap_or_default()
            );
        }
        assert!(
            took < limit + Duration::from_millis(1500),
            "{program}: {took:?}"
        );
        assert!(text.len() < 128 << 10, "{program}: {} bytes", text.len());
        slowest = slowest.max((took, program));
        count += 1;
    }
    let more = peak().saturating_sub(before) >> 20;
    no_children();
    assert!(more <= 64, "{more} MiB");
    let name = slowest.1.lines().next().unwrap_or_default();
    println!(
        "{count} hostile programs, limit {limit:?}: slowest {:?} ({name}), {more} MiB more in the host",
        slowest.0
    );
}

fn killed() {
    let before = COUNTED.load(Ordering::Relaxed);
    let code = "[await kill_and_count() for _ in range(10)]";
    let text = answer(CodeMode::new(&tools![kill_and_count]), code);
    assert_eq!(text, r#"{"value":[0,1,2,3,4,5,6,7,8,9]}"#);
    assert_eq!(KILLED.load(Ordering::Relaxed), 10);
    assert_eq!(COUNTED.load(Ordering::Relaxed) - before, 10);
}

fn deterministic() {
    let code = "
from datetime import datetime
words = {'b', 'a', 'c', 'd', str(datetime.now())}
for word in words:
    await kill_and_count()
    await add(hash(word) % 1000, id(word) % 1000)
len(words)";
    let text = answer(CodeMode::new(&tools![add, kill_and_count]), code);
    assert_eq!(text, r#"{"value":5}"#);
}

fn cancelled() {
    let agent = agent(CodeMode::new(&tools![wait]), "await wait()");
    let mut session = Session::ask("Go!");
    runtime().block_on(async {
        let cx = Context::new();
        let run = agent.run(&mut session, &cx);
        tokio::select! {
            _ = run => panic!("it waits"),
            () = async {
                while children().is_empty() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            } => {}
        }
    });
    no_children();
    // The script is not asked for its end.
    std::mem::forget(agent);
}

/// Code mode whose programs may run for a minute.
fn long() -> CodeMode {
    CodeMode::new(&tools![add]).limits(Limits {
        time: Duration::from_mins(1),
        ..Limits::default()
    })
}

fn cancelled_busy() {
    let agent = agent(long(), "while True: pass");
    let (mut session, stop) = (Session::ask("Go!"), Cancel::new());
    let (run, ()) = runtime().block_on(async {
        let cx = Context::new().with_cancel(stop.clone());
        tokio::join!(agent.run(&mut session, &cx), async {
            while children().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            stop.cancel();
        })
    });
    assert!(matches!(run.unwrap().end, RunEnd::Cancelled));
    no_children();
    std::mem::forget(agent);
}

fn late() {
    let tool = long().build().unwrap();
    let mut def = tool.def().clone();
    def.options.timeout = Some(Duration::from_millis(300));
    let tools = Toolset::new([tool]).unwrap().attach([def]).unwrap();
    let began = Instant::now();
    let call = ToolCall::new("code", "run_code", r#"{"code":"while True: pass"}"#);
    let executor = Executor::serial(tools);
    let batch = runtime().block_on(executor.run(&[call], &Context::new()));
    let error = batch.results().next().unwrap().outcome.clone().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(began.elapsed() < Duration::from_secs(30));
    no_children();
}

/// Returns the environment of the interpreter.
#[tool]
fn environment_of_child() -> Vec<String> {
    let child = children().pop().unwrap();
    let variables = std::fs::read(format!("/proc/{child}/environ")).unwrap();
    let variables = String::from_utf8(variables).unwrap();
    let mut variables: Vec<_> = variables
        .split_terminator('\0')
        .map(str::to_owned)
        .collect();
    variables.sort();
    variables
}

fn environment() {
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    for (names, expected) in [
        (
            &[][..],
            vec!["MALLOC_ARENA_MAX=1", "TOOLWRIGHT_CODE_WORKER=1"],
        ),
        (
            &["PATH", "NO_SUCH_VARIABLE"],
            vec!["MALLOC_ARENA_MAX=1", &path, "TOOLWRIGHT_CODE_WORKER=1"],
        ),
    ] {
        let mode = CodeMode::new(&tools![environment_of_child]).environment(names.to_vec());
        let text = answer(mode, "await environment_of_child()");
        assert_eq!(text, serde_json::json!({ "value": expected }).to_string());
    }
}

fn no_interpreter() {
    let mode = CodeMode::new(&tools![add]).interpreter(Interpreter::program("/bin/true"));
    let text = answer(mode, "1");
    assert!(text.starts_with("the interpreter failed"), "{text}");
    let mode = CodeMode::new(&tools![add]).interpreter(Interpreter::program("/nowhere"));
    let text = answer(mode, "1");
    assert!(text.contains("could not be started"), "{text}");
}

/// Writes a program of the shell.
fn script(lines: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("toolwright-code-{}", std::process::id()));
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&path, executable).unwrap();
    path
}

fn marked() {
    let own = std::env::current_exe().unwrap();
    let path = script(&format!("exec '{}' --no-worker", own.display()));
    let mode = CodeMode::new(&tools![add]).interpreter(Interpreter::program(&path));
    let text = answer(mode, "1");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(text, "the interpreter failed (exit status: 70)");
}

/// It ends long before the program that lives on.
fn closes_its_pipe() {
    let path = script("exec <&- >&-\nexec sleep 60");
    let began = Instant::now();
    let limits = Limits {
        time: Duration::from_secs(20),
        ..Limits::default()
    };
    let mode = CodeMode::new(&tools![add]).interpreter(Interpreter::program(&path));
    let text = answer(mode.limits(limits), "1");
    std::fs::remove_file(&path).unwrap();
    assert!(text.starts_with("the interpreter failed"), "{text}");
    assert!(began.elapsed() < Duration::from_secs(30), "{began:?}");
}

/// What fits into the limits fits into the messages of the process.
fn long_messages() {
    let limits = Limits {
        calls: 5000,
        time: Duration::from_mins(1),
        ..Limits::default()
    };
    for (calls, expected) in [
        ("add(i, 1) for i in range(5000)", "5000"),
        ("echo('\\n\"' * 90_000) for i in range(2)", "2"),
    ] {
        let code = format!("import asyncio\nlen(await asyncio.gather(*[{calls}]))");
        let mode = CodeMode::new(&tools![add, echo]).limits(limits);
        let text = answer(mode, &code);
        assert_eq!(text, format!(r#"{{"value":{expected}}}"#), "{calls}");
    }
}

fn largest_limits() {
    let limits = Limits {
        calls: usize::MAX,
        time: Duration::MAX,
        memory: usize::MAX,
        source: usize::MAX,
        printed: usize::MAX,
        value: usize::MAX,
    };
    let mode = CodeMode::new(&tools![add]).limits(limits);
    let text = answer(mode, "print('x')\nawait add(1, 2)");
    assert_eq!(text, r#"{"value":3,"printed":"x\n"}"#);
}

/// Waits until there is no interpreter.
fn no_children() {
    while !children().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn examples() {
    for _ in 0..8 {
        // Its `main` has threads, whose memory is none of the program's.
        let printed = example("refunds_http");
        assert_eq!(printed, include_str!("../../examples/refunds_http.txt"));
    }
    let printed = example("refunds");
    assert_eq!(printed, include_str!("../../examples/refunds.txt"));
    let source = include_str!("../../examples/program.rs");
    let (_, said) = source.split_once("\n// Prints:\n").unwrap();
    assert_eq!(example("program"), said.replace("// ", ""));
}

/// Returns what an example prints.
fn example(name: &str) -> String {
    let tests = std::env::current_exe().unwrap();
    let example = tests
        .parent()
        .unwrap()
        .with_file_name("examples")
        .join(name);
    let output = std::process::Command::new(example).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
