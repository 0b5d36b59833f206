//! Tools that run elsewhere: a host lists its definitions and runs its tools by name; here they are
//! tools like any other.
//!
//! `cargo run -p toolwright --example remote` runs both ends, a line of JSON each way.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright::{
    Context, DynTool, Encoder, ToolCall, ToolDef, ToolError, Toolset, call::ErrorKind, tool, tools,
};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    List,
    Call(ToolCall),
}

/// What was asked for, or words about what went wrong.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Say {
    Definitions(Vec<ToolDef>),
    Value(Box<RawValue>),
    Error(String),
}

/// Answers whoever is at the other end, until they leave.
pub(crate) fn host(tools: &Toolset, stream: &TcpStream) -> io::Result<()> {
    let mut output = stream;
    for line in BufReader::new(stream).lines() {
        let said = match serde_json::from_str(&line?) {
            Ok(Ask::List) => Say::Definitions(tools.definitions().cloned().collect()),
            Ok(Ask::Call(call)) => {
                let result = tools.call_blocking(&call, &Context::new());
                match result.outcome.as_ref().map(|outcome| outcome.payload()) {
                    Ok(Some(value)) => match RawValue::from_string(value.to_json().into_owned()) {
                        Ok(value) => Say::Value(value),
                        Err(error) => Say::Error(error.to_string()),
                    },
                    // What is not a value has words; so has an error.
                    _ => Say::Error(result.content(Encoder::auto()).into_owned()),
                }
            }
            Err(error) => Say::Error(error.to_string()),
        };
        let mut text = serde_json::to_vec(&said)?;
        text.push(b'\n');
        output.write_all(&text)?;
    }
    Ok(())
}

/// The other end of a host.
#[derive(Clone)]
struct Remote(Arc<Mutex<BufReader<TcpStream>>>);

impl Remote {
    fn ask(&self, ask: &Ask) -> io::Result<Say> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = serde_json::to_vec(ask)?;
        text.push(b'\n');
        stream.get_mut().write_all(&text)?;
        let mut line = String::new();
        stream.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    fn call(&self, name: &str, arguments: &RawValue) -> Result<Box<RawValue>, ToolError> {
        let call = ToolCall::new("", name, arguments.get());
        match self.ask(&Ask::Call(call)) {
            Ok(Say::Value(value)) => Ok(value),
            Ok(Say::Error(error)) => Err(ToolError::failed(error)),
            Ok(Say::Definitions(_)) => Err(ToolError::new(
                ErrorKind::InvalidReturn,
                "the host answered what was not asked",
            )),
            Err(error) => Err(ToolError::failed("the host does not answer").with_source(error)),
        }
    }
}

/// The tools of a host: their definitions as it has them, and code that asks it.
pub(crate) fn remote(stream: TcpStream) -> Result<Toolset, Box<dyn std::error::Error>> {
    let remote = Remote(Arc::new(Mutex::new(BufReader::new(stream))));
    let Say::Definitions(defs) = remote.ask(&Ask::List)? else {
        return Err("the host lists no tools".into());
    };
    let mut tools = Vec::new();
    for def in defs {
        let (remote, name) = (remote.clone(), def.name.clone());
        let run = move |arguments: Box<RawValue>, _| remote.call(&name, &arguments);
        let options = def.options.blocking(true);
        let tool = DynTool::builder().def(def).options(options);
        let tool = tool.handler_sync(run);
        tools.push(tool.build()?);
    }
    Ok(Toolset::new(tools)?)
}

/// Adds two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let stream = TcpStream::connect(listener.local_addr()?)?;
    let (host_end, _) = listener.accept()?;
    std::thread::spawn(move || host(&tools![add], &host_end));

    let tools = remote(stream)?;
    for (name, arguments) in [("add", r#"{"a": 1, "b": 2}"#), ("add", "{}"), ("sub", "{}")] {
        let result = tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new());
        println!("{name}({arguments}): {}", result.content(Encoder::auto()));
    }
    Ok(())
}
