//! A file that holds tools.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolwright::lock::{Lock, LockError, Verdict};
use toolwright::schema::SchemaDoc;
use toolwright::{DynTool, ToolDef, Toolset, lock, tool, tools};

/// A file of its own for a test.
fn file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.lock"));
    let _ = fs::remove_file(&path);
    path
}

fn doc(schema: &Value) -> SchemaDoc {
    SchemaDoc::try_from(schema).unwrap()
}

fn def(name: &str, input: impl Into<Value>) -> ToolDef {
    let mut def = ToolDef::new(name.to_owned(), "Does it.");
    def.input = doc(&input.into());
    def
}

fn set(defs: impl IntoIterator<Item = ToolDef>) -> Toolset {
    let tools = defs.into_iter().map(|mut def| {
        def.options.manual = true;
        DynTool::builder().def(def).build().unwrap()
    });
    Toolset::new(tools).unwrap()
}

fn order(most: u32) -> ToolDef {
    let count = json!({"type": "integer", "minimum": 1, "maximum": most});
    let properties = json!({"count": count});
    def(
        "order",
        json!({"type": "object", "properties": properties, "required": ["count"], "additionalProperties": false}),
    )
}

#[test]
fn a_missing_file_is_written_and_fails() {
    let path = file("missing");
    let tools = set([order(9)]);
    let error = Lock::new(&tools, &path).check().unwrap_err();
    assert!(matches!(error, LockError::Missing(_)), "{error}");
    let changes = Lock::new(&tools, &path).check().unwrap();
    assert!(changes.is_empty(), "{changes:?}");
}

#[test]
fn a_break_is_refused_until_it_is_accepted() {
    let path = file("break");
    Lock::new(&set([order(9)]), &path)
        .update(false)
        .check()
        .unwrap();
    let before = fs::read_to_string(&path).unwrap();

    let narrower = set([order(5)]);
    for lock in [
        Lock::new(&narrower, &path),
        Lock::new(&narrower, &path).update(false),
    ] {
        let error = lock.check().unwrap_err();
        let LockError::Breaks(_, changes) = &error else {
            panic!("{error}")
        };
        assert_eq!(changes[0].verdict, Verdict::Major);
        let text = error.to_string();
        assert!(
            text.contains(r#"major: `order`: it refuses `{"count":6}` now"#),
            "{text}"
        );
        assert!(text.contains("`TOOLS_LOCK=accept-major`"), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }
    Lock::new(&narrower, &path).update(true).check().unwrap();
    Lock::new(&narrower, &path).check().unwrap();

    let wider = set([order(7)]);
    let error = Lock::new(&wider, &path).check().unwrap_err();
    assert!(matches!(error, LockError::Outdated(..)), "{error}");
    let changes = Lock::new(&wider, &path).update(false).check().unwrap();
    assert_eq!(
        changes[0].to_string(),
        r#"minor: `order`: it takes `{"count":6}` now"#
    );
}

#[test]
fn a_file_has_two_or_three_lines_a_tool() {
    let path = file("lines");
    let mut find = def(
        "find",
        json!({"type": "object", "properties": {"title": {"type": "string", "description": "Words"}}}),
    );
    find.output = Some(doc(&json!({"type": "string", "title": "Found"})));
    find.options.annotations.read_only = Some(true);
    Lock::new(&set([order(9), find]), &path)
        .update(false)
        .check()
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert!(
        lines[1].starts_with("find ") && lines[1].ends_with(" read_only"),
        "{text}"
    );
    // An argument `title` is not a word.
    assert_eq!(
        lines[2],
        r#"  takes {"properties":{"title":{"type":"string"}},"type":"object"}"#
    );
    assert_eq!(lines[3], r#"  returns {"type":"string"}"#);
    assert!(lines[4].starts_with("order "), "{text}");
}

#[test]
fn words_are_seen_by_the_fingerprint() {
    let path = file("words");
    Lock::new(&set([order(9)]), &path)
        .update(false)
        .check()
        .unwrap();
    let mut other = order(9);
    other.description = "Does it otherwise.".into();
    let error = Lock::new(&set([other]), &path).check().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("patch: `order`: words or hints changed"),
        "{error}"
    );
}

#[test]
fn a_hint_that_promised_something_is_missed() {
    let path = file("hints");
    let mut reads = order(9);
    reads.options.annotations.read_only = Some(true);
    Lock::new(&set([reads]), &path)
        .update(false)
        .check()
        .unwrap();
    let mut destroys = order(9);
    destroys.options.annotations.destructive = Some(true);
    let text = Lock::new(&set([destroys]), &path)
        .check()
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("it only read, and may change things now; it may destroy things now"),
        "{text}"
    );
}

#[test]
fn a_result_is_read_by_the_old_schema() {
    let path = file("results");
    let with = |output: Value| {
        let mut def = order(9);
        def.output = Some(doc(&output));
        set([def])
    };
    let open = |required: &[&str]| json!({"type": "object", "properties": {"id": {"type": "integer", "minimum": 0, "maximum": 255}}, "required": required});
    Lock::new(&with(open(&["id"])), &path)
        .update(false)
        .check()
        .unwrap();

    // A field that is new breaks nobody who reads the others.
    let mut more = open(&["id", "note"]);
    more["properties"]["note"] = json!({"type": "string"});
    let error = Lock::new(&with(more), &path).check().unwrap_err();
    assert!(matches!(error, LockError::Outdated(..)), "{error}");

    let text = Lock::new(&with(open(&[])), &path)
        .check()
        .unwrap_err()
        .to_string();
    assert!(
        text.contains(
            "it may return `{}` now, which is refused by those who know the old schema: id: missing"
        ),
        "{text}"
    );

    let mut wider = open(&["id"]);
    wider["properties"]["id"]["maximum"] = json!(65535);
    let text = Lock::new(&with(wider), &path)
        .check()
        .unwrap_err()
        .to_string();
    assert!(text.contains(r#"it may return `{"id":256}` now"#), "{text}");
}

#[test]
fn a_tool_that_is_gone_is_named_with_the_one_in_its_place() {
    let path = file("gone");
    let page = |name: &str| def(name, json!({"type": "object"}));
    Lock::new(&set([page("read_page"), page("tell")]), &path)
        .update(false)
        .check()
        .unwrap();
    let now = set([page("read_pages")]);
    let text = Lock::new(&now, &path).check().unwrap_err().to_string();
    assert!(
        text.contains("major: `read_page`: the tool is gone"),
        "{text}"
    );
    assert!(text.contains("major: `tell`: the tool is gone"), "{text}");

    // Behind a feature, say.
    let optional = || Lock::new(&now, &path).optional(["read_page", "tell"]);
    assert!(matches!(optional().check(), Err(LockError::Outdated(..))));
    optional().update(false).check().unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("\ntell "));

    Lock::new(&now, &path).update(true).check().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.ends_with("\nread_page -> read_pages\ntell ->\n"),
        "{text}"
    );
    Lock::new(&now, &path).check().unwrap();
    let back = set([page("read_pages"), page("tell")]);
    Lock::new(&back, &path).update(false).check().unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("tell ->"));
}

#[test]
fn a_file_that_is_not_as_it_was_written_is_refused() {
    let path = file("unreadable");
    let tools = set([order(9)]);
    Lock::new(&tools, &path).update(false).check().unwrap();
    let good = fs::read_to_string(&path).unwrap();
    for (text, line) in [
        (format!("<<<<<<< ours\n{good}"), 1),
        (format!("{good}=======\n"), 4),
        (format!("{good}  returns {{}}\n  returns {{}}\n"), 5),
        (good.lines().nth(1).unwrap().to_owned(), 1),
        (format!("{good}{good}"), 5),
    ] {
        fs::write(&path, &text).unwrap();
        let error = Lock::new(&tools, &path).update(true).check().unwrap_err();
        let LockError::Unreadable(_, found) = error else {
            panic!("{error}")
        };
        assert_eq!(found, line, "{text}");
    }
    // Ends of lines may be those of Windows.
    fs::write(&path, good.replace('\n', "\r\n")).unwrap();
    Lock::new(&tools, &path).check().unwrap();
}

/// Orders something.
#[tool(was("buy"))]
fn order_it(#[arg(was = "qty", range(1..=9))] quantity: u32) {
    let _ = quantity;
}

#[test]
fn old_names_are_compared_under_those_of_today() {
    let path = file("renamed");
    let mut old = order(5);
    old.name = "buy".into();
    let text = serde_json::to_string(&old.input)
        .unwrap()
        .replace("count", "qty");
    old.input = SchemaDoc::parse(&text).unwrap();
    Lock::new(&set([old]), &path).update(false).check().unwrap();
    let changes = Lock::new(&tools![order_it], &path)
        .update(false)
        .check()
        .unwrap();
    assert_eq!(
        changes[0].to_string(),
        r#"minor: `order_it`: it was called `buy`; it takes `{"quantity":6}` now"#
    );
    assert!(!fs::read_to_string(&path).unwrap().contains("buy"));
}

#[test]
fn the_macro_finds_the_file_of_the_package() {
    lock!(tools![order_it], "tests/it/data/tools.lock")
        .check()
        .unwrap();
}

fn foreign(defs: &[ToolDef], path: &PathBuf) -> Lock {
    Lock::foreign(defs.to_vec(), path)
}

#[test]
fn a_foreign_tool_is_held_to_its_words_and_not_to_their_order() {
    let path = file("foreign");
    let with = |input: &str| {
        let mut def = ToolDef::new("note", "Reads.\ngone 0123456789abcdef\n  takes {}");
        def.input = SchemaDoc::parse(input).unwrap();
        def
    };
    let old = with(r#"{"type":"object","properties":{"id":{"type":"string","description":"It"}}}"#);
    foreign(&[old], &path).update(false).check().unwrap();
    // Some servers write keys in another order each time.
    let other =
        with(r#"{"properties":{"id":{"description":"It","type":"string"}},"type":"object"}"#);
    assert_eq!(foreign(&[other], &path).check().unwrap(), []);
    let words =
        with(r#"{"type":"object","properties":{"id":{"type":"string","description":"All"}}}"#);
    let error = foreign(&[words], &path).check().unwrap_err();
    assert_eq!(error.changes()[0].verdict, Verdict::Patch);
    assert!(matches!(error, LockError::Outdated(..)), "{error}");

    // The file of a program's own tools has no words.
    let own = ToolDef::new("own", "Reads.");
    Lock::new(&set([own.clone()]), &path)
        .update(true)
        .check()
        .unwrap();
    let error = foreign(&[own], &path).check().unwrap_err();
    assert_eq!(
        error.changes()[0].reasons,
        [r#"it says "Reads." now, and said nothing"#]
    );
}

#[test]
fn the_change_of_a_long_text_is_shown() {
    let path = file("long");
    for same in ["x".repeat(300), "é\u{202e}".repeat(60)] {
        let says = |end: &str| ToolDef::new("note", format!("{same}{end}"));
        foreign(&[says("Reads.")], &path)
            .update(true)
            .check()
            .unwrap();
        let error = foreign(&[says("Writes.")], &path).check().unwrap_err();
        assert_eq!(
            error.changes()[0].reasons,
            [r#"it says …Writes." now, and said …Reads.""#]
        );
    }
}

#[test]
fn an_entry_of_a_foreign_tool_that_differs_is_a_change() {
    let path = file("fingerprint");
    let def = ToolDef::new("note", "Reads.");
    foreign(std::slice::from_ref(&def), &path)
        .update(false)
        .check()
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let print = text.lines().find_map(|line| line.strip_prefix("note "));
    let print = print.unwrap().get(..16).unwrap();
    fs::write(&path, text.replace(print, "0123456789abcdef")).unwrap();
    let error = foreign(&[def], &path).check().unwrap_err();
    assert_eq!(error.changes()[0].reasons, ["its fingerprint is another"]);
}

#[test]
fn tools_that_a_server_does_not_list_stay_accepted() {
    let path = file("unlisted");
    let both = [order(9), ToolDef::new("other", "Does.")];
    let error = foreign(&both, &path).check().unwrap_err();
    assert!(matches!(error, LockError::Absent(_)), "{error}");
    assert!(!path.exists());
    foreign(&both, &path).update(false).check().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        foreign(&both[..1], &path).update(false).check().unwrap(),
        []
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_time_to_compare_what_a_server_changes_is_bounded() {
    let path = file("bounded");
    let orders = |most: u32| {
        let orders = (0..100).map(move |number| {
            let mut def = order(most);
            def.name = format!("order_{number:02}").into();
            def
        });
        orders.collect::<Vec<_>>()
    };
    foreign(&orders(9), &path).update(false).check().unwrap();
    let error = foreign(&orders(7), &path).check().unwrap_err();
    let verdicts: Vec<_> = error
        .changes()
        .iter()
        .map(|change| change.verdict)
        .collect();
    assert_eq!(verdicts[..64], [Verdict::Major; 64]);
    assert_eq!(verdicts[64..], [Verdict::Undecided; 36]);
}
