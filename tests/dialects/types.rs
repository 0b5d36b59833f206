//! The types of `tests/schemas/canonical.txt`, as an argument in every dialect.

use toolwright::Dialect;

/// The types by name, and the schema of each.
pub(crate) fn types() -> Vec<(&'static str, &'static str)> {
    include_str!("../schemas/canonical.txt")
        .split("\n\n")
        .filter_map(|block| block.trim().split_once('\n'))
        .map(|(name, block)| {
            let first = block.lines().next().unwrap_or_default().trim();
            (name, first.strip_prefix("read").unwrap_or(first).trim())
        })
        .collect()
}

/// An object whose one key is of the type; what it defines stands at the root.
pub(crate) fn argument(schema: &str, required: bool) -> String {
    let required = if required {
        r#","required":["value"]"#
    } else {
        ""
    };
    match schema.find(r#","$defs":"#) {
        Some(at) => {
            let (own, defs) = schema.split_at(at);
            format!(r#"{{"type":"object","properties":{{"value":{own}}}}}{required}{defs}"#)
        }
        None => format!(r#"{{"type":"object","properties":{{"value":{schema}}}{required}}}"#),
    }
}

#[test]
fn lowering_twice_changes_nothing() {
    let types = types();
    assert!(types.len() > 100, "{} types", types.len());
    for (name, schema) in types {
        for dialect in Dialect::ALL {
            super::stays(name, &argument(schema, true), dialect);
            super::stays(name, &argument(schema, false), dialect);
        }
    }
}
