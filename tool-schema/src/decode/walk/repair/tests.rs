use super::is_slip;

fn assert_letter(char: char, at: usize) {
    let meant = "journal";
    let (head, tail) = meant.split_at(at);
    let added = format!("{head}{char}{tail}");
    let rest = tail.get(1..).unwrap_or_default();
    let replaced = format!("{head}{char}{rest}");
    for written in [added, replaced] {
        let is_other = !written.eq_ignore_ascii_case(meant);
        let is_letter = char.is_ascii_alphabetic();
        assert_eq!(
            is_slip(&written, meant),
            is_letter && is_other,
            "{written:?}"
        );
    }
}

/// Every character there is in a key, and those of ASCII in every place of it.
#[test]
fn a_slip_is_one_of_letters() {
    for char in '\0'..=char::MAX {
        assert_letter(char, 3);
    }
    for char in '\0'..='\u{7f}' {
        (0..=7).for_each(|at| assert_letter(char, at));
    }
}

#[test]
fn what_is_no_slip_is_another_key() {
    for (written, meant) in [
        ("userId", "user_id"),
        ("user-id", "user_id"),
        ("line_1", "line_2"),
        ("line1", "line"),
        ("jour_nl", "journal"),
        ("größé", "größe"),
        ("", "a"),
        ("b", "a"),
    ] {
        assert!(!is_slip(written, meant), "{written} {meant}");
    }
    for (written, meant) in [
        ("qeury", "query"),
        ("usr_id", "user_id"),
        ("grösse", "größe"),
    ] {
        assert!(is_slip(written, meant), "{written} {meant}");
    }
}
