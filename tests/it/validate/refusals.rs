//! Schemas that no tool is made with.

use toolwright::toolset::SchemaErrorKind::{
    self, EndlessReference, Invalid, MissingReference, NotObject, Pattern, RemoteReference,
    TooCostly, TooDeep, TooLarge, TooMany, UnknownDraft, UnsupportedKeyword,
};

use super::{told, toolset};

#[track_caller]
fn assert_refused(schema: &str, kind: SchemaErrorKind, at: &str, words: &str) {
    let error = toolset(schema).unwrap_err();
    assert_eq!((error.kind, &*error.at), (kind, at), "{schema}: {error}");
    assert!(error.message.contains(words), "{schema}: {error}");
    assert!(error.to_string().contains(at), "{error}");
}

/// Each row is the schema of the property `v`, and where in it what is wrong.
macro_rules! refusals {
    ($($schema:literal => $kind:ident, $at:literal, $words:literal;)*) => {$(
        let schema = format!(
            r#"{{"type": "object", "properties": {{"v": {}}}, "$defs": {{"a": {{}}}}}}"#,
            $schema
        );
        assert_refused(&schema, $kind, concat!("/properties/v", $at), $words);
    )*};
}

#[test]
fn references_that_lead_nowhere_or_elsewhere_are_refused() {
    refusals! {
        r#"{"$ref": "https://example.com/s.json"}"# => RemoteReference, "/$ref", "nothing is ever fetched";
        r#"{"$ref": "file:///etc/passwd"}"# => RemoteReference, "/$ref", "nothing is ever fetched";
        r#"{"$ref": "other.json#/a"}"# => RemoteReference, "/$ref", "`other.json#/a` is not in this document";
        r#"{"$ref": "//host/s"}"# => RemoteReference, "/$ref", "is not in this document";
        r#"{"$ref": "http://json-schema.org/draft-07/schema#"}"# => RemoteReference, "/$ref", "not in this document";
        r#"{"$dynamicRef": "https://example.com/s.json"}"# => RemoteReference, "/$dynamicRef", "not in this document";
        r##"{"$ref": "#/$defs/b"}"## => MissingReference, "/$ref", "`#/$defs/b` leads to no schema here";
        r##"{"$ref": "#nowhere"}"## => MissingReference, "/$ref", "leads to no schema";
        r##"{"$ref": "#/$defs"}"## => MissingReference, "/$ref", "leads to no schema";
        r##"{"$ref": "#/properties/v/x-own"}"## => MissingReference, "/$ref", "leads to no schema";
        r##"{"$ref": "#/%zz"}"## => MissingReference, "/$ref", "leads to no schema";
        r#"{"$ref": ""}"# => MissingReference, "/$ref", "write `#`";
        r##"{"$ref": "#/properties/v"}"## => EndlessReference, "", "refers to itself";
        r##"{"allOf": [{"$ref": "#/properties/v"}]}"## => EndlessReference, "", "refers to itself";
    }
}

#[test]
fn what_is_unfit_is_refused_where_it_stands() {
    refusals! {
        r#"{"type": "strng"}"# => Invalid, "/type", r#""strng" is not valid here in JSON Schema draft 2020-12"#;
        r#"{"minLength": -1}"# => Invalid, "/minLength", "-1 is not valid";
        r#"{"required": "a"}"# => Invalid, "/required", r#""a" is not valid"#;
        r#"{"items": [{}]}"# => Invalid, "/items", "[{}] is not valid";
        r#"{"exclusiveMinimum": true}"# => Invalid, "/exclusiveMinimum", "true is not valid";
        r#"{"pattern": "(?=a)"}"# => Pattern, "/pattern", "`(?=a)` is no regular expression";
        r#"{"pattern": "(?<!a)b"}"# => Pattern, "/pattern", "without look-around";
        r#"{"pattern": "(a)\\1"}"# => Pattern, "/pattern", "back-references";
        r#"{"pattern": "("}"# => Pattern, "/pattern", "is no regular expression";
        r#"{"pattern": "((a{100}){100}){100}"}"# => Pattern, "/pattern", "large repetitions";
        r#"{"patternProperties": {"a/(?=b)": {}}}"# => Pattern, "/patternProperties/a~1(?=b)", "`a/(?=b)`";
        r#"{"$vocabulary": {}}"# => UnsupportedKeyword, "/$vocabulary", "leave it out";
        r#"{"$own": 1}"# => UnsupportedKeyword, "/$own", "`$own` would not be enforced";
        r#"{"$recursiveRef": "a"}"# => UnsupportedKeyword, "/$recursiveRef", "write `$ref`";
        r#"{"contentSchema": {}}"# => UnsupportedKeyword, "/contentSchema", "in words";
        r#"{"type": "string", "nullable": true}"# => UnsupportedKeyword, "/nullable", "null";
        r#"{"additionalItems": false}"# => UnsupportedKeyword, "/additionalItems", "`prefixItems`";
        r#"{"divisibleBy": 2}"# => UnsupportedKeyword, "/divisibleBy", "`multipleOf`";
        r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"# => UnsupportedKeyword, "/$schema", "once";
    }
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
fn a_draft_is_known_or_refused() {
    for draft in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-03/schema",
        "https://example.com/my-dialect",
        "https://json-schema.org/draft/next/schema",
    ] {
        let schema = format!(r#"{{"$schema": "{draft}", "type": "object"}}"#);
        assert_refused(&schema, UnknownDraft, "/$schema", "2020-12, 2019-09 or 7");
    }
    assert_refused(
        r#"{"$schema": 7}"#,
        UnknownDraft,
        "/$schema",
        "7 is no draft",
    );
    let seven = |property: &str| {
        format!(
            r#"{{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {{"v": {property}}},
            "definitions": {{"a": {{}}}}}}"#
        )
    };
    for (property, at) in [
        (r#"{"prefixItems": []}"#, "prefixItems"),
        (r#"{"dependentRequired": {}}"#, "dependentRequired"),
        (
            r#"{"unevaluatedProperties": false}"#,
            "unevaluatedProperties",
        ),
        (r##"{"$dynamicRef": "#a"}"##, "$dynamicRef"),
        (r##"{"$ref": "#/definitions/a", "minimum": 1}"##, "minimum"),
    ] {
        assert_refused(
            &seven(property),
            UnsupportedKeyword,
            &format!("/properties/v/{at}"),
            if at.starts_with("$d") {
                "write `$ref`"
            } else {
                "draft"
            },
        );
    }
}

#[test]
fn size_depth_and_number_are_limited() {
    let property = |schema: &str| format!(r#"{{"properties": {{"v": {schema}}}}}"#);
    let long = |length: usize| property(&format!(r#"{{"description": "{}"}}"#, "x".repeat(length)));
    assert!(toolset(&long(262_144 - 100)).is_ok());
    assert_refused(&long(262_144), TooLarge, "", "at most 262144");

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
    assert!(toolset(&many(4095)).is_ok());
    assert_refused(&many(4096), TooMany, "", "4096");

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
    let twice = r#"{"$defs": {"a": {"$id": "https://a.b/c"}, "b": {"$id": "https://a.b/c"}}}"#;
    assert_refused(twice, Invalid, "/$defs/b/$id", "stands twice");
    let twice = r#"{"$defs": {"a": {"$anchor": "c"}, "b": {"$anchor": "c"}}}"#;
    assert_refused(twice, Invalid, "/$defs/b", "stands twice");
}
