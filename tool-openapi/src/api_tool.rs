//! The tool of an operation: a schema, a plan, and a client.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use toolwright::call::Grant;
use toolwright::json::Value;
use toolwright::schema::SchemaDoc;
use toolwright::toolset::BuildError;
use toolwright::{Context, DynTool, Outcome, Tool, ToolDef, ToolError};

use crate::answer::{Reading, Trim, outcome};
use crate::auth::{Auth, AuthRequest, Requirement, Scheme};
use crate::client::HttpClient;
use crate::request::Plan;
use crate::secrets::{scrubbed, sort};
use crate::tool::Draft;

/// What all tools of an import share.
pub(crate) struct Shared {
    pub(crate) client: Arc<dyn HttpClient>,
    pub(crate) auth: Auth,
    pub(crate) schemes: Vec<(String, Scheme)>,
    pub(crate) timeout: Duration,
    pub(crate) max_bytes: usize,
    pub(crate) trim: Trim,
    /// Presets that look secret.
    pub(crate) secrets: Vec<String>,
}

/// One operation at run time.
struct ApiCall {
    name: String,
    plan: Plan,
    required: Requirement,
    paging: Vec<String>,
    has_credentials: bool,
    may_repeat: bool,
    /// See [`Reading`].
    is_object: Option<bool>,
    shared: Arc<Shared>,
}

/// Makes the tool of a draft. Fails with the reason.
pub(crate) fn build(
    draft: Draft,
    has_credentials: bool,
    shared: &Arc<Shared>,
) -> Result<Arc<dyn Tool>, String> {
    let mut def = ToolDef::new(draft.name.clone(), draft.description);
    def.input = SchemaDoc::parse(&draft.schema).map_err(|error| error.to_string())?;
    let is_object = draft.answer.as_ref().map(|answer| answer.is_object);
    def.output = draft.answer.map(|answer| answer.schema);
    def.options = draft.options;
    def.mark_foreign();
    let call = Arc::new(ApiCall {
        name: draft.name,
        plan: draft.plan,
        required: draft.required,
        paging: draft.paging,
        has_credentials,
        may_repeat: draft.options.annotations.may_repeat(),
        is_object,
        shared: Arc::clone(shared),
    });
    let checked = Arc::clone(&call);
    let run = move |arguments: Box<RawValue>, cx: Context| {
        let call = Arc::clone(&call);
        async move { call.run(arguments.get(), &cx).await }
    };
    // No call is approved that cannot be sent.
    #[allow(clippy::borrowed_box)] // The type that the arguments are decoded as.
    let check = move |arguments: &Box<RawValue>| {
        let arguments = Value::parse(arguments.get()).map_err(|error| vec![error.to_string()])?;
        let request = checked.plan.request(&arguments, &Context::new());
        request
            .map(drop)
            .map_err(|error| error.messages().map(str::to_owned).collect())
    };
    // The API has its own defaults.
    let build = |def: ToolDef| {
        let tool = DynTool::builder().def(def).fill_defaults(false);
        tool.validate(check.clone()).handler(run.clone()).build()
    };
    match build(def.clone()) {
        // Looking for them takes as long as reading the schema, and few documents have any.
        Err(BuildError::HiddenText(_)) => {
            let stripped = def.strip_hidden();
            if let Some(place) = stripped.left.first() {
                return Err(format!(
                    "{place} of its schema holds characters that nobody sees"
                ));
            }
            build(def)
        }
        other => other,
    }
    .map_err(|error| error.to_string())
}

impl ApiCall {
    async fn run(&self, arguments: &str, cx: &Context) -> Result<Outcome, ToolError> {
        let arguments =
            Value::parse(arguments).map_err(|error| ToolError::failed(error.to_string()))?;
        let mut request = self.plan.request(&arguments, cx)?;
        request.timeout = self.shared.timeout;
        request.max_bytes = self.shared.max_bytes;
        let mut secrets = self.shared.secrets.clone();
        if self.has_credentials {
            let grant = cx.get::<Grant>().cloned();
            let call = AuthRequest {
                subject: grant.as_ref().and_then(Grant::subject).map(str::to_owned),
                grant,
                operation: self.name.clone(),
                schemes: self.required.iter().flatten().flatten().cloned().collect(),
            };
            let Shared {
                auth,
                schemes,
                client,
                ..
            } = &*self.shared;
            let added = auth.add(&mut request, &self.required, schemes, call, &**client);
            secrets.extend(added.await?);
        }
        sort(&mut secrets);
        let response = self.shared.client.send(request).await.map_err(|error| {
            let failed = ToolError::failed(scrubbed(error.message, &secrets));
            if error.may_have_arrived && !self.may_repeat {
                failed.with_outcome_unknown()
            } else {
                failed
            }
        })?;
        let reading = Reading {
            trim: self.shared.trim,
            paging: &self.paging,
            secrets: &secrets,
            may_repeat: self.may_repeat,
            is_object: self.is_object,
        };
        outcome(&response, &reading)
    }
}
