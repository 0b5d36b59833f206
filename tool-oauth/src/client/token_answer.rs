//! Answers of token and registration endpoints.

use std::time::Duration;

use http::StatusCode;
use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::{Request, Url};
use serde_json::{Map, Value, json};
use toolwright_http::error::describe;
use toolwright_runtime::tool::BoxFuture;

use crate::web::{AuthHttp, WebError, refusal};

/// The members of a JSON object. Its errors name a member, and hold no value, which may be a secret.
pub(super) struct Members(Map<String, Value>);

impl Members {
    pub(super) fn read(json: &[u8]) -> Result<Self, WebError> {
        let object = serde_json::from_slice(json).map(Self);
        object.map_err(|_| WebError("its answer is not a JSON object".to_owned()))
    }

    /// Returns a member that may be absent, `null` or empty.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, WebError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(WebError(format!("its `{name}` is not a string"))),
        }
    }

    pub(super) fn required(&self, name: &str) -> Result<String, WebError> {
        let missing = || WebError(format!("its answer has no `{name}`"));
        self.text(name)?.ok_or_else(missing)
    }

    /// Returns a number of seconds: a number or the text of one. `None` for 0 and less, which stand for no end.
    pub(super) fn seconds(&self, name: &str) -> Result<Option<u64>, WebError> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_f64(),
        };
        if number.is_some_and(|number| number <= 0.0) {
            return Ok(None);
        }
        let number = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
        let invalid = || WebError(format!("its `{name}` is not a number of seconds"));
        Ok(Some(number.ok_or_else(invalid)?.as_secs()))
    }
}

impl<'c> AsyncHttpClient<'c> for AuthHttp {
    type Error = WebError;
    type Future = BoxFuture<'c, Result<HttpResponse, WebError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        let request = Request::try_from(request);
        Box::pin(async move {
            let request = request.map_err(|error| WebError(describe(error)))?;
            let url = request.url().clone();
            let answer = self.answer(request).await?;
            if self.is_strict && !answer.status().is_redirection() {
                return Ok(answer);
            }
            strict(&url, &answer)
        })
    }
}

/// Rewrites an answer of a token endpoint in the form of RFC 6749, section 5, the only one that the crate `oauth2` reads.
///
/// It accepts what the official SDKs for TypeScript or Python accept: any status of success and any media type;
/// `expires_in` as text, as a fraction and as `null`; no `token_type`; an error with the status 200. An `expires_in` that cannot
/// be read counts as absent: the answer may hold the only valid refresh token.
fn strict(url: &Url, answer: &HttpResponse) -> Result<HttpResponse, WebError> {
    let status = answer.status();
    let said = Members::read(answer.body());
    let error = said.as_ref().ok().and_then(|said| {
        let is_error = !status.is_success() || !said.0.contains_key("access_token");
        said.text("error").ok().flatten().filter(|_| is_error)
    });
    let (status, json) = match error {
        Some(error) => {
            let description = said?.text("error_description").ok().flatten();
            let json = json!({"error": error, "error_description": description});
            (StatusCode::BAD_REQUEST, json)
        }
        None if !status.is_success() => return Err(WebError(refusal(url, answer))),
        None => {
            let said = said?;
            let json = json!({
                "access_token": said.required("access_token")?,
                "token_type": said.text("token_type")?.unwrap_or_else(|| "bearer".to_owned()),
                "expires_in": said.seconds("expires_in").ok().flatten(),
                "refresh_token": said.text("refresh_token")?,
            });
            (StatusCode::OK, json)
        }
    };
    let mut strict = HttpResponse::new(json.to_string().into_bytes());
    *strict.status_mut() = status;
    Ok(strict)
}
