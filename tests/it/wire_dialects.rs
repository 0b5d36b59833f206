//! Definitions in a provider's dialect, and the calls that come back.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::indexing_slicing
)]

use std::collections::BTreeMap;

use serde_json::Value;
use toolwright::{
    Context, Dialect, DynTool, Encoder, Schema, ToolCall, ToolDef, Toolset, Wire,
    dialect::NoteKind,
    schema::SchemaDoc,
    tool, tools,
    wire::{DefinitionOptions, Definitions, NonStrict, NoticeKind, Parallel, ToolChoice},
};

/// Counts copies.
#[tool]
fn count(
    /// By title
    copies: BTreeMap<String, u8>,
    #[arg(range(1..=9))] most: Option<u8>,
) -> String {
    format!("{copies:?} {most:?}")
}

#[derive(serde::Deserialize, Schema)]
struct Record {
    id: u32,
    #[serde(flatten)]
    others: BTreeMap<String, u8>,
}

/// Stores what has any keys.
#[tool]
fn store(#[arg(flatten)] record: Record) -> usize {
    record.others.len() + record.id as usize
}

/// Does nothing.
#[tool]
fn rest() {}

fn sent(wire: Wire, dialect: Dialect) -> Value {
    let sent = wire.definitions_in(&tools![count, rest], dialect).unwrap();
    assert!(sent.non_strict().is_empty(), "{:?}", sent.non_strict());
    serde_json::from_str(&sent.text()).unwrap()
}

fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

#[test]
fn each_wire_says_strict_in_its_own_place() {
    for (wire, dialect, strict, schema) in [
        (
            Wire::OpenAiChat,
            Dialect::OpenAiStrict,
            "/0/function/strict",
            "/0/function/parameters",
        ),
        (
            Wire::OpenAiResponses,
            Dialect::OpenAiStrict,
            "/0/strict",
            "/0/parameters",
        ),
        (
            Wire::Anthropic,
            Dialect::AnthropicStrict,
            "/0/strict",
            "/0/input_schema",
        ),
        (
            Wire::OpenAiChat,
            Dialect::DeepSeekStrict,
            "/0/function/strict",
            "/0/function/parameters",
        ),
    ] {
        let tools = sent(wire, dialect);
        assert_eq!(at(&tools, strict), true, "{dialect}: {tools}");
        let copies = at(&tools, schema).pointer("/properties/copies/type");
        assert_eq!(copies.unwrap(), "array", "{dialect}: {tools}");
    }
    let plain: Value = serde_json::from_str(&Wire::OpenAiChat.definitions(&tools![count])).unwrap();
    assert_eq!(*at(&plain, "/0/function/strict"), Value::Null);
}

#[test]
fn geminis_two_forms_have_two_keys() {
    let openapi = sent(Wire::Gemini, Dialect::GeminiOpenApi);
    let first = at(&openapi, "/0/functionDeclarations/0");
    assert_eq!(
        at(first, "/parameters/properties/copies/type"),
        "array",
        "{first}"
    );
    assert_eq!(
        at(first, "/parameters/properties/most/nullable"),
        true,
        "{first}"
    );
    // A tool without arguments has no schema there.
    assert_eq!(
        *at(&openapi, "/0/functionDeclarations/1/parameters"),
        Value::Null
    );
    let json = sent(Wire::Gemini, Dialect::GeminiJson);
    let copies = at(
        &json,
        "/0/functionDeclarations/0/parametersJsonSchema/properties/copies/type",
    );
    assert_eq!(copies, "object", "{json}");
}

#[test]
fn what_a_strict_mode_cannot_say_is_sent_without_it_and_told() {
    let tools = tools![count, store];
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    let loose: Vec<_> = sent
        .non_strict()
        .iter()
        .map(|(name, why)| (name.as_str(), why))
        .collect();
    assert!(
        matches!(loose.as_slice(), [("store", NonStrict::Rejected(_))]),
        "{loose:?}"
    );
    let (tool, note) = sent.notes().next().unwrap();
    assert_eq!(
        (tool, note.to_json().as_str()),
        (
            "store",
            r#"{"kind":"loosened","path":"/","keyword":"strict","value":"open_object: put the other keys behind a key of their own, as a map, or send this tool without strict"}"#
        )
    );
    assert_eq!(
        sent.notes()
            .filter(|(_, note)| note.kind == NoteKind::Loosened)
            .count(),
        1
    );
    let value: Value = serde_json::from_str(&sent.text()).unwrap();
    assert_eq!(at(&value, "/0/function/strict"), true);
    assert_eq!(*at(&value, "/1/function/strict"), Value::Null);

    // A dialect that is not a strict mode leaves no choice.
    let refused = Wire::Gemini
        .definitions_in(&tools, Dialect::GeminiOpenApi)
        .unwrap_err();
    assert!(
        refused.to_string().starts_with("store: /: open_object"),
        "{refused}"
    );
    let renamed = tools![count].rename("count", &"c".repeat(64)).unwrap();
    assert!(
        Wire::OpenAiChat
            .definitions_in(&renamed, Dialect::OpenAiStrict)
            .is_ok()
    );
}

#[test]
fn a_requests_budget_is_kept() {
    let many = |count: usize| {
        let one = tools![rest];
        (0..count).fold(tools![], |all, index| {
            all.merge(&one.rename("rest", &format!("rest_{index}")).unwrap())
                .unwrap()
        })
    };
    let sent = Wire::Anthropic
        .definitions_in(&many(22), Dialect::AnthropicStrict)
        .unwrap();
    assert_eq!(sent.non_strict().len(), 2);
    assert_eq!(sent.text().matches(r#""strict":true"#).count(), 20);
    let refused = Wire::OpenAiChat
        .definitions_in(&many(129), Dialect::OpenAiStrict)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "all tools: openai_strict takes at most 128 in one request; defer some of them (`Toolset::defer`)"
    );
}

/// Searches.
#[tool]
fn search(a: Option<u8>, b: Option<u8>, c: Option<u8>, d: Option<u8>) {
    let _ = (a, b, c, d);
}

/// So many tools of four keys that may be missing each, and one of none.
fn searches(count: usize) -> Toolset {
    (0..count).fold(tools![rest], |all, index| {
        let one = tools![search].rename("search", &format!("search_{index}"));
        all.merge(&one.unwrap()).unwrap()
    })
}

fn loose_of(sent: &Definitions) -> Vec<&str> {
    sent.non_strict()
        .iter()
        .map(|(name, _)| name.as_str())
        .collect()
}

#[test]
fn of_equal_shares_the_later_tools_lose_strictness() {
    let sent = Wire::Anthropic
        .definitions_in(&searches(8), Dialect::AnthropicStrict)
        .unwrap();
    assert_eq!(loose_of(&sent), ["search_6", "search_7"]);
    assert_eq!(
        sent.non_strict()[0].1.to_string(),
        "a request may hold 24 keys that may be missing in strict tools, and this one would add 4"
    );
    let notes: Vec<_> = sent
        .notes()
        .take(2)
        .map(|(tool, note)| format!("{tool}{note}"))
        .collect();
    assert_eq!(
        notes,
        [
            r#"search_6/: loosened strict "a request may hold 24 keys that may be missing in strict tools, and this one would add 4""#,
            r#"search_7/: loosened strict "a request may hold 24 keys that may be missing in strict tools, and this one would add 4""#,
        ]
    );
}

#[test]
fn what_is_named_stays_strict_first() {
    let fit = |keep: &[&str]| {
        let fit = DefinitionOptions::to(Dialect::AnthropicStrict).keep(keep.iter().copied());
        Wire::Anthropic.definitions_in(&searches(8), fit)
    };
    let sent = fit(&["search_7", "search_6"]).unwrap();
    assert_eq!(loose_of(&sent), ["search_4", "search_5"]);
    // Of those that are named the last goes first; one that adds nothing stays, named or not.
    let all: Vec<_> = (0..8)
        .rev()
        .map(|index| format!("search_{index}"))
        .collect();
    let sent = fit(&all.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    assert_eq!(loose_of(&sent), ["search_0", "search_1"]);

    let refused = fit(&["serch_1"]).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("serch_1: there is no such tool to keep strict; did you mean `search_1`"),
        "{refused}"
    );
}

#[test]
fn what_is_not_strict_is_still_what_the_provider_takes() {
    // OpenAI wants to be told what an array holds, strict or not.
    let mut def = ToolDef::new("store", "Stores.");
    def.input = SchemaDoc::parse(
        r#"{"type": "object", "properties": {"list": {"type": "array"}}, "required": ["list"], "additionalProperties": true}"#,
    )
    .unwrap();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    assert_eq!(loose_of(&sent), ["store"]);
    let value: Value = serde_json::from_str(&sent.text()).unwrap();
    let list = at(&value, "/0/function/parameters/properties/list/items");
    assert_eq!(*list, serde_json::json!({}), "{value}");

    // A root that is not an object is refused in Anthropic's other mode as well.
    let mut def = ToolDef::new("store", "Stores.");
    def.input = SchemaDoc::parse(r#"{"type": "array", "items": {"type": "string"}}"#).unwrap();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let fit = DefinitionOptions::to(Dialect::AnthropicStrict).deny([NoticeKind::Refused]);
    let refused = Wire::Anthropic.definitions_in(&tools, fit).unwrap_err();
    assert!(
        refused.to_string().starts_with("store: /: root_not_object"),
        "{refused}"
    );
}

#[test]
fn azure_is_asked_for_one_call_where_a_tool_is_strict() {
    let request = |tools: &Toolset| {
        let sent = Wire::OpenAiChat
            .definitions_in(tools, Dialect::AzureStrict)
            .unwrap();
        let request = sent.request(&ToolChoice::Auto, Parallel::Allowed).unwrap();
        serde_json::from_str::<Value>(&request).unwrap()
    };
    assert_eq!(request(&tools![count, store])["parallel_tool_calls"], false);
    assert_eq!(request(&tools![store])["parallel_tool_calls"], Value::Null);
}

#[test]
fn what_comes_back_is_read_as_what_the_types_are() {
    let sent = Wire::OpenAiChat
        .definitions_in(&tools![count], Dialect::OpenAiStrict)
        .unwrap();
    let mut call = ToolCall::new(
        "c1",
        "count",
        r#"{"copies": [{"key": "Emma", "value": 2}], "most": null}"#,
    );
    sent.restore(&mut call);
    let result = tools![count].call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), r#"{"Emma": 2} None"#);
    assert!(result.repairs.is_empty());
}

/// What every wire tells of a set, plainly and in a dialect.
fn texts(tools: &Toolset) -> Vec<String> {
    let both = |wire: Wire| {
        let sent = wire
            .definitions_in(tools, Dialect::OpenAiNonStrict)
            .unwrap();
        [wire.definitions(tools).into(), sent.text().into()]
    };
    Wire::ALL.into_iter().flat_map(both).collect()
}

#[test]
fn what_is_kept_of_a_set_is_never_told_of_another() {
    type Change = fn(&Toolset) -> Toolset;
    let changes: [Change; 6] = [
        |tools| tools.rename("count", "number").unwrap(),
        |tools| tools.prefix("my_").unwrap(),
        |tools| tools.filter(|tool| tool.def().name == "rest"),
        |tools| {
            let other = DynTool::declare(ToolDef::new("rest", "Rests."));
            tools.with(other)
        },
        |tools| tools.merge(&tools![store]).unwrap(),
        |tools| tools![store].merge(tools).unwrap(),
    ];
    let told = tools![count, rest];
    let first = texts(&told);
    assert_eq!(texts(&told), first);
    for change in changes {
        let after = texts(&change(&told));
        assert_eq!(after, texts(&change(&tools![count, rest])));
        for (after, first) in after.iter().zip(&first) {
            assert_ne!(after, first);
        }
    }
}

#[test]
fn definitions_in_a_dialect_are_made_once_for_a_set() {
    let tools = tools![count, rest];
    let sent = |fit: DefinitionOptions| Wire::OpenAiChat.definitions_in(&tools, fit).unwrap();
    let first = sent(Dialect::OpenAiNonStrict.into());
    let again = sent(Dialect::OpenAiNonStrict.into());
    assert!(std::ptr::eq(first.text().as_str(), again.text().as_str()));
    let strict = Wire::OpenAiChat.definitions_in(&tools![rest], Dialect::OpenAiStrict);
    assert_ne!(strict.unwrap().text(), first.text());
    // Which tools are to be kept strict is said for one request.
    let kept = sent(DefinitionOptions::to(Dialect::OpenAiNonStrict).keep(["rest"]));
    assert_eq!(kept.text(), first.text());
}
