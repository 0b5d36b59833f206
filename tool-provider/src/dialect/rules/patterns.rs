//! Patterns that Python's `re` compiles.

/// Returns true if Python's `re` compiles a pattern that engines of JSON Schema compile. It is false for a few that `re`
/// compiles, too, such as lookbehind, which has to be of a fixed width there.
pub(in super::super) const fn is_pythons(pattern: &str) -> bool {
    let mut rest = pattern.as_bytes();
    let mut groups = 0_usize;
    // True if a quantifier may follow: there is something to repeat, and it is not a quantifier.
    let mut may_repeat = false;
    while let [sign, tail @ ..] = rest {
        let mut repeats = true;
        let next = match (sign, tail) {
            (b'\\', _) => {
                repeats = !matches!(tail, [b'b' | b'B' | b'A' | b'Z', ..]);
                escape(tail, false)
            }
            (b'[', [b'^', tail @ ..] | tail) => class(tail),
            (b'(', [b'?', b':' | b'=' | b'!', tail @ ..]) => {
                repeats = false;
                groups += 1;
                Some(tail)
            }
            (b'(', [b'?', ..]) => None,
            (b'(', _) => {
                repeats = false;
                groups += 1;
                Some(tail)
            }
            (b')', _) if groups == 0 => None,
            (b')', _) => {
                groups -= 1;
                Some(tail)
            }
            (b'|' | b'^' | b'$', _) => {
                repeats = false;
                Some(tail)
            }
            (b'*' | b'+' | b'?' | b'{', _) => match quantifier(*sign, tail) {
                Some(_) if !may_repeat => None,
                Some([b'?', after @ ..] | after) => {
                    repeats = false;
                    Some(after)
                }
                // A brace is a sign as others are.
                None => Some(tail),
            },
            _ => Some(tail),
        };
        rest = match next {
            Some(next) => next,
            None => return false,
        };
        may_repeat = repeats;
    }
    groups == 0
}

/// Returns the text behind a class; `rest` starts inside it.
const fn class(mut rest: &[u8]) -> Option<&[u8]> {
    // Python reads the bracket as a sign of the class.
    if let [b']', ..] = rest {
        return None;
    }
    loop {
        let (after, is_set) = match rest {
            [b']', after @ ..] => return Some(after),
            _ => match member(rest) {
                Some(member) => member,
                None => return None,
            },
        };
        rest = match after {
            [b'-', b']', ..] => after,
            [b'-', end @ ..] => match member(end) {
                // A set cannot end a range.
                Some((after, false)) if !is_set => after,
                _ => return None,
            },
            _ => after,
        };
    }
}

/// Returns the text behind a member of a class, and whether that is a set, such as `\d`.
const fn member(rest: &[u8]) -> Option<(&[u8], bool)> {
    match rest {
        [b'\\', tail @ ..] => match (escape(tail, true), tail) {
            (Some(after), [letter, ..]) => Some((after, is_set(*letter))),
            _ => None,
        },
        [_, after @ ..] => Some((after, false)),
        [] => None,
    }
}

const fn is_set(letter: u8) -> bool {
    matches!(letter, b'd' | b'D' | b's' | b'S' | b'w' | b'W')
}

/// Returns the text behind an escape; `rest` follows the backslash. `None` if Python has no such escape.
const fn escape(rest: &[u8], in_class: bool) -> Option<&[u8]> {
    let [letter, after @ ..] = rest else {
        return None;
    };
    let mut rest = after;
    let mut digits = match letter {
        b'x' => 2,
        b'u' => 4,
        b'A' | b'B' | b'Z' if in_class => return None,
        b'A' | b'B' | b'Z' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => 0,
        letter if letter.is_ascii_alphabetic() && !is_set(*letter) => return None,
        _ => 0,
    };
    while digits > 0 {
        rest = match rest {
            [digit, after @ ..] if digit.is_ascii_hexdigit() => after,
            _ => return None,
        };
        digits -= 1;
    }
    Some(rest)
}

/// Returns the text behind a quantifier; `None` if the brace starts none.
const fn quantifier(sign: u8, mut rest: &[u8]) -> Option<&[u8]> {
    if sign != b'{' {
        return Some(rest);
    }
    let mut is_empty = true;
    while let [digit, after @ ..] = rest {
        match digit {
            b'0'..=b'9' | b',' => is_empty = false,
            b'}' if !is_empty => return Some(after),
            _ => return None,
        }
        rest = after;
    }
    None
}
