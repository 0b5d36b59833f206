use serde_json::{Value, json};

use super::{end, json};

#[test]
fn text_is_cut_between_characters_and_behind_lines() {
    assert_eq!(end("abc", 3, 1), None);
    assert_eq!(end("abc", 2, 1), Some(2));
    assert_eq!(end("aé", 2, 1), Some(1));
    assert_eq!(end("a\nb\nc", 9, 3), None);
    assert_eq!(end("a\nb\nc", 9, 2), Some(4));
    assert_eq!(end("a\nb\n", 9, 2), None);
    assert_eq!(end("a", 9, 0), Some(0));
    assert_eq!(end("", 0, 0), None);
}

#[test]
fn json_stays_json_in_every_room() {
    let deep = format!("{}1{}", "[".repeat(3000), "]".repeat(3000));
    let pairs = format!(
        r#"["{}", "{}"]"#,
        r"\ud83d\ude00".repeat(200),
        r"\n\u00e9".repeat(300)
    );
    let digits = format!("[{}]", "7".repeat(5000));
    let texts = [
        json!({"log": "x".repeat(5000), "status": "ok", "n": [1, 2, {"a": null}]}).to_string(),
        json!((0..2000).collect::<Vec<_>>()).to_string(),
        json!(
            (0..500)
                .map(|n| json!({"id": n, "tags": ["a", "é"], "text": "y".repeat(n)}))
                .collect::<Vec<_>>()
        )
        .to_string(),
        json!({"é".repeat(4000): 1, "b": {"c": "\"\\".repeat(900)}}).to_string(),
        deep,
        pairs,
        digits,
    ];
    for text in &texts {
        for room in (0..3000).step_by(37) {
            let cut = json(text, room, "note");
            let value = serde_json::from_str::<serde::de::IgnoredAny>(&cut);
            assert!(value.is_ok(), "{room}: {cut}");
            assert!(
                cut.contains("note") && cut.len() <= room.max(6),
                "{room}: {cut}"
            );
        }
    }
}

#[test]
fn what_is_short_stays_where_one_string_is_long() {
    let text = json!({"log": "x".repeat(5000), "status": "ok", "list": [1, 2]}).to_string();
    let cut: Value = serde_json::from_str(&json(&text, 1000, "note")).unwrap();
    assert_eq!(
        (&cut["status"], &cut["list"]),
        (&json!("ok"), &json!([1, 2]))
    );
    assert!(cut["log"].as_str().unwrap().ends_with(" more bytes]"));
    // Keys after a shortened list stay, as far as there is room.
    let list = json!((0..2000).collect::<Vec<_>>());
    let text = format!(
        r#"{{"list": {list}, "last": true, "log": "{}"}}"#,
        "x".repeat(90)
    );
    let cut: Value = serde_json::from_str(&json(&text, 500, "note")).unwrap();
    let list = cut["list"].as_array().unwrap();
    let more = format!("{} more", 2001 - list.len());
    assert_eq!(list.last().unwrap(), &json!(more));
    assert_eq!((&cut["last"], &cut["…"]), (&json!(true), &json!("1 more")));
}
