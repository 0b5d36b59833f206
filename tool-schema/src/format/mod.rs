//! The formats of JSON Schema 2020-12, by the grammars of the documents that it names.

mod host;
mod mail;
mod pointer;
mod time;
mod uri;

use crate::text::same;

/// A format and its check.
type Format = (&'static str, fn(&str) -> bool);

/// The formats that are checked here.
const CHECKS: [Format; 14] = [
    ("date-time", time::is_date_time),
    ("date", time::is_date),
    ("time", time::is_time),
    ("duration", time::is_duration),
    ("email", mail::is_mailbox),
    ("hostname", host::is_name),
    ("ipv4", host::is_v4),
    ("ipv6", host::is_v6),
    ("uri", uri::is_uri),
    ("uri-reference", uri::is_reference),
    ("uuid", is_uuid),
    ("json-pointer", pointer::is_pointer),
    ("idn-email", may_be_idn_email),
    ("idn-hostname", may_be_idn_hostname),
];

/// Returns true if a string is of a format. Formats that are not known here admit every string, as
/// JSON Schema requires. `regex` is not validated.
pub fn admits(format: &str, text: &str) -> bool {
    let check = CHECKS.iter().find(|(name, _)| *name == format);
    check.is_none_or(|(_, is_of)| is_of(text))
}

/// Returns true if a format is checked here.
pub(crate) const fn is_known(format: &str) -> bool {
    let mut checks: &[Format] = &CHECKS;
    while let [(name, _), rest @ ..] = checks {
        if same(name, format) {
            return true;
        }
        checks = rest;
    }
    false
}

/// Returns true if JSON Schema 2020-12 defines a format (validation, section 7.3).
pub(crate) fn is_of_json_schema(format: &str) -> bool {
    let others = [
        "iri",
        "iri-reference",
        "uri-template",
        "relative-json-pointer",
        "regex",
    ];
    is_known(format) || others.contains(&format)
}

/// Returns true if a string may have one of the two formats whose names and addresses go beyond ASCII. Every other
/// character counts as a letter: the Unicode table of permitted ones is not included. So no valid string is refused,
/// and some invalid ones are admitted.
fn may_be_idn(is_of: fn(&str) -> bool, text: &str) -> bool {
    let stand_in = |char: char| match char {
        ascii if ascii.is_ascii() => Some(ascii),
        // RFC 3490, section 3.1: separators of labels.
        '\u{3002}' | '\u{ff0e}' | '\u{ff61}' => Some('.'),
        other => (!other.is_control() && !other.is_whitespace()).then_some('x'),
    };
    let text: Option<String> = text.chars().map(stand_in).collect();
    text.is_some_and(|text| is_of(&text))
}

/// `idn-email`, as far as [`may_be_idn`] knows.
fn may_be_idn_email(text: &str) -> bool {
    may_be_idn(mail::is_mailbox, text)
}

/// `idn-hostname`, as far as [`may_be_idn`] knows.
fn may_be_idn_hostname(text: &str) -> bool {
    may_be_idn(host::is_name, text)
}

/// RFC 4122, section 3: hexadecimal digits in groups, of either case. Any version and variant.
fn is_uuid(text: &str) -> bool {
    let is_group = |(group, len): (&str, usize)| {
        group.len() == len && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let lengths = [8, 4, 4, 4, 12];
    text.split('-').count() == lengths.len() && text.split('-').zip(lengths).all(is_group)
}

/// Returns true if a text is one or more characters, all of which are allowed.
fn is_some_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests;
