use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright_provider::wire::{StreamEvent, ToolChoice};
use toolwright_runtime::tool::BoxFuture;

use crate::model::{DeltaSink, Model, ModelError, ModelRequest, ModelResponse};
use crate::thread::Thread;

/// A model for tests: it returns scripted responses and records its requests. Clones share one script.
///
/// The script must be played exactly to its end, so that a test fails if its agent stopped early or made too many
/// requests:
/// - A request after the last step panics. An error would be a result of the run, which a test might ignore.
/// - Remaining steps panic when the last clone is dropped, and so does an extra request, whose first panic an agent
///   tool may have contained. A clone dropped in another task reports nothing.
/// - [`finish`](Self::finish) checks both earlier.
///
/// ```
/// use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
/// use toolwright::{Context, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = ScriptedModel::new([Ok(ModelResponse::text("Hello."))]);
/// let agent = Agent::new(model.clone(), &Toolset::default());
/// let mut session = Session::ask("Hi!");
/// let run = agent.run(&mut session, &Context::new()).await.unwrap();
/// assert_eq!(run.text(), Some("Hello."));
/// assert_eq!(model.requests().len(), 1);
/// model.finish();
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    script: Arc<Script>,
    name: Option<Arc<str>>,
}

#[derive(Debug)]
struct Script {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    steps: VecDeque<Result<ModelResponse, ModelError>>,
    /// Number of steps in the script.
    all: usize,
    requests: Vec<Recorded>,
}

/// Recorded request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Recorded {
    /// System prompt.
    pub system: Option<String>,
    /// Conversation.
    pub thread: Thread,
    /// Names of the tools, in order. Of deferred ones those that are loaded.
    pub tools: Vec<String>,
    /// Tool choice of the request.
    pub choice: ToolChoice,
    /// True if the request has a schema for its answer.
    pub has_schema: bool,
}

impl ScriptedModel {
    /// Creates a model that returns these responses in order.
    pub fn new(steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> Self {
        let steps: VecDeque<_> = steps.into_iter().collect();
        let script = Script {
            state: Mutex::new(State {
                all: steps.len(),
                steps,
                requests: Vec::new(),
            }),
        };
        Self {
            script: Arc::new(script),
            name: None,
        }
    }

    /// Sets the [name](Model::name).
    pub fn named(self, name: impl Into<Arc<str>>) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = &self.script.state;
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the recorded requests, in order.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state().requests.clone()
    }

    /// Checks that the script was played exactly to its end.
    ///
    /// # Panics
    /// Panics if steps remain, or if there were too many requests.
    #[track_caller]
    pub fn finish(&self) {
        let mut state = self.state();
        let fault = state.fault();
        // Reports the fault only once.
        state.steps.clear();
        state.all = state.requests.len();
        drop(state);
        if let Some(fault) = fault {
            panic!("{fault}");
        }
    }
}

impl State {
    /// Returns the fault if the script ends here.
    fn fault(&self) -> Option<String> {
        let (left, all, asked) = (self.steps.len(), self.all, self.requests.len());
        if asked > all {
            Some(format!(
                "the script has {all} steps, and the model was asked {asked} times"
            ))
        } else {
            let steps = if left == 1 { "step" } else { "steps" };
            (left > 0).then(|| format!("{left} {steps} of the script were not asked for: did an error or an early return end the run?"))
        }
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(fault), false) = (state.fault(), std::thread::panicking()) {
            panic!("{fault}");
        }
    }
}

impl Model for ScriptedModel {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let mut state = self.state();
        state.requests.push(Recorded {
            system: request.system.map(str::to_owned),
            thread: request.thread.clone(),
            tools: request
                .tools
                .requested()
                .map(|def| def.name.to_string())
                .collect(),
            choice: request.choice.clone(),
            has_schema: request.schema.is_some(),
        });
        let Some(step) = state.steps.pop_front() else {
            let fault = state.fault().unwrap_or_default();
            drop(state);
            panic!("{fault}");
        };
        drop(state);
        Box::pin(async move {
            // A real model never responds at once; code that relies on it should fail in tests.
            tokio::task::yield_now().await;
            if let Ok(response) = &step {
                stream(response, deltas);
            }
            step
        })
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// Streams a response: text word by word, arguments in halves.
fn stream(response: &ModelResponse, deltas: DeltaSink<'_>) {
    if !deltas.is_wanted() {
        return;
    }
    for word in response.text.split_inclusive(' ') {
        deltas.send(&StreamEvent::Text(word.to_owned()));
    }
    for (place, call) in response.calls.iter().enumerate() {
        let name = call.name.to_string();
        deltas.send(&StreamEvent::Call { place, name });
        let mut half = call.arguments.len() / 2;
        while !call.arguments.is_char_boundary(half) {
            half -= 1;
        }
        let (first, second) = call.arguments.split_at(half);
        for text in [first, second].into_iter().filter(|text| !text.is_empty()) {
            let text = text.to_owned();
            deltas.send(&StreamEvent::Arguments { place, text });
        }
    }
    for (place, call) in response.hosted.iter().cloned().enumerate() {
        deltas.send(&StreamEvent::Hosted { place, call });
    }
}
