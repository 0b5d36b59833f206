//! The parts of a tool's error that its text lacks.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_provider::call::ToolError;
use toolwright_schema::decode::Fault;

/// `_meta` of a result of another Toolwright.
#[derive(Deserialize)]
struct ResultMeta<'a> {
    #[serde(rename = "toolwright/error", borrow)]
    error: &'a RawValue,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorMeta {
    data: Option<Value>,
    faults: Value,
    permanent: Value,
    outcome_unknown: Value,
}

/// Adds what a server says of an error beside its text. Another server's structured content is the error's data. The kind
/// stays that of a tool's failure: others, such as a call that never started, would allow to repeat the call.
pub(super) fn with_data(
    error: ToolError,
    meta: Option<&RawValue>,
    structured: Option<&RawValue>,
) -> ToolError {
    let meta = meta.and_then(|meta| serde_json::from_str::<ResultMeta<'_>>(meta.get()).ok());
    let Some(meta) = meta else {
        let data = structured.and_then(|data| serde_json::from_str::<Value>(data.get()).ok());
        return match data {
            Some(data) => error.with_data(data),
            None => error,
        };
    };
    let meta: ErrorMeta = serde_json::from_str(meta.error.get()).unwrap_or_default();
    let faults = meta.faults.as_array().into_iter().flatten();
    let faults = faults.filter_map(|fault| Fault::deserialize(fault).ok());
    let mut error = error.with_faults(faults);
    if let Some(data) = meta.data {
        error = error.with_data(data);
    }
    if meta.permanent == true {
        error = error.permanent();
    }
    if meta.outcome_unknown == true {
        error = error.with_outcome_unknown();
    }
    error
}
