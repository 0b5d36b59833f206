//! Matches of JSON Schema patterns by the crate `regex`. The answers are those of
//! `new RegExp(pattern, "u").test(text)` in an engine of ECMAScript, which refuses what is refused here as no regular
//! expression.

use super::{build, checked, read, translate};

/// Patterns, texts that match, and texts that do not.
#[rustfmt::skip]
const ROWS: &[(&str, &[&str], &[&str])] = &[
    ("b|^$", &["abc", ""], &["ac"]),
    ("^a$", &["a"], &["a\n", "b\na\nc"]),
    // White space and `#` are characters; `.` leaves out the ends of lines, all four.
    ("^a #$", &["a #"], &["a#", "a"]),
    ("^.$", &["😀", "\u{85}"], &["\n", "\r", "\u{2028}", "\u{2029}"]),
    // Digits, words and their boundaries are of ASCII; white space is a list.
    (r"^\d\D$", &["7٧"], &["٧7"]),
    (r"^\w+\W$", &["a_9Zé"], &["é", "\u{17F}é"]),
    (r"^\s\S$", &["\u{A0}a", "\u{FEFF}a", "\u{3000}\u{85}"], &["\u{180E}a", " \u{2029}"]),
    (r"\bcat\b", &["a cat!", "écaté"], &["concat"]),
    (r"\Bat", &["cat"], &["at", "éat"]),
    // Classes; what begins an operator in the other dialect.
    ("^[a-c-]$", &["b", "-"], &["d"]),
    ("^[^a-c]$", &["\n"], &["b"]),
    (r"^[\D5][^\W_][\b]$", &["5a\u{8}"], &["4a\u{8}", "5_\u{8}"]),
    (r"^[a\-c][\]^][\[:a]$", &["-]:", "c^["], &["b]a"]),
    ("^[a-z&~][!-&&]$", &["&%", "~&"], &["&'"]),
    ("^a[]*[^]$", &["a]", "a\n"], &["a"]),
    // Numbers of repetitions, and groups.
    ("^a{2}b{2,}c{2,3}?d??$", &["aabbccc", "aabbbccd"], &["abbcc", "aabbc"]),
    ("^(?:ab){2}()*(?<größe>c){0,1}$", &["abab", "ababc"], &["ab"]),
    // Escapes. No text has a surrogate, but two of them are a character.
    (r"^\/\.\^\$\\\*\+\?\(\)\[\]\{\}\|$", &[r"/.^$\*+?()[]{}|"], &["/"]),
    (r"^\t\n\v\f\r\0[\0]\cJ[\cj]$", &["\t\n\u{B}\u{C}\r\0\0\n\n"], &[]),
    (r"^\x41\u00e9\u{1F600}\uD83D\uDE00{2}$", &["Aé😀😀😀"], &["Aé😀😀"]),
    (r"^[\uD83D\uDE00-\uD83D\uDE02]$", &["😁"], &["😃"]),
    (r"\uD83D|[\uD800-\uDFFF]|\u{D83D}\u{DE00}", &[], &["😀"]),
    (r"^[\uD7FF-\uE000]$", &["\u{E000}", "\u{D7FF}"], &["\u{E001}"]),
    // Properties.
    (r"^\p{L}\P{L}[^\P{Lu}]$", &["é7É"], &["é7é"]),
    (r"^\p{Script=Greek}\p{sc=Grek}\p{gc=Nd}$", &["λό٧"], &["lo7"]),
    (r"^\p{Alphabetic}\p{ASCII}\p{Emoji}\p{punct}\p{space}\p{LC}$", &["éa😀! a"], &["éé😀! a"]),
];

/// Patterns that are refused, of others too, and a word of why.
#[rustfmt::skip]
const REFUSED: &[(&[&str], &str)] = &[
    (&["a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b"], "look-around"),
    (&[r"(a)\1", r"(?<a>.)\k<a>"], "a back-reference"),
    (&["(a", "a)", "[a", "[a-", r"[a\]"], "clos"),
    (&["*a", "a|+", "(?:?a)", "{2}", "a**", "a{2}{3}", "^*", r"\b+"], "nothing that can repeat"),
    (&["a{3,1}", "[z-a]"], "wrong way round"),
    (&[r"[\d-z]", r"[a-\w]"], "an end of a range"),
    (&["(?i)a", "(?P<a>b)", "(?#a)"], "`(?`"),
    (&["(?<>a)", "(?<1a>b)", "(?<a"], "a name that is none"),
    (&["(?<a>b)(?<a>c)"], "two groups are named `a`"),
    (&[r"\", r"[\"], "ends in a backslash"),
    (&[r"\Aa", r"a\z", r"\Q", r"\07", r"[\1]", r"\c1", r"\x4", r"\u41", r"\u{110000}"], "is not an escape"),
    (&[r"\p", r"\pL"], "without braces"),
    (&[r"\p{Foo}", r"\p{lu}", r"\p{IsGreek}", r"\p{L", r"\p{Age=6.0}", r"\p{Hyphen}"], "is not a property"),
    (&[r"\p{Greek}"], r"write `\p{Script=Greek}`"),
    (&[r"(\w{1,500} ){1,500}", "a{99999999999}"], "too large"),
];

/// Patterns of others that are read without the flag `u`, a text that matches, and why none of ours is written so.
#[rustfmt::skip]
const AMBIGUOUS: &[(&str, &str, &str)] = &[
    (r"^\-\@[\_]$", "-@_", "is not an escape"),
    ("^{a}]$", "{a}]", "a `{` starts no count"),
    ("a{,3}", "a{,3}", "a `{` starts no count"),
    ("[[:alpha:]]", "a]", "two ways: a POSIX class"),
    ("[[a]", "[", "two ways: a `[`"),
    ("[&&]", "&", "two ways: `&&`"),
    ("[a-z--0]", "-", "two ways: `--`"),
    ("[~~]", "~", "two ways: `~~`"),
];

#[test]
fn patterns_mean_what_json_schema_says() {
    for (pattern, matching, others) in ROWS {
        let regex = checked(pattern).and_then(|regex| build(&regex));
        let theirs = read(pattern).map(|regex| regex.to_string());
        assert_eq!(theirs, checked(pattern), "`{pattern}`");
        let regex = regex.unwrap_or_else(|refusal| panic!("`{pattern}`: {refusal}"));
        for (texts, is_match) in [(matching, true), (others, false)] {
            for text in *texts {
                assert_eq!(regex.is_match(text), is_match, "`{pattern}` on {text:?}");
            }
        }
    }
}

fn refusal(pattern: &str) -> String {
    let refusal = checked(pattern).err();
    refusal
        .map(|refusal| refusal.to_string())
        .unwrap_or_default()
}

#[test]
fn what_is_no_pattern_is_refused() {
    let ours = AMBIGUOUS
        .iter()
        .map(|(pattern, _, why)| (pattern, why, false));
    let all = REFUSED
        .iter()
        .flat_map(|(all, why)| all.iter().map(move |one| (one, why, true)));
    for (pattern, why, is_always) in ours.chain(all) {
        let text = refusal(pattern);
        assert!(
            text.contains(why) && text.contains("\nhelp: "),
            "`{pattern}`: {text}"
        );
        assert_eq!(read(pattern).is_err(), is_always, "`{pattern}`");
    }
    for (pattern, text, _) in AMBIGUOUS {
        assert!(
            read(pattern).is_ok_and(|regex| regex.is_match(text)),
            "`{pattern}`"
        );
    }
    let deep = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    assert!(refusal(&deep).contains("cannot be run"));
}

/// Half of a pattern is refused or read, and never takes the macro down.
#[test]
fn any_prefix_is_read_or_refused() {
    let refused = REFUSED.iter().flat_map(|(all, _)| *all);
    for pattern in ROWS.iter().map(|(pattern, ..)| pattern).chain(refused) {
        for (at, _) in pattern.char_indices() {
            let (start, end) = pattern.split_at(at);
            let _ = (translate(start, true), translate(end, false));
        }
    }
}
