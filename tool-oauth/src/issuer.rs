//! Identity of issuers.

/// Returns the text by which an issuer is known: without the slash behind an authority that nothing follows.
///
/// Issuers are compared as texts (RFC 8414, section 3.3; RFC 9207, section 2.4). Many servers write their own URL both with
/// and without that slash, since libraries for URLs add it: the MCP SDK for Python does so in metadata, by `http`, too, where
/// a program and its issuer are on one machine. Two texts that differ by it alone name one origin. Nothing else is normalized:
/// case, ports and escapes stay as they are.
pub(crate) fn issuer_key(issuer: &str) -> &str {
    let rest = ["https://", "http://"]
        .into_iter()
        .find_map(|scheme| issuer.strip_prefix(scheme));
    let authority = rest.and_then(|rest| rest.strip_suffix('/'));
    let is_authority = |text: &str| !text.is_empty() && !text.contains(['/', '\\', '?', '#']);
    match issuer.strip_suffix('/') {
        Some(key) if authority.is_some_and(is_authority) => key,
        _ => issuer,
    }
}

/// Returns true if both texts name one issuer.
pub(crate) fn is_same_issuer(one: &str, other: &str) -> bool {
    issuer_key(one) == issuer_key(other)
}

/// Returns true if the `iss` of a redirect names the issuer. By `http`, which is on this machine, the texts have to be equal:
/// MCP's conformance suite tests there that clients normalize nothing (SEP-2468).
pub(crate) fn is_iss_of(issuer: &str, iss: &str) -> bool {
    iss == issuer || iss.starts_with("https://") && is_same_issuer(iss, issuer)
}

#[cfg(test)]
mod tests {
    use super::{is_iss_of, is_same_issuer};

    #[test]
    fn the_iss_of_a_redirect_may_have_the_slash_over_https() {
        let issuer = "https://a.example";
        assert!(is_iss_of(issuer, "https://a.example/"));
        assert!(is_iss_of("https://a.example/", issuer));
        assert!(!is_iss_of(issuer, "https://a.example/x"));
        let local = "http://127.0.0.1:9000";
        assert!(is_iss_of(local, local));
        assert!(!is_iss_of(local, "http://127.0.0.1:9000/"));
    }

    #[test]
    fn only_the_slash_behind_an_authority_makes_no_difference() {
        let issuer = "https://a.example";
        for (one, other, is_same) in [
            (issuer, "https://a.example", true),
            (issuer, "https://a.example/", true),
            ("https://a.example:8443/", "https://a.example:8443", true),
            ("http://127.0.0.1:9000/", "http://127.0.0.1:9000", true),
            (issuer, "https://a.example//", false),
            (issuer, "https://a.example/?", false),
            (issuer, "https://a.example#", false),
            (issuer, "https://A.example", false),
            (issuer, "https://a.example:443", false),
            (issuer, "https://a.example.", false),
            (issuer, "https://a.example.evil.example/", false),
            (issuer, "https://a.example@evil.example/", false),
            (issuer, "http://a.example", false),
            (issuer, "HTTPS://a.example/", false),
            (issuer, " https://a.example", false),
            (issuer, "https://a.example/%2f", false),
            ("https://a.example/t", "https://a.example/t/", false),
            ("https://a.example/t", "https://a.example", false),
            ("https://a.example\\/", "https://a.example\\", false),
            ("https:///", "https://", false),
            ("", "/", false),
        ] {
            assert_eq!(is_same_issuer(one, other), is_same, "{one} {other}");
            assert_eq!(is_same_issuer(other, one), is_same, "{other} {one}");
        }
    }
}
