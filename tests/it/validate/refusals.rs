//! Schemas that no tool is made with, and those that are read leniently.

use toolwright::schema::SchemaDoc;
use toolwright::toolset::ProblemCode;
use toolwright::toolset::SchemaErrorKind::{
    self, EndlessReference, NotObject, RemoteReference, TooCostly, TooDeep, TooLarge, TooMany,
};
use toolwright::{Context, Dialect, DynTool, ToolCall, ToolError, Toolset};

use super::{told, toolset};

#[track_caller]
fn assert_refused(schema: &str, kind: SchemaErrorKind, at: &str, words: &str) {
    let error = toolset(schema).unwrap_err();
    assert_eq!((error.kind, &*error.at), (kind, at), "{schema}: {error}");
    assert!(error.message.contains(words), "{schema}: {error}");
    assert!(error.to_string().contains(at), "{error}");
}

/// A schema with the property `v`.
fn of(property: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{"v": {property}}}, "$defs": {{"a": {{}}}}}}"#)
}

#[test]
fn references_that_lead_out_or_back_are_refused() {
    for (schema, kind, at, words) in [
        (
            r#"{"$ref": "https://example.com/s.json"}"#,
            RemoteReference,
            "/$ref",
            "nothing is ever fetched",
        ),
        (
            r#"{"$ref": "file:///etc/passwd"}"#,
            RemoteReference,
            "/$ref",
            "nothing is ever fetched",
        ),
        (
            r#"{"$ref": "other.json#/a"}"#,
            RemoteReference,
            "/$ref",
            "`other.json#/a` is not in this document",
        ),
        (
            r#"{"$ref": "//host/s"}"#,
            RemoteReference,
            "/$ref",
            "is not in this document",
        ),
        (
            r#"{"$ref": "http://json-schema.org/draft-07/schema#"}"#,
            RemoteReference,
            "/$ref",
            "not in this document",
        ),
        (
            r#"{"$dynamicRef": "https://example.com/s.json"}"#,
            RemoteReference,
            "/$dynamicRef",
            "not in this document",
        ),
        (
            r##"{"$ref": "#/properties/v"}"##,
            EndlessReference,
            "",
            "refers to itself",
        ),
        (
            r##"{"allOf": [{"$ref": "#/properties/v"}]}"##,
            EndlessReference,
            "",
            "refers to itself",
        ),
    ] {
        assert_refused(&of(schema), kind, &format!("/properties/v{at}"), words);
    }
}

/// The notes of a schema: places and words.
fn notes(tools: &Toolset) -> Vec<(String, String)> {
    let report = tools.check(Dialect::Mcp20260728);
    let notes = report
        .notes()
        .filter(|note| note.code == ProblemCode::Lenient);
    notes
        .map(|note| (note.path.clone().unwrap_or_default(), note.message.clone()))
        .collect()
}

/// A tool is made and called; the one note names the place.
#[track_caller]
fn assert_noted(schema: &str, fits: &str, unfit: &str, at: &str, words: &str) {
    let tools = toolset(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    let notes = notes(&tools);
    let [(place, message)] = notes.as_slice() else {
        panic!("{schema}: {notes:?}");
    };
    assert_eq!(place, at, "{schema}: {message}");
    assert!(message.contains(words), "{schema}: {message}");
    if !fits.is_empty() {
        assert_eq!(told(schema, &format!(r#"{{"v": {fits}}}"#)), "", "{schema}");
    }
    if !unfit.is_empty() {
        assert_ne!(
            told(schema, &format!(r#"{{"v": {unfit}}}"#)),
            "",
            "{schema}"
        );
    }
}

/// Schemas of `v`, a value that fits and one that does not, the place of the note behind `/properties/v`, and its words.
#[rustfmt::skip]
const NOTED: &[(&str, &str, &str, &str, &str)] = &[
    // Words of OpenAPI and of older drafts mean what they meant.
    (r#"{"type": "string", "nullable": true}"#, "null", "1", "/nullable", "`null` fits, too"),
    (r##"{"$ref": "#/$defs/a", "minimum": 2, "nullable": true}"##, "null", "1", "/nullable", "`null`"),
    (r#"{"minimum": 1, "exclusiveMinimum": true}"#, "2", "1", "/exclusiveMinimum", "draft 4"),
    (r#"{"maximum": 1, "exclusiveMaximum": false}"#, "1", "2", "/exclusiveMaximum", "draft 4"),
    (r#"{"items": [{"type": "string"}]}"#, r#"["a", 1]"#, "[1]", "/items", "`prefixItems`"),
    // Malformed values.
    (r#"{"type": "object", "required": null}"#, "{}", "1", "/required", "null is not valid"),
    (r#"{"required": "a", "minProperties": 1}"#, r#"{"b": 1}"#, "{}", "/required", r#""a" is not valid"#),
    (r#"{"required": true, "type": "string"}"#, r#""a""#, "1", "/required", "true is not valid"),
    (r#"{"type": "strng", "minLength": 1}"#, r#""a""#, r#""""#, "/type", r#""strng" is not valid"#),
    (r#"{"minLength": -1, "maxLength": 1}"#, r#""a""#, r#""ab""#, "/minLength", "-1 is not valid"),
    (r#"{"multipleOf": 0, "minimum": 1}"#, "1.5", "0", "/multipleOf", "0 is not valid"),
    (r#"{"properties": {"a": 5, "b": {"type": "null"}}}"#, r#"{"a": 1}"#, r#"{"b": 1}"#, "/properties/a", "5 is not a schema"),
    (r#"{"minimum": 9, "minimum": 1}"#, "2", "0", "/minimum", "more than once"),
    // Patterns that nothing matches in linear time.
    (r#"{"pattern": "(?=a)", "maxLength": 1}"#, r#""b""#, r#""ab""#, "/pattern", "look-around"),
    (r#"{"pattern": "(a)\\1", "type": "string"}"#, r#""b""#, "1", "/pattern", "back-reference"),
    (r#"{"pattern": "(", "type": "string"}"#, r#""b""#, "1", "/pattern", "is not a regular expression"),
    (r#"{"pattern": "((a{100}){100}){100}"}"#, r#""b""#, "", "/pattern", "too large"),
    (r#"{"patternProperties": {"a/(?=b)": {}, "^c": {"type": "null"}}, "additionalProperties": false}"#, r#"{"b": 1}"#, r#"{"c": 1}"#, "/patternProperties/a~1(?=b)", "look-around"),
    // Keywords and formats that nothing checks.
    (r#"{"format": "of-our-own", "type": "string"}"#, r#""a""#, "1", "/format", r#"the format "of-our-own" is not checked"#),
    (r#"{"format": "iri", "type": "string"}"#, r#"" ""#, "1", "/format", r#"the format "iri" is not checked"#),
    (r#"{"$vocabulary": {}, "type": "null"}"#, "null", "1", "/$vocabulary", "nothing checks it"),
    (r#"{"$own": 1, "type": "null"}"#, "null", "1", "/$own", "no draft knows it"),
    (r##"{"$recursiveRef": "#", "type": "null"}"##, "null", "1", "/$recursiveRef", "draft 2020-12 does not know it"),
    (r#"{"contentSchema": {"type": "null"}, "type": "string"}"#, r#""1""#, "1", "/contentSchema", "nothing checks it"),
    (r#"{"additionalItems": false, "type": "array"}"#, "[1]", "1", "/additionalItems", "does not know it"),
    (r#"{"divisibleBy": 2, "type": "integer"}"#, "1", r#""a""#, "/divisibleBy", "nothing checks it"),
    (r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "null"}"#, "null", "1", "/$schema", "only that of the whole"),
    // References.
    (r##"{"$ref": "#/$defs/b", "type": "null"}"##, "null", "1", "/$ref", "leads to no schema"),
    (r##"{"$ref": "#nowhere"}"##, "1", "", "/$ref", "leads to no schema"),
    (r##"{"$ref": "#/$defs"}"##, "1", "", "/$ref", "leads to no schema"),
    (r##"{"$ref": "#/%zz"}"##, "1", "", "/$ref", "leads to no schema"),
    // Defaults.
    (r#"{"properties": {"n": {"type": "null", "default": 5}}}"#, "{}", r#"{"n": 5}"#, "/properties/n/default", "its schema refuses the default"),
];

#[test]
fn what_is_not_checked_is_a_note_at_its_place() {
    for (schema, fits, unfit, at, words) in NOTED {
        assert_noted(
            &of(schema),
            fits,
            unfit,
            &format!("/properties/v{at}"),
            words,
        );
    }
}

#[test]
fn older_and_unknown_drafts_are_read_as_one_that_is_known() {
    for (draft, as_draft) in [
        ("http://json-schema.org/draft-04/schema#", "draft 7"),
        ("http://json-schema.org/draft-06/schema#", "draft 7"),
        ("http://json-schema.org/draft-03/schema", "draft 7"),
        ("https://example.com/my-dialect", "draft 2020-12"),
        ("https://json-schema.org/draft/next/schema", "draft 2020-12"),
    ] {
        let schema = format!(
            r##"{{"$schema": "{draft}", "type": "object", "properties": {{"v": {{"$ref": "#/definitions/n"}}}},
            "definitions": {{"n": {{"type": "integer", "id": "#n"}}}}}}"##
        );
        assert_noted(&schema, "1", r#""a""#, "/$schema", as_draft);
    }
    let four = r##"{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"v": {"$ref": "#n"}},
        "definitions": {"n": {"id": "#n", "type": "integer"}}}"##;
    assert_noted(four, "1", r#""a""#, "/$schema", "draft 7");
    let seven = |property: &str| {
        format!(
            r#"{{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {{"v": {property}}},
            "definitions": {{"a": {{}}}}}}"#
        )
    };
    for (property, at, words) in [
        (
            r#"{"prefixItems": [false]}"#,
            "prefixItems",
            "draft 7 does not know it",
        ),
        (
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            "dependentRequired",
            "draft 7 does not know it",
        ),
        (
            r#"{"unevaluatedProperties": false}"#,
            "unevaluatedProperties",
            "draft 7 does not",
        ),
        (
            r##"{"$dynamicRef": "#a"}"##,
            "$dynamicRef",
            "draft 7 does not know it",
        ),
        (
            r##"{"$ref": "#/definitions/a", "minimum": 1}"##,
            "minimum",
            "draft 7 ignores",
        ),
        (
            r##"{"$ref": "#/definitions/a", "markdown": ""}"##,
            "markdown",
            "draft 7 ignores",
        ),
        (
            r#"{"contentEncoding": "base64"}"#,
            "contentEncoding",
            "nothing checks it",
        ),
    ] {
        let at = format!("/properties/v/{at}");
        for value in [r#"{"a": 1}"#, "[1]", "0"] {
            assert_noted(&seven(property), value, "", &at, words);
        }
    }
}

/// Where two things have one name, the first one counts.
#[test]
fn names_that_stand_twice_are_notes() {
    let twice = r#"{"$defs": {"a": {"$id": "https://a.b/c"}, "b": {"$id": "https://a.b/c"}}}"#;
    assert_noted(twice, "1", "", "/$defs/b/$id", "stands twice");
    let twice = r##"{"properties": {"v": {"$ref": "#c"}},
        "$defs": {"a": {"$anchor": "c", "type": "null"}, "b": {"$anchor": "c"}}}"##;
    assert_noted(twice, "null", "1", "/$defs/b", "stands twice");
    let dynamic = r##"{"properties": {"v": {"$dynamicRef": "#c"}}, "$defs": {"a": {"$dynamicAnchor": "c"},
        "b": {"$id": "https://a.b/c", "$dynamicAnchor": "c"}}}"##;
    assert_noted(
        dynamic,
        "1",
        "",
        "/properties/v/$dynamicRef",
        "depends on the way to it",
    );
}

#[test]
fn the_whole_must_admit_an_object() {
    for schema in [
        "false",
        r#"{"type": "string"}"#,
        r#"{"type": ["array", "null"]}"#,
        r#"{"enum": [1, "a"]}"#,
        r#"{"const": 1}"#,
        r#"{"anyOf": [{"type": "string"}, false]}"#,
        r#"{"allOf": [{"type": "object"}, {"type": "array"}]}"#,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "array"}}}"##,
    ] {
        assert_refused(schema, NotObject, "", r#"write `"type": "object"`"#);
    }
    for schema in [
        "true",
        "{}",
        r#"{"type": ["object", "null"]}"#,
        r#"{"properties": {}}"#,
    ] {
        assert_eq!(told(schema, "{}"), "", "{schema}");
    }
}

#[test]
fn size_depth_and_number_are_limited() {
    let property = |schema: &str| format!(r#"{{"properties": {{"v": {schema}}}}}"#);
    let long = |length: usize| property(&format!(r#"{{"description": "{}"}}"#, "x".repeat(length)));
    assert!(toolset(&long(2_097_152 - 100)).is_ok());
    assert_refused(&long(2_097_152), TooLarge, "", "at most 2097152");

    let deep = |depth: usize| {
        property(&format!(
            "{}{{}}{}",
            r#"{"items":"#.repeat(depth),
            "}".repeat(depth)
        ))
    };
    assert!(toolset(&deep(61)).is_ok());
    assert_refused(&deep(62), TooDeep, "", "more than 64");
    assert_refused(&deep(100), TooDeep, "", "more than 64");

    let many = |count: usize| {
        let all: Vec<_> = (0..count).map(|n| format!(r#""p{n}": {{}}"#)).collect();
        format!(r#"{{"properties": {{{}}}}}"#, all.join(","))
    };
    assert!(toolset(&many(32_767)).is_ok());
    assert_refused(&many(32_768), TooMany, "", "32768");

    let patterns: Vec<_> = (0..257)
        .map(|n| format!(r#""p{n}": {{"pattern": "a{n}"}}"#))
        .collect();
    let error = toolset(&format!(r#"{{"properties": {{{}}}}}"#, patterns.join(","))).unwrap_err();
    assert_eq!(error.kind, TooMany, "{error}");
}

#[test]
fn references_that_double_the_work_are_refused() {
    let doubled: Vec<_> = (0..40)
        .map(|n| {
            let to = n + 1;
            format!(r##""d{n}": {{"properties": {{"p": {{"allOf": [{{"$ref": "#/$defs/d{to}"}}, {{"$ref": "#/$defs/d{to}"}}]}}}}}}"##)
        })
        .collect();
    // From inside to inside it only grows with the depth of the arguments.
    let schema = format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d40": {{}}}}}}"##,
        doubled.join(",")
    );
    assert!(toolset(&schema).is_ok());

    let wide: Vec<_> = (0..6)
        .map(|n| {
            let to = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, n + 1);
            format!(r#""d{n}": {{"allOf": [{}]}}"#, vec![to; 10].join(","))
        })
        .collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d6": {{}}}}}}"##,
        wide.join(",")
    );
    assert_eq!(toolset(&schema).unwrap_err().kind, TooCostly);

    let chain: Vec<_> = (0..20)
        .map(|n| format!(r##""d{n}": {{"$ref": "#/$defs/d{}"}}"##, n + 1))
        .collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d20": {{}}}}}}"##,
        chain.join(",")
    );
    assert_eq!(toolset(&schema).unwrap_err().kind, TooCostly);
}

#[test]
fn references_inside_the_document_are_followed() {
    for reference in [
        "#/$defs/a%20b",
        "#here",
        "#/$defs/other/$defs/c",
        "https://example.com/other.json#/$defs/c",
        "https://example.com/other.json#c",
    ] {
        let schema = format!(
            r#"{{"properties": {{"v": {{"$ref": "{reference}"}}}}, "$defs": {{
                "a b": {{"type": "integer"}}, "x": {{"$anchor": "here", "type": "integer"}},
                "other": {{"$id": "https://example.com/other.json",
                    "$defs": {{"c": {{"$anchor": "c", "type": "integer"}}}}}}}}}}"#
        );
        assert_eq!(told(&schema, r#"{"v": 1}"#), "", "{reference}");
        assert_eq!(
            told(&schema, r#"{"v": "a"}"#),
            r#"v: expected an integer, got "a""#,
            "{reference}"
        );
    }
}

/// The bound is one of memory, so a host that has more sets it.
#[test]
fn a_host_sets_the_bound_of_a_schema() {
    let build = |schema: &str, bytes: usize| {
        let tool = DynTool::builder()
            .name("large")
            .description("Takes much.")
            .parameters(SchemaDoc::parse(schema).unwrap())
            .max_schema_bytes(bytes)
            .handler_sync(|arguments: serde_json::Value, _| Ok::<_, ToolError>(arguments))
            .build();
        tool.map_err(|error| error.to_string())
    };
    let keys: Vec<_> = (0..40_000)
        .map(|n| format!(r#""p{n}":{{"type":"integer"}}"#))
        .collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, keys.join(","));
    let error = build(&schema, 2 << 20).unwrap_err();
    assert!(
        error.contains("32768") && error.contains("`max_schema_bytes`"),
        "{error}"
    );
    let error = build(&schema, 1 << 10).unwrap_err();
    assert!(
        error.contains("at most 1024 are taken, which `max_schema_bytes` sets"),
        "{error}"
    );
    let tools = Toolset::new([build(&schema, 8 << 20).unwrap()]).unwrap();
    let call = |arguments: &str| {
        let call = ToolCall::new("1", "large", arguments);
        tools.call_blocking(&call, &Context::new()).is_success()
    };
    assert!(call(r#"{"p39999": 1}"#) && !call(r#"{"p39999": true}"#));
}
