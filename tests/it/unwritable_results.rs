//! What JSON cannot hold, and an error inside of a result: the call fails, wherever they stand.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    clippy::cast_precision_loss
)]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use futures_util::stream;
use serde::Serialize;
use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, Encoder, Executor, Outcome, Schema, ToolCall, ToolError, ToolResult, Toolset,
    call::{ErrorKind, HaltReason, Items, Payload},
    tool, tools,
};

/// A macro sees no `Result` in these.
type Step = Result<u32, String>;
type Found = Option<Step>;

#[derive(Serialize, Schema)]
struct Report {
    name: &'static str,
    parts: Vec<Step>,
}

fn full() -> Step {
    Err("disk full".into())
}

/// Streams, and fails at an item that is not the last.
#[tool]
fn at_an_item() -> Items<Step> {
    Items::new(stream::iter([Ok(1), full(), Ok(3)]))
}

/// Streams, and fails at the end.
#[tool]
fn at_the_end() -> Items<Found> {
    Items::new(stream::iter([Some(Ok(1)), None, Some(full())]))
}

/// Streams what may fail twice.
#[tool]
fn twice() -> Items<Vec<Step>> {
    Items::fallible(stream::iter([Ok::<_, String>(vec![Ok(1), full()])]))
}

/// Finds.
#[tool]
fn option() -> Found {
    Some(full())
}

/// Reports.
#[tool]
fn field() -> Result<Report, ToolError> {
    let parts = vec![Ok(1), full()];
    Ok(Report { name: "a", parts })
}

/// Reports later.
#[tool]
async fn later() -> Report {
    field().unwrap()
}

/// Reports an outcome.
#[tool]
fn outcome() -> Outcome {
    Outcome::value([full()])
}

/// Reports to the user.
#[tool]
fn direct() -> Outcome {
    Outcome::direct([full()])
}

/// Ends the conversation.
#[tool]
fn halt() -> Outcome {
    Outcome::halt(HaltReason::new("enough"), (1, full()))
}

#[derive(Serialize, Schema)]
struct Measured {
    ratio: f64,
}

/// Divides.
#[tool]
fn ratio(a: f64, b: f64) -> Measured {
    Measured { ratio: a / b }
}

/// Divides later.
#[tool]
async fn plain_ratio(a: f32, b: f32) -> f32 {
    a / b
}

/// Divides in items.
#[tool]
fn ratios(a: f64, b: f64) -> Items<f64> {
    Items::new(stream::iter([a / b, 1.0]))
}

fn run_of(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new())
}

fn kind_and_words(result: &ToolResult) -> (ErrorKind, String) {
    let error = result.outcome.as_ref().unwrap_err();
    (error.kind(), error.to_string())
}

#[test]
fn an_error_inside_of_a_result_is_the_tools() {
    let tools = tools![
        at_an_item, at_the_end, twice, option, field, later, outcome, direct, halt
    ];
    let executor = Executor::parallel(tools.clone(), 4);
    for def in tools.definitions() {
        let name = &*def.name;
        let expected = (ErrorKind::Failed, "disk full".to_owned());
        assert_eq!(
            kind_and_words(&run_of(&tools, name, "{}")),
            expected,
            "{name}"
        );
        let batch = executor.run_blocking(&[ToolCall::new("1", name, "{}")], &Context::new());
        let result = batch.results().next().unwrap();
        assert_eq!(kind_and_words(result), expected, "{name}");
        assert_eq!(result.content(Encoder::json()), r#"{"error":"disk full"}"#);
    }
}

#[test]
fn a_handler_sees_it() {
    let closure = DynTool::builder()
        .name("closure")
        .description("Reports.")
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(vec![full()]))
        .build()
        .unwrap();
    let tools = tools![option, later].with(closure);
    for name in ["option", "later", "closure"] {
        let tool = tools.get(name).unwrap();
        let handled = Toolset::new([Arc::clone(tool).handle_errors()]).unwrap();
        let result = run_of(&handled, name, "{}");
        assert_eq!(result.value(), Some(json!("disk full")), "{name}");
    }
}

fn refused(value: impl Serialize + Debug) -> (ErrorKind, String) {
    let shown = format!("{value:?}");
    let result = ToolResult::new(&ToolCall::new("1", "t", "{}"), Ok(Outcome::value(value)));
    assert!(!result.is_success(), "{shown}: {result:?}");
    kind_and_words(&result)
}

#[derive(Serialize, Debug)]
#[serde(untagged)]
enum Either {
    Both(Step, u8),
}

#[derive(Serialize, Debug)]
#[serde(tag = "kind")]
enum Tagged {
    Part { step: Step },
}

#[derive(Serialize, Debug)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    Part(Step),
}

#[derive(Serialize, Debug)]
struct Flat {
    #[serde(flatten)]
    rest: BTreeMap<&'static str, Step>,
}

#[derive(Serialize, Debug)]
struct Wrapped(Box<Step>);

#[test]
fn it_is_found_wherever_it_stands() {
    let map = || BTreeMap::from([("a", Ok(1)), ("b", full())]);
    for found in [
        refused(full()),
        refused(Some(full())),
        refused(vec![Ok(1), full()]),
        refused([[full()]]),
        refused((1, full())),
        refused(map()),
        refused(HashMap::from([(1, vec![full()])])),
        refused(Ok::<_, String>(full())),
        refused(Err::<u8, _>(full())),
        refused(Either::Both(full(), 1)),
        refused(Tagged::Part { step: full() }),
        refused(Adjacent::Part(full())),
        refused(Flat { rest: map() }),
        refused(vec![Wrapped(Box::new(full()))]),
    ] {
        assert_eq!(found, (ErrorKind::Failed, "disk full".to_owned()));
    }
    // An error that is more than words is shown as JSON, and one without words says so.
    let coded = Err::<u8, _>(json!({"code": 28}));
    assert_eq!(refused([coded]).1, r#"{"code":28}"#);
    let silent = "the tool failed and did not say why";
    assert_eq!(refused([Err::<u8, _>("")]).1, silent);
    assert_eq!(refused([Err::<u8, _>(())]).1, silent);
    // What succeeded is written as ever.
    let written = Payload::new((Ok::<_, String>(1), [Some(Ok::<_, String>("a"))]));
    assert_eq!(written.to_json(), r#"[{"Ok":1},[{"Ok":"a"}]]"#);
}

mod own {
    use serde::Serialize;

    /// Looks like std's to a serializer.
    #[derive(Serialize, Debug)]
    #[allow(dead_code)] // Its index counts.
    pub(super) enum Result {
        Won(u8),
        Err(&'static str),
    }

    #[derive(Serialize, Debug)]
    #[serde(rename = "Match", rename_all = "snake_case")]
    pub(super) enum Renamed {
        #[serde(rename = "Ok")]
        _Ok(u8),
        #[serde(rename = "Err")]
        Err(&'static str),
    }

    pub(super) mod other {
        use serde::Serialize;

        #[derive(Serialize, Debug)]
        pub(crate) enum Result {
            Err(&'static str),
            Failed { why: &'static str },
        }
    }
}

/// Serde says no more of an enum than its name and its variant's. So an own `Result` with `Err(…)` in the second place
/// counts, and any other enum does not.
#[test]
fn an_own_enum_of_the_same_form_counts() {
    let lost = refused([own::Result::Err("offside")]);
    assert_eq!(lost, (ErrorKind::Failed, "offside".to_owned()));
    let written = |value: Payload| value.to_json().into_owned();
    let first = written(Payload::new(own::other::Result::Err("offside")));
    assert_eq!(first, r#"{"Err":"offside"}"#);
    let fields = written(Payload::new(own::other::Result::Failed { why: "offside" }));
    assert_eq!(fields, r#"{"Failed":{"why":"offside"}}"#);
    let renamed = written(Payload::new(own::Renamed::Err("offside")));
    assert_eq!(renamed, r#"{"Err":"offside"}"#);
    assert_eq!(written(Payload::new(json!({"Err": 1}))), r#"{"Err":1}"#);
}

#[test]
fn a_number_that_json_does_not_have_is_an_error() {
    let (nan, infinite) = (f64::NAN, f32::NEG_INFINITY);
    for found in [
        refused(nan),
        refused(infinite),
        refused(Some(nan)),
        refused(vec![1.0, nan]),
        refused([[infinite]]),
        refused((1, infinite)),
        refused(HashMap::from([("a", nan)])),
        refused(BTreeMap::from([("a", vec![Some(infinite)])])),
        refused(BTreeMap::from([(1, Quotient { ratio: nan })])),
        refused(Ok::<_, String>(nan)),
        refused(Err::<u8, _>(nan)),
    ] {
        let words = "the tool ran, but its result cannot be written as JSON";
        assert_eq!(found, (ErrorKind::Encoding, words.to_owned()));
    }
    assert_eq!(
        Payload::new([f64::MAX, -0.0]).to_json(),
        "[1.7976931348623157e+308,-0.0]"
    );
}

#[derive(Serialize, Debug)]
struct Quotient {
    ratio: f64,
}

#[test]
fn a_tool_that_returns_one_fails() {
    let tools = tools![ratio, plain_ratio, ratios];
    let executor = Executor::parallel(tools.clone(), 4);
    for def in tools.definitions() {
        let name = &*def.name;
        let good = run_of(&tools, name, r#"{"a": 1, "b": 2}"#);
        assert!(good.is_success(), "{good:?}");
        for arguments in [r#"{"a": 0, "b": 0}"#, r#"{"a": 1, "b": 0}"#] {
            let (kind, _) = kind_and_words(&run_of(&tools, name, arguments));
            assert_eq!(kind, ErrorKind::Encoding, "{name}");
            let call = ToolCall::new("1", name, arguments);
            let batch = executor.run_blocking(&[call], &Context::new());
            let result = batch.results().next().unwrap();
            assert_eq!(kind_and_words(result).0, ErrorKind::Encoding, "{name}");
            let error = result.outcome.as_ref().unwrap_err();
            let detail = error.host_detail().unwrap();
            assert!(detail.contains("NaN or infinite"), "{detail}");
        }
    }
}

/// Scales.
#[tool]
fn scale(
    #[arg(default = f64::NAN)] by: f64,
    #[arg(example = f64::INFINITY)] most: f64,
    #[arg(example = vec![1.0, f64::NAN])] steps: Vec<f64>,
    #[arg(example = 0.5)] least: f64,
) -> f64 {
    by + most + least + steps.len() as f64
}

#[test]
fn a_definition_does_not_show_one() {
    let tools = tools![scale];
    let def = tools.definitions().next().unwrap();
    let schema = def.input.as_json();
    assert!(!schema.contains("null"), "{schema}");
    assert!(schema.contains(r#""examples":[0.5]"#), "{schema}");
}
