use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright_runtime::{StreamEvent, ToolChoice};

use crate::Thread;
use crate::model::{Model, ModelError, ModelErrorKind, News, Request, Responding, Response};

/// A model for tests: it answers as it was told, and keeps what it was asked. Each has a script of
/// its own; clones share it.
///
/// When the last clone goes and steps are left over, it panics, so that a test cannot pass whose
/// agent stopped early; [`finish`](Self::finish) asks for it earlier.
///
/// ```
/// use toolwright_agent::{Agent, Response, Session, testing::ScriptedModel};
/// use toolwright_runtime::{Context, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = ScriptedModel::new([Ok(Response::text("Hello."))]);
/// let agent = Agent::new(model.clone(), &Toolset::default());
/// let mut session = Session::ask("Hi!");
/// let run = agent.run(&mut session, &Context::new()).await.unwrap();
/// assert_eq!(run.text(), Some("Hello."));
/// assert_eq!(model.requests().len(), 1);
/// model.finish();
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedModel(Arc<Script>);

#[derive(Debug)]
struct Script {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    steps: VecDeque<Result<Response, ModelError>>,
    requests: Vec<Recorded>,
}

/// A request, as the model got it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Recorded {
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation.
    pub thread: Thread,
    /// The names of the tools, in order.
    pub tools: Vec<String>,
    /// Whether the model was to call tools.
    pub choice: ToolChoice,
    /// Whether a value was asked for.
    pub has_schema: bool,
}

impl ScriptedModel {
    /// A model that answers like this, in this order.
    pub fn new(steps: impl IntoIterator<Item = Result<Response, ModelError>>) -> Self {
        Self(Arc::new(Script {
            state: Mutex::new(State {
                steps: steps.into_iter().collect(),
                requests: Vec::new(),
            }),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it was asked, in order.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state().requests.clone()
    }

    /// Ends the script.
    ///
    /// # Panics
    /// When steps are left over.
    #[track_caller]
    pub fn finish(&self) {
        let left = std::mem::take(&mut self.state().steps).len();
        assert!(left == 0, "{left} steps of the script were not asked for");
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let left = state.steps.len();
        assert!(
            left == 0 || std::thread::panicking(),
            "{left} steps of the script were not asked for"
        );
    }
}

impl Model for ScriptedModel {
    fn respond<'a>(&'a self, request: Request<'a>, news: News<'a>) -> Responding<'a> {
        let mut state = self.state();
        state.requests.push(Recorded {
            system: request.system.map(str::to_owned),
            thread: request.thread.clone(),
            tools: request
                .tools
                .definitions()
                .map(|def| def.name.to_string())
                .collect(),
            choice: request.choice.clone(),
            has_schema: request.schema.is_some(),
        });
        let step = state.steps.pop_front().unwrap_or_else(|| {
            let message = "the script has no more steps, and the model was asked again";
            Err(ModelError::new(ModelErrorKind::Refused, message))
        });
        Box::pin(async move {
            // A model answers later: whoever relies on an answer at once shall find out.
            tokio::task::yield_now().await;
            if let Ok(response) = &step {
                stream(response, news);
            }
            step
        })
    }
}

/// Tells a response in pieces: words one by one, arguments in halves.
fn stream(response: &Response, news: News<'_>) {
    if !news.is_wanted() {
        return;
    }
    for word in response.text.split_inclusive(' ') {
        news.tell(&StreamEvent::Text(word.to_owned()));
    }
    for (place, call) in response.calls.iter().enumerate() {
        let name = call.name.to_string();
        news.tell(&StreamEvent::Call { place, name });
        let mut half = call.arguments.len() / 2;
        while !call.arguments.is_char_boundary(half) {
            half -= 1;
        }
        let (first, second) = call.arguments.split_at(half);
        for text in [first, second].into_iter().filter(|text| !text.is_empty()) {
            let text = text.to_owned();
            news.tell(&StreamEvent::Arguments { place, text });
        }
    }
}
