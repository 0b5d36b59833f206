//! The request for a call, whose arguments stay the text that they are.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, GetExtensions,
    GetMeta, InputResponses, RequestId, RequestMetaObject,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::http::Way;

/// What rides on a call's request, beside what `rmcp` reads.
#[derive(Clone)]
pub(super) struct Riding {
    /// As the client wrote them.
    pub(super) arguments: Arc<str>,
    /// Over HTTP: what the call's client is, and the call where it runs already.
    pub(super) way: Option<Arc<Way>>,
}

/// A request for a call.
pub(super) struct CallRequest<'m> {
    pub(super) id: RequestId,
    /// The id as it was written.
    pub(super) written_id: &'m str,
    params: Params<'m>,
}

/// Of which what is not needed stays text.
#[derive(Serialize, Deserialize)]
struct Params<'m> {
    #[serde(borrow)]
    name: Cow<'m, str>,
    #[serde(borrow, skip_serializing)]
    arguments: Option<&'m RawValue>,
    #[serde(rename = "_meta", borrow, skip_serializing_if = "Option::is_none")]
    meta: Option<&'m RawValue>,
    #[serde(
        rename = "inputResponses",
        borrow,
        skip_serializing_if = "Option::is_none"
    )]
    input_responses: Option<&'m RawValue>,
    #[serde(
        rename = "requestState",
        borrow,
        skip_serializing_if = "Option::is_none"
    )]
    request_state: Option<&'m RawValue>,
}

impl<'m> CallRequest<'m> {
    /// `params` are those of the message, an object.
    pub(super) fn new(
        id: RequestId,
        written_id: &'m str,
        params: &'m str,
    ) -> serde_json::Result<Self> {
        Ok(Self {
            id,
            written_id,
            params: serde_json::from_str(params)?,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.params.name
    }

    /// The text of the arguments; empty where there are none.
    pub(super) fn arguments(&self) -> &'m str {
        self.params.arguments.map_or("", RawValue::get)
    }

    /// The text of `_meta`.
    pub(super) fn meta(&self) -> Option<&'m str> {
        self.params.meta.map(RawValue::get)
    }

    /// Whether nothing was said before that belongs to it.
    pub(super) fn is_first(&self) -> bool {
        self.params.input_responses.is_none() && self.params.request_state.is_none()
    }

    /// Whether `rmcp` will read it.
    fn check(&self) -> serde_json::Result<()> {
        // Which is any object that is not too deep; one that is as short as this is not.
        let is_small = |meta: &str| meta.len() < 256 && meta.starts_with('{');
        if self.meta().is_some_and(|meta| !is_small(meta)) {
            typed::<RequestMetaObject>(self.params.meta)?;
        }
        typed::<InputResponses>(self.params.input_responses)?;
        typed::<String>(self.params.request_state)?;
        Ok(())
    }

    /// The message without the arguments.
    pub(super) fn without_arguments(&self) -> serde_json::Result<String> {
        self.check()?;
        let rest = serde_json::to_string(&self.params)?;
        let parts = [
            r#"{"jsonrpc":"2.0","method":"tools/call","id":"#,
            self.written_id,
            r#","params":"#,
            &rest,
            "}",
        ];
        Ok(parts.concat())
    }

    /// In `rmcp`'s form, with the arguments beside the parameters.
    pub(super) fn into_rmcp(self) -> serde_json::Result<ClientJsonRpcMessage> {
        let riding = Riding {
            arguments: self.arguments().into(),
            way: None,
        };
        let mut params = CallToolRequestParams::new(self.params.name.into_owned());
        params.input_responses = typed(self.params.input_responses)?;
        params.request_state = typed(self.params.request_state)?;
        let mut request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        if let Some(meta) = typed(self.params.meta)? {
            *request.get_meta_mut() = meta;
        }
        request.extensions_mut().insert(riding);
        Ok(ClientJsonRpcMessage::request(request, self.id))
    }
}

fn typed<T: DeserializeOwned>(raw: Option<&RawValue>) -> serde_json::Result<Option<T>> {
    raw.map(|raw| serde_json::from_str(raw.get())).transpose()
}
