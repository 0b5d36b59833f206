//! What a dialect says of a type when it compiles, and of its schema when it runs.

use toolwright::{Dialect, SchemaDoc, Verdict, lower};

use crate::{none, rows};

fn told(schema: &SchemaDoc, dialect: Dialect) -> Option<(String, String)> {
    let verdict = dialect.verdict(schema.shape()?);
    let ran = lower(schema, dialect);
    let ran = match &ran {
        Ok(_) => "accepted".to_owned(),
        Err(reject) => reject.code.as_str().to_owned(),
    };
    let compiled = match verdict {
        Verdict::Accepted => "accepted".to_owned(),
        Verdict::Refused(code, _) => code.as_str().to_owned(),
        // What is opaque may be either.
        Verdict::Opaque(_) => return None,
    };
    // Of several rules that stand against a type either may be told.
    let differ = (compiled == "accepted") != (ran == "accepted");
    differ.then_some((compiled, ran))
}

/// As an argument of a tool, and as all of its arguments.
#[test]
fn what_compiles_is_what_the_provider_accepts() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in &rows() {
        let tools = (row.tools)();
        let argument = tools.definitions().next().map(|def| def.input.clone());
        for dialect in Dialect::ALL {
            for schema in argument.iter().chain([&row.schema]) {
                seen += 1;
                if let Some((compiled, ran)) = told(schema, dialect) {
                    let input = schema.as_json();
                    wrong.push(format!(
                        "{} {dialect}: {compiled} when it compiles, {ran} when it runs: {input:.300}",
                        row.name
                    ));
                }
            }
        }
    }
    assert!(seen > 3000, "{seen}");
    none(wrong);
}
