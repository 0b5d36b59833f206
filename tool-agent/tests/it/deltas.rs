//! What a store keeps of a text that has changed.

use toolwright::agent::store::delta::{Chain, Delta};

#[track_caller]
fn check(old: &str, new: &str, middle: &str) {
    let delta = Delta::between(old, new);
    assert_eq!(delta.middle, middle, "{old} {new}");
    assert_eq!(applied(delta, old).as_deref(), Some(new));
}

fn applied(delta: Delta<'_>, old: &str) -> Option<String> {
    let mut chain = Chain::new(old.to_owned());
    chain.follow(delta)?;
    Some(chain.text().to_owned())
}

#[test]
fn a_delta_has_what_is_new() {
    check("", "", "");
    check("", "abc", "abc");
    check("abc", "", "");
    check("abc", "abc", "");
    check("[1,2]", "[1,2,3]", ",3");
    check("aaa", "aaaaa", "aa");
    check("aaaaa", "aaa", "");
    check("abc", "xbc", "x");
    check("abc", "xyz", "xyz");
    // Characters that share bytes stay whole.
    check("é", "è", "è");
    check("aéb", "aèb", "è");
    check("\u{1f600}", "\u{1f601}", "\u{1f601}");
    check("\u{a9}", "\u{3a9}", "\u{3a9}");
    check("x\u{3a9}", "x\u{a9}", "\u{a9}");
}

#[test]
fn any_two_texts_have_one() {
    let parts = ["", "a", "é", "\u{1f600}", "ab", "[1]", "\u{3a9}\u{a9}"];
    let texts = || {
        let pairs = parts
            .iter()
            .flat_map(|one| parts.iter().map(move |two| format!("{one}{two}")));
        pairs.flat_map(|pair| parts.iter().map(move |part| format!("{pair}{part}")))
    };
    for (old, new) in texts().flat_map(|old| texts().map(move |new| (old.clone(), new))) {
        let text = applied(Delta::between(&old, &new), &old);
        assert_eq!(text, Some(new), "{old}");
    }
}

#[test]
fn one_of_another_text_is_refused() {
    for (text, front, back) in [
        ("abc", 4, 0),
        ("abc", 0, 4),
        ("abc", 2, 2),
        ("é", 1, 0),
        ("é", 0, 1),
    ] {
        let delta = Delta {
            front,
            back,
            middle: "",
        };
        assert_eq!(applied(delta, text), None, "{text} {delta:?}");
    }
}
