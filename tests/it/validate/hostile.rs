//! Schemas and arguments that mean harm, or grow by themselves.

use std::time::{Duration, Instant};

use super::{told, toolset};

/// Far more than any of these takes in a debug build on a busy machine, far less than what grows without end.
const SOON: Duration = Duration::from_mins(2);

fn soon<T>(run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = run();
    let took = start.elapsed();
    assert!(took < SOON, "{took:?}");
    value
}

/// A schema of expressions, as people write it: each level may be one of two forms.
const EXPRESSION: &str = r##"{"type": "object", "properties": {"e": {"$ref": "#/$defs/e"}}, "$defs": {
    "e": {"anyOf": [
        {"type": "number"},
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}, "r": {"$ref": "#/$defs/e"}}, "required": ["l"]},
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/e"}, "s": {"$ref": "#/$defs/e"}}, "required": ["l"]}
    ]}}}"##;

#[test]
fn alternatives_inside_alternatives_do_not_double_the_work() {
    for depth in [3, 20, 120] {
        for leaf in ["1", r#""x""#] {
            let arguments = format!(
                r#"{{"e": {}{leaf}{}}}"#,
                r#"{"l": "#.repeat(depth),
                "}".repeat(depth)
            );
            let told = soon(|| told(EXPRESSION, &arguments));
            assert_eq!(told.is_empty(), leaf == "1", "{depth}: {told}");
            if depth == 3 && leaf != "1" {
                assert_eq!(told, r#"e.l.l.l: expected a number or an object, got "x""#);
            }
        }
    }
}

/// A schema of definitions that each lead to the next by `step`; the last one is `end`.
fn chain(count: usize, step: impl Fn(&str) -> String, end: &str) -> String {
    let all: Vec<_> = (0..count)
        .map(|n| {
            let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, n + 1);
            format!(r#""d{n}": {}"#, step(&next))
        })
        .collect();
    format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d{count}": {end}}}}}"##,
        all.join(",")
    )
}

#[test]
fn the_stack_holds_what_the_limits_let_through() {
    // As many schemas for one value as there may be, in values as deep as they may be.
    let end = r##"{"properties": {"v": {"$ref": "#/$defs/d0"}, "n": {"type": "integer"}}}"##;
    for schema in [
        chain(14, ToOwned::to_owned, end),
        chain(7, |next| format!(r#"{{"allOf": [{next}]}}"#), end),
        chain(7, |next| format!(r#"{{"oneOf": [{next}]}}"#), end),
        chain(7, |next| format!(r#"{{"if": {next}, "else": false}}"#), end),
        chain(
            7,
            |next| format!(r#"{{"allOf": [{next}, {{"type": "object"}}]}}"#),
            end,
        ),
        chain(
            7,
            |next| format!(r#"{{"oneOf": [{next}, {{"type": "null"}}]}}"#),
            end,
        ),
        chain(
            7,
            |next| format!(r#"{{"anyOf": [{{"type": "null"}}, {next}]}}"#),
            end,
        ),
        chain(
            7,
            |next| format!(r#"{{"anyOf": [{next}], "unevaluatedProperties": false}}"#),
            end,
        ),
        chain(
            7,
            |next| format!(r#"{{"if": {next}, "else": false, "unevaluatedProperties": false}}"#),
            end,
        ),
        chain(
            3,
            |next| format!(r#"{{"not": {{"not": {next}}}, "type": "object"}}"#),
            end,
        ),
    ] {
        for leaf in [r#"{"n": 1}"#, r#"{"n": "x"}"#] {
            let arguments = format!("{}{leaf}{}", r#"{"v": "#.repeat(127), "}".repeat(127));
            let told = soon(|| told(&schema, &arguments));
            let fits = leaf.contains("1}");
            // Where more would be asked inside each other than the stack holds, nothing is.
            assert!(told == TOO_LONG || told.is_empty() == fits, "{told}");
            // In values as deep as people write them there is an answer.
            let arguments = format!("{}{leaf}{}", r#"{"v": "#.repeat(30), "}".repeat(30));
            let told = self::told(&schema, &arguments);
            assert_eq!(told.is_empty(), fits, "{told}");
        }
    }
}

#[test]
fn a_long_chain_of_references_is_built() {
    let property = |next: &str| format!(r#"{{"properties": {{"p": {next}}}}}"#);
    assert!(soon(|| toolset(&chain(511, property, r#"{"type": "object"}"#))).is_ok());
    assert!(soon(|| toolset(&chain(2000, property, "{}"))).is_ok());
    // As many schemas inside each other as there may be.
    let nested = |next: &str| {
        format!(
            r#"{{"properties": {{"p": {}{next}{}}}}}"#,
            r#"{"items": "#.repeat(55),
            "}".repeat(55)
        )
    };
    assert!(soon(|| toolset(&chain(17, nested, "{}"))).is_ok());
    let schema = chain(70, nested, "{}");
    assert_eq!(soon(|| told(&schema, r#"{"p": []}"#)), "");
    let form = |next: &str| format!(r#"{{"oneOf": [{{"properties": {{"p": {next}}}}}]}}"#);
    assert!(soon(|| toolset(&chain(340, form, "{}"))).is_ok());
}

#[test]
fn a_pattern_takes_time_linear_in_the_text() {
    let schema = r#"{"properties": {"v": {"pattern": "^(a+)+$"}, "w": {"pattern": "^(a|aa)+$"}}}"#;
    let long = "a".repeat(100_000);
    let told = soon(|| told(schema, &format!(r#"{{"v": "{long}b", "w": "{long}b"}}"#)));
    assert_eq!(told.lines().count(), 2);
}

#[test]
fn many_elements_are_checked_soon() {
    let schema = r#"{"properties": {"v": {"type": "array", "uniqueItems": true, "items": {"type": "integer"}}}}"#;
    let all: Vec<_> = (0..50_000).map(|n| format!("[{n}]")).collect();
    let told = soon(|| told(schema, &format!(r#"{{"v": [{}]}}"#, all.join(","))));
    assert_eq!(told.lines().count(), 17);
    assert!(
        told.starts_with("v[0]: expected an integer, got [0]"),
        "{told}"
    );
}

#[test]
fn a_number_that_no_f64_holds_is_refused_where_a_number_is_wanted() {
    let schema = r#"{"properties": {"v": {"type": "number"}, "w": {}}}"#;
    assert!(told(schema, r#"{"v": 1e400}"#).starts_with("v: expected "));
    // What says nothing of a value refuses none; its reader may.
    assert_eq!(told(schema, r#"{"w": 1e400}"#), "");
    assert_eq!(told(schema, r#"{"v": 123456789012345678901234567890}"#), "");
}

const TOO_LONG: &str =
    "the arguments take too long to check against the tool's schema; send fewer keys and elements";

/// Arguments of a size.
type OfSize = fn(usize) -> String;

/// Schemas of the argument `v` whose parts multiply each other, and arguments of a size: `jsonschema`
/// would take between seconds and years.
fn explosive() -> Vec<(String, OfSize, usize)> {
    let many = |count: usize, form: &dyn Fn(usize) -> String| {
        let all: Vec<_> = (0..count).map(form).collect();
        all.join(",")
    };
    let of = |schema: &str| format!(r#"{{"type": "object", "properties": {{"v": {schema}}}}}"#);
    let forms = many(300, &|n| {
        format!(r#"{{"properties": {{"k{n}": {{"type": "integer"}}}}}}"#)
    });
    let arrays = many(10_000, &|n| format!("[{n}]"));
    let consts = many(1_000, &|n| format!(r#"{{"const": {n}}}"#));
    let patterns = many(250, &|n| format!(r#""a{n}.*b": true"#));
    let keys: OfSize = |count| {
        let all: Vec<_> = (0..count).map(|n| format!(r#""k{n}": {n}"#)).collect();
        format!(r#"{{"v": {{{}}}}}"#, all.join(","))
    };
    let numbers: OfSize = |count| format!(r#"{{"v": [{}]}}"#, vec!["5"; count].join(","));
    let lists: OfSize = |count| format!(r#"{{"v": [{}]}}"#, vec!["[5]"; count].join(","));
    let text: OfSize = |count| format!(r#"{{"v": "{}"}}"#, "a".repeat(count));
    let mut all: Vec<(String, OfSize, usize)> = Vec::new();
    for (schema, arguments, size) in [
        (
            format!(r#"{{"anyOf": [{forms}], "unevaluatedProperties": false}}"#),
            keys,
            10_000,
        ),
        (
            format!(r#"{{"patternProperties": {{{patterns}}}}}"#),
            keys,
            20_000,
        ),
        (
            format!(r#"{{"propertyNames": {{"anyOf": [{consts}]}}}}"#),
            keys,
            10_000,
        ),
        (
            format!(r#"{{"items": {{"oneOf": [{consts}]}}}}"#),
            numbers,
            10_000,
        ),
        (
            format!(r#"{{"items": {{"enum": [{arrays}]}}}}"#),
            lists,
            10_000,
        ),
        (
            format!(
                r#"{{"allOf": [{}]}}"#,
                many(1000, &|_| r#"{"uniqueItems": true}"#.into())
            ),
            numbers,
            10_000,
        ),
        (
            format!(
                r#"{{"allOf": [{}]}}"#,
                many(200, &|_| r#"{"pattern": "(a|b)*c"}"#.into())
            ),
            text,
            400_000,
        ),
    ] {
        all.push((of(&schema), arguments, size));
    }
    all
}

#[test]
fn references_that_double_the_work_at_each_level_are_followed_once() {
    let twice = |next: &str| format!(r#"{{"properties": {{"p": {{"allOf": [{next}, {next}]}}}}}}"#);
    let schema = chain(40, twice, r#"{"type": "null"}"#);
    let of = |leaf: &str| format!("{}{leaf}{}", r#"{"p": "#.repeat(40), "}".repeat(40));
    assert_eq!(soon(|| told(&schema, &of("null"))), "");
    assert_ne!(soon(|| told(&schema, &of("1"))), "");
}

#[test]
fn what_others_look_at_may_be_the_schema_around() {
    let of = |keyword: &str, inner: &str| {
        format!(
            r##"{{"properties": {{"v": {{"$ref": "#/$defs/t"}}}}, "$defs": {{"t": {{{keyword}: {inner}}}}}}}"##
        )
    };
    let object =
        r##"{"properties": {"a": {"$ref": "#/$defs/t", "unevaluatedProperties": false}}}"##;
    for keyword in ["anyOf", "oneOf"] {
        let schema = of(&format!("{keyword:?}"), &format!("[{object}]"));
        assert_eq!(told(&schema, r#"{"v": {"a": {"a": {}}}}"#), "");
        assert_eq!(
            told(&schema, r#"{"v": {"a": {"b": 1}}}"#),
            "v.a.b: may not be given"
        );
    }
    let schema = of(r#""if""#, object);
    assert_eq!(told(&schema, r#"{"v": {"a": {"a": {}}}}"#), "");
    let array = r##"{"items": {"$ref": "#/$defs/t", "unevaluatedItems": false}}"##;
    let schema = of(r#""minContains": 0, "contains""#, array);
    assert_eq!(told(&schema, r#"{"v": [[], [[]]]}"#), "");
}

#[test]
fn arguments_that_take_too_long_to_check_are_refused_before_that() {
    for (schema, arguments, size) in explosive() {
        let start = schema.get(..100).unwrap_or(&schema);
        assert_eq!(told(&schema, &arguments(size)), TOO_LONG, "{start}");
        assert_ne!(told(&schema, &arguments(3)), TOO_LONG, "{start}");
    }
}

#[test]
fn as_many_arguments_as_there_may_be_are_checked_against_a_plain_schema() {
    let schema = r#"{"properties": {"v": {"items": {"type": "integer", "minimum": 0}}}}"#;
    let numbers = vec!["5"; 2_000_000].join(",");
    assert_eq!(told(schema, &format!(r#"{{"v": [{numbers}]}}"#)), "");
}

/// Texts that are passed over, copied or compared without a look at their parts.
#[test]
fn each_look_at_a_long_text_is_paid_for() {
    let many = |count: usize, form: &dyn Fn(usize) -> String| {
        let all: Vec<_> = (0..count).map(form).collect();
        all.join(",")
    };
    let long = "a".repeat(300_000);
    let twice = |end: &str| {
        let form = |next: &str| format!(r#"{{"allOf": [{next}, {next}]}}"#);
        let d0 = chain(6, form, end);
        format!(
            r##"{{"properties": {{"v": {{"$ref": "#/$defs/d0"}}}}, {}"##,
            d0.split_once(',').unwrap().1
        )
    };
    let own = r##"{"properties": {"v": {"$ref": "#/$defs/n"}, "k": {"type": "integer"}}}"##;
    let copied =
        format!(r##"{{"$ref": "#/$defs/n", "$defs": {{"n": {{"allOf": [{own}, {own}]}}}}}}"##);
    let nested = format!(
        "{}{long:?}{}",
        r#"{"k": "1", "v": "#.repeat(20),
        "}".repeat(20)
    );
    let patterns = many(250, &|n| format!(r#"{{"pattern": "(a|b)*c{{0,{n}}}"}}"#));
    let names = many(4_000, &|n| format!(r#"{{"maxLength": {n}}}"#));
    let keys = many(20_000, &|n| format!(r#""k{n}""#));
    let of = |schema: &str| format!(r#"{{"properties": {{"v": {schema}}}}}"#);
    let objects = vec!["{}"; 50_000].join(",");
    let strings = vec![r#""x""#; 50_000].join(",");
    for (schema, arguments) in [
        (twice(r#"{"minimum": 3}"#), format!(r#"{{"v": "{long}"}}"#)),
        (
            twice(r#"{"contains": {"type": "string"}, "minContains": 0}"#),
            format!(r#"{{"v": ["{long}"]}}"#),
        ),
        (
            twice(r#"{"uniqueItems": true}"#),
            format!(r#"{{"v": ["{long}", "{long}b"]}}"#),
        ),
        (copied, nested),
        (
            of(&format!(
                r#"{{"propertyNames": {{"allOf": [{patterns}]}}}}"#
            )),
            format!(r#"{{"v": {{"{long}": 1}}}}"#),
        ),
        (
            of(&format!(
                r#"{{"items": {{"propertyNames": {{"anyOf": [{names}]}}}}}}"#
            )),
            format!(r#"{{"v": [{objects}]}}"#),
        ),
        (
            of(&format!(
                r#"{{"items": {{"anyOf": [{{"required": [{keys}]}}, {{"type": "object"}}]}}}}"#
            )),
            format!(r#"{{"v": [{objects}]}}"#),
        ),
        (
            of(&format!(
                r#"{{"items": {{"anyOf": [{{"enum": [{keys}]}}, {{"type": "string"}}]}}}}"#
            )),
            format!(r#"{{"v": [{strings}]}}"#),
        ),
    ] {
        // What it says is of no interest here.
        soon(|| told(&schema, &arguments));
    }
}

#[test]
fn a_list_of_some_numbers_is_no_matter_of_budgets() {
    let codes: Vec<_> = (0..100).map(|n| n.to_string()).collect();
    let schema = format!(
        r#"{{"properties": {{"v": {{"items": {{"enum": [{}]}}}}}}}}"#,
        codes.join(",")
    );
    let values = vec!["99"; 5_000].join(",");
    assert_eq!(told(&schema, &format!(r#"{{"v": [{values}]}}"#)), "");
}

#[test]
fn the_words_of_arrays_in_arrays_have_an_end() {
    let schema = r##"{"properties": {"v": {"$ref": "#/$defs/e"}}, "$defs": {"e": {"oneOf": [
        {"type": "string"}, {"type": "array", "contains": {"$ref": "#/$defs/e"}}]}}}"##;
    assert_eq!(
        told(schema, r#"{"v": [1]}"#),
        "v: expected an array with at least 1 of: a string or an array, got [1]"
    );
    assert!(told(schema, r#"{"v": 1}"#).starts_with("v: expected a string or an array"));
}

#[test]
fn the_words_of_a_refusal_have_an_end() {
    let words: Vec<_> = (0..20_000).map(|n| format!(r#""word{n}""#)).collect();
    let schema = format!(
        r#"{{"properties": {{"v": {{"items": {{"enum": [{}]}}}}}}}}"#,
        words.join(",")
    );
    let told = soon(|| {
        told(
            &schema,
            &format!(r#"{{"v": [{}]}}"#, vec![r#""x""#; 2_000].join(",")),
        )
    });
    assert!(
        told.starts_with(r#"v[0]: expected one of "word0", "word1""#),
        "{told}"
    );
}
