//! Any text as the arguments of five tools.

use std::sync::{Arc, LazyLock};

use serde::de::IgnoredAny;
use toolwright::{
    Context, Encoder, Tool, ToolCall, ToolError, ToolResult, Toolset,
    args::{Arena, Fault, FaultCode, Repair},
    call::{Answer, Call, ErrorKind},
};

use crate::{selected, tools};

static TOOLS: LazyLock<Toolset> = LazyLock::new(tools::all);

/// No message is longer, whatever the arguments are.
const LONGEST_MESSAGE: usize = 1024;

/// How an object begins that `serde_json` reads as raw text: a `Value` may be written so that was
/// not read so, since it sorts its keys. Quotes in a string are escaped, so this is not part of one.
/// A row of the exceptions in `docs/decoder-and-schema.md`.
const RAW_TEXT: &str = r#"{"$serde_json::private::RawValue":"#;

/// Checks all that holds for any arguments.
///
/// # Panics
/// When one of it does not hold.
pub fn check(input: &[u8]) {
    let Some((kind, text)) = selected(input, tools::NAMES.len()) else {
        return;
    };
    let name = tools::NAMES[kind];
    let tool = TOOLS.get(name).expect("a tool of this name");
    let strict = answer(
        tool,
        name,
        &text,
        &Context::new().with_repairs(toolwright::args::Repairs::None),
    );
    let repaired = answer(tool, name, &text, &Context::new());

    check_validation(name, &text, &strict, &repaired);
    assert!(strict.repairs.is_empty(), "{:?}", strict.repairs);
    match &strict.answer {
        Ok(answer) => {
            assert!(is_json(&text) || is_empty(&text), "accepted as JSON");
            assert_eq!(repaired.repairs, [], "of what is right as it is");
            assert_eq!(repaired.answer.as_ref().ok(), Some(answer));
            if !answer.contains(RAW_TEXT) {
                check_reading_back(tool, name, answer);
            }
        }
        Err(error) => {
            check_error(&text, error);
            check_json_fault(&text, error);
        }
    }
    match &repaired.answer {
        Ok(answer) => check_repaired(tool, name, &repaired, answer, strict.answer.is_ok()),
        Err(error) => check_error(&text, error),
    }
}

/// What came of a call.
struct Answered {
    /// The tool's answer as JSON.
    answer: Result<String, ToolError>,
    repairs: Vec<Repair>,
    /// The arguments as they were repaired.
    text: Option<String>,
}

/// Calls the tool itself: a panic is not contained, and the repaired arguments can be seen.
fn answer(tool: &Arc<dyn Tool>, name: &str, text: &str, cx: &Context) -> Answered {
    let call = ToolCall::new("call_1", name, text);
    let store = Arena::new();
    let outcome = match tool.call(Call::of(&call, &store, cx)) {
        Answer::Ready(outcome) => outcome,
        Answer::Later(_) => panic!("`{name}` is synchronous"),
    };
    let result = ToolResult::new(&call, outcome);
    let answer = match &result.outcome {
        Ok(_) => Ok(result.content(Encoder::json()).into_owned()),
        Err(error) => Err(error.clone()),
    };
    Answered {
        answer,
        repairs: store.repairs().to_vec(),
        text: store.repaired_arguments().map(str::to_owned),
    }
}

/// To validate is to call without the tool's body, and changes nothing.
fn check_validation(name: &str, text: &str, strict: &Answered, repaired: &Answered) {
    for (cx, answered) in [
        (
            Context::new().with_repairs(toolwright::args::Repairs::None),
            strict,
        ),
        (Context::new(), repaired),
    ] {
        let call = ToolCall::new("call_1", name, text);
        let told = |result: Result<(), ToolError>| result.map_err(|error| error.to_string());
        let validated = told(TOOLS.validate(&call, &cx));
        assert_eq!(validated, told(TOOLS.validate(&call, &cx)));
        let called = answered.answer.as_ref().map(|_| ());
        assert_eq!(validated, called.map_err(ToString::to_string));
    }
}

/// What was written from the arguments is read as the same arguments.
fn check_reading_back(tool: &Arc<dyn Tool>, name: &str, answer_text: &str) {
    let again = answer(
        tool,
        name,
        answer_text,
        &Context::new().with_repairs(toolwright::args::Repairs::None),
    );
    match again.answer {
        Ok(again) => assert_eq!(again, answer_text),
        Err(error) if error.faults().iter().all(is_rounded) => {}
        Err(error) => panic!("{answer_text} is not read back: {error}"),
    }
}

/// Elements that are to differ are compared as they are written, as JSON Schema has it: two numbers that differ may be
/// one `f64`, which is written twice. These have no other bound.
fn is_rounded(fault: &Fault) -> bool {
    fault.code == FaultCode::Bound && fault.path.starts_with("numbers[")
}

/// What is repaired is right afterwards, and says that it was repaired.
fn check_repaired(
    tool: &Arc<dyn Tool>,
    name: &str,
    repaired: &Answered,
    answer_text: &str,
    is_right: bool,
) {
    assert_eq!(is_right, repaired.repairs.is_empty(), "told if repaired");
    assert_eq!(repaired.text.is_some(), !is_right, "the text if repaired");
    let Some(text) = &repaired.text else {
        return;
    };
    for repair in &repaired.repairs {
        check_line(&repair.to_string());
    }
    let again = answer(
        tool,
        name,
        text,
        &Context::new().with_repairs(toolwright::args::Repairs::None),
    );
    match again.answer {
        Ok(again) => assert_eq!(again, answer_text, "of the repaired {text}"),
        Err(error) => panic!("repaired to {text}, which is refused: {error}"),
    }
}

/// What a model is told of refused arguments.
fn check_error(text: &str, error: &ToolError) {
    assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{error:?}");
    assert_eq!(error.host_detail(), None);
    let faults = error.faults();
    assert!((1..=16).contains(&faults.len()), "{error}");
    let told = error.messages().len();
    assert!(told == faults.len() || (told == 17 && faults.len() == 16));
    for fault in faults {
        check_line(&fault.message);
        assert!(fault.message.len() <= LONGEST_MESSAGE, "{fault}");
        assert!(!fault.path.contains(char::is_control), "{fault:?}");
    }
    for message in error.messages() {
        check_line(message);
    }
    // What the model wrote may be told back to it; nothing else comes from Rust.
    let written = text.replace('\\', "");
    let told = error.to_string();
    for rust in [
        "::", "serde", "Option<", "Vec<", "tuple", "struct", "variant",
    ] {
        let is_told = told.contains(rust) && !written.contains(rust) && !text.contains("\\u");
        assert!(!is_told, "{told}");
    }
}

fn check_line(text: &str) {
    assert!(!text.is_empty());
    assert!(!text.contains(char::is_control), "{text:?}");
}

/// A text is called no JSON exactly where it is none.
fn check_json_fault(text: &str, error: &ToolError) {
    let codes: Vec<_> = error.faults().iter().map(|fault| fault.code).collect();
    // What nests too deeply is not read to its end.
    if codes == [FaultCode::TooDeep] {
        assert!(text.matches(['[', '{']).count() > 128);
        return;
    }
    let is_invalid = codes.contains(&FaultCode::InvalidJson);
    if is_invalid {
        assert_eq!(codes.len(), 1, "{error}");
    }
    // Half a surrogate pair is none to `serde_json` only where it reads the string.
    let has_surrogate = text.to_ascii_lowercase().contains("\\ud");
    assert!(
        is_invalid != is_json(text) || is_empty(text) || has_surrogate,
        "{error}"
    );
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Providers send nothing for a call without arguments.
fn is_empty(text: &str) -> bool {
    text.trim_matches([' ', '\n', '\r', '\t']).is_empty()
}
