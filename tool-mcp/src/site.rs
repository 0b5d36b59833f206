//! Checks of a request's host and origin. Without them a foreign page could call tools: by DNS rebinding, or from a
//! browser on this machine.

use std::net::IpAddr;

use http::{HeaderMap, header};

/// Which hosts and pages a server is reached by.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// Names, with a port or without, in lower case. `localhost` and all addresses are allowed anyway.
    pub hosts: Vec<String>,
    /// Pages, such as `https://app.example.com`, in lower case. Those of the server's own host are allowed anyway.
    pub origins: Vec<String>,
    /// Pages of this machine are allowed, of any port.
    pub local_pages: bool,
}

impl Site {
    /// Returns true if the request names an allowed host. Under DNS rebinding, a browser sends the attacker's host
    /// name, which is neither an address nor one of ours.
    pub fn is_host(&self, headers: &HeaderMap, uri_host: Option<&str>) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let name_sent = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => uri_host,
            (Some(_), Some(_)) => None,
        };
        let Some(name_sent) = name_sent.map(str::to_ascii_lowercase) else {
            return false;
        };
        let name = without_port(&name_sent);
        name == "localhost"
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
            || self
                .hosts
                .iter()
                .any(|host| *host == name_sent || *host == name)
    }

    /// Returns true if each page that the request names is allowed.
    pub fn is_origin(&self, headers: &HeaderMap) -> bool {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            let Ok(origin) = origin.to_str().map(str::to_ascii_lowercase) else {
                return false;
            };
            let Some((_, site)) = origin.split_once("://") else {
                return false;
            };
            host.is_some_and(|host| site.eq_ignore_ascii_case(host))
                || self.origins.contains(&origin)
                || (self.local_pages && is_local(without_port(site)))
        })
    }
}

fn is_local(name: &str) -> bool {
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Strips the port: `localhost` from `localhost:8080`, `[::1]` from `[::1]:8080`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
