//! Tools around tools keep what they wrap, but for what they change.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and validators take references.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::trivially_copy_pass_by_ref
)]

use std::sync::{Arc, Mutex};

use futures_util::stream;
use serde_json::json;
use toolwright::{
    Context, Encoder, Executor, Outcome, Tool, ToolCall, ToolError, ToolResult, Toolset,
    call::{Answer, Call, Content, ErrorKind, HaltReason, Items, Scope, State, WrapTool},
    executor::{Batch, Event, Halted},
    tool, tools,
};

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
}

fn is_even(n: &u32) -> Result<(), String> {
    if n.is_multiple_of(2) {
        Ok(())
    } else {
        Err(format!("{n} is odd"))
    }
}

/// Halves even numbers, but not 4.
#[tool(
    title = "Half",
    read_only,
    exclusive,
    blocking,
    timeout = "5s",
    meta(risk = "high", team = "maths"),
    visible = is_admin,
    validate = is_even
)]
fn halve(#[arg(range(0..=100))] n: u32) -> Result<u32, ToolError> {
    match n {
        4 => Err(ToolError::failed("no fours").with_debug("the table lacks a row")),
        6 => panic!("sixes"),
        n => Ok(n / 2),
    }
}

/// The same, later.
#[tool(visible = is_admin)]
async fn halve_later(n: u32) -> Result<u32, String> {
    tokio::task::yield_now().await;
    if n == 4 {
        Err("no fours".into())
    } else {
        Ok(n / 2)
    }
}

fn halving() -> Arc<dyn Tool> {
    Arc::clone(tools![halve].get("halve").unwrap())
}

fn admin() -> Context {
    Context::new().with_state(State::new().with("role", "admin"))
}

fn run(tool: &Arc<dyn Tool>, n: u32) -> Batch {
    let tools = Toolset::new([Arc::clone(tool)]).unwrap();
    let call = ToolCall::new("1", &*tool.def().name, json!({ "n": n }).to_string());
    Executor::serial(tools).run_blocking(&[call], &admin())
}

fn only(batch: &Batch) -> &ToolResult {
    let [reply] = batch.calls() else {
        panic!("{batch:?}")
    };
    reply.answered().unwrap()
}

fn came_to(batch: &Batch) -> Result<Outcome, ErrorKind> {
    let outcome = only(batch).outcome.clone();
    outcome.map_err(|error| error.kind())
}

fn kind(batch: &Batch) -> ErrorKind {
    only(batch).outcome.as_ref().unwrap_err().kind()
}

#[test]
fn an_error_becomes_a_value_with_its_words() {
    for tool in [
        halving(),
        Arc::clone(tools![halve_later].get("halve_later").unwrap()),
    ] {
        let handled = tool.handle_errors();
        assert_eq!(only(&run(&handled, 8)).value(), Some(json!(4)));
        let failed = run(&handled, 4);
        assert_eq!(only(&failed).value(), Some(json!("no fours")));
        assert_eq!(only(&failed).content(Encoder::auto()), "no fours");
    }
}

#[test]
fn an_error_is_handled_by_code_of_the_hosts() {
    let handled = halving().handle_errors_with(|error| {
        // The host may read what the model may not.
        json!({"said": error.to_string(), "detail": error.host_detail()})
    });
    assert_eq!(
        only(&run(&handled, 4)).value(),
        Some(json!({"said": "no fours", "detail": "the table lacks a row"}))
    );
    let asks = halving().handle_errors_with(|_| Outcome::ask("Another number?"));
    assert_eq!(run(&asks, 4).halted().unwrap().as_str(), "ask_user");
    assert_eq!(only(&run(&asks, 8)).value(), Some(json!(4)));
    let panics = halving().handle_errors_with(|_| -> u8 { panic!("worse") });
    assert_eq!(kind(&run(&panics, 4)), ErrorKind::Panicked);
}

#[test]
fn what_is_not_the_tools_own_stays_an_error() {
    let handled = halving().handle_errors();
    assert_eq!(kind(&run(&handled, 3)), ErrorKind::InvalidArgs);
    assert_eq!(kind(&run(&handled, 200)), ErrorKind::InvalidArgs);
    assert_eq!(kind(&run(&handled, 6)), ErrorKind::Panicked);
}

#[test]
fn the_definition_is_kept_in_any_order() {
    let plain = halving();
    let mut direct = plain.def().clone();
    direct.options.return_direct = true;
    let wrapped = [
        halving().handle_errors().return_direct(),
        halving().return_direct().handle_errors(),
        halving()
            .handle_errors_with(|_| 0)
            .return_direct()
            .handle_errors(),
    ];
    for tool in wrapped {
        assert_eq!(*tool.def(), direct);
        // Schema, bounds and validator are those of the tool.
        let words = |batch: &Batch| only(batch).content(Encoder::auto()).into_owned();
        for n in [3, 200] {
            assert_eq!(words(&run(&tool, n)), words(&run(&plain, n)));
        }
        let result = run(&tool, 8);
        assert_eq!(only(&result).attributes.get("team"), Some(&json!("maths")));
        // So is who may see it.
        let tools = Toolset::new([tool]).unwrap();
        assert!(tools.visible(&Scope::default()).iter().next().is_none());
        let call = ToolCall::new("1", "halve", r#"{"n": 8}"#);
        let guest =
            Executor::serial(&tools).run_blocking(std::slice::from_ref(&call), &Context::new());
        assert_eq!(kind(&guest), ErrorKind::Hidden);
        // And it can be asked about arguments alone.
        assert!(tools.validate(&call, &admin()).is_ok());
    }
    assert_eq!(*halving().handle_errors().def(), *plain.def());
}

/// A wrapper of somebody's own, which forgets all that can be forgotten.
struct Loud(Arc<dyn Tool>);

impl WrapTool for Loud {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match self.0.call(call) {
            Answer::Ready(Ok(Outcome::Value(value))) => {
                let loud = value.as_text().unwrap_or_default().to_uppercase();
                Answer::Ready(Ok(Outcome::value(loud)))
            }
            other => other,
        }
    }
}

#[test]
fn a_wrapper_of_ones_own_keeps_secrets_visibility_and_validation() {
    /// Logs in.
    #[tool(visible = is_admin)]
    fn login(user: &str, #[arg(secret, len(6..))] password: &str) -> String {
        format!("{user} with {} characters", password.len())
    }

    let mut tool = Arc::clone(tools![login].get("login").unwrap());
    for _ in 0..2 {
        tool = Arc::new(Loud(tool));
    }
    let tools = Toolset::new([tool]).unwrap();
    let seen = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&seen);
    let executor = Executor::serial(&tools).on_event(move |event| {
        log.lock().unwrap().push_str(&format!("{event:?}"));
        if let Event::Started { redacted, .. } = event {
            log.lock().unwrap().push_str(&redacted.text());
        }
    });
    let call = |password: &str| {
        let arguments = json!({"user": "ada", "password": password});
        ToolCall::new("1", "login", arguments.to_string())
    };
    let calls = [call("marker-1"), call("mark")];
    let batch = executor.run_blocking(&calls, &admin());
    let texts: Vec<_> = batch
        .results()
        .map(|result| result.content(Encoder::auto()))
        .collect();
    assert_eq!(texts[0], "ADA WITH 8 CHARACTERS");
    assert!(texts[1].starts_with("password: "), "{}", texts[1]);
    assert!(!texts[1].contains("mark"), "{}", texts[1]);
    let seen = seen.lock().unwrap().clone();
    assert!(
        seen.contains(r#""password":"[secret]""#) && !seen.contains("mark"),
        "{seen}"
    );

    // Nobody else sees or calls it.
    assert!(tools.visible(&Scope::default()).iter().next().is_none());
    let guest = executor.run_blocking(&calls[..1], &Context::new());
    assert_eq!(kind(&guest), ErrorKind::Hidden);
    let guest = tools.call_blocking(&calls[0], &Context::new());
    assert_eq!(guest.outcome.unwrap_err().kind(), ErrorKind::Hidden);
    assert!(tools.validate(&calls[1], &admin()).is_err());
}

#[test]
fn a_direct_result_ends_the_turn() {
    let direct = halving().return_direct();
    let batch = run(&direct, 8);
    assert_eq!(batch.halted(), Some(&Halted::ReturnDirect));
    assert!(matches!(only(&batch).outcome, Ok(Outcome::ReturnDirect(_))));
    // Its error goes to the model.
    let batch = run(&direct, 4);
    assert_eq!((batch.halted(), kind(&batch)), (None, ErrorKind::Failed));
}

#[test]
fn a_wrapped_tool_takes_the_place_of_the_other() {
    /// Looks.
    #[tool]
    fn look() -> bool {
        true
    }

    let tools = tools![halve, look];
    let wrapped = tools.with(halving().handle_errors());
    let names: Vec<_> = wrapped.definitions().map(|def| &*def.name).collect();
    assert_eq!(names, ["halve", "look"]);
}

#[test]
fn a_handled_error_goes_to_the_model_whatever_the_order() {
    let direct = [
        halving().handle_errors().return_direct(),
        halving().return_direct().handle_errors(),
        halving()
            .handle_errors_with(|_| "no fours")
            .return_direct()
            .handle_errors(),
    ];
    for tool in direct {
        let failed = run(&tool, 4);
        assert_eq!(failed.halted(), None);
        assert_eq!(came_to(&failed), Ok(Outcome::value("no fours")));
        let succeeded = run(&tool, 8);
        assert_eq!(succeeded.halted(), Some(&Halted::ReturnDirect));
        assert_eq!(came_to(&succeeded), Ok(Outcome::direct(4)));
    }
    // A host's own outcome is what it says.
    let told = halving().handle_errors_with(|_| Outcome::direct("sorry"));
    let told = run(&told.return_direct(), 4);
    assert_eq!(told.halted(), Some(&Halted::ReturnDirect));
}

/// What a tool does in the tests of all wrappers.
const DEEDS: [&str; 8] = [
    "value", "fail", "panic", "ask", "halt", "direct", "content", "stream",
];

/// Does what it is told.
#[tool]
fn act(deed: &str) -> Result<Outcome, ToolError> {
    Ok(match deed {
        "fail" => return Err(ToolError::failed("no")),
        "panic" => panic!("no"),
        "ask" => Outcome::ask("Which?"),
        "halt" => Outcome::halt(HaltReason::new("over"), 1),
        "direct" => Outcome::direct(2),
        "content" => Outcome::Content(Content::text("see")),
        _ => Outcome::value(3),
    })
}

/// The same as a stream.
#[tool]
fn act_in_steps(deed: &str) -> Items<u8> {
    let steps = [
        Ok(1),
        if deed == "fail" {
            Err(ToolError::failed("no"))
        } else {
            Ok(3)
        },
    ];
    Items::fallible(stream::iter(steps))
}

/// The same, later.
#[tool]
async fn act_later(deed: &str) -> Result<Outcome, ToolError> {
    tokio::task::yield_now().await;
    act(deed)
}

type Wrap = fn(Arc<dyn Tool>) -> Arc<dyn Tool>;

/// A set's ways to make a tool another one.
fn of_set(tool: &Arc<dyn Tool>, change: impl FnOnce(Toolset) -> Toolset) -> Arc<dyn Tool> {
    let set = change(Toolset::new([Arc::clone(tool)]).unwrap());
    Arc::clone(set.iter().next().unwrap())
}

const WRAPPERS: [(&str, Wrap); 7] = [
    ("handle_errors", |tool| tool.handle_errors()),
    ("handle_errors_with", |tool| {
        tool.handle_errors_with(|error| format!("handled: {error}"))
    }),
    ("return_direct", |tool| tool.return_direct()),
    ("prefix", |tool| {
        of_set(&tool, |set| set.prefix("my_").unwrap())
    }),
    ("rename", |tool| {
        let name = format!("{}_2", tool.def().name);
        let from = tool.def().name.to_string();
        of_set(&tool, |set| set.rename(&from, &name).unwrap())
    }),
    ("attach", |tool| {
        let def = tool.def().clone();
        of_set(&tool, |set| set.attach([def]).unwrap())
    }),
    ("seen", |tool| {
        of_set(&tool, |set| set.visible(&Scope::default()))
    }),
];

#[test]
fn every_pair_of_wrappers_does_what_each_does() {
    let tools = tools![act, act_later, act_in_steps];
    for (inner, wrap) in WRAPPERS {
        for (outer, wrap_again) in WRAPPERS {
            for tool in tools.iter() {
                let wrapped = wrap_again(wrap(Arc::clone(tool)));
                let pair = [inner, outer];
                let (handles, direct) = (
                    pair.iter().any(|name| name.starts_with("handle")),
                    pair.contains(&"return_direct"),
                );
                // The innermost of them sees the error.
                let innermost = pair.iter().find(|name| name.starts_with("handle"));
                let words = match innermost {
                    Some(&"handle_errors") => "no",
                    _ => "handled: no",
                };
                let is_stream = tool.def().name == "act_in_steps";
                for deed in DEEDS {
                    if is_stream && !matches!(deed, "value" | "fail") {
                        continue;
                    }
                    let name = &*wrapped.def().name;
                    let call = ToolCall::new("1", name, json!({ "deed": deed }).to_string());
                    let set = Toolset::new([Arc::clone(&wrapped)]).unwrap();
                    let plain = set.call_blocking(&call, &Context::new());
                    let batch = Executor::serial(set).run_blocking(&[call], &Context::new());
                    let result = only(&batch);
                    let said = format!("{pair:?} {name} {deed}: {result:?}");
                    let expected = match deed {
                        "fail" if handles => Ok(Outcome::value(words)),
                        "fail" => Err(ErrorKind::Failed),
                        "panic" => Err(ErrorKind::Panicked),
                        "ask" => Ok(Outcome::ask("Which?")),
                        "halt" => Ok(Outcome::halt(HaltReason::new("over"), 1)),
                        "content" => Ok(Outcome::Content(Content::text("see"))),
                        "direct" => Ok(Outcome::direct(2)),
                        _ if direct => Ok(Outcome::direct(3)),
                        _ => Ok(Outcome::value(3)),
                    };
                    assert_eq!(came_to(&batch), expected, "{said}");
                    assert_eq!(plain.is_success(), result.is_success(), "{said}");
                    assert_eq!(plain.value(), result.value(), "{said}");
                    let halted = match &expected {
                        Ok(Outcome::AskUser { .. }) => Some("ask_user"),
                        Ok(Outcome::Halt { .. }) => Some("over"),
                        Ok(Outcome::ReturnDirect(_)) => Some("return_direct"),
                        _ => None,
                    };
                    assert_eq!(batch.halted().map(Halted::as_str), halted, "{said}");
                }
            }
        }
    }
}
