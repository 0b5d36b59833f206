//! Figures of programs over tools; see `tests/outside/code.sh`.
//!
//! `code_figures speed|tokens|programs <file>|generated <count> <seed>|stubs <documents> <every> <dir>` prints them, and fails where one is beyond what is asked.
// Whoever finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{Agent, Model, ModelResponse, Session, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::tokens::Tokenizer;
use toolwright::{Context, Encoder, Executor, Tool, ToolCall, Toolset, Wire, tool, tools};
use toolwright_code::{CodeMode, Interpreter, Limits, stubs};

mod directory;

fn main() {
    toolwright_code::worker();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["speed"] => speed(),
        ["tokens"] => tokens(),
        ["programs", file] => programs(Path::new(file)),
        ["generated", count, seed] => generated(count.parse().unwrap(), seed.parse().unwrap()),
        ["stubs", documents, every, dir] => {
            directory::stubs_of_all(Path::new(documents), every.parse().unwrap(), Path::new(dir));
        }
        _ => panic!(
            "usage: code_figures speed|tokens|programs <file>|generated <count> <seed>|stubs <documents> <every> <dir>"
        ),
    }
}

/// A model that makes the calls of a list, a turn each, and counts the tokens of its requests.
struct Counting {
    turns: Vec<Vec<ToolCall>>,
    tokens: Arc<Mutex<Vec<usize>>>,
}

impl Model for Counting {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let mut tokens = self.tokens.lock().unwrap();
            let definitions = Wire::OpenAiChat.definitions(request.tools);
            let thread = request
                .thread
                .format(Wire::OpenAiChat, request.system)
                .unwrap();
            let count = |text: &str| Tokenizer::O200k.count(text);
            tokens.push(count(&definitions) + count(&thread));
            Ok(match self.turns.get(tokens.len() - 1) {
                Some(calls) => ModelResponse::calls(calls.clone()),
                None => ModelResponse::text("done"),
            })
        })
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn run_code(code: &str) -> ToolCall {
    ToolCall::new("code", "run_code", json!({ "code": code }).to_string())
}

/// Runs a conversation, and returns the tokens of its requests and the last answer.
fn run(tools: Toolset, turns: Vec<Vec<ToolCall>>) -> (Vec<usize>, String) {
    let tokens = Arc::default();
    let model = Counting {
        turns,
        tokens: Arc::clone(&tokens),
    };
    let agent = Agent::with_executor(model, Executor::parallel(tools, 8))
        .max_turns(100)
        .max_steps(1000);
    let mut session = Session::ask("How much have customers 0 to 19 ordered?");
    let run = runtime().block_on(agent.run(&mut session, &Context::new()));
    drop(run.unwrap().completed().unwrap());
    let mut messages = session.thread().messages().iter().rev();
    let answer = messages.find_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    (std::mem::take(&mut tokens.lock().unwrap()), answer.unwrap())
}

/// Adds two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Returns the shortest time of a program of so many calls one after the other.
fn shortest(tool: &Arc<dyn Tool>, calls: usize) -> Duration {
    let executor = Executor::serial(Toolset::new([Arc::clone(tool)]).unwrap());
    let code = format!("n = 0\nfor i in range({calls}):\n    n = await add(n, i)\nn");
    let (runtime, cx) = (runtime(), Context::new());
    let times = (0..50).map(|_| {
        let began = Instant::now();
        let batch = runtime.block_on(executor.run(&[run_code(&code)], &cx));
        assert!(batch.results().all(toolwright::ToolResult::is_success));
        began.elapsed()
    });
    times.min().unwrap()
}

fn speed() {
    for (interpreter, most) in [(Interpreter::InProcess, 300), (Interpreter::Process, 1000)] {
        let mode = CodeMode::new(&tools![add]).interpreter(interpreter.clone());
        let tool = mode
            .limits(Limits {
                calls: 200,
                ..Limits::default()
            })
            .build()
            .unwrap();
        let (none, few, many) = (
            shortest(&tool, 0),
            shortest(&tool, 20),
            shortest(&tool, 120),
        );
        let each = many.saturating_sub(few) / 100;
        println!(
            "{interpreter:?}: a call in a program {each:?}, at most {most} µs; a program without calls {none:?}"
        );
        if !cfg!(debug_assertions) {
            assert!(each < Duration::from_micros(most));
        }
    }
    let tools = tools![add];
    let (runtime, executor, cx) = (runtime(), Executor::serial(&tools), Context::new());
    let call = [ToolCall::new("1", "add", r#"{"a":1,"b":2}"#)];
    let began = Instant::now();
    for _ in 0..1000 {
        drop(runtime.block_on(executor.run(&call, &cx)));
    }
    println!(
        "of it the call itself, by an executor alone: {:?}",
        began.elapsed() / 1000
    );
}

/// Finds the orders of a customer, newest first.
///
/// - `customer`: number of the customer
/// - `limit`: most orders to return
#[tool(read_only)]
fn find_orders(customer: u32, limit: Option<u8>) -> Vec<Order> {
    (0..limit.unwrap_or(8).into())
        .map(|n| Order::new(customer, n))
        .collect()
}

#[derive(serde::Serialize, toolwright::Schema)]
struct Order {
    /// Number of the order
    id: u32,
    /// State of the order
    state: &'static str,
    /// Amount in cents
    total: u32,
    ordered_at: String,
}

impl Order {
    fn new(customer: u32, n: u32) -> Self {
        Self {
            id: customer * 100 + n,
            state: if n == 0 { "open" } else { "paid" },
            total: 1000 + customer * 10 + n,
            ordered_at: format!("2026-11-{:02}T10:00:00Z", n % 28 + 1),
        }
    }
}

fn tokens() {
    let call = |n: u32| {
        ToolCall::new(
            format!("call_{n}"),
            "find_orders",
            json!({ "customer": n }).to_string(),
        )
    };
    let tools = || tools![find_orders];
    let one_by_one = run(tools(), (0..20).map(|n| vec![call(n)]).collect()).0;
    let parallel = run(tools(), vec![(0..20).map(call).collect()]).0;
    let code = "\
import asyncio
orders = await asyncio.gather(*[find_orders(n) for n in range(20)])
sum(order['total'] for found in orders for order in found)";
    let tool = CodeMode::new(&tools()).build().unwrap();
    let (program, answer) = run(Toolset::new([tool]).unwrap(), vec![vec![run_code(code)]]);
    let expected: u32 = (0..20)
        .flat_map(|n| find_orders(n, None))
        .map(|order| order.total)
        .sum();
    assert_eq!(answer, json!({ "value": expected }).to_string());
    let sum = |tokens: &[usize]| tokens.iter().sum::<usize>();
    let whole = sum(&one_by_one);
    println!(
        "20 calls, tokens of all requests (O200k, definitions and conversation as OpenAI's chat):"
    );
    for (name, tokens) in [
        ("one by one", &one_by_one),
        ("parallel turn", &parallel),
        ("program", &program),
    ] {
        let share = percent(sum(tokens), whole);
        println!(
            "| {name} | {} requests | {} tokens | {share:.1} % |",
            tokens.len(),
            sum(tokens)
        );
    }
    assert!(sum(&program) * 100 <= whole * 6);
}

/// Runs programs whose values `CPython` has said, and counts those that differ in silence.
fn programs(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let (mut equal, mut loud, mut silent) = (0, 0, 0);
    let tool = CodeMode::new(&tools![add]).build().unwrap();
    let executor = Executor::serial(Toolset::new([tool]).unwrap());
    let runtime = runtime();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let call = run_code(case["code"].as_str().unwrap());
        let batch = runtime.block_on(executor.run(&[call], &Context::new()));
        let result = batch.results().next().unwrap();
        match (&result.outcome, case.get("value"), case["raises"].as_str()) {
            (Ok(_), Some(value), _) if result.value().unwrap()["value"] == *value => equal += 1,
            (Err(error), None, Some(class)) if error.to_string().contains(class) => equal += 1,
            (Err(error), _, _) => {
                loud += 1;
                let text = error.to_string();
                println!(
                    "an error here alone: {}",
                    text.lines().last().unwrap_or_default()
                );
            }
            (Ok(_), _, _) => {
                silent += 1;
                println!("{line}\n    {}", result.content(Encoder::auto()));
            }
        }
    }
    println!(
        "{equal} programs equal CPython's, {loud} end with an error here alone, {silent} differ in silence"
    );
    assert_eq!(silent, 0);
}

fn percent(part: usize, whole: usize) -> f64 {
    let millis = u32::try_from(part * 100_000 / whole).unwrap();
    f64::from(millis) / 1000.0
}

/// Returns the share of stubs in chat definitions and output schemas, which those do not have, as percent of tokens.
fn share(tools: &Toolset) -> usize {
    let count = |text: &str| Tokenizer::O200k.count(text);
    let outputs = tools.definitions().filter_map(|def| def.output.as_ref());
    let outputs: usize = outputs.map(|it| count(&it.to_provider_json())).sum();
    let chat = count(&Wire::OpenAiChat.definitions(tools)) + outputs;
    count(&stubs(tools)) * 100 / chat
}

/// Runs programs that are made of lines of hostile ones, and checks that each ends in time and none ends this process.
fn generated(count: u64, seed: u64) {
    let lines: Vec<&str> = include_str!("../process/hostile.txt").lines().collect();
    let mut state = seed;
    let mut below = |most: usize| {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % most as u64).unwrap()
    };
    let limit = Duration::from_millis(100);
    let bound = limit + Duration::from_millis(1500);
    let mode = CodeMode::new(&tools![add]).limits(Limits {
        time: limit,
        ..Limits::default()
    });
    let executor = Executor::serial(Toolset::new([mode.build().unwrap()]).unwrap());
    let runtime = runtime();
    let (mut slowest, mut crashed, mut values) = (Duration::ZERO, 0, 0);
    for _ in 0..count {
        let mut code = String::new();
        for _ in 0..=below(6) {
            let at = below(lines.len());
            let some: Vec<&str> = lines.iter().skip(at).take(1 + below(3)).copied().collect();
            code.push_str(&some.join("\n"));
            code.push('\n');
        }
        for _ in 0..below(3) {
            let at = code.floor_char_boundary(below(code.len()));
            code.insert_str(
                at,
                ["(", ")", " ", "0", "**", "await ", "]", "not "][below(8)],
            );
        }
        let run = || {
            let began = Instant::now();
            let batch = runtime.block_on(executor.run(&[run_code(&code)], &Context::new()));
            (batch, began.elapsed())
        };
        let (batch, mut took) = run();
        // Beside other work any program may take long, and one that passes its limit takes long each time.
        for _ in 0..3 {
            if took >= bound {
                took = took.min(run().1);
            }
        }
        slowest = slowest.max(took);
        match &batch.results().next().unwrap().outcome {
            Ok(_) => values += 1,
            Err(error) => {
                crashed += u32::from(error.to_string().contains("the interpreter failed"));
            }
        }
    }
    println!(
        "{count} generated programs: {values} values, {crashed} ends of an interpreter's process, none of the host; slowest {slowest:?}, limit {limit:?}"
    );
    assert!(slowest < bound, "{slowest:?}");
}
