//! Secrets in texts that a model reads.

use toolwright::json::Value;

use crate::text::escape;

/// Returns the spellings of a secret in URLs, forms and JSON.
pub(crate) fn spellings(text: &str) -> Vec<String> {
    let escaped = escape(text);
    let mut lower = String::with_capacity(escaped.len());
    let mut hex = 0_u8;
    for char in escaped.chars() {
        lower.push(if hex > 0 {
            char.to_ascii_lowercase()
        } else {
            char
        });
        hex = if char == '%' {
            2
        } else {
            hex.saturating_sub(1)
        };
    }
    let json = Value::string(text).to_json();
    let json = json.trim_start_matches('"');
    let json = json.strip_suffix('"').unwrap_or(json);
    let mut out = vec![text.to_owned(), json.to_owned(), json.replace('/', "\\/")];
    for escaped in [escaped, lower] {
        out.extend([escaped.replace("%20", "+"), escaped]);
    }
    out
}

/// Sorts secrets for [`scrubbed`], the longest first. Texts of less than four bytes would hide too much.
pub(crate) fn sort(secrets: &mut Vec<String>) {
    secrets.retain(|secret| secret.len() >= 4);
    secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    secrets.dedup();
}

/// Replaces secrets in a value: in keys, texts and numbers.
pub(crate) fn scrub(value: &mut Value<'_>, secrets: &[String]) {
    let found = |text: &str| secrets.iter().any(|secret| text.contains(&**secret));
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| scrub(item, secrets)),
        Value::Object(entries) => {
            for (key, value) in entries {
                if found(key) {
                    *key = scrubbed(key.to_string(), secrets).into();
                }
                scrub(value, secrets);
            }
        }
        Value::String(text) | Value::Number(text) if found(text) => {
            let text = scrubbed(text.to_string(), secrets);
            *value = Value::string(text);
        }
        _ => {}
    }
}

/// Replaces secrets in a text that was cut: its end may be the start of one.
pub(crate) fn scrubbed_cut(text: String, secrets: &[String]) -> String {
    let mut text = scrubbed(text, secrets);
    let starts = |secret: &String| {
        let ends = secret.char_indices().map(|(end, _)| end).rev();
        let mut ends = ends.filter(|end| *end >= 4);
        ends.find(|end| {
            secret
                .get(..*end)
                .is_some_and(|start| text.ends_with(start))
        })
    };
    if let Some(length) = secrets.iter().filter_map(starts).max() {
        text.truncate(text.len() - length);
        text.push_str("[secret]");
    }
    text
}

/// Replaces secrets in a text.
pub(crate) fn scrubbed(mut text: String, secrets: &[String]) -> String {
    for secret in secrets {
        if text.contains(&**secret) {
            text = text.replace(&**secret, "[secret]");
        }
    }
    text
}
