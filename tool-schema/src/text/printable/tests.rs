use super::*;

#[test]
fn what_nobody_sees_is_an_escape() {
    for (text, lines, line) in [
        ("", "", ""),
        ("a\nb\tc", "a\nb\tc", r"a\nb\tc"),
        ("a\r\nb\rc", "a\r\nb\\rc", r"a\r\nb\rc"),
        (
            "\u{1b}[31m\0\u{7f}\u{9b}",
            r"\u{1b}[31m\u{0}\u{7f}\u{9b}",
            r"\u{1b}[31m\u{0}\u{7f}\u{9b}",
        ),
        (
            "a\u{202e}b\u{2066}\u{200f}",
            r"a\u{202e}b\u{2066}\u{200f}",
            r"a\u{202e}b\u{2066}\u{200f}",
        ),
        (
            "\u{e0041}\u{200b}\u{feff}\u{2028}",
            r"\u{e0041}\u{200b}\u{feff}\u{2028}",
            r"\u{e0041}\u{200b}\u{feff}\u{2028}",
        ),
        (
            "Größe 寿司 שלום سلام",
            "Größe 寿司 שלום سلام",
            "Größe 寿司 שלום سلام",
        ),
        (
            "\u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f680}",
            "\u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f680}",
            "\u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f680}",
        ),
    ] {
        assert_eq!(Printable::new(text).to_string(), lines);
        assert_eq!(Printable::new(text).one_line().to_string(), line);
        assert_eq!(printable(text.to_owned().into()), lines);
    }
}

#[test]
fn what_is_too_long_ends_with_a_count() {
    let at_most = |text, most| Printable::new(text).at_most(most).to_string();
    assert_eq!(at_most("abc", 3), "abc");
    assert_eq!(at_most("abcd", 3), "abc… (1 more character)");
    assert_eq!(at_most("寿司寿司", 1), "寿… (3 more characters)");
    // An escape is written as a whole or not at all.
    assert_eq!(at_most("a\u{1b}b", 7), r"a\u{1b}… (1 more character)");
    assert_eq!(at_most("a\u{1b}b", 6), "a… (2 more characters)");
    let tags = "\u{e0041}".repeat(100_000);
    assert!(at_most(&tags, 100).len() < 200);
}
