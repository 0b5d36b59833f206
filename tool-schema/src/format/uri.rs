//! RFC 3986, appendix A.

use super::host::is_v6;
use super::is_some_of;

/// `URI`.
pub(super) fn is_uri(text: &str) -> bool {
    let (before, is_end_fine) = without_end(text);
    let Some((scheme, rest)) = before.split_once(':') else {
        return false;
    };
    is_end_fine && is_scheme(scheme) && is_hierarchy(rest)
}

/// `URI-reference`.
pub(super) fn is_reference(text: &str) -> bool {
    if is_uri(text) {
        return true;
    }
    let (before, is_end_fine) = without_end(text);
    // A colon in the first segment would make it a scheme.
    let first = before.split('/').next().unwrap_or_default();
    is_end_fine && !first.contains(':') && is_hierarchy(before)
}

/// Returns the part before query and fragment, and whether these are well formed.
fn without_end(text: &str) -> (&str, bool) {
    let is_part = |part: &str| is_made_of(part, |byte| is_pchar(byte) || b"/?".contains(&byte));
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (before, query) = before.split_once('?').unwrap_or((before, ""));
    (before, is_part(query) && is_part(fragment))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// `hier-part` and `relative-part`, without the rules of the first segment.
fn is_hierarchy(text: &str) -> bool {
    let is_path = |path: &str| is_made_of(path, |byte| is_pchar(byte) || byte == b'/');
    match text.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            is_authority(authority) && is_path(path)
        }
        None => is_path(text),
    }
}

fn is_authority(text: &str) -> bool {
    let (user, host_and_port) = text.split_once('@').unwrap_or(("", text));
    let is_user = is_made_of(user, |byte| is_in_name(byte) || byte == b':');
    // The colons of an address are inside brackets.
    let host_end = host_and_port.rfind(']').map_or(0, |at| at + 1);
    let port = host_and_port
        .get(host_end..)
        .and_then(|rest| rest.find(':'));
    let host_end = port.map_or(host_and_port.len(), |at| host_end + at);
    let (host, port) = host_and_port.split_at(host_end);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    is_user && is_host(host) && is_port(port.strip_prefix(':').unwrap_or(port))
}

fn is_host(text: &str) -> bool {
    let literal = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match literal {
        Some(literal) => is_v6(literal) || is_future_address(literal),
        // An IPv4 address is a name too, by the grammar.
        None => is_made_of(text, is_in_name),
    }
}

/// `IPvFuture`.
fn is_future_address(text: &str) -> bool {
    let Some((version, address)) = text.split_once('.') else {
        return false;
    };
    version
        .strip_prefix(['v', 'V'])
        .is_some_and(|digits| is_some_of(digits, |byte| byte.is_ascii_hexdigit()))
        && is_some_of(address, |byte| byte == b':' || is_in_name(byte))
}

/// `unreserved` and `sub-delims`; percent encodings are [`is_made_of`]'s.
fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

fn is_pchar(byte: u8) -> bool {
    is_in_name(byte) || b":@".contains(&byte)
}

/// Returns true if a text is made of allowed characters and of percent encodings.
fn is_made_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default();
    first.bytes().all(&allowed)
        && parts.all(|part| match part.as_bytes() {
            [high, low, rest @ ..] => {
                high.is_ascii_hexdigit()
                    && low.is_ascii_hexdigit()
                    && rest.iter().all(|byte| allowed(*byte))
            }
            _ => false,
        })
}
