//! Matches of JSON Schema patterns by the crate `regex`. The answers are those of
//! `new RegExp(pattern, "u").test(text)` in an engine of ECMAScript, which refuses what is refused here as no regular
//! expression.

use regex::Regex;

use super::{checked, translate};

const ROWS: &[(&str, &str, bool)] = &[
    // Characters and where they stand.
    ("", "", true),
    ("b", "abc", true),
    ("b", "ac", false),
    ("^a$", "a", true),
    ("^a$", "a\n", false),
    ("^a$", "b\na\nc", false),
    ("a|", "b", true),
    ("^(?:a|b)c$", "bc", true),
    ("^(a|b)c$", "cc", false),
    ("é", "café", true),
    ("^.$", "😀", true),
    // White space and `#` are characters.
    ("^a b$", "a b", true),
    ("^a b$", "ab", false),
    ("a#b", "a#b", true),
    ("^\t$", "\t", true),
    // `.` leaves out the ends of lines, all four.
    ("^.$", "x", true),
    ("^.$", "\n", false),
    ("^.$", "\r", false),
    ("^.$", "\u{2028}", false),
    ("^.$", "\u{2029}", false),
    ("^.$", "\u{85}", true),
    ("^[.]$", "x", false),
    // Digits and words are of ASCII.
    (r"^\d$", "7", true),
    (r"^\d$", "٧", false),
    (r"^\D$", "٧", true),
    (r"^\w+$", "a_9Z", true),
    (r"^\w$", "é", false),
    (r"^\W$", "é", true),
    (r"^\w$", "\u{17F}", false),
    // White space is a list.
    (r"^\s$", "\u{A0}", true),
    (r"^\s$", "\u{FEFF}", true),
    (r"^\s$", "\u{2029}", true),
    (r"^\s$", "\u{3000}", true),
    (r"^\s$", "\u{1680}", true),
    (r"^\s$", "\u{B}", true),
    (r"^\s$", "\u{85}", false),
    (r"^\S$", "\u{85}", true),
    (r"^\S$", "\u{FEFF}", false),
    (r"^\s$", "\u{180E}", false),
    // So are the boundaries of words.
    (r"\bcat\b", "a cat!", true),
    (r"\bcat\b", "concat", false),
    (r"\bt", "ét", true),
    (r"é\b", "é", false),
    (r"\Bat", "cat", true),
    (r"\Bat", "at", false),
    (r"\B", "é", true),
    (r"\B", "aéb", false),
    // Classes.
    ("^[a-c]$", "b", true),
    ("^[^a-c]$", "b", false),
    ("^[^a-c]$", "\n", true),
    (r"^[\d.]+$", "1.5", true),
    (r"^[\D]$", "5", false),
    (r"^[\D5]$", "5", true),
    (r"^[^\D]$", "5", true),
    (r"^[^\W_]$", "_", false),
    (r"^[\s\S]$", "\n", true),
    (r"^[\S ]$", "\u{FEFF}", false),
    (r"^[\b]$", "\u{8}", true),
    (r"^[\w-]$", "-", true),
    ("^[-a]$", "-", true),
    ("^[a-]$", "-", true),
    (r"^[a\-c]$", "b", false),
    (r"^[a\]]$", "]", true),
    ("^[a^]$", "^", true),
    // What begins an operator or a class in the other dialect, alone or behind a backslash.
    (r"^[\[a]$", "[", true),
    (r"^[\[:a:\]]+$", "[:a:]", true),
    ("^[a-z&]$", "&", true),
    ("^[a~b]$", "~", true),
    (r"^[\--/]$", ".", true),
    (r"^[a\-\-z]$", "-", true),
    ("^[!-&&]$", "%", true),
    ("^[(){}?*+.|^$/]+$", "(){}?*+.|^$/", true),
    // None and all.
    ("[]", "", false),
    ("[]", "a", false),
    ("^a[]*$", "a", true),
    ("^[^]$", "\n", true),
    ("^[^]$", "]", true),
    // Numbers of repetitions.
    ("^a{2}$", "aa", true),
    ("^a{2}$", "aaa", false),
    ("^a{2,}$", "aaa", true),
    ("^a{2,3}?$", "aaaa", false),
    ("^a??b+?c*?$", "b", true),
    ("^(?:ab){2}$", "abab", true),
    ("^a{0}$", "", true),
    // Escapes.
    (r"^\/$", "/", true),
    (r"^\.$", "x", false),
    (r"^\^\$\\\*\+\?\(\)\[\]\{\}\|$", r"^$\*+?()[]{}|", true),
    (r"^\t\n\v\f\r$", "\t\n\u{B}\u{C}\r", true),
    (r"^\0$", "\0", true),
    (r"^[\0]$", "\0", true),
    (r"^\cJ$", "\n", true),
    (r"^[\cj]$", "\n", true),
    (r"^\x41$", "A", true),
    (r"^\xE9$", "é", true),
    (r"^\x2a$", "*", true),
    (r"^\u0041$", "A", true),
    (r"^\u{41}$", "A", true),
    (r"^\u{1F600}$", "😀", true),
    (r"^\u{0000041}$", "A", true),
    (r"^\uD83D\uDE00$", "😀", true),
    (r"^[\uD83D\uDE00]$", "😀", true),
    (r"^[\uD83D\uDE00-\uD83D\uDE02]$", "😁", true),
    (r"^\uD83D\uDE00{2}$", "😀😀", true),
    (r"^\u{D83D}\u{DE00}$", "😀", false),
    (r"\uD83D", "😀", false),
    (r"^[\uD83Da]$", "a", true),
    (r"[\uD800-\uDFFF]", "😀", false),
    (r"^[^\uD800-\uDFFF]$", "😀", true),
    (r"^[\uD7FF-\uE000]$", "\u{E000}", true),
    (r"^[\u{D7FF}-\u{DBFF}]$", "\u{E000}", false),
    // Groups.
    ("^(?<year>[0-9]{4})-(?<month>[0-9]{2})$", "2026-12", true),
    ("^(?<$größe>a)$", "a", true),
    ("^(?:)$", "", true),
    ("^()*$", "", true),
    // Properties.
    (r"^\p{L}$", "é", true),
    (r"^\P{L}$", "é", false),
    (r"^\p{Lu}\p{Lowercase_Letter}$", "Éé", true),
    (r"^[\p{L}\p{N}_-]+$", "é7-", true),
    (r"^[^\P{L}]$", "é", true),
    (r"^\p{Script=Greek}+$", "λόγος", true),
    (r"^\p{sc=Grek}$", "l", false),
    (r"^\p{scx=Deva}$", "\u{964}", true),
    (r"^\p{gc=Nd}$", "٧", true),
    (r"^\p{Alphabetic}\p{ASCII}\p{Any}$", "éa\n", true),
    (r"^\p{Emoji}$", "😀", true),
    (r"^\p{punct}\p{space}\p{LC}$", "! a", true),
    (r"^\p{White_Space}\p{AHex}\p{XIDS}$", " fx", true),
    (r"^\p{Script=SignWriting}?\p{sc=Old_Italic}?$", "", true),
];

#[test]
fn patterns_mean_what_json_schema_says() {
    for (pattern, text, matches) in ROWS {
        let regex = match checked(pattern) {
            Ok(regex) => regex,
            Err(refusal) => panic!("`{pattern}`: {refusal}"),
        };
        let found = Regex::new(&regex).is_ok_and(|regex| regex.is_match(text));
        assert_eq!(found, *matches, "`{pattern}` as `{regex}` on {text:?}");
    }
}

/// Patterns that are none, and a word of why.
const REFUSED: &[(&str, &str)] = &[
    ("a(?=b)", "look-around"),
    ("a(?!b)", "look-around"),
    ("(?<=a)b", "look-around"),
    ("(?<!a)b", "look-around"),
    (r"(a)\1", "a back-reference"),
    (r"(?<a>.)\k<a>", "a back-reference"),
    ("(a", "a `(` is not closed"),
    ("a)", "a `)` closes nothing"),
    ("[a", "a `[` is not closed"),
    ("[a-", "a `[` is not closed"),
    (r"[a\]", "a `[` is not closed"),
    ("*a", "nothing that can repeat stands before `*`"),
    ("a|+", "nothing that can repeat stands before `+`"),
    ("(?:?a)", "nothing that can repeat stands before `?`"),
    ("{2}", "nothing that can repeat stands before `{2}`"),
    ("a**", "nothing that can repeat stands before `*`"),
    ("a++", "nothing that can repeat stands before `+`"),
    ("a{2}{3}", "nothing that can repeat stands before `{3}`"),
    ("^*", "nothing that can repeat stands before `*`"),
    (r"\b+", "nothing that can repeat stands before `+`"),
    ("a{3,1}", "`{3,1}` is the wrong way round"),
    ("[z-a]", "wrong way round"),
    (r"[\d-z]", "an end of a range"),
    (r"[a-\w]", "an end of a range"),
    ("(?i)a", "`(?`"),
    ("(?i:a)", "`(?`"),
    ("(?P<a>b)", "`(?`"),
    ("(?#a)", "`(?`"),
    ("(?<>a)", "a name that is none"),
    ("(?<1a>b)", "a name that is none"),
    ("(?<a", "a name that is none"),
    ("(?<a>b)(?<a>c)", "two groups are named `a`"),
    (r"\", "ends in a backslash"),
    (r"[\", "ends in a backslash"),
    (r"\Aa", r"`\A` is no escape"),
    (r"a\z", r"`\z` is no escape"),
    (r"\Q", r"`\Q` is no escape"),
    (r"\h", r"`\h` is no escape"),
    (r"\07", r"`\0` is no escape"),
    (r"[\1]", r"`\1` is no escape"),
    (r"[\B]", r"`\B` is no escape"),
    (r"\c1", r"`\c` is no escape"),
    (r"\x4", r"`\x` is no escape"),
    (r"\x{41}", r"`\x` is no escape"),
    (r"\u41", r"`\u` is no escape"),
    (r"\u{110000}", r"`\u` is no escape"),
    (r"\u{}", r"`\u` is no escape"),
    (r"\pL", r"is no property"),
    (r"\p{Foo}", r"`\p{Foo}` is no property"),
    (r"\p{Greek}", r"write `\p{Script=Greek}`"),
    (r"\p{lu}", r"is no property"),
    (r"\p{IsGreek}", r"is no property"),
    (r"\p{^L}", r"is no property"),
    (r"\p{L", r"is no property"),
    (r"\p{Age=6.0}", r"is no property"),
    (r"\p{LU}", r"is no property"),
    (r"\p{gc=LETTER}", r"is no property"),
    (r"\p{Script=greek}", r"is no property"),
    (r"\p{sc=LATIN}", r"is no property"),
    (r"\p{Hyphen}", r"is no property"),
    (r"\p{Other_Math}", r"is no property"),
    (r"\p{ALPHABETIC}", r"is no property"),
    (r"\p", r"write `\p{…}`"),
    (r"\pNa", r"write `\p{N}`"),
    // What the crate `regex` reads as something else.
    ("[[a]", "two ways: a `[` stands inside `[…]`"),
    ("[[:alpha:]]", "two ways: a POSIX class"),
    ("[^[:alpha:][:digit:]_]", "two ways: a POSIX class"),
    ("[[:^alpha:]]", "two ways: a POSIX class"),
    ("[a-z&&[^b]]", "two ways: `&&`"),
    ("[a-z&&x]", "two ways: `&&`"),
    ("[&&]", "two ways: `&&`"),
    (r"[\w&&\D]", "two ways: `&&`"),
    ("[a-z--b]", "two ways: `--`"),
    ("[a-z--[b]]", "two ways: `--`"),
    ("[--a]", "two ways: `--`"),
    ("[^--a]", "two ways: `--`"),
    ("[+--]", "two ways: `--`"),
    ("[#--b]", "two ways: `--`"),
    ("[a-z~~b]", "two ways: `~~`"),
    ("[~~]", "two ways: `~~`"),
    ("a{,3}", "a `{` starts no count"),
    ("a{ 1 }", "a `{` starts no count"),
    (r"\b{start}a", "a `{` starts no count"),
    (r"\<a", r"write `\b` for the edge of a word"),
    (r"a\>", r"write `\b` for the edge of a word"),
    ("[]a]", "a `]` closes nothing"),
    ("[^]]", "a `]` closes nothing"),
    // What the flag `u` makes no regular expression.
    ("{", "a `{` starts no count"),
    ("a{b}", "a `{` starts no count"),
    ("{id}+", "a `{` starts no count"),
    ("a}", "a `}` closes nothing"),
    ("]", "a `]` closes nothing"),
    (r"\-", r"`\-` is no escape"),
    (r"\@", r"`\@` is no escape"),
    (r"[\_]", r"`\_` is no escape"),
    (r"[\&\&]", r"`\&` is no escape"),
    (r"\é", r"`\é` is no escape"),
    (r"\a", r"write `\x07`"),
    (r"(\w{1,500} ){1,500}", "too large"),
    ("a{99999999999}", "too large"),
];

#[test]
fn what_is_no_pattern_is_refused() {
    for (pattern, why) in REFUSED {
        match checked(pattern) {
            Ok(regex) => panic!("`{pattern}` was read as `{regex}`"),
            Err(refusal) => {
                let text = refusal.to_string();
                assert!(text.contains(why), "`{pattern}`: {text}");
                assert!(text.contains("\nhelp: "), "`{pattern}`: {text}");
            }
        }
    }
}

/// Groups are nested deeper than the crate `regex` goes.
#[test]
fn its_own_reason_is_told() {
    let deep = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    let refusal = checked(&deep).map_err(|refusal| refusal.to_string());
    assert_eq!(
        refusal.map_err(|text| text.contains("cannot be run") && text.contains("nested")),
        Err(true)
    );
}

/// Half of a pattern is refused or read, and never takes the macro down.
#[test]
fn any_prefix_is_read_or_refused() {
    let all = ROWS
        .iter()
        .map(|(pattern, ..)| *pattern)
        .chain(REFUSED.iter().map(|(pattern, _)| *pattern));
    for pattern in all {
        for (at, _) in pattern.char_indices() {
            let (start, end) = pattern.split_at(at);
            let _ = (translate(start), translate(end));
        }
    }
}
