//! The words and clauses of texts, as far as English shows them.

/// The parts of a query between its stops, and between words such as `then`.
pub(super) fn clauses(query: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    for sentence in query.split(['.', '?', '!', ';', '\n']) {
        let mut clause = String::new();
        for word in sentence.split_whitespace() {
            let bare = word.trim_matches(',').to_lowercase();
            if JOINTS.contains(&bare.as_str()) {
                clauses.push(std::mem::take(&mut clause));
            } else {
                clause.push_str(word);
                clause.push(' ');
            }
        }
        clauses.push(clause);
    }
    clauses
}

const JOINTS: [&str; 7] = [
    "and",
    "then",
    "also",
    "after",
    "additionally",
    "finally",
    "next",
];

/// English words without information about a tool's purpose.
#[rustfmt::skip]
const FILLERS: [&str; 60] = [
    "a", "an", "the", "of", "to", "in", "on", "at", "for", "from", "by", "with", "and", "or", "is", "are", "was",
    "were", "be", "been", "being", "this", "that", "these", "those", "it", "its", "as", "i", "me", "my", "we", "our",
    "you", "your", "he", "she", "they", "them", "his", "her", "their", "can", "could", "would", "should", "will",
    "what", "which", "who", "when", "where", "how", "do", "does", "did", "have", "has", "had", "if",
];

/// Calls a function with each word of a text, in lower case and without the `s` of a plural.
///
/// A word is a run of letters or of digits. `findPage` has two, and of scripts without spaces each two letters side by side
/// are one.
pub(super) fn each_word(text: &str, each: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut before = Class::Other;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let class = Class::of(letter);
        // `HTTPServer` is `HTTP` and `Server`.
        let ends_capitals = class == Class::Upper
            && before == Class::Upper
            && letters
                .peek()
                .is_some_and(|next| Class::of(*next) == Class::Lower);
        let goes_on = class == before || (before == Class::Upper && class == Class::Lower);
        if !goes_on || ends_capitals {
            finish(&mut word, before, each);
        }
        if class != Class::Other {
            word.extend(letter.to_lowercase());
        }
        before = class;
    }
    finish(&mut word, before, each);
}

/// Calls a function with a word, or with the pairs of its letters.
fn finish(word: &mut String, class: Class, each: &mut dyn FnMut(&str)) {
    if class == Class::Unspaced {
        let ends = word.char_indices().skip(2).map(|(at, _)| at);
        let starts = word.char_indices().map(|(at, _)| at);
        for (start, end) in starts.zip(ends.chain([word.len()])) {
            each(word.get(start..end).unwrap_or_default());
        }
    } else if !word.is_empty() && !FILLERS.contains(&word.as_str()) {
        each(stem(word));
    }
    word.clear();
}

/// The word without its ending, as far as English shows it: `calculates`, `calculating` and `calculation` are one word.
fn stem(word: &mut String) -> &str {
    let ends = |word: &str, ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if word.len() > 3 && word.ends_with("ies") && !ends(word, &["eies", "aies"]) {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.len() > 2
        && word.ends_with('s')
        && !ends(word, &["us", "ss", "aes", "ees", "oes"])
    {
        word.truncate(word.len() - 1);
    }
    if word.len() > 5 && ends(word, &["tion", "sion", "ing"]) {
        word.truncate(word.len() - 3);
    } else if word.len() > 4 && word.ends_with("ed") {
        word.truncate(word.len() - 2);
    } else if word.len() > 4 && word.ends_with('e') {
        word.truncate(word.len() - 1);
    }
    // `planning` is `plan`.
    let mut last = word.bytes().rev();
    if let (Some(one), Some(other)) = (last.next(), last.next())
        && one == other
        && one.is_ascii_lowercase()
        && !b"aeiolsz".contains(&one)
    {
        word.truncate(word.len() - 1);
    }
    word
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A letter of a script without spaces between words.
    Unspaced,
    Other,
}

impl Class {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            // Thai and Lao, Tibetan, Burmese, Khmer; kana, Han and the blocks between.
            '\u{e00}'..='\u{fff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3fffd}' => Self::Unspaced,
            _ if letter.is_uppercase() => Self::Upper,
            _ if letter.is_alphabetic() => Self::Lower,
            _ if letter.is_numeric() => Self::Digit,
            _ => Self::Other,
        }
    }
}
