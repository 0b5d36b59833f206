//! Names that a tool and its arguments had before.

use toolwright_json::Value;
use toolwright_provider::call::ToolError;
use toolwright_schema::decode::{FaultCode, Repair, RepairKind};

/// Replaces old names of arguments with the current ones, without changing the spelling of values. Returns `None` if no
/// argument has an old name.
pub(crate) fn with_names_of_today<S: AsRef<str>>(
    text: &str,
    was: &[(S, S)],
) -> Option<(String, Vec<Repair>)> {
    if !was.iter().any(|(old, _)| text.contains(old.as_ref())) {
        return None;
    }
    // Anything but an object is refused where it is decoded.
    let Ok(Value::Object(mut entries)) = Value::parse(text) else {
        return None;
    };
    let mut repairs = Vec::new();
    for (key, _) in &mut entries {
        if let Some((old, new)) = was.iter().find(|(old, _)| *old.as_ref() == **key) {
            let (old, new) = (old.as_ref(), new.as_ref());
            repairs.push(old_name(new, old, new));
            *key = new.into();
        }
    }
    (!repairs.is_empty()).then(|| (Value::Object(entries).to_json(), repairs))
}

/// Returns the repair of an old name.
pub(crate) fn old_name(path: &str, old: &str, new: &str) -> Repair {
    Repair::new(
        path.to_owned(),
        RepairKind::OldName,
        old.to_owned(),
        new.to_owned(),
    )
}

/// Adds the names of today to an error about arguments that were refused by their old names.
#[cold]
pub(crate) fn naming_arguments<S: AsRef<str>>(error: ToolError, was: &[(S, S)]) -> ToolError {
    let (mut faults, mut is_renamed) = (error.faults().to_vec(), false);
    for fault in &mut faults {
        let found = was.iter().find(|(old, _)| *old.as_ref() == *fault.path);
        if let (FaultCode::UnknownArgument, Some((_, name))) = (fault.code, found) {
            fault.message = format!("unknown argument; it is called `{}` now", name.as_ref());
            is_renamed = true;
        }
    }
    if is_renamed {
        ToolError::invalid_args(faults)
    } else {
        error
    }
}
