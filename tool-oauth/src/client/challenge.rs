//! A server's `WWW-Authenticate` (RFC 9110, section 11.6.1; RFC 6750; RFC 9728).

use http::{HeaderMap, header};

/// Most bytes that are read of the headers of one answer.
const MOST_BYTES: usize = 16 * 1024;

/// The parameters of the `Bearer` challenges of an answer.
#[derive(Debug, Default, Clone)]
pub(super) struct Challenge {
    pub(super) resource_metadata: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) error: Option<String>,
}

impl Challenge {
    /// Reads all headers of the name. Challenges of other schemes are skipped; what cannot be read ends its header.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut challenge = Self::default();
        let mut left = MOST_BYTES;
        for value in headers.get_all(header::WWW_AUTHENTICATE) {
            let Some(rest) = left.checked_sub(value.len()) else {
                break;
            };
            left = rest;
            challenge.read(&String::from_utf8_lossy(value.as_bytes()));
        }
        challenge
    }

    fn read(&mut self, text: &str) {
        let mut rest = HeaderRest(text);
        let mut is_bearer = false;
        loop {
            rest.skip(|char| char == ',' || is_space(char));
            let word = rest.token();
            if word.is_empty() {
                return;
            }
            let is_scheme = !rest.is_parameter();
            if is_scheme {
                is_bearer = word.eq_ignore_ascii_case("bearer");
                rest.token68();
                continue;
            }
            let Some(value) = rest.value() else { return };
            if is_bearer {
                self.put(word, value);
            }
        }
    }

    /// The first of a name counts.
    fn put(&mut self, name: &str, value: String) {
        let place = match name.to_ascii_lowercase().as_str() {
            "resource_metadata" => &mut self.resource_metadata,
            "scope" => &mut self.scope,
            "error" => &mut self.error,
            _ => return,
        };
        place.get_or_insert(value);
    }
}

/// The unread rest of a header.
struct HeaderRest<'t>(&'t str);

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t')
}

fn is_token(char: char) -> bool {
    char.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(char)
}

impl<'t> HeaderRest<'t> {
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(is_skipped);
    }

    fn token(&mut self) -> &'t str {
        let end = self.0.find(|char| !is_token(char));
        let (token, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        token
    }

    /// Returns true if the word before is the name of a parameter.
    fn is_parameter(&self) -> bool {
        self.0.trim_start_matches(is_space).starts_with('=')
    }

    /// The value behind a name. `None` if there is none that can be read.
    fn value(&mut self) -> Option<String> {
        self.skip(is_space);
        self.0 = self.0.strip_prefix('=')?;
        self.skip(is_space);
        let Some(quoted) = self.0.strip_prefix('"') else {
            return Some(self.token().to_owned());
        };
        let mut value = String::new();
        let mut chars = quoted.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => value.push(chars.next()?),
                char => value.push(char),
            }
        }
        self.0 = chars.as_str();
        Some(value)
    }

    /// Skips what some schemes have in the place of parameters, such as `Negotiate YII=`.
    fn token68(&mut self) {
        let text = self.0.trim_start_matches(is_space);
        let is_in = |char: char| char.is_ascii_alphanumeric() || "-._~+/".contains(char);
        let rest = text.trim_start_matches(is_in).trim_start_matches('=');
        if matches!(
            rest.trim_start_matches(is_space).chars().next(),
            None | Some(',')
        ) {
            self.0 = rest;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::Challenge;

    fn read(values: &[&str]) -> [Option<String>; 3] {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = HeaderValue::try_from(*value).unwrap();
            headers.append(header::WWW_AUTHENTICATE, value);
        }
        let Challenge {
            resource_metadata,
            scope,
            error,
        } = Challenge::of(&headers);
        [resource_metadata, scope, error]
    }

    #[test]
    fn challenges_are_read_as_they_are_written() {
        let some = |text: &str| Some(text.to_owned());
        let url = "https://a.example/x,y";
        for (values, expected) in [
            (
                &[r#"Bearer resource_metadata="https://a.example/x,y", scope="a b""#][..],
                [some(url), some("a b"), None],
            ),
            (
                &[r#"bearer  SCOPE = a , Error="insufficient_scope""#],
                [None, some("a"), some("insufficient_scope")],
            ),
            (
                &[r#"Basic realm="Bearer scope=no", Bearer scope="say \"a\"""#],
                [None, some("say \"a\""), None],
            ),
            (
                &["Negotiate YII=, Bearer", r#"Bearer error="x""#],
                [None, None, some("x")],
            ),
            (
                &[r#"DPoP scope="no", Bearer scope=yes, Basic scope=no"#],
                [None, some("yes"), None],
            ),
            (&["Bearer,, scope=a, scope=b"], [None, some("a"), None]),
            (&[r#"Bearer scope="without an end"#], [None, None, None]),
            (
                &["", "=", "Bearer =", "\"", "Bearer scope"],
                [None, None, None],
            ),
        ] {
            assert_eq!(read(values), expected, "{values:?}");
        }
        let long = format!(r#"Bearer scope="{}""#, "a".repeat(20_000));
        assert_eq!(read(&[&long]), [None, None, None]);
    }
}
