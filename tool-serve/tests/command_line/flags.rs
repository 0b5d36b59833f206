//! Flags become the arguments' text, by the tool's schema.

use serde_json::{Value, json};

use super::Named;
use super::program::{run, run_with};

pub(crate) const TESTS: &[Named] = named![
    flags_become_what_the_schema_says,
    a_command_has_the_old_names_of_its_tool,
    old_names_are_taken_with_a_repair,
    neither_help_nor_completions_show_old_names,
    parts_of_objects_have_flags,
    texts_are_strings_where_strings_alone_belong,
    names_that_are_taken_have_others,
    json_is_read_as_it_came,
    flags_go_over_json,
    a_type_inside_itself_is_written_as_json,
    schemas_from_elsewhere_have_flags_as_far_as_can_be,
];

/// What the tool got: its answer, which says so.
fn got(arguments: &[&str]) -> Value {
    let came = run(arguments);
    assert_eq!(came.code, 0, "{came:?}");
    came.json()
}

fn flags_become_what_the_schema_says() {
    let forecast = ["call", "get_forecast", "--location", "Oslo"];
    assert_eq!(
        got(&forecast),
        json!({"location": "Oslo", "unit": "celsius", "days": 3})
    );
    let more = ["--unit", "fahrenheit", "--days=7"];
    assert_eq!(
        got(&[&forecast[..], &more].concat()),
        json!({"location": "Oslo", "unit": "fahrenheit", "days": 7})
    );
    // A city may be called 5.
    assert_eq!(
        got(&["call", "get_forecast", "--location", "5"])["location"],
        "5"
    );
}

fn a_command_has_the_old_names_of_its_tool() {
    assert_eq!(
        got(&["call", "meteo", "--location", "Oslo"]),
        json!({"location": "Oslo", "unit": "celsius", "days": 3})
    );
    // One that destroys is named instead.
    let came = run(&["call", "requisition", "--approve"]);
    assert_ne!(came.code, 0, "{came:?}");
    assert!(
        format!("{came:?}").contains("it is called `order` now"),
        "{came:?}"
    );
}

fn old_names_are_taken_with_a_repair() {
    let days = ["call", "get_forecast", "--location", "Oslo"];
    let json = r#"{"num_days": 5}"#;
    for form in [["--num-days", "5"], ["--num_days", "5"], ["--json", json]] {
        let came = run(&[&days[..], &form].concat());
        assert_eq!(came.json()["days"], 5, "{came:?}");
        assert!(
            came.err.contains("days: num_days was taken for days"),
            "{came:?}"
        );
    }
    let came = run(&["call", "meteo", "--location", "Oslo", "--num-days", "5"]);
    assert_eq!(came.json()["days"], 5, "{came:?}");
    for words in [
        "num_days was taken for days",
        "meteo was taken for get_forecast",
    ] {
        assert!(came.err.contains(words), "{words}: {came:?}");
    }
    // An old and a new name are one argument that is given twice.
    let came = run(&[&days[..], &["--num-days", "5", "--days", "6"]].concat());
    assert_eq!(came.code, 3, "{came:?}");
    assert!(came.err.contains("days: "), "{came:?}");
    // An exact tool names the argument, also for a part of it.
    let came = run(&["call", "order", "--approve", "--buyer.name", "Ada"]);
    assert_eq!(came.code, 3, "{came:?}");
    assert!(came.err.contains("it is called `customer` now"), "{came:?}");
}

fn neither_help_nor_completions_show_old_names() {
    let all = [
        &["call", "--help"][..],
        &["call", "get_forecast", "--help"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
    ];
    for arguments in all {
        let came = run(arguments);
        assert!(came.out.contains("forecast"), "{came:?}");
        for old in ["meteo", "num-days", "num_days", "buyer"] {
            assert!(!came.out.contains(old), "{old}: {came:?}");
        }
    }
}

fn parts_of_objects_have_flags() {
    let came = got(&[
        "call",
        "order",
        "--approve",
        "--customer.name",
        "Ada",
        "--customer.vip",
        "--customer.address.country",
        "GB",
        "--lines",
        r#"{"sku": "tea", "quantity": 2}"#,
        "--lines",
        r#"{"sku": "pot", "quantity": 1}"#,
        "--delivery.by",
        "post",
        "--delivery.express=false",
        "--labels",
        "a=1",
        "--labels",
        "b=-2",
        "--tags",
        "x",
        "--tags",
        "[1]",
        "--dry-run",
    ]);
    let expected = json!({
        "customer": {"name": "Ada", "vip": true, "address": {"country": "GB"}},
        "lines": [{"sku": "tea", "quantity": 2}, {"sku": "pot", "quantity": 1}],
        "delivery": {"by": "post", "express": false},
        "labels": {"a": 1, "b": -2},
        "tags": ["x", "[1]"],
        "dry_run": true,
    });
    assert_eq!(came, expected);
    // The whole, and a part over it; the name as the schema spells it.
    let came = got(&[
        "call",
        "order",
        "--approve",
        "--customer.name",
        "Bea",
        "--customer",
        r#"{"name": "Ada", "vip": true}"#,
        "--dry_run=false",
        "--delivery",
        r#"{"by": "pickup", "shop": "Soho"}"#,
    ]);
    assert_eq!(
        came["customer"],
        json!({"name": "Bea", "vip": true, "address": null})
    );
    assert_eq!(came["delivery"], json!({"by": "pickup", "shop": "Soho"}));
    assert_eq!(came["dry_run"], false);
}

fn texts_are_strings_where_strings_alone_belong() {
    let table = [
        ("--either", "5", json!(5)),
        ("--either", "five", json!("five")),
        ("--either", "true", json!("true")),
        ("--either", "-5", json!(-5)),
        ("--text", "5", json!("5")),
        ("--text", "null", json!("null")),
        ("--text", "{\"a\": 1}", json!("{\"a\": 1}")),
        ("--text", "", json!("")),
        ("--any", "[1, {\"a\": null}]", json!([1, {"a": null}])),
        ("--any", "word", json!("word")),
        ("--any", "\"word\"", json!("word")),
    ];
    for (flag, text, expected) in table {
        let came = got(&["call", "odd", flag, text]);
        assert_eq!(came[&flag[2..]], expected, "{flag} {text}");
    }
    // More digits than a number of JavaScript's holds, and a tuple.
    let big = run(&[
        "call",
        "odd",
        "--big",
        "340282366920938463463374607431768211455",
    ]);
    assert!(
        big.out.contains("340282366920938463463374607431768211455"),
        "{big:?}"
    );
    assert_eq!(
        got(&["call", "odd", "--pair", "1", "--pair", "2"])["pair"],
        json!([1, "2"])
    );
}

fn names_that_are_taken_have_others() {
    let came = got(&[
        "call",
        "odd",
        "--arg.json",
        "x",
        "--arg.help",
        "1",
        "--a-b",
        "2",
    ]);
    assert_eq!(came["json"], "x");
    assert_eq!(came["help"], 1);
    assert_eq!(came["a_b"], 2);
}

fn json_is_read_as_it_came() {
    let text = r#" {"location":"Oslo","days":1e0} "#;
    assert_eq!(got(&["call", "get_forecast", "--json", text])["days"], 1);
    let came = run_with(&["call", "get_forecast", "--json", "-"], text.as_bytes());
    assert_eq!(came.json()["location"], "Oslo");
    let marked = format!("\u{feff}{text}");
    let came = run_with(&["call", "get_forecast", "--json", "-"], marked.as_bytes());
    assert_eq!(came.json()["location"], "Oslo");
    // What the decoder says, it says of the text that was given.
    let table = [
        (r#"{"location":"a","location":"b"}"#, "location: "),
        (r#"{"location":"a","#, "the arguments are not valid JSON"),
        ("[]", "must be a JSON object"),
        (
            r#"{"location":"a","dayz":2,"unit":5}"#,
            "did you mean `days`?",
        ),
    ];
    for (text, words) in table {
        let came = run(&["call", "get_forecast", "--json", text]);
        assert_eq!((came.code, came.out.as_str()), (3, ""), "{came:?}");
        assert!(came.err.contains(words), "{text}: {came:?}");
    }
    let came = run_with(&["call", "get_forecast", "--json", "-"], b"\xff\xfe");
    assert_eq!(came.code, 2, "{came:?}");
    // Longer than arguments may be: refused, and not read to its end.
    let long = vec![b' '; 9 * 1024 * 1024];
    let came = run_with(&["call", "get_forecast", "--json", "-"], &long);
    assert_eq!(came.code, 3, "{came:?}");
    assert!(
        came.err.contains("too long") || came.err.contains("bytes"),
        "{came:?}"
    );
}

fn flags_go_over_json() {
    let base = r#"{"customer":{"name":"Ada","vip":false},"labels":{"a":1},"customer_note":1}"#;
    let came = run(&["call", "order", "--json", base, "--customer.vip"]);
    // What the flags say nothing about is as it was.
    assert_eq!(came.code, 3, "{came:?}");
    assert!(came.err.contains("customer_note"), "{came:?}");
    let base = r#"{"customer":{"name":"Ada","vip":false},"labels":{"a":1}}"#;
    let came = got(&[
        "call",
        "order",
        "--approve",
        "--json",
        base,
        "--customer.vip",
        "--labels",
        "b=2",
    ]);
    assert_eq!(
        came["customer"],
        json!({"name": "Ada", "vip": true, "address": null})
    );
    assert_eq!(came["labels"], json!({"b": 2}));
    // A key that was given twice is told, although a flag is put over another.
    let base = r#"{"customer":{"name":"Ada","name":"Bea","vip":false}}"#;
    let came = run(&["call", "order", "--json", base, "--customer.vip"]);
    assert_eq!(came.code, 3, "{came:?}");
    for base in ["5", "{", "\"{}\"", "[]"] {
        let came = run(&["call", "order", "--json", base, "--dry-run"]);
        assert_eq!(came.code, 2, "{came:?}");
        assert!(came.err.contains("no flag can go over it"), "{came:?}");
    }
    let came = run(&["call", "order", "--labels", "a"]);
    assert_eq!(came.code, 2, "{came:?}");
    assert!(came.err.contains("KEY=VALUE"), "{came:?}");
}

fn a_type_inside_itself_is_written_as_json() {
    let came = got(&[
        "call",
        "tree",
        "--node.label",
        "root",
        "--node.children",
        r#"{"label": "leaf"}"#,
    ]);
    let leaf = json!({"label": "leaf", "children": []});
    assert_eq!(came, json!({"label": "root", "children": [leaf]}));
}

fn schemas_from_elsewhere_have_flags_as_far_as_can_be() {
    let table = [
        ("--x", r#"{"y": 1}"#, json!({"x": {"y": 1}})),
        ("--x.y", "1", json!({"x": {"y": 1}})),
        ("--x.z", "2", json!({"x": {"z": 2}})),
        // Who stands first in the schema, whose keys were sorted, has the name.
        ("--c-d", "2026-11-30", json!({"c-d": "2026-11-30"})),
        ("--c_d", "5", json!({"c_d": 5})),
        // A name that begins with `_` stays as it is, since no flag begins with a dash.
        ("--__proto__", "6", json!({"__proto__": "6"})),
        ("--_", r#"{"-c": 7}"#, json!({"_": {"-c": 7}})),
        ("--_._a_b", "8", json!({"_": {"_a_b": 8}})),
        ("--proto--", "9", json!({"proto--": "9"})),
        ("--h", "10", json!({"h": "10"})),
        ("--arg.json", "5", json!({"json": 5})),
        ("--arg.help", "yes", json!({"help": "yes"})),
        ("--arg.version", "true", json!({"version": true})),
        ("--arg.output", "text", json!({"output": "text"})),
        (
            "--shell",
            "$(touch injected)",
            json!({"shell": "$(touch injected)"}),
        ),
        ("--shell", "", json!({"shell": ""})),
        ("--loop", "7", json!({"loop": 7})),
        (
            "--loop.loop",
            r#"{"loop": 7}"#,
            json!({"loop": {"loop": {"loop": 7}}}),
        ),
        ("--either", "false", json!({"either": false})),
        // A listed word is itself.
        ("--either", "true", json!({"either": "true"})),
        ("--all", "null", json!({"all": null})),
    ];
    for (flag, text, expected) in table {
        let flag = format!("{flag}={text}");
        let mut came = got(&["call", "strange", &flag]);
        came.as_object_mut().unwrap().remove("preset");
        assert_eq!(came, expected, "{flag}");
    }
    // What no shell and no parser of flags misreads is a name, and nothing else.
    for flag in [
        "--größe",
        "--a b",
        "--a,b",
        "--",
        "---x",
        "----x",
        "---proto--",
        "--proto",
        "--arg.json.x",
        "--_.-c",
    ] {
        let came = run(&["call", "strange", &format!("{flag}=1")]);
        assert_eq!(came.code, 2, "{flag} {came:?}");
    }
    // A mistake at another tool says so.
    let came = run(&["call", "get_forecast", "--locatoin", "Oslo"]);
    assert_eq!(came.code, 2, "{came:?}");
    assert!(came.err.contains("--location"), "{came:?}");
    let help = run(&["call", "strange", "--help"]);
    assert!(help.out.contains("[above 0] [at most 300]"), "{help:?}");
    assert!(help.out.contains("[date]"), "{help:?}");
    assert_eq!(help.code, 0, "{help:?}");
    assert!(
        help.out.contains("New York") && help.out.contains(r"\u{2028}"),
        "{help:?}"
    );
    // What has no flag is reached all the same.
    let text = r#"{"": "a", "a b": "b", "a=b": "c", "--x": "d", "json": 5}"#;
    let came = got(&["call", "strange", "--json", text, "--x.z", "1"]);
    assert_eq!(came["a=b"], "c");
    assert_eq!(came["x"], json!({"z": 1}));
}
