use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::value::RawValue;
use toolwright_json::write_string;

/// Text that nests deeper is not read: the stack ends.
const DEEPEST: usize = 130;

/// The text of a JSON value with its keys sorted and no spaces. Numbers and strings stand in it as
/// they were written: a value of `serde_json`'s would not hold all of them. `None` where the text is
/// no JSON.
pub(super) fn canonical(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    // Providers send nothing, or `null`, for a call without arguments.
    let text = match text.trim() {
        "" | "null" => "{}",
        text => text,
    };
    write(text, DEEPEST, &mut out)?;
    Some(out)
}

fn write(text: &str, levels: usize, out: &mut String) -> Option<()> {
    let levels = levels.checked_sub(1)?;
    match text.as_bytes().first()? {
        b'{' => {
            let entries: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push(if index == 0 { '{' } else { ',' });
                write_string(out, key);
                out.push(':');
                write(value.get(), levels, out)?;
            }
            out.push_str(if entries.is_empty() { "{}" } else { "}" });
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            for (index, item) in items.iter().enumerate() {
                out.push(if index == 0 { '[' } else { ',' });
                write(item.get(), levels, out)?;
            }
            out.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        _ => out.write_str(text).ok()?,
    }
    Some(())
}
