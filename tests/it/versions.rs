//! Tools that were others before: what models are told, and what stored calls become.

// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use serde_json::{Value, json};
use toolwright::call::{ErrorKind, Scope};
use toolwright::{Context, ToolCall, Toolset, tool, tools};

fn from_v1(version: &str, mut arguments: Value) -> Result<Value, String> {
    match version {
        "0.9" => Err("it knew no prices".to_owned()),
        "0.8" => Ok(json!("none")),
        "0.7" => panic!("too old"),
        version => {
            arguments["note"] = json!(format!("from `{version}`"));
            Ok(arguments)
        }
    }
}

/// Orders something.
#[tool(version = "2.0", was("place_order", "order"), migrate = from_v1)]
fn create_order(#[arg(was = "qty")] quantity: u64, note: Option<String>) -> String {
    format!("{quantity} {}", note.unwrap_or_default())
}

/// Reads one page.
#[tool(was("read"))]
fn read_page(#[arg(was = "nr")] page: Option<u32>) -> u32 {
    page.unwrap_or_default()
}

/// For some alone.
#[tool(visible = is_shown, was("old_secret"))]
fn secret() {}

fn is_shown(scope: &Scope<'_>) -> bool {
    scope.called.iter().any(|tool| **tool == *"read_page")
}

struct Crm;

#[tool]
impl Crm {
    /// Finds a customer.
    #[tool(version = "1.1", was("search"))]
    fn find(&self, #[arg(was = "q")] name: &str) -> String {
        name.to_owned()
    }

    /// Counts the customers.
    #[tool(was("number"))]
    fn count(&self) -> u32 {
        0
    }
}

fn all() -> Toolset {
    tools![
        create_order,
        read_page,
        secret,
        ..Crm: Crm as "crm_",
    ]
    .retired(LOCK)
}

/// Lines of a lock file; those of other tools say nothing here.
const LOCK: &str = "\
read_page 0123456789abcdef
  takes {}
read_output -> read_page
look -> crm_find
peek -> secret
gone -> nowhere
lost ->
";

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("call_1", name, arguments)
}

fn told_by(tools: &Toolset, name: &str, arguments: &str, cx: &Context) -> String {
    let result = tools.call_blocking(&call(name, arguments), cx);
    result
        .outcome
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn a_model_is_told_the_name_of_today() {
    let (tools, cx) = (all(), Context::new());
    let told = |name| told_by(&tools, name, r#"{"quantity": 1}"#, &cx);
    assert_eq!(
        told("place_order"),
        "unknown tool `place_order`; it is called `create_order` now"
    );
    assert_eq!(
        told("read_output"),
        "unknown tool `read_output`; use `read_page` instead"
    );
    assert_eq!(told("look"), "unknown tool `look`; use `crm_find` instead");
    // The prefix was there before, too.
    assert_eq!(
        told("crm_search"),
        "unknown tool `crm_search`; it is called `crm_find` now"
    );
    assert!(!told("search").contains("crm_find"));
    let result = tools.call_blocking(&call("order", "{}"), &cx);
    assert_eq!(
        result.outcome.err().map(|error| error.kind()),
        Some(ErrorKind::Unknown)
    );
}

#[test]
fn a_hidden_tool_is_not_named() {
    let tools = all();
    for name in ["peek", "old_secret"] {
        let hidden = told_by(&tools, name, "{}", &Context::new());
        assert!(!hidden.contains("`secret`"), "{hidden}");
        let shown = Context::new().with_called(["read_page"]);
        let told = told_by(&tools, name, "{}", &shown);
        assert!(told.contains("`secret`"), "{told}");
        let filtered = tools.filter(|tool| tool.def().name != "secret");
        assert!(!told_by(&filtered, name, "{}", &shown).contains("`secret`"));
    }
}

#[test]
fn names_follow_the_toolset() {
    let (cx, prefixed) = (Context::new(), all().prefix("my_").unwrap());
    assert_eq!(
        told_by(&prefixed, "my_read_output", "{}", &cx),
        "unknown tool `my_read_output`; use `my_read_page` instead"
    );
    assert_eq!(
        told_by(&prefixed, "my_crm_search", "{}", &cx),
        "unknown tool `my_crm_search`; it is called `my_crm_find` now"
    );
    let renamed = all().rename("read_page", "page").unwrap();
    for (old, words) in [
        ("read_output", "use `page` instead"),
        ("read", "it is called `page` now"),
    ] {
        assert_eq!(
            told_by(&renamed, old, "{}", &cx),
            format!("unknown tool `{old}`; {words}")
        );
    }
    let merged = tools![].merge(&all()).unwrap();
    assert!(told_by(&merged, "read_output", "{}", &cx).contains("use `read_page`"));
    let attached = all().attach(all().definitions().cloned()).unwrap();
    assert!(told_by(&attached, "read_output", "{}", &cx).contains("use `read_page`"));
}

#[test]
fn a_model_is_told_the_name_that_an_argument_has_today() {
    let cx = Context::new();
    assert_eq!(
        told_by(&all(), "create_order", r#"{"qty": 3}"#, &cx),
        "qty: unknown argument; it is called `quantity` now\nquantity: missing, expected an integer of 0 or more"
    );
    assert_eq!(
        told_by(&all(), "read_page", r#"{"nr": 3, "other": 4}"#, &cx),
        "nr: unknown argument; it is called `page` now\nother: unknown argument; the only one is `page`"
    );
}

#[test]
fn stored_calls_become_those_of_today() {
    let tools = all();
    let (big, mixed) = (
        r#"{"qty": 123456789012345678901234567890, "x": 1.10}"#,
        r#"{"nr": 1.10, "zz": [1e2]}"#,
    );
    for (name, arguments, version, expected) in [
        (
            "place_order",
            r#"{"qty": 3}"#,
            "1.0",
            Some(("create_order", r#"{"note":"from `1.0`","quantity":3}"#)),
        ),
        (
            "create_order",
            r#"{"qty": 3}"#,
            "",
            Some(("create_order", r#"{"note":"from ``","quantity":3}"#)),
        ),
        // Of today, whatever it says.
        ("create_order", r#"{"qty": 3}"#, "2.0", None),
        ("create_order", big, "2.0", None),
        // Values are left as they are spelled.
        (
            "read",
            mixed,
            "",
            Some(("read_page", r#"{"page":1.10,"zz":[1e2]}"#)),
        ),
        (
            "crm_search",
            r#"{"q": "a"}"#,
            "1.0",
            Some(("crm_find", r#"{"name":"a"}"#)),
        ),
        ("crm_find", r#"{"name": "a"}"#, "1.0", None),
        // Nothing is known of these.
        ("search", "{}", "1.0", None),
        ("nobody", "{}", "", None),
        ("read_page", "no JSON", "", None),
    ] {
        let stored = call(name, arguments);
        let migrated = tools.migrate(&stored, version).unwrap();
        let (name, arguments) = expected.unwrap_or((name, arguments));
        assert_eq!(
            (&*migrated.name, &*migrated.arguments, &*migrated.id),
            (name, arguments, "call_1")
        );
    }
}

#[test]
fn what_cannot_be_migrated_is_refused_in_words() {
    let tools = all();
    for (name, arguments, version, words) in [
        (
            "order",
            "{}",
            "0.9",
            "a call of version 0.9 cannot be made one of version 2.0: it knew no prices",
        ),
        (
            "order",
            "{}",
            "0.8",
            "a call of version 0.8 cannot be made one of version 2.0: its migration returned no JSON object",
        ),
        (
            "order",
            "{}",
            "0.7",
            "a call of version 0.7 cannot be made one of version 2.0: its migration panicked",
        ),
        (
            "order",
            "[]",
            "",
            "a call without a version cannot be made one of version 2.0: its arguments are no JSON object",
        ),
        (
            "order",
            "{",
            "",
            "a call without a version cannot be made one of version 2.0: its arguments are no JSON",
        ),
        (
            "look",
            "{}",
            "",
            "the tool `look` is no longer there; use `crm_find` instead",
        ),
    ] {
        let refused = tools.migrate(&call(name, arguments), version).unwrap_err();
        assert_eq!(refused.to_string(), words);
    }
    // Without arguments providers send nothing, or `null`.
    for blank in ["", " null "] {
        let stored = call("order", blank);
        let migrated = tools.migrate(&stored, "1").unwrap();
        assert_eq!(&*migrated.arguments, r#"{"note":"from `1`"}"#);
    }
}
