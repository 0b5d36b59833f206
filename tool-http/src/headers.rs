//! Headers of requests.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Media type of JSON.
pub const JSON: &str = "application/json";

/// Media type of server-sent events.
pub const EVENT_STREAM: &str = "text/event-stream";

/// A header that occurs more than once, or is not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderError;

/// Returns the value of a header that occurs once.
pub fn single<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h str>, HeaderError> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| HeaderError),
        (Some(_), Some(_)) => Err(HeaderError),
    }
}

/// Returns the token of `Authorization: Bearer` (RFC 6750, section 2.1).
pub fn bearer(headers: &HeaderMap) -> Result<Option<&str>, HeaderError> {
    let value = single(headers, &header::AUTHORIZATION)?;
    let credentials = value.and_then(|value| value.split_once(' '));
    let bearer = credentials.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    Ok(bearer.map(|(_, token)| token))
}

/// Returns the media type of a body without its parameters, as written. Empty without `Content-Type`.
pub fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    essence(value.unwrap_or_default())
}

/// Explains the status 501 to the client.
pub const TRANSFER_REFUSED: &str = "the only transfer coding is `chunked`";

/// Returns true if the body is in no transfer coding but `chunked` (RFC 9112, section 6.1). No other one is undone here, and a
/// server in front might read the body otherwise.
pub fn has_known_transfer(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::TRANSFER_ENCODING);
    let is_known = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    codings.iter().all(is_known)
}

/// Returns true if `Accept` admits a media type (RFC 9110, section 12.5.1), by a range or by its name.
pub fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let family = media_type.split_once('/').map_or("", |(family, _)| family);
    // The most specific range decides, whatever the order.
    [media_type, &format!("{family}/*"), "*/*"]
        .into_iter()
        .find_map(|range| admits(headers, range))
        .unwrap_or(false)
}

/// Returns true if `Accept` names a media type. Ranges such as `*/*` do not count.
pub fn accepts_by_name(headers: &HeaderMap, media_type: &str) -> bool {
    admits(headers, media_type).unwrap_or(false)
}

/// Returns true if a range occurs with a weight above zero, and false if it occurs only with zero.
fn admits(headers: &HeaderMap, range: &str) -> Option<bool> {
    let all = headers.get_all(header::ACCEPT).iter();
    let ranges = all
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    ranges
        .filter(|found| essence(found).eq_ignore_ascii_case(range))
        .map(|found| !has_no_weight(found))
        .reduce(|before, is_admitted| before || is_admitted)
}

/// Returns true for `q=0`, `Q=0.000` and the like.
fn has_no_weight(range: &str) -> bool {
    range.split(';').skip(1).any(|parameter| {
        parameter
            .split_once('=')
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .and_then(|(_, weight)| weight.trim().parse::<f32>().ok())
            .is_some_and(|weight| weight <= 0.0)
    })
}

fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}
