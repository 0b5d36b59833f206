//! What is borrowed lies in the arguments themselves, unless an escape stands in it.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright::{Context, Schema, ToolCall, Toolset, tool, tools};

/// Where a text lies, and what it says.
type Place = (usize, String);

/// What a text says, and whether it lies in the arguments.
type Seen<'a> = (&'a str, bool);

fn place(text: &str) -> Place {
    (text.as_ptr() as usize, text.to_owned())
}

/// A text.
#[tool]
fn text(v: &str) -> Vec<Place> {
    vec![place(v)]
}

/// Texts.
#[tool]
fn texts(v: &[&str]) -> Vec<Place> {
    v.iter().copied().map(place).collect()
}

/// A text, maybe.
#[tool]
fn maybe(v: Option<&str>) -> Vec<Place> {
    v.map(place).into_iter().collect()
}

/// A text that the tool may own.
#[tool]
fn cow(v: Cow<'_, str>) -> Vec<Place> {
    assert!(matches!(v, Cow::Borrowed(_)));
    vec![place(&v)]
}

/// A text that the tool may own, maybe.
#[tool]
fn maybe_cow(v: Option<Cow<'_, str>>) -> Vec<Place> {
    v.iter().map(|v| place(v)).collect()
}

/// JSON as it stands.
#[tool]
fn raw(v: &RawValue) -> Vec<Place> {
    vec![place(v.get())]
}

#[derive(Deserialize, Schema)]
struct Line<'a> {
    sku: &'a str,
    #[serde(borrow)]
    notes: Vec<&'a str>,
    #[serde(borrow)]
    inner: Option<Inner<'a>>,
}

#[derive(Deserialize, Schema)]
struct Inner<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

/// Structs that borrow.
#[tool]
fn lines(v: &[Line<'_>]) -> Vec<Place> {
    v.iter()
        .flat_map(|line| {
            let inner = line.inner.iter().map(|inner| &*inner.name);
            [line.sku]
                .into_iter()
                .chain(line.notes.iter().copied())
                .chain(inner)
        })
        .map(place)
        .collect()
}

/// Runs `tool`; each text that it saw, and whether it lies in the arguments.
fn seen(tools: &Toolset, tool: &str, json: &str) -> Vec<(String, bool)> {
    let call = ToolCall::new("c1", tool, format!(r#"{{"v": {json}}}"#));
    let Range { start, end } = call.arguments.as_bytes().as_ptr_range();
    let result = tools.call_blocking(&call, &Context::new());
    let places: Vec<Place> = serde_json::from_value(result.value().unwrap()).unwrap();
    let inside = |at: usize| (start as usize..end as usize).contains(&at);
    places
        .into_iter()
        .map(|(at, text)| (text, inside(at)))
        .collect()
}

#[test]
fn texts_lie_in_the_arguments_and_escapes_are_not_lost() {
    let tools = tools![text, texts, maybe, cow, maybe_cow, raw, lines];
    let table: &[(&str, &str, &[Seen<'_>])] = &[
        ("text", r#""naïve 😀""#, &[("naïve 😀", true)]),
        (
            "text",
            r#""na\u00efve \ud83d\ude00""#,
            &[("naïve 😀", false)],
        ),
        (
            "texts",
            r#"["a", "b\n", "c"]"#,
            &[("a", true), ("b\n", false), ("c", true)],
        ),
        ("maybe", r#""a""#, &[("a", true)]),
        ("maybe", r#""\"""#, &[("\"", false)]),
        ("cow", r#""a""#, &[("a", true)]),
        ("cow", r#""a\/""#, &[("a/", false)]),
        ("maybe_cow", r#""a""#, &[("a", true)]),
        ("raw", r#"[1.0, "\n"]"#, &[(r#"[1.0, "\n"]"#, true)]),
        (
            "lines",
            r#"[{"sku": "a", "notes": ["b", "\\"], "inner": {"name": "c"}}, {"sku": "\t", "notes": []}]"#,
            &[
                ("a", true),
                ("b", true),
                ("\\", false),
                ("c", true),
                ("\t", false),
            ],
        ),
        // serde's own `Cow` copies what the arguments do not hold: it is there all the same.
        (
            "lines",
            r#"[{"sku": "a", "notes": [], "inner": {"name": "c\u0000"}}]"#,
            &[("a", true), ("c\0", false)],
        ),
    ];
    for (tool, json, expected) in table {
        let seen = seen(&tools, tool, json);
        let seen: Vec<_> = seen
            .iter()
            .map(|(text, inside)| (text.as_str(), *inside))
            .collect();
        assert_eq!(seen, *expected, "{tool} {json}");
    }
}

#[test]
fn very_many_escaped_texts_fit() {
    let json = format!("[{}]", vec![r#""\n""#; 200_000].join(","));
    let tools = tools![texts];
    let call = ToolCall::new("c1", "texts", format!(r#"{{"v": {json}}}"#));
    assert!(tools.call_blocking(&call, &Context::new()).is_success());
}
