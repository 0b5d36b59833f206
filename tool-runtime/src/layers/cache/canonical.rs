use toolwright_json::Value;

/// The text of a JSON value with sorted keys, no spaces and unchanged numbers. `None` if the text is not JSON.
pub(super) fn canonical(text: &str) -> Option<String> {
    // Providers send nothing, or `null`, for a call without arguments.
    let text = match text.trim() {
        "" | "null" => "{}",
        text => text,
    };
    let mut out = String::with_capacity(text.len());
    Value::parse(text).ok()?.write_sorted(&mut out);
    Some(out)
}
