use super::make::Maker;
use super::pattern::{is_open, matching};
use super::rules::{CountRange, Rule};

/// Characters of strings: letters, what JSON must escape, and what it may. Some take more than one byte,
/// more than one UTF-16 unit, or more than one character for one letter.
const CHARS: [char; 24] = [
    'a', 'b', 'c', 'x', 'Z', '0', '7', ' ', '-', '_', '/', '\\', '"', '\n', '\t', '\0', '\u{1f}',
    'é', 'ß', '漢', '😀', '\u{301}', '\u{2028}', '\u{ffff}',
];

/// Keys that a map may have; the last ones mean something to somebody.
const KEYS: [&str; 15] = [
    "a",
    "b",
    "key",
    "x",
    "id",
    "A",
    "é",
    "",
    "a b",
    "0",
    "😀",
    "__proto__",
    "$ref",
    "$serde_json::private::Number",
    "$serde_json::private::RawValue",
];

/// Varied texts of the formats that JSON Schema names.
const FORMATS: [(&str, &[&str]); 14] = [
    (
        "date-time",
        &[
            "2026-12-31T23:59:59Z",
            "1999-02-28T00:00:00+01:00",
            "2024-02-29T12:30:15.123456789-11:30",
            "0001-01-01T00:00:00Z",
            "1998-12-31T23:59:60Z",
            "2026-12-31t23:59:59z",
        ],
    ),
    (
        "date",
        &["2026-12-31", "2024-02-29", "0001-01-01", "9999-12-31"],
    ),
    ("time", &["23:59:59Z", "00:00:00+01:00", "12:30:15.5-11:30"]),
    ("duration", &["P1D", "PT1H30M", "P1Y2M3DT4H5M6S", "P4W"]),
    (
        "email",
        &[
            "a@b.de",
            "first.last@example.org",
            "x+tag@sub.example.com",
            "\"a b\"@example.org",
            "a@[127.0.0.1]",
        ],
    ),
    ("hostname", &["example.org", "localhost", "a-b.example"]),
    (
        "ipv4",
        &["127.0.0.1", "0.0.0.0", "255.255.255.255", "10.1.2.3"],
    ),
    (
        "ipv6",
        &[
            "::1",
            "::",
            "2001:db8::ff00:42:8329",
            "FE80:0:0:0:0:0:0:1",
            "::ffff:192.0.2.128",
        ],
    ),
    (
        "uri",
        &[
            "https://example.org/a?b=c#d",
            "mailto:a@b.de",
            "ftp://user@host.example:21/x%20y",
            "urn:isbn:0451450523",
            "file:///etc/hosts",
            "tel:+1-816-555-1212",
            "https://[2001:db8::1]:8080/?q=%C3%A9",
            "http://example.org:99999/",
        ],
    ),
    ("uri-reference", &["/a/b?c", "https://example.org", "#x"]),
    (
        "uuid",
        &[
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "00000000-0000-0000-0000-000000000000",
            "F9168C5E-CEB2-4FAA-B6BF-329BF39FA1E4",
        ],
    ),
    ("regex", &["^a+$", "[0-9]{2}"]),
    ("json-pointer", &["", "/a/0", "/a~1b"]),
    ("uri-template", &["https://example.org/{id}"]),
];

impl Maker<'_> {
    /// A string that a rule admits, whatever it says of types.
    pub(super) fn string(&mut self, rule: &Rule) -> Option<String> {
        for _ in 0..40 {
            let text = match (&rule.pattern, &rule.format) {
                (Some(pattern), _) => {
                    let mut text = String::new();
                    let (before, after) = is_open(pattern);
                    if before && self.rng.percent(30) {
                        text.push_str(&self.characters(CountRange::default()));
                    }
                    matching(pattern, self.rng, &mut text)?;
                    if after && self.rng.percent(30) {
                        text.push_str(&self.characters(CountRange::default()));
                    }
                    text
                }
                (None, Some(format)) => match FORMATS.iter().find(|(name, _)| name == format) {
                    Some((_, texts)) => self.rng.pick(texts).copied()?.to_owned(),
                    // A format that nobody knows is none that anybody checks.
                    None => self.characters(rule.length),
                },
                (None, None) => self.characters(rule.length),
            };
            if rule.length.admits(text.chars().count()) {
                return Some(text);
            }
        }
        None
    }

    /// So many characters of any kind.
    pub(super) fn characters(&mut self, length: CountRange) -> String {
        let most = length.max.unwrap_or(usize::MAX);
        let count = match self.rng.below(10) {
            0 => length.min,
            1 => most.min(length.min.saturating_add(40)),
            _ => self
                .rng
                .between(length.min, most.min(length.min.saturating_add(8))),
        };
        // Most text is plain.
        let variety = if self.rng.percent(60) { 7 } else { CHARS.len() };
        let chars = CHARS.get(..variety).unwrap_or_default();
        (0..count)
            .filter_map(|_| self.rng.pick(chars).copied())
            .collect()
    }

    /// A key of a map whose names follow a rule, if there is one.
    pub(super) fn key(&mut self, names: Option<&Rule>) -> Option<String> {
        match names {
            Some(rule) => match &rule.allowed {
                Some(allowed) => match self.rng.pick(allowed)? {
                    super::value::Value::String(text) => Some(text.clone()),
                    _ => None,
                },
                None => self.string(rule),
            },
            None if self.rng.percent(20) => Some(self.characters(CountRange::default())),
            None => Some(self.strange_key()),
        }
    }

    /// A key that some map or some reader may stumble over.
    pub(super) fn strange_key(&mut self) -> String {
        self.rng.pick(&KEYS).copied().unwrap_or("a").to_owned()
    }

    /// Returns the text with one character changed, dropped or doubled, or in another case.
    pub(super) fn misspelled(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        let at = self.rng.below(chars.len());
        match self.rng.below(6) {
            0 => return text.to_uppercase(),
            1 => return text.to_lowercase(),
            2 if at < chars.len() => {
                chars.remove(at);
            }
            3 => chars.insert(at, 'x'),
            4 => chars.push(' '),
            _ => {
                let char = self.rng.pick(&CHARS).copied().unwrap_or('x');
                match chars.get_mut(at) {
                    Some(place) => *place = char,
                    None => chars.push(char),
                }
            }
        }
        chars.into_iter().collect()
    }
}
