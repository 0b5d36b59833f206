//! What a change of a schema means. `tests/oracles` compares random pairs.

use toolwright::lock::{Comparison, Verdict, compare};
use toolwright::schema::SchemaDoc;

fn compared(old: &str, new: &str) -> Comparison {
    let doc = |text| SchemaDoc::parse(text).unwrap();
    compare(&doc(old), &doc(new))
}

#[track_caller]
fn is(verdict: Verdict, old: &str, new: &str) {
    let comparison = compared(old, new);
    assert_eq!(
        comparison.verdict, verdict,
        "{old} -> {new}: {comparison:?}"
    );
}

#[track_caller]
fn breaks(old: &str, new: &str, witness: &str) {
    let comparison = compared(old, new);
    let found = (comparison.verdict, comparison.witness.as_deref());
    assert_eq!(
        found,
        (Verdict::Major, Some(witness)),
        "{old} -> {new}: {comparison:?}"
    );
    assert!(!comparison.faults.is_empty(), "{comparison:?}");
}

#[test]
fn a_keyword_beside_enum_or_const_counts() {
    breaks(
        r#"{"type":"string","enum":["a"]}"#,
        r#"{"type":"string","enum":["a","bb"],"minLength":2}"#,
        r#""a""#,
    );
    breaks(
        r#"{"const":{"a":1}}"#,
        r#"{"enum":[{"a":1}],"required":["b"]}"#,
        r#"{"a":1}"#,
    );
    is(
        Verdict::Minor,
        r#"{"enum":["ab","a"],"minLength":2}"#,
        r#"{"enum":["ab"]}"#.replace("ab", "ab\",\"c").as_str(),
    );
}

#[test]
fn patterns_of_keys_are_seen_on_the_old_side() {
    let old =
        r#"{"type":"object","properties":{"a":{}},"patternProperties":{"^b":{"type":"string"}}}"#;
    // A key that a pattern names is not nobody's.
    breaks(
        old,
        r#"{"type":"object","properties":{"a":{},"b":{"type":"integer"}}}"#,
        r#"{"b":""}"#,
    );
    let closed = r#"{"type":"object","patternProperties":{"^b":{"type":"string"}},"additionalProperties":false}"#;
    is(Verdict::Minor, closed, r#"{"type":"object"}"#);
    for new in [
        r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
        r#"{"type":"object","additionalProperties":{"type":"string"},"maxProperties":1}"#,
        r#"{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"minLength":2}}"#,
    ] {
        let comparison = compared(closed, new);
        assert_eq!(comparison.verdict, Verdict::Major, "{new}: {comparison:?}");
    }
}

#[test]
fn keys_that_an_open_object_does_not_name_are_nobodys() {
    let open = |properties: &str, more: &str| {
        format!(r#"{{"type":"object","properties":{{"a":{{"type":"string"}}{properties}}}{more}}}"#)
    };
    let (old, new) = (open("", ""), open(r#","b":{"type":"integer"}"#, ""));
    is(Verdict::Minor, &old, &new);
    // The other way round the key may be of any type now.
    is(Verdict::Minor, &new, &old);
    // Such an object says what it holds.
    let map = open("", r#","additionalProperties":true"#);
    is(Verdict::Major, &map, &new);
    is(Verdict::Major, r#"{"type":"object"}"#, &new);
}

#[test]
fn what_is_proven_needs_no_example() {
    for (old, new) in [
        // Tags tell alternatives apart.
        (
            r#"{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}"#,
            r#"{"oneOf":[{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"c"}},"required":["k"]}]}"#,
        ),
        // One object for two.
        (
            r#"{"type":"object","properties":{"k":{"enum":["a","b"]}},"required":["k"]}"#,
            r#"{"anyOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]},{"type":"null"}]}"#,
        ),
        // A type that contains itself.
        (
            r##"{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"n":{"type":"integer"},"next":{"$ref":"#/$defs/N"}},"additionalProperties":false}}}"##,
            r##"{"$ref":"#/$defs/M","$defs":{"M":{"type":"object","properties":{"n":{"type":"number"},"next":{"$ref":"#/$defs/M"}},"additionalProperties":false}}}"##,
        ),
        (
            r#"{"type":"integer","minimum":0,"multipleOf":6}"#,
            r#"{"type":"number","exclusiveMinimum":-0.5,"multipleOf":1.5}"#,
        ),
        (
            r#"{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"string"},"maxItems":2}"#,
            r#"{"type":"array","items":{"type":["string","integer"]},"maxItems":3}"#,
        ),
        (
            r#"{"type":"string","pattern":"^a","maxLength":3}"#,
            r#"{"type":"string","pattern":"^a"}"#,
        ),
        (r#"{"type":"string"}"#, r#"{"not":{"type":"integer"}}"#),
    ] {
        is(Verdict::Minor, old, new);
    }
    is(
        Verdict::Patch,
        r#"{"type":["string","null"],"description":"old"}"#,
        r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#,
    );
}

#[test]
fn what_is_not_proven_may_break() {
    is(
        Verdict::Undecided,
        r#"{"type":"string","pattern":"^(a|b)$"}"#,
        r#"{"type":"string","pattern":"^[ab]$"}"#,
    );
    // A schema that cannot be read.
    let comparison = compared(
        r#"{"type":"object"}"#,
        r#"{"$ref":"https://example.com/schema"}"#,
    );
    assert_eq!(comparison.verdict, Verdict::Undecided);
    assert!(!comparison.faults.is_empty());
}

#[test]
fn a_witness_comes_with_its_faults() {
    let comparison = compared(
        r#"{"type":"object","properties":{"days":{"type":"integer","minimum":1,"maximum":14}},"required":["days"]}"#,
        r#"{"type":"object","properties":{"days":{"type":"integer","minimum":1,"maximum":7}},"required":["days"]}"#,
    );
    assert_eq!(comparison.witness.as_deref(), Some(r#"{"days":8}"#));
    assert_eq!(
        comparison.faults,
        ["days: expected an integer from 1 to 7, got 8"]
    );
}
