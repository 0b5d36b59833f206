use crate::Samples;
use toolwright_provider::call::{ErrorKind, ToolCall, ToolDef, ToolError, contained};
use toolwright_runtime::tool::{Call, Context, Tool};
use toolwright_schema::decode::Arena;
use toolwright_schema::text::NameError;

/// Number of texts of each kind that are tried.
const TRIED: usize = 100;

/// A tool's definition is one that every provider takes and that storage keeps, and what it
/// publishes is what it takes. Nothing is run: arguments are [validated](Tool::validate) alone.
///
/// ```
/// use toolwright::{DynTool, ToolError};
/// use toolwright_testing as testing;
///
/// let ping = DynTool::builder().name("ping").description("Answers.");
/// let ping = ping.handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("pong")).build().unwrap();
/// testing::conformance::tool(&*ping);
/// ```
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn tool(tool: &dyn Tool) {
    let def = tool.def();
    let name = &def.name;
    let named = NameError::check(name);
    assert!(named.is_ok(), "`{name}` is a name that a provider refuses");
    let described = !def.description.trim().is_empty();
    assert!(described, "`{name}` has no description");
    assert!(def == tool.def(), "`{name}` changes its definition");
    let stored = serde_json::to_string(def).and_then(|text| serde_json::from_str::<ToolDef>(&text));
    let kept = stored.is_ok_and(|stored| {
        stored.name == def.name && stored.input.to_value() == def.input.to_value()
    });
    assert!(kept, "the definition of `{name}` does not survive storage");

    let mut samples = Samples::of(&def.input, 1);
    for _ in 0..TRIED {
        let Some(arguments) = samples.valid() else {
            break;
        };
        let answer = validate(tool, &arguments);
        assert!(
            answer.is_ok(),
            "`{name}` refuses what its schema admits: {arguments}: {answer:?}"
        );
    }
    let hostile = [
        "",
        "{",
        "[]",
        "[1]",
        "1",
        "null",
        "\"{}\"",
        "{\"\\u0000\": 1e999}",
    ];
    let near = (0..TRIED).map(|_| samples.near().text);
    for arguments in hostile.into_iter().map(str::to_owned).chain(near) {
        if let Err(error) = validate(tool, &arguments) {
            let kind = error.kind();
            assert!(
                kind == ErrorKind::InvalidArgs,
                "`{name}` answers {arguments} with {kind:?}: {error:?}"
            );
        }
    }
}

fn validate(tool: &dyn Tool, arguments: &str) -> Result<(), ToolError> {
    let (store, cx) = (
        Arena::new(),
        Context::new().with_repairs(toolwright_schema::decode::Repairs::None),
    );
    let call = ToolCall::new("call_1", tool.def().name.as_ref(), arguments);
    contained(|| tool.validate(Call::of(&call, &store, &cx))).flatten()
}
