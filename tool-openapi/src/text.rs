//! Escapes of URLs, and names that a model must not set.

use std::fmt::Write as _;

/// Characters that no URL needs to escape (RFC 3986, section 2.3).
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Escapes all but unreserved characters.
pub(crate) fn escape(text: &str) -> String {
    escape_but(text, |_| false)
}

/// Escapes all but unreserved characters and those that `keep` accepts.
pub(crate) fn escape_but(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) || keep(byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Reads two hexadecimal digits. A sign is not a digit.
pub(crate) fn hex_byte(hex: &str) -> Option<u8> {
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    u8::from_str_radix(hex, 16).ok().filter(|_| is_hex)
}

/// Decodes `%XX`. Other text stays.
pub(crate) fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while let Some(byte) = bytes.get(place) {
        let hex = text.get(place + 1..place + 3);
        let decoded = hex.and_then(hex_byte);
        match decoded.filter(|_| *byte == b'%') {
            Some(decoded) => {
                out.push(decoded);
                place += 3;
            }
            None => {
                out.push(*byte);
                place += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns a name without case and separators, so that all spellings of a name are one. Some letters have a capital of ASCII
/// but are not small letters of ASCII, such as the long `ſ`.
pub(crate) fn folded(name: &str) -> String {
    let chars = name.chars().flat_map(char::to_uppercase);
    let chars = chars.flat_map(char::to_lowercase);
    chars.filter(|char| char.is_alphanumeric()).collect()
}

/// Returns the name that a key of brackets belongs to: `a` of `a[b]`.
fn stem(key: &str) -> &str {
    let stem = key.split('[').next().unwrap_or_default();
    if stem.trim().is_empty() { key } else { stem }
}

/// Returns a name as servers may read it: [`folded`], whole and without its brackets.
pub(crate) fn readings(name: &str) -> [String; 2] {
    let name = unescape(name);
    [folded(&name), folded(stem(&name))]
}

/// Headers that belong to the host, [`folded`].
const NEVER: [&str; 26] = [
    "authorization",
    "cookie",
    "setcookie",
    "cookie2",
    "accept",
    "acceptencoding",
    "acceptcharset",
    "contenttype",
    "contentlength",
    "contentencoding",
    "host",
    "connection",
    "keepalive",
    "transferencoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "useragent",
    "origin",
    "referer",
    "forwarded",
    "via",
    "xrealip",
    "xmethodoverride",
    "xoriginalurl",
];
/// Starts of such headers, [`folded`].
const NEVER_STARTS: [&str; 4] = ["proxy", "xforwarded", "xhttpmethod", "xrewriteurl"];

/// Returns true for a header that a model never sets, in any spelling.
pub(crate) fn is_host_header(name: &str) -> bool {
    let name = folded(name);
    NEVER.contains(&&*name) || NEVER_STARTS.iter().any(|start| name.starts_with(start))
}

/// Returns true for the name of a header (RFC 9110, section 5.6.2).
pub(crate) fn is_token(name: &str) -> bool {
    let is_sign = |byte| b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
}

/// Returns true for a header that a security scheme must not name: it would change where a request goes, or how it is read.
pub(crate) fn is_framing_header(name: &str) -> bool {
    is_host_header(name)
        && !matches!(
            &*folded(name),
            "authorization" | "cookie" | "proxyauthorization"
        )
}

/// Returns true for a query or form parameter that replaces the method of a request.
pub(crate) fn is_method_override(name: &str) -> bool {
    let name = unescape(name);
    let name = name.trim();
    // `method` is an ordinary name. PHP reads `.method` and `[method` as `_method`.
    !name.starts_with(char::is_alphanumeric) && folded(name) == "method"
        || matches!(
            &*folded(name),
            "xhttpmethodoverride" | "xhttpmethod" | "xmethodoverride"
        )
}

/// Names that look like those of secrets, [`folded`]: whole names, and ends of names.
const SECRETS: [&str; 20] = [
    "auth",
    "authentication",
    "authorization",
    "authtoken",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "proxyauthorization",
    "setcookie",
    "token",
    "jwt",
    "sig",
    "secret",
    "password",
    "session",
    "sessionid",
    "sid",
    "apikey",
    "key",
];
const SECRET_PARTS: [&str; 13] = [
    "apikey",
    "accesskey",
    "accesstoken",
    "authtoken",
    "authkey",
    "oauthtoken",
    "clientsecret",
    "secretkey",
    "securitytoken",
    "sessiontoken",
    "signature",
    "amzcredential",
    "subscriptionkey",
];

/// Ends of such names.
const SECRET_ENDS: [&str; 8] = [
    "token",
    "secret",
    "passphrase",
    "password",
    "passwd",
    "pwd",
    "sessid",
    "sessionid",
];
/// What stands before `token` in names of paging.
const PAGING_TOKENS: [&str; 11] = [
    "page",
    "next",
    "continuation",
    "continue",
    "sync",
    "starting",
    "start",
    "paging",
    "pagination",
    "cursor",
    "previous",
];

/// Returns true for a header or query parameter whose name looks like that of a secret.
pub(crate) fn looks_secret(name: &str) -> bool {
    let name = folded(name);
    let name = name.strip_prefix('x').unwrap_or(&name);
    let is_paging = name
        .strip_suffix("token")
        .is_some_and(|start| PAGING_TOKENS.iter().any(|paging| start.ends_with(paging)));
    SECRETS.contains(&name)
        || SECRET_PARTS.iter().any(|part| name.contains(part))
        || !is_paging && SECRET_ENDS.iter().any(|end| name.ends_with(end))
}
