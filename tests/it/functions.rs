//! Functions and methods as tools: how they run, and how their arguments are read.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::{
    Context, Provide, Schema, ToolCall, ToolError, ToolResult, Toolset, Wire, call::ErrorKind,
    tool, tools,
};

fn run(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&ToolCall::new("c1", name, arguments), &Context::new())
}

fn value(tools: &Toolset, name: &str, arguments: &str) -> Value {
    let result = run(tools, name, arguments);
    assert!(result.is_success(), "{result:?}");
    result.value().unwrap()
}

/// Scales a number.
#[tool]
fn scale(n: i64, #[arg(default = 2)] by: i64, note: Option<&str>) -> (i64, bool) {
    (n * by, note.is_some())
}

/// Scales numbers.
struct Scale {
    by: i64,
}

#[tool]
impl Scale {
    /// Scales a number.
    #[tool(name = "scale")]
    fn method(&self, n: i64, #[arg(default = 2)] by: i64, note: Option<&str>) -> (i64, bool) {
        (self.times(n) * by, note.is_some())
    }

    /// Scales it later.
    #[tool]
    async fn scale_later(&self, n: i64) -> i64 {
        tokio::task::yield_now().await;
        self.times(n)
    }

    fn times(&self, n: i64) -> i64 {
        n * self.by
    }
}

#[test]
fn a_function_and_a_method_describe_themselves_and_run_alike() {
    let function = tools![scale];
    let method = tools![..Scale { by: 1 }: Scale];
    let with = |tools: &Toolset| Wire::OpenAiChat.definition(tools.get("scale").unwrap().def());
    assert_eq!(with(&function), with(&method));
    for arguments in [
        r#"{"n":3}"#,
        r#"{"n":3,"by":5,"note":"x"}"#,
        r#"{"by":-1,"n":3,"note":null}"#,
        "{}",
        r#"{"n":"3"}"#,
        r#"{"n":3,"bye":1}"#,
    ] {
        let (a, b) = (
            run(&function, "scale", arguments),
            run(&method, "scale", arguments),
        );
        assert_eq!(a.value(), b.value(), "{arguments}");
        assert!(a.errors().eq(b.errors()), "{arguments}");
    }
    // Both stay ordinary Rust.
    assert_eq!(scale(3, 2, None), (6, false));
    assert_eq!(Scale { by: 2 }.method(3, 1, Some("")), (6, true));
}

#[test]
fn a_method_reads_the_fields_of_its_value() {
    let tools = tools![..Scale { by: 10 }: Scale];
    assert_eq!(value(&tools, "scale", r#"{"n":3}"#), json!([60, false]));
    assert_eq!(value(&tools, "scale_later", r#"{"n":3}"#), json!(30));
}

#[test]
fn an_option_and_a_default_may_be_missing() {
    let tools = tools![scale];
    assert_eq!(
        tools.get("scale").unwrap().def().input.to_value()["required"],
        json!(["n"])
    );
    assert_eq!(value(&tools, "scale", r#"{"n":3}"#), json!([6, false]));
    assert_eq!(
        value(&tools, "scale", r#"{"n":3,"note":null}"#),
        json!([6, false])
    );
    assert_eq!(
        value(&tools, "scale", r#"{"n":3,"by":3,"note":""}"#),
        json!([9, true])
    );
}

#[test]
fn what_is_missing_is_named() {
    /// Needs three.
    #[tool]
    fn three(first: &str, second: Vec<bool>, third: Option<u8>) -> usize {
        first.len() + second.len() + usize::from(third.is_some())
    }
    let tools = tools![three];
    for (arguments, paths) in [
        ("{}", &["first", "second"][..]),
        ("", &["first", "second"]),
        (r#"{"first":"x","third":1}"#, &["second"]),
    ] {
        let result = run(&tools, "three", arguments);
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        let named: Vec<_> = error.faults().iter().map(|fault| &*fault.path).collect();
        assert_eq!(named, paths);
        for (message, path) in result.errors().zip(paths) {
            assert!(
                message.starts_with(&format!("{path}: missing")),
                "{message}"
            );
        }
    }
}

#[test]
fn raw_arguments_arrive_as_they_were_sent() {
    /// A part as it was sent.
    #[tool]
    fn part(raw: &RawValue, any: Value) -> String {
        format!("{} {any}", raw.get())
    }
    /// All as one value.
    #[tool]
    fn all(#[arg(flatten)] arguments: serde_json::Map<String, Value>) -> Value {
        arguments.into()
    }
    let tools = tools![part, all];
    assert_eq!(
        value(
            &tools,
            "part",
            r#"{"raw": {"b": 1.50, "a":[ ]}, "any": [null]}"#
        ),
        json!(r#"{"b": 1.50, "a":[ ]} [null]"#)
    );
    assert_eq!(
        value(&tools, "all", r#"{"x": {"y": [1, "é"]}, "z": null}"#),
        json!({"x": {"y": [1, "é"]}, "z": null})
    );
}

#[derive(Deserialize, Schema)]
#[allow(dead_code)]
struct Address<'a> {
    street: &'a str,
    zip: Option<String>,
}

struct Db(&'static str);
struct Mailer(&'static str);

#[derive(Provide)]
struct App {
    db: Db,
    mailer: Mailer,
}

/// Looks up.
#[tool]
async fn look_up(id: u32, #[state] db: &Db, #[state] mailer: &Mailer) -> String {
    format!("{id} in {} by {}", db.0, mailer.0)
}

/// Borrows from the text.
#[tool]
fn street(address: Address<'_>) -> String {
    address.street.to_owned()
}

#[test]
fn state_comes_from_the_set_and_never_from_the_model() {
    let app = App {
        db: Db("pg"),
        mailer: Mailer("smtp"),
    };
    let tools = tools![look_up, street; state = app];
    assert_eq!(
        value(&tools, "look_up", r#"{"id":7}"#),
        json!("7 in pg by smtp")
    );
    assert_eq!(
        tools.get("look_up").unwrap().def().input.to_value()["properties"],
        json!({"id": {"type": "integer", "minimum": 0, "maximum": u32::MAX}})
    );
    let result = run(&tools, "look_up", r#"{"id":7,"db":"x"}"#);
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::InvalidArgs);
}

#[test]
fn a_borrowed_argument_is_unescaped() {
    let tools = tools![street];
    let arguments = r#"{"address":{"street":"Troms\u00f8 \"1\""}}"#;
    assert_eq!(value(&tools, "street", arguments), json!("Tromsø \"1\""));
}

/// Adds many numbers.
#[allow(clippy::too_many_arguments)]
#[tool]
fn add_many(
    first: &[u32],
    p1: u32,
    p2: u32,
    p3: u32,
    p4: u32,
    p5: u32,
    p6: u32,
    p7: u32,
    p8: u32,
    p9: u32,
    p10: u32,
    p11: u32,
    p12: u32,
    p13: u32,
    p14: u32,
    p15: u32,
    p16: u32,
    p17: u32,
    p18: u32,
    p19: u32,
    p20: u32,
    p21: u32,
    p22: u32,
    p23: u32,
    p24: u32,
    p25: u32,
    p26: u32,
    p27: u32,
    p28: u32,
    p29: u32,
    p30: u32,
    p31: u32,
    p32: u32,
    p33: u32,
    p34: u32,
    p35: u32,
    #[arg(default = 7)] last: u32,
) -> u32 {
    let rest = [
        p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20,
        p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34, p35,
    ];
    first.iter().chain(&rest).sum::<u32>() + last
}

#[test]
fn a_tool_has_as_many_parameters_as_it_likes() {
    let mut arguments: serde_json::Map<_, _> =
        (1..=35).map(|n| (format!("p{n}"), json!(n))).collect();
    arguments.insert("first".into(), json!([1000, 2000]));
    let text = Value::Object(arguments).to_string();
    assert_eq!(value(&tools![add_many], "add_many", &text), json!(3637));
}

/// A store that two tools share.
struct Shelf {
    books: u32,
}

/// Counts the books.
#[tool]
fn shared_books(#[state] shelf: Arc<Shelf>) -> u32 {
    shelf.books
}

/// Counts them later.
#[tool]
async fn books_later(#[state] shelf: std::sync::Arc<Shelf>, more: u32) -> u32 {
    tokio::task::yield_now().await;
    shelf.books + more
}

/// Counts them in place.
#[tool]
fn lent_books(#[state] shelf: &Shelf) -> u32 {
    shelf.books
}

#[derive(Provide)]
struct Library {
    shelf: Arc<Shelf>,
    name: String,
}

/// Names the library.
#[tool]
fn library(#[state] name: &String, #[state] shelf: Arc<Shelf>) -> String {
    format!("{name}: {}", shelf.books)
}

#[test]
fn state_is_taken_as_an_arc() {
    let shelf = Arc::new(Shelf { books: 3 });
    let tools = tools![shared_books, books_later, lent_books; state = shelf.clone()];
    let shares = Arc::strong_count(&shelf);
    assert_eq!(value(&tools, "shared_books", "{}"), 3);
    assert_eq!(value(&tools, "books_later", r#"{"more": 2}"#), 5);
    assert_eq!(value(&tools, "lent_books", "{}"), 3);
    let owned = tools![shared_books; state = Shelf { books: 4 }];
    assert_eq!(value(&owned, "shared_books", "{}"), 4);

    let name = "Alexandria".to_owned();
    let tools = tools![shared_books, library; state = Library { shelf: shelf.clone(), name }];
    assert_eq!(value(&tools, "shared_books", "{}"), 3);
    assert_eq!(value(&tools, "library", "{}"), "Alexandria: 3");
    assert_eq!(
        Arc::strong_count(&shelf),
        shares + 1,
        "each call gave its share back"
    );
}

/// Looks somewhere.
#[tool]
fn look(
    #[arg(default = "unknown")] place: String,
    #[arg(default = "north")] side: std::borrow::Cow<'_, str>,
    #[arg(default = "far")] how: &str,
) -> String {
    format!("{place} {side} {how}")
}

#[test]
fn a_literal_is_the_default_of_a_string() {
    let tools = tools![look];
    assert_eq!(value(&tools, "look", "{}"), "unknown north far");
    let def = tools.get("look").unwrap().def();
    let schema: Value = serde_json::from_str(def.input.as_json()).unwrap();
    assert_eq!(schema["properties"]["place"]["default"], "unknown");
}

#[tokio::test]
async fn one_tool_is_a_value_and_is_called_without_a_call() {
    let tool = toolwright::tool_of!(scale as "times");
    assert_eq!(tool.name(), "times");
    assert_eq!(tool.def().description, "Scales a number.");
    let counted = toolwright::tool_of!(shared_books; state = Shelf { books: 7 });
    let registry = toolwright::Registry::new();
    registry.insert(tool);
    registry.insert(counted);

    let tools = registry.snapshot();
    let sum = tools
        .call_json("times", json!({"n": 2, "by": 4}), &Context::new())
        .await;
    assert_eq!(sum.unwrap(), json!([8, false]));
    assert_eq!(
        tools
            .call_json("shared_books", json!({}), &Context::new())
            .await
            .unwrap(),
        7
    );
    let wrong = tools
        .call_json("times", json!({"n": "two"}), &Context::new())
        .await;
    assert_eq!(wrong.unwrap_err().kind(), ErrorKind::InvalidArgs);
    let unknown = tools
        .call_json("divide", json!({}), &Context::new())
        .await
        .unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unknown);

    let asking = toolwright::DynTool::builder()
        .name("ask")
        .description("Asks.")
        .handler_sync(|_: Value, _cx| Ok::<_, ToolError>(toolwright::Outcome::ask("Which one?")))
        .build();
    let tools = tools.with(asking.unwrap());
    let error = tools
        .call_json("ask", json!({}), &Context::new())
        .await
        .unwrap_err();
    assert_eq!(
        error.messages().collect::<Vec<_>>(),
        ["the tool asks a person, and nobody can answer: Which one?"]
    );
}

/// What state holds may live as long as it likes: the call borrows the state alone.
mod state_that_holds_static_text {
    use std::sync::Mutex;

    use toolwright::{Context, ToolCall, tool, tools};

    /// Returns the words.
    #[tool]
    fn words(#[state] words: &Mutex<Vec<&'static str>>) -> Vec<&'static str> {
        words.lock().unwrap().clone()
    }

    #[test]
    fn is_lent_to_a_tool() {
        let tools = tools![words; state = Mutex::new(vec!["tea"])];
        let result = tools.call_blocking(&ToolCall::new("1", "words", "{}"), &Context::new());
        assert_eq!(result.value(), Some(serde_json::json!(["tea"])));
    }
}
