//! The arguments that a model sends.

use std::fmt::Write;

/// Of `add`.
pub const ADD: &str = r#"{"a": 1234567, "b": -42}"#;

/// Of `get_weather`.
pub const WEATHER: &str = r#"{"city": "San Francisco", "unit": "celsius"}"#;

/// Of `create_order`: ten lines, about 1.5 KB.
pub fn order() -> String {
    let mut text = String::from(
        r#"{"customer": {"name": "Mary Somerville", "email": "mary@example.com", "country": "GB"}, "lines": ["#,
    );
    for line in 0..10_u32 {
        let comma = if line == 0 { "" } else { ", " };
        let (qty, price) = (line * 7 % 40 + 1, f64::from(line * 1234 + 995) / 100.0);
        let note = if line % 3 == 0 {
            r#""wrap it, and add a card""#
        } else {
            "null"
        };
        let _ = write!(
            text,
            r#"{comma}{{"sku": "TEA-{line:04}-LEAF", "title": "Assam, second flush, {line} of ten, a tin of 250 g", "qty": {qty}, "price": {price}, "note": {note}}}"#
        );
    }
    text.push_str("]}");
    text
}

/// An order in which four things are wrong.
pub fn bad_order() -> String {
    order()
        .replacen(r#""qty": 1,"#, r#""qty": "three","#, 1)
        .replacen(r#""sku": "TEA-0003-LEAF", "#, "", 1)
        .replacen(r#""price": 59.31"#, r#""price": -1"#, 1)
        .replacen(r#""note": null"#, r#""Note": null"#, 1)
}

/// Of `index_text`: 64 KiB of words, with an escape in every line or without any.
pub fn index(escapes: bool) -> String {
    const WORDS: [&str; 8] = ["the", "sun", "rises", "and", "the", "sun", "goes", "down"];
    let mut text = String::from(r#"{"text": ""#);
    // A fixed seed: every run reads the same text.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut column = 0;
    while text.len() < 64 * 1024 {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let word = usize::try_from(seed % 8).unwrap_or(0);
        text.push_str(WORDS[word]);
        column += 1;
        let end = if column % 12 > 0 {
            " "
        } else if escapes {
            "\\n"
        } else {
            ". "
        };
        text.push_str(end);
    }
    text.push_str(r#""}"#);
    text
}
