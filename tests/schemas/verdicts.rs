//! What a dialect says of a type when it compiles, and of its schema when it runs.

use toolwright::{Dialect, Problem, ProblemCode, SchemaDoc, Verdict, lower};

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

/// The report of a toolset says of a tool what lowering says of its arguments, and so what its
/// verdict said when it compiled.
#[test]
fn what_compiles_is_what_a_report_accepts() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in &rows() {
        let tools = (row.tools)();
        let Some(def) = tools.definitions().next() else {
            continue;
        };
        for dialect in Dialect::ALL {
            seen += 1;
            let report = tools.check(dialect);
            let first = lower(&def.input, dialect).err();
            // What a request may hold is a rule of toolsets; one tool of one argument is within it.
            let is_told = first.is_none_or(|reject| {
                let same = |problem: &Problem| {
                    problem.code == ProblemCode::Rejected(reject.code)
                        && problem.path.as_ref() == Some(&reject.path)
                };
                report.errors().any(same)
            });
            let verdict = def.input.shape().map(|shape| dialect.verdict(shape));
            let agrees = match verdict {
                Some(Verdict::Accepted) => report.is_accepted(),
                Some(Verdict::Refused(..)) => !report.is_accepted(),
                _ => true,
            };
            if !is_told || !agrees {
                wrong.push(format!(
                    "{}: {verdict:?} when it compiles: {report}",
                    row.name
                ));
            }
        }
    }
    assert!(seen > 1500, "{seen}");
    none(wrong);
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
