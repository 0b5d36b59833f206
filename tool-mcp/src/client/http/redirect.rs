//! Requests over redirects of the server.

use http::header::{AUTHORIZATION, LOCATION};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::{Response, Url};

use super::{Http, HttpSession};

/// Redirects that one request follows.
const MOST: usize = 3;

/// A request without what depends on its place: cookies and a token.
pub(super) struct HttpRequest<'r> {
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: &'r str,
    pub(super) session: &'r HttpSession,
}

impl Http {
    /// Sends a request, and follows redirects. Each of the requests has the cookies of its own place.
    pub(super) async fn follow(
        &self,
        request: &HttpRequest<'_>,
        authorization: Option<HeaderValue>,
    ) -> Result<Response, reqwest::Error> {
        let cookies = &request.session.cookies;
        let (mut url, mut left) = (self.url.clone(), MOST);
        loop {
            let mut headers = request.headers.clone();
            cookies.add_to(&mut headers, &url);
            if let Some(authorization) = &authorization {
                headers.insert(AUTHORIZATION, authorization.clone());
            }
            let sent = self.client.request(request.method.clone(), url);
            let sent = sent.headers(headers).body(request.body.to_owned());
            let response = sent.send().await?;
            if self.is_strict {
                return Ok(response);
            }
            cookies.store(&response);
            match self.redirected(&response, authorization.is_some()) {
                Some(next) if left > 0 => (url, left) = (next, left - 1),
                _ => return Ok(response),
            }
        }
    }

    /// Returns where a redirect leads, if the request may follow it: by 307 and 308, which keep method and body, within the
    /// origin. A token, or a header or a password that the host gave, is for the path that the host named, but for a slash
    /// at its end, and for paths that the token's resource covers.
    fn redirected(&self, response: &Response, has_token: bool) -> Option<Url> {
        if !matches!(
            response.status(),
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        ) {
            return None;
        }
        let place = std::str::from_utf8(response.headers().get(LOCATION)?.as_bytes()).ok()?;
        let mut to = response.url().join(place).ok()?;
        if to.origin() != self.url.origin() || has_password(&to) {
            return None;
        }
        let may_leave_path = if has_token {
            self.is_covered(&to)
        } else {
            self.headers.is_empty() && !has_password(&self.url)
        };
        if !may_leave_path && !is_same_path(&self.url, &to) {
            return None;
        }
        to.set_username(self.url.username()).ok()?;
        to.set_password(self.url.password()).ok()?;
        Some(to)
    }

    /// Returns true if the token is for this URL, too.
    #[cfg_attr(not(feature = "oauth"), allow(unused_variables, clippy::unused_self))]
    fn is_covered(&self, url: &Url) -> bool {
        #[cfg(feature = "oauth")]
        return self.authorizer.as_ref().is_some_and(|all| all.covers(url));
        #[cfg(not(feature = "oauth"))]
        false
    }
}

fn has_password(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

fn is_same_path(from: &Url, to: &Url) -> bool {
    let path = |url: &Url| {
        let path = url.path();
        path.strip_suffix('/').unwrap_or(path).to_owned()
    };
    path(from) == path(to)
}
