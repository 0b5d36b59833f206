//! What `tools.lock` holds a compiled type to in `const`: the same as its schema says at run time.

use std::collections::HashMap;

use toolwright::lock::Verdict;
use toolwright_schema::compare::{Fingerprint, compared, is_opaque, write};
use toolwright_schema::shape::Refs;

use super::rows;

/// The text that `const` compares.
fn promised(shape: &toolwright_schema::shape::Shape<'static>, output: bool) -> Option<String> {
    let mut bytes = vec![0; 64 * 1024];
    let len = write(&mut bytes, shape, &Refs::NONE, output)?;
    bytes.truncate(len);
    Some(String::from_utf8(bytes).unwrap())
}

#[test]
fn the_text_in_const_says_what_the_schema_says() {
    let mut compared_types = 0;
    for row in rows() {
        let shape = row.schema.shape().unwrap();
        for (output, text) in [(false, &row.input), (true, &row.output)] {
            if is_opaque(shape) {
                assert_eq!(promised(shape, output), None, "{}", row.name);
                continue;
            }
            let Some(own) = promised(shape, output) else {
                // Its edges lead to types that only the whole type knows.
                assert!(text.contains("$ref"), "{} has no text", row.name);
                continue;
            };
            compared_types += 1;
            for (a, b) in [(&own, text), (text, &own)] {
                let comparison = compared(a, b, false, &[]);
                assert!(
                    comparison.verdict <= Verdict::Patch,
                    "{}: {comparison:?}\n{a}\n{b}",
                    row.name
                );
            }
        }
    }
    assert!(compared_types >= 150, "{compared_types} types are compared");
}

#[test]
fn types_of_other_schemas_have_other_fingerprints() {
    let mut seen: HashMap<u64, (&str, String)> = HashMap::new();
    for row in rows() {
        let shape = row.schema.shape().unwrap();
        let texts = (promised(shape, false), promised(shape, true));
        let (Some(input), Some(output)) = texts else {
            continue;
        };
        let text = format!("{input} {output}");
        let print = Fingerprint::NEW
            .tree(shape, false)
            .tree(shape, true)
            .value();
        if let Some((name, other)) = seen.insert(print, (row.name, text.clone())) {
            assert_eq!(text, other, "{} and {name} have one fingerprint", row.name);
        }
    }
    assert!(seen.len() >= 80, "{} fingerprints", seen.len());
}
