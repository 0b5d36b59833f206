//! The server of an operation: where requests, and with them credentials, may go.

use std::net::IpAddr;

use toolwright::text::Printable;
use url::{Host, Url};

use crate::document::{At, Documents};
use crate::notice::ImportError;
use crate::operation::Found;

/// Reads a URL that the host gave.
///
/// # Errors
/// Fails unless it is an absolute `http` or `https` URL without a user, a query and a fragment.
pub(crate) fn given(text: &str) -> Result<Url, ImportError> {
    let invalid = |why: &str| ImportError::Setting(format!("`base_url`: {why}"));
    let url =
        Url::parse(text).map_err(|error| invalid(&format!("{error}: give an absolute URL")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(invalid("only `http` and `https` are called"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("credentials do not go into the URL; use `basic`"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid(
            "it has a query or a fragment; use `preset` for what each request sends",
        ));
    }
    Ok(url)
}

/// Returns the base URL that the document itself names.
///
/// # Errors
/// Fails unless that is exactly one absolute `https` server without variables, outside of private networks.
pub(crate) fn documented(documents: &Documents<'_>) -> Result<Url, ImportError> {
    let servers = documents.root().and_then(|root| root.get("servers"));
    let all = servers.as_ref().map_or(&[][..], |all| all.value.items());
    let no = |why: &str| ImportError::NoBaseUrl(why.to_owned());
    let urls = all.iter().filter_map(|server| server.get("url")?.as_str());
    let urls: Vec<_> = urls.collect();
    // Some documents name a server with and without TLS.
    let bare = |url: &&str| url.split_once("://").map(|(_, rest)| rest.to_owned());
    let is_one = urls
        .iter()
        .all(|url| bare(url) == urls.first().and_then(bare));
    let secure = || urls.iter().find(|url| url.starts_with("https:"));
    let text = match &*urls {
        [] => return Err(no("the document names no server")),
        [only] => only,
        _ => secure().filter(|_| is_one).ok_or_else(|| {
            let urls = urls.join(", ");
            let urls = Printable::new(&urls).one_line().at_most(300);
            no(&format!("the document names several servers: {urls}"))
        })?,
    };
    if text.contains(['{', '}']) {
        let text = Printable::new(text).one_line().at_most(300).to_string();
        return Err(no(&format!("the document's server has variables: {text}")));
    }
    let url = Url::parse(text).map_err(|_| no("the document's server is not an absolute URL"))?;
    if url.scheme() != "https" {
        return Err(no("the document's server is not `https`"));
    }
    if is_private(&url) {
        return Err(no("the document's server is in a private network"));
    }
    given(text).map_err(|_| no("the document's server has a user, a query or a fragment"))
}

/// Returns true for an address or a name that leads into a private network or to this machine.
fn is_private(url: &Url) -> bool {
    let is_local = |name: &str| {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let ends = ["localhost", ".local", ".internal", ".lan", ".home.arpa"];
        !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
    };
    match url.host() {
        Some(Host::Domain(name)) => is_local(name),
        Some(Host::Ipv4(address)) => !is_global(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => !is_global(IpAddr::V6(address)),
        None => true,
    }
}

fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_multicast()
                || address.is_broadcast()
                || address.is_documentation()
                || is_shared
                || first == 0
                || first >= 240)
        }
        IpAddr::V6(address) => {
            let [first, ..] = address.segments();
            let is_mapped = address.to_ipv4().is_some();
            // Global unicast addresses are 2000::/3.
            first & 0xe000 == 0x2000 && !is_mapped
        }
    }
}

/// The servers that an import calls.
pub(crate) struct Servers<'s> {
    /// Without one, no server is checked.
    pub(crate) base: Option<&'s Url>,
    /// Origins that the host allows beside that of the base.
    pub(crate) allowed: &'s [Url],
}

impl Servers<'_> {
    /// Returns the base of an operation's requests, without a slash at the end, and whether it has the origin that
    /// credentials are for.
    ///
    /// # Errors
    /// Fails with a place and a reason if the operation has a server of its own that is not allowed.
    pub(crate) fn of(
        &self,
        documents: &Documents<'_>,
        found: &Found<'_, '_>,
    ) -> Result<(String, bool), (String, String)> {
        let Some(base) = self.base else {
            return Ok(("https://api.invalid".to_owned(), true));
        };
        let Some(servers) = found.servers() else {
            return Ok((bare(base), true));
        };
        let place = documents.place(servers.document, &servers.pointer);
        let mut reason = "its server has no URL".to_owned();
        for server in servers.items() {
            match self.one(base, &server) {
                Ok(url) => return Ok((bare(&url), url.origin() == base.origin())),
                Err(why) => reason = why,
            }
        }
        Err((place, reason))
    }

    fn one(&self, base: &Url, server: &At<'_, '_>) -> Result<Url, String> {
        let text = server.text("url").ok_or("its server has no URL")?;
        if text.contains(['{', '}']) {
            let mut given = self.allowed.iter().chain([base]);
            let fitting = given.find(|url| fits(text, &bare(url)));
            return fitting.cloned().ok_or_else(|| {
                format!("its server `{text}` has variables, and `base_url` does not fit it")
            });
        }
        let url = base
            .join(text)
            .map_err(|error| format!("its server `{text}`: {error}"))?;
        let is_known = url.origin() == base.origin();
        if !is_known
            && !self
                .allowed
                .iter()
                .any(|allowed| allowed.origin() == url.origin())
        {
            return Err(format!(
                "its server `{text}` has another origin, which `allow_origin` does not name"
            ));
        }
        given(url.as_str())
            .map_err(|_| format!("its server `{text}` has a user, a query or a fragment"))
    }
}

/// Returns true if the variables of a server have values that make it this URL.
fn fits(template: &str, url: &str) -> bool {
    let mut parts = template.trim_end_matches('/').split('{');
    let start = parts.next().and_then(|start| url.strip_prefix(start));
    let literals: Option<Vec<&str>> = parts
        .map(|part| part.split_once('}').map(|(_, literal)| literal))
        .collect();
    let (Some(mut rest), Some(mut literals)) = (start, literals) else {
        return false;
    };
    let end = literals.pop().unwrap_or_default();
    for literal in literals {
        // A value has a character.
        let found = rest
            .char_indices()
            .skip(1)
            .find_map(|(at, _)| rest.get(at..)?.strip_prefix(literal));
        let Some(found) = found else { return false };
        rest = found;
    }
    rest.strip_suffix(end)
        .is_some_and(|value| !value.is_empty())
}

fn bare(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}
