//! Cookies of a load balancer that pins a session to one of several servers.
//!
//! They belong to one session and one origin, are held in memory alone, and are never shown.

use std::sync::{Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderValue, header};
use reqwest::{Response, Url};

/// Cookies of one session. A further one takes the place of the oldest.
const MOST: usize = 8;

/// Bytes of a cookie's name and value.
const MOST_BYTES: usize = 4 * 1024;

/// The cookies of a session.
#[derive(Default)]
pub(super) struct Cookies(Mutex<Vec<Cookie>>);

struct Cookie {
    name: String,
    value: String,
    path: String,
}

impl Cookies {
    fn all(&self) -> MutexGuard<'_, Vec<Cookie>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the cookies of a response.
    pub(super) fn store(&self, response: &Response) {
        for header in response.headers().get_all(header::SET_COOKIE) {
            let Some((cookie, is_over)) = header
                .to_str()
                .ok()
                .and_then(|text| Cookie::read(text, response.url()))
            else {
                continue;
            };
            let mut all = self.all();
            all.retain(|other| other.name != cookie.name || other.path != cookie.path);
            if !is_over {
                all.push(cookie);
                let over = all.len().saturating_sub(MOST);
                all.drain(..over);
            }
        }
    }

    /// Adds the cookies for a URL to a request, behind those of the host.
    pub(super) fn add_to(&self, headers: &mut HeaderMap, url: &Url) {
        let all = self.all();
        let own = all.iter().filter(|cookie| cookie.is_for(url.path()));
        let own = own.map(|cookie| format!("{}={}", cookie.name, cookie.value));
        let host = headers.get(header::COOKIE);
        let host = host
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let cookies: Vec<_> = host.into_iter().chain(own).collect();
        if let Ok(mut value) = HeaderValue::try_from(cookies.join("; "))
            && !value.is_empty()
        {
            value.set_sensitive(true);
            headers.insert(header::COOKIE, value);
        }
    }
}

impl Cookie {
    /// Reads a `Set-Cookie` of a response from this URL, and whether it ends the cookie.
    ///
    /// Source: RFC 6265, sections 5.1.4, 5.2 and 5.3.
    fn read(text: &str, url: &Url) -> Option<(Self, bool)> {
        let mut parts = text.split(';').map(str::trim);
        let (name, value) = parts.next()?.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.len() + value.len() > MOST_BYTES {
            return None;
        }
        let folder = url.path().rsplit_once('/').map(|(folder, _)| folder);
        let mut path = folder.filter(|folder| !folder.is_empty()).unwrap_or("/");
        let mut is_over = false;
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "path" if value.starts_with('/') => path = value,
                "domain" if !is_within(url.host_str()?, value) => return None,
                "secure" if url.scheme() != "https" => return None,
                "max-age" => is_over = value.starts_with('-') || value == "0",
                // The way in which servers delete a cookie. Others end with the session.
                "expires" => is_over |= value.contains("1970"),
                _ => {}
            }
        }
        let cookie = Self {
            name: name.to_owned(),
            value: value.to_owned(),
            path: path.to_owned(),
        };
        Some((cookie, is_over))
    }

    fn is_for(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&*self.path);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('/') || self.path.ends_with('/')
        })
    }
}

fn is_within(host: &str, domain: &str) -> bool {
    let domain = domain.trim_start_matches('.').to_ascii_lowercase();
    let above = host.strip_suffix(domain.as_str());
    above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
}
