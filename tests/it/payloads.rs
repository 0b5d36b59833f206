//! Values as they are written for a model.

use serde_json::{Value, json, value::RawValue};
use toolwright::call::Payload;

fn same(value: i64) {
    let written = Payload::new(value);
    assert_eq!(written.to_json(), value.to_string());
    assert_eq!(written.to_plain(), value.to_string());
    assert_eq!(written.to_value(), json!(value));
    assert_eq!(written.as_text(), None);
}

#[test]
fn whole_numbers_are_written_as_digits() {
    for value in 0..=20_000 {
        same(value);
        same(-value);
        // The digits in front of the last four are made apart from these.
        same(value * 10_000 + 7);
        same(99_990_000 + value % 10_000);
    }
    for power in 0..=18 {
        let ten = 10_i64.pow(power);
        for value in [ten - 1, ten, ten + 1, 9 * ten] {
            same(value);
            same(-value);
        }
    }
    same(i64::MIN);
    same(i64::MAX);
    assert_eq!(Payload::new(u64::MAX).to_json(), u64::MAX.to_string());
    assert_eq!(Payload::new(u128::MAX).to_json(), u128::MAX.to_string());
    assert_eq!(Payload::new(i128::MIN).to_json(), i128::MIN.to_string());
    assert_eq!(Payload::new(7_u8), Payload::new(7_i64));
}

#[test]
fn single_words_are_json() {
    #[derive(serde::Serialize)]
    struct Unit;

    assert_eq!(Payload::new(true).to_json(), "true");
    assert_eq!(Payload::new(false).to_json(), "false");
    for null in [
        Payload::new(()),
        Payload::new(Unit),
        Payload::new(None::<u8>),
        Payload::new(Value::Null),
        Payload::new(f64::NAN),
    ] {
        assert_eq!(null.to_json(), "null");
        assert_eq!(null.to_plain(), "null");
        assert_eq!(null.to_value(), Value::Null);
    }
    assert_eq!(Payload::new("null").as_text(), Some("null"));
}

#[test]
fn equal_texts_are_equal_wherever_they_stand() {
    let raw = |json: &str| Payload::new(RawValue::from_string(json.to_owned()).ok());
    assert_eq!(raw("7"), Payload::new(7));
    assert_eq!(raw("null"), Payload::new(()));
    assert_ne!(raw("7"), Payload::new(8));
    assert_ne!(Payload::new("7"), Payload::new(7));
    assert_eq!(format!("{:?}", raw("7")), format!("{:?}", Payload::new(7)));
}
