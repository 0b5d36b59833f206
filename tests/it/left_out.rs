//! A tool of others that a provider refuses is left out of the request, and the other tools work.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use serde_json::Value;
use toolwright::{
    Context, Dialect, DynTool, Encoder, Tool, ToolCall, ToolDef, ToolError, Toolset, Wire,
    schema::SchemaDoc,
    tool, tools,
    toolset::Namespace,
    wire::{DefinitionOptions, Definitions, NoticeKind, Parallel, ToolChoice},
};

/// Tells the time.
#[tool]
fn now() -> &'static str {
    "noon"
}

/// An open object of a program's own.
#[derive(serde::Serialize, serde::Deserialize, toolwright::Schema)]
struct Record {
    id: u8,
    #[serde(flatten)]
    others: std::collections::BTreeMap<String, u8>,
}

/// Counts the keys.
#[tool]
#[allow(clippy::needless_pass_by_value)]
fn count(#[arg(flatten)] record: Record) -> usize {
    record.others.len() + usize::from(record.id)
}

fn other(name: &'static str, schema: &str) -> Arc<dyn Tool> {
    let def = ToolDef::new(name, "Does something.");
    let tool = DynTool::builder()
        .def(def)
        .parameters(SchemaDoc::parse(schema).unwrap())
        .handler(|_: Value, _| async { Ok::<_, ToolError>("done") });
    tool.build().unwrap()
}

/// A tool with characters that nobody sees in one value of an enum.
fn hidden() -> Arc<dyn Tool> {
    let schema =
        r#"{"type": "object", "properties": {"city": {"enum": ["Oslo", "Ber\u200bgen"]}}}"#;
    let mut def = ToolDef::new("hidden", "Does something.");
    def.input = SchemaDoc::parse(schema).unwrap();
    DynTool::declare(def)
}

/// A schema of more alternatives at the root than are brought into one object.
fn many_forms() -> String {
    let forms =
        (0..65).map(|at| format!(r#"{{"properties": {{"k{at}": {{"type": "integer"}}}}}}"#));
    let forms: Vec<_> = forms.collect();
    format!(r#"{{"type": "object", "anyOf": [{}]}}"#, forms.join(", "))
}

const RECURSIVE: &str = r##"{"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}},
    "$defs": {"Node": {"type": "object", "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}}}"##;

fn names(sent: &Definitions) -> Vec<String> {
    let tools: Value = serde_json::from_str(&sent.text()).unwrap();
    let tools = tools.as_array().unwrap().iter();
    let tools = tools.map(|tool| {
        let places = ["/name", "/function/name", "/functionDeclarations/0/name"];
        let name = places.iter().find_map(|at| tool.pointer(at));
        name.unwrap().as_str().unwrap().to_owned()
    });
    tools.collect()
}

/// The tools that are left out, with the place and the words.
fn left_out(sent: &Definitions) -> Vec<String> {
    let notices = sent.notices().filter(|one| one.kind == NoticeKind::Refused);
    notices.map(|notice| notice.to_string()).collect()
}

#[test]
fn one_odd_schema_takes_no_other_tool_out_of_the_request() {
    let forms = many_forms();
    let never = r#"{"type": "object", "properties": {"a": {"type": "array", "items": false}}}"#;
    let twice = r#"{"type": "object", "properties": {"a": {"allOf": [{"pattern": "a"}, {"pattern": "b"}]}}}"#;
    for (tool, wire, dialect, words) in [
        (
            other("page", &forms),
            Wire::Anthropic,
            Dialect::Anthropic,
            "tool `page` refused: /: root_union: ",
        ),
        (
            other("twice", twice),
            Wire::Gemini,
            Dialect::GeminiOpenApi,
            "tool `twice` refused: /a: all_of: ",
        ),
        (
            other("never", never),
            Wire::Gemini,
            Dialect::GeminiOpenApi,
            "tool `never` refused: /a: false_schema: ",
        ),
        (
            hidden(),
            Wire::OpenAiChat,
            Dialect::OpenAiStrict,
            "tool `hidden` refused: the value `Ber\\u{200b}gen` of a schema holds characters that nobody sees",
        ),
    ] {
        let name = tool.def().name.to_string();
        let tools = tools![now].with(tool);
        let sent = wire.definitions_in(&tools, dialect).unwrap();
        let left_out = left_out(&sent);
        assert!(
            left_out.len() == 1 && left_out[0].starts_with(words),
            "{left_out:?}"
        );
        assert!(!sent.text().contains(&name) && sent.text().contains("now"));

        // In a list under another name, or behind a layer, it is the same tool.
        let prefixed = tools.prefix("x_").unwrap();
        let other = wire.definitions_in(&prefixed, dialect).unwrap();
        assert_eq!(other.notices().next().unwrap().tool, format!("x_{name}"));
        assert!(!other.is_empty());

        // It is called as before.
        let call = ToolCall::new("1", name.as_str(), "{}");
        let result = tools.call_blocking(&call, &Context::new());
        assert!(name == "hidden" || result.is_success(), "{result:?}");

        // A tool that is to stay strict may be one of them.
        let fit = DefinitionOptions::to(dialect).keep([name.as_str()]);
        let kept = wire.definitions_in(&tools, fit).unwrap();
        assert_eq!(kept.to_string(), sent.to_string());

        // A host can make it an error.
        let fit = DefinitionOptions::to(dialect).deny([NoticeKind::Refused]);
        let denied = wire.definitions_in(&tools, fit).unwrap_err();
        assert_eq!(denied.reasons()[0].0, name);
    }
}

#[test]
fn a_compiled_tool_that_does_not_fit_is_an_error() {
    let tools = tools![now, count];
    let refused = Wire::Gemini
        .definitions_in(&tools, Dialect::GeminiOpenApi)
        .unwrap_err();
    assert_eq!(refused.reasons()[0].0, "count");
    // A foreign tool beside it changes nothing of that.
    let tools = tools.with(other("tree", RECURSIVE));
    let refused = Wire::Gemini
        .definitions_in(&tools, Dialect::GeminiOpenApi)
        .unwrap_err();
    assert_eq!(refused.reasons().len(), 1);
}

#[test]
fn a_choice_of_a_tool_that_is_left_out_is_an_error() {
    let page = other("page", &many_forms());
    let sent = |tools: &Toolset| {
        Wire::Anthropic
            .definitions_in(tools, Dialect::Anthropic)
            .unwrap()
    };
    let both = sent(&tools![now].with(Arc::clone(&page)));
    assert_eq!(names(&both), ["now"]);
    let choice = ToolChoice::Specific("page".to_owned());
    assert!(both.request(&choice, Parallel::Allowed).is_err());
    assert!(
        both.request(&ToolChoice::Required, Parallel::Allowed)
            .is_ok()
    );

    let none = sent(&Toolset::new([page]).unwrap());
    assert!(none.is_empty());
    assert!(
        none.request(&ToolChoice::Required, Parallel::Allowed)
            .is_err()
    );
    assert_eq!(
        &*none.request(&ToolChoice::Auto, Parallel::Allowed).unwrap(),
        "{}"
    );
}

#[test]
fn too_many_tools_are_an_error_that_says_how_to_send_fewer() {
    let tools = (0..129).map(|at| {
        let mut def = ToolDef::new(format!("t{at}"), "Does something.");
        def.input = SchemaDoc::parse("{}").unwrap();
        DynTool::declare(def)
    });
    let tools = Toolset::new(tools).unwrap();
    let refused = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap_err();
    assert!(refused.to_string().contains("Toolset::defer"), "{refused}");
}

#[tokio::test]
async fn the_search_neither_finds_nor_names_what_the_provider_refuses() {
    let forms = many_forms();
    let deferred = Toolset::new([
        other("page_turns", &forms),
        other(
            "page_marks",
            r#"{"type": "object", "properties": {"at": {"type": "integer"}}}"#,
        ),
    ])
    .unwrap()
    .defer(Namespace::new("book").unwrap());
    let odd = other("odd", &forms);
    let tools = tools![now].with(odd).merge(&deferred).unwrap();
    let loaded = tools.load(["page_turns", "page_marks"]);
    let sent = Wire::Anthropic
        .definitions_in(&loaded, Dialect::Anthropic)
        .unwrap();
    assert_eq!(names(&sent), ["now", "search_tools", "page_marks"]);
    assert_eq!(left_out(&sent).len(), 2);

    let cx = Context::new().with_definitions(&sent);
    for (query, found) in [
        ("turn a page", "page_marks"),
        ("page_turns", "page_marks"),
        ("book", "page_marks"),
        ("odd", "no tool fits"),
    ] {
        let arguments = serde_json::json!({"query": query}).to_string();
        let call = ToolCall::new("1", "search_tools", arguments);
        let text = tools
            .call(&call, &cx)
            .await
            .content(Encoder::auto())
            .to_string();
        assert!(
            text.contains(found) && !text.contains("page_turns"),
            "{query}: {text}"
        );
        // Where nothing is known of the model, all of them are found.
        let text = tools
            .call(&call, &Context::new())
            .await
            .content(Encoder::auto())
            .to_string();
        assert!(
            text.contains("page_turns") || query == "odd",
            "{query}: {text}"
        );
    }
}
