use super::{Expected, MAX_DEPTH, Scanner};

fn read(text: &str) -> Result<&str, (Expected, usize)> {
    let mut scanner = Scanner::new(text);
    let value = scanner
        .skip()
        .and_then(|text| scanner.finish().map(|()| text));
    value.map_err(|error| (error.expected(), error.at()))
}

#[test]
fn an_error_names_what_is_missing_and_where() {
    let table = [
        ("", Expected::Value, 0),
        (" nul", Expected::Value, 1),
        ("[1 2]", Expected::NextElement, 3),
        ("[1,]", Expected::NoComma, 3),
        ("[,]", Expected::Value, 1),
        (r#"{"a" 1}"#, Expected::Colon, 5),
        (r#"{"a":1 "b":2}"#, Expected::NextEntry, 7),
        (r#"{"a":1,}"#, Expected::NoComma, 7),
        ("{a:1}", Expected::Key, 1),
        ("1 x", Expected::End, 2),
        ("-", Expected::Digit, 1),
        ("1.", Expected::Digit, 2),
        ("1e+", Expected::Digit, 3),
        ("01", Expected::NoDigit, 1),
        (r#""a"#, Expected::StringEnd, 2),
        ("\"\n\"", Expected::Control, 1),
        (r#""\x""#, Expected::Escape, 1),
        (r#""\u12g4""#, Expected::Hex, 1),
        (r#""\ud800""#, Expected::Pair, 1),
        (r#""\ud800\u0041""#, Expected::Pair, 1),
        (r#""\udc00""#, Expected::Pair, 1),
    ];
    for (text, expected, at) in table {
        assert_eq!(read(text), Err((expected, at)), "{text}");
    }
}

#[test]
fn values_are_skipped_whole() {
    for text in [
        "null",
        "-0.5e+3",
        r#""a\"\ud83d\ude00\\""#,
        r#"[ 1 , [ ] , { } , "x" ]"#,
        r#"{"a" : {"a": [true, false]} , "a":1}"#,
    ] {
        assert_eq!(read(&format!("\n {text}\t")), Ok(text));
    }
}

#[test]
fn half_of_a_pair_is_replaced_if_the_reader_is_lossy() {
    for (text, read) in [
        (r#""a\ud800b""#, "a\u{fffd}b"),
        (r#""\udc00\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ud800\n\ud800""#, "\u{fffd}\n\u{fffd}"),
        (r#""\\ud800""#, r"\ud800"),
    ] {
        assert_eq!(Scanner::lossy(text).string().as_deref(), Ok(read), "{text}");
        assert_eq!(Scanner::lossy(text).skip(), Ok(text));
    }
    let cut = Scanner::lossy(r#""\ud80""#).string();
    assert_eq!(cut.map_err(super::Error::expected), Err(Expected::Hex));
}

#[test]
fn depth_has_an_end() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deepest = usize::from(MAX_DEPTH);
    assert!(read(&nested(deepest)).is_ok());
    let deeper = nested(deepest + 1);
    assert_eq!(read(&deeper), Err((Expected::LessDepth, deepest)));
}
