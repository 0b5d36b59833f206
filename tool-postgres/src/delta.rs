//! What changed between two texts: a front and a back that stay, and what stands between them.
//!
//! A session's text grows near its end, behind the messages that were there before, so most of a checkpoint is the front of the
//! one before it.

/// What makes one text of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delta<'a> {
    /// Bytes that stay at the front.
    pub(crate) front: usize,
    /// Bytes that stay at the back.
    pub(crate) back: usize,
    /// What stands between them.
    pub(crate) middle: &'a str,
}

impl<'a> Delta<'a> {
    /// Returns what makes `new` of `old`.
    pub(crate) fn between(old: &str, new: &'a str) -> Self {
        let same = |(one, other): &(u8, u8)| one == other;
        let front = old.bytes().zip(new.bytes()).take_while(same).count();
        let front = new.floor_char_boundary(front);
        let left = old.len().min(new.len()) - front;
        let back = old.bytes().rev().zip(new.bytes().rev()).take(left);
        let mut back = back.take_while(same).count();
        while !new.is_char_boundary(new.len() - back) {
            back -= 1;
        }
        let middle = new.get(front..new.len() - back).unwrap_or(new);
        Self {
            front,
            back,
            middle,
        }
    }

    /// Makes the new text of the old one; `None` if they do not belong together.
    pub(crate) fn apply(self, text: &mut String) -> Option<()> {
        let end = text.len().checked_sub(self.back)?;
        if self.front > end || !text.is_char_boundary(self.front) || !text.is_char_boundary(end) {
            return None;
        }
        text.replace_range(self.front..end, self.middle);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, middle: &str) {
        let delta = Delta::between(old, new);
        assert_eq!(delta.middle, middle, "{old} {new}");
        let mut text = old.to_owned();
        assert_eq!(delta.apply(&mut text), Some(()));
        assert_eq!(text, new);
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
            let mut text = old.clone();
            Delta::between(&old, &new).apply(&mut text);
            assert_eq!(text, new, "{old}");
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
            let mut text = text.to_owned();
            assert_eq!(delta.apply(&mut text), None, "{text} {delta:?}");
        }
    }
}
