//! Names and addresses of hosts.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::is_some_of;

/// RFC 1123, section 2.1, with RFC 952's grammar and the lengths of the DNS (RFC 1034, section 3.1). The section says
/// that no name has the form of an address, `#.#.#.#`. A dot at the end is a notation of the DNS, not part of a name.
///
/// Names made with Punycode are not decoded: the text behind `xn--` is a label like others.
pub(super) fn is_name(text: &str) -> bool {
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = text.split('.').count() == 4 && text.split('.').all(is_number);
    text.len() <= 253 && !is_address && text.split('.').all(is_label)
}

/// One label of a name: letters and digits, with hyphens between them.
pub(super) fn is_label(text: &str) -> bool {
    text.len() <= 63
        && is_some_of(text, |byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// RFC 2673, section 3.2: four numbers up to 255. A zero before a number means octal to some programs, and is refused.
pub(super) fn is_v4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

/// RFC 4291, section 2.2, which knows no zones.
pub(super) fn is_v6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}
