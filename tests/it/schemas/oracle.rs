//! A second opinion on the schemas: `jsonschema`. It is in a package of its own (`tests/oracles`),
//! since it switches on features of `serde_json` for the whole build.

use jsonschema::Validator;

use crate::schemas::{none, rows};

fn validator(schema: &str) -> Validator {
    let schema = serde_json::from_str(schema).expect(schema);
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema")
}

#[test]
fn what_is_good_is_admitted_and_what_is_bad_is_not() {
    let mut wrong = Vec::new();
    for row in &rows() {
        let (name, input) = (row.name, &row.input);
        let schema = validator(input);
        let admits = |sample: &str| schema.is_valid(&serde_json::from_str(sample).unwrap());
        for sample in row.good() {
            if !admits(&sample) {
                wrong.push(format!("{name}: {sample} is refused by {input}"));
            }
        }
        for sample in row.bad() {
            if admits(&sample) {
                wrong.push(format!("{name}: {sample} is admitted by {input}"));
            }
        }
    }
    none(wrong);
}

#[test]
fn what_is_written_is_what_the_schema_of_the_output_admits() {
    let mut wrong = Vec::new();
    for row in &rows() {
        let schema = validator(&row.output);
        for sample in row.good() {
            let written = match (row.rewrite)(&sample) {
                Ok(written) => written,
                // We read integers in any spelling that is exact, serde_json does not.
                Err(_) if sample == "1.0" || sample == "1e2" => continue,
                Err(error) => {
                    wrong.push(format!("{}: {sample}: {error}", row.name));
                    continue;
                }
            };
            if !schema.is_valid(&serde_json::from_str(&written).unwrap()) {
                wrong.push(format!(
                    "{}: {written} is refused by {}",
                    row.name, row.output
                ));
            }
        }
    }
    none(wrong);
}
