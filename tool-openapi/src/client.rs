//! HTTP behind a trait.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use toolwright::call::BoxFuture;

/// A request, ready to be sent as it is.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The method, in capital letters.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// Names and values of headers. Values hold credentials.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
    /// Time limit of the whole exchange.
    pub timeout: Duration,
    /// Most bytes to read of the response's body.
    pub max_bytes: usize,
}

/// Shows the method and the origin, since the rest may hold secrets: a preset can stand in the path.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.url.match_indices('/').nth(2);
        let origin = path.and_then(|(start, _)| self.url.get(..start));
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("origin", &origin.unwrap_or_default())
            .finish_non_exhaustive()
    }
}

/// A response.
#[derive(Debug, Clone, Default)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Names, in lower case, and values of headers.
    pub headers: Vec<(String, String)>,
    /// The body, decoded, up to the request's limit.
    pub body: Vec<u8>,
    /// True if the body is longer than that.
    pub is_cut: bool,
}

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }
}

/// An exchange that failed without a response. The text must hold no credential.
#[derive(Debug, Clone)]
pub struct HttpError {
    /// The reason, for the model.
    pub message: String,
    /// True if the request may have reached the server.
    pub may_have_arrived: bool,
}

/// Sends requests. A client must send a request as it is: no redirect is followed, and no cookie or credential added.
pub trait HttpClient: Send + Sync {
    /// Sends one request and reads the response.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpError>>;
}

/// The default client, of the crate `reqwest`.
#[derive(Default)]
pub(crate) struct DefaultClient(OnceLock<Result<reqwest::Client, String>>);

impl DefaultClient {
    fn client(&self) -> Result<&reqwest::Client, HttpError> {
        let client = self.0.get_or_init(|| {
            let client = reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(Duration::from_secs(30))
                .user_agent(concat!("toolwright-openapi/", env!("CARGO_PKG_VERSION")));
            client.build().map_err(|error| error.to_string())
        });
        client.as_ref().map_err(|error| HttpError {
            message: error.clone(),
            may_have_arrived: false,
        })
    }
}

impl HttpClient for DefaultClient {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpError>> {
        Box::pin(async move {
            let invalid = |message: &str| HttpError {
                message: message.to_owned(),
                may_have_arrived: false,
            };
            let method = reqwest::Method::from_bytes(request.method.as_bytes());
            let method = method.map_err(|_| invalid("the method cannot be sent"))?;
            let mut sent = self
                .client()?
                .request(method, &request.url)
                .timeout(request.timeout);
            for (name, value) in &request.headers {
                let value = reqwest::header::HeaderValue::from_str(value);
                let mut value = value.map_err(|_| invalid("a header cannot be sent"))?;
                value.set_sensitive(true);
                sent = sent.header(name, value);
            }
            if let Some(body) = request.body {
                sent = sent.body(body);
            }
            let failed = |error: reqwest::Error| HttpError {
                may_have_arrived: !error.is_connect() && !error.is_builder(),
                // The URL may hold a key.
                message: words(&error.without_url()),
            };
            let mut answer = sent.send().await.map_err(failed)?;
            let headers = answer.headers().iter();
            let headers = headers.map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            });
            let mut response = HttpResponse {
                status: answer.status().as_u16(),
                headers: headers.collect(),
                ..HttpResponse::default()
            };
            while let Some(piece) = answer.chunk().await.map_err(failed)? {
                let left = request.max_bytes.saturating_sub(response.body.len());
                response.body.extend(piece.iter().take(left));
                if piece.len() > left {
                    response.is_cut = true;
                    break;
                }
            }
            Ok(response)
        })
    }
}

/// Writes an error with its causes.
fn words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the API did not answer in time".to_owned();
    }
    let mut text = "the API cannot be reached".to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
