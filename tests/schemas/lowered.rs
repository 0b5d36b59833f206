//! Each type in each dialect: what its tool takes, it takes behind a plan too.

use toolwright::{Dialect, lower};

use crate::row::call;

/// A model that knows the type better than the schema that it was sent: it writes a map as a map,
/// and a tuple as an array.
#[test]
fn arguments_in_the_form_before_the_lowering_are_taken() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in crate::rows() {
        let tools = (row.tools)();
        let def = tools.definitions().next().unwrap();
        for dialect in Dialect::ALL {
            let Ok(lowered) = lower(&def.input, dialect) else {
                continue;
            };
            for sample in row.good() {
                let sent = format!(r#"{{"value":{sample}}}"#);
                count += 1;
                let fault = match lowered.plan.undo(&sent) {
                    Err(faults) => faults.first().map(ToString::to_string),
                    Ok(undone) => {
                        let value = undone.strip_prefix(r#"{"value":"#).map(|rest| rest.trim());
                        match value.and_then(|value| value.strip_suffix('}')) {
                            Some(value) => call(&tools, value).map(|error| format!("{error:?}")),
                            // The key is gone: `null` said that it is not there.
                            None => (sample != "null").then(|| undone.to_string()),
                        }
                    }
                };
                if let Some(fault) = fault {
                    wrong.push(format!("{} in {dialect}: {sent}: {fault}", row.name));
                }
            }
        }
    }
    assert!(count > 1000, "{count} samples");
    crate::none(wrong);
}
