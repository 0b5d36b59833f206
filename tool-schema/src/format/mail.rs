//! Addresses of mail.

use super::host::{is_label, is_v6};
use super::is_some_of;

/// RFC 5321, section 4.1.2, `Mailbox`, with the lengths of section 4.5.3.1. ASCII alone: more is `idn-email`.
pub(super) fn is_mailbox(text: &str) -> bool {
    // A quoted local part may contain `@`, a domain may not.
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_local = is_quoted(local) || local.split('.').all(|atom| is_some_of(atom, is_atext));
    local.len() <= 64 && domain.len() <= 255 && is_local && is_domain(domain)
}

/// RFC 5322, section 3.2.3: the characters of an atom.
fn is_atext(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// A `Quoted-string`.
fn is_quoted(text: &str) -> bool {
    let inner = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner else {
        return false;
    };
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        let is_printable = |byte: u8| matches!(byte, b' '..=b'~');
        let is_fine = match byte {
            b'\\' => bytes.next().is_some_and(is_printable),
            b'"' => false,
            byte => is_printable(byte),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

fn is_domain(text: &str) -> bool {
    let literal = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match literal {
        Some(literal) => is_address(literal),
        None => text.split('.').all(is_label),
    }
}

/// Returns true if a text may be in an address literal. The only tag is `IPv6:`; no other is registered.
fn is_address(text: &str) -> bool {
    match text.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => {
            is_v6(address) && is_compressed_enough(address)
        }
        _ => is_v4(text),
    }
}

/// `IPv4-address-literal`: unlike elsewhere, a number may have leading zeros.
fn is_v4(text: &str) -> bool {
    let is_number = |number: &str| {
        number.len() <= 3
            && is_some_of(number, |byte| byte.is_ascii_digit())
            && number.parse::<u8>().is_ok()
    };
    text.split('.').count() == 4 && text.split('.').all(is_number)
}

/// Here `::` replaces two groups or more; elsewhere one.
fn is_compressed_enough(address: &str) -> bool {
    let groups = address.split(':').filter(|group| !group.is_empty()).count();
    let groups = groups + usize::from(address.contains('.'));
    !address.contains("::") || groups <= 6
}
