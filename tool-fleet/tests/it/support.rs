//! What the tests share: connections, workers, a model that does as it is told.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::{Agent, Model, ModelResponse, SqliteCheckpointer, ThreadMessage};
use toolwright::call::{BoxFuture, CallPlace};
use toolwright::{Context, Executor, ToolCall, ToolResult, Toolset};
use toolwright_fleet::{
    Conversation, ConversationState, Fleet, FleetBuilder, FleetError, RunningInfo, Worker,
};

/// The time after which the tests' machines count as dead.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(3);

pub(crate) fn server() -> String {
    std::env::var("TEMPORAL_ADDRESS")
        .expect("`TEMPORAL_ADDRESS` names a server: see tests/outside/fleet.sh")
}

pub(crate) fn builder() -> FleetBuilder {
    Fleet::builder(&server()).heartbeat(HEARTBEAT)
}

pub(crate) async fn fleet() -> Fleet {
    builder().connect().await.unwrap()
}

/// Returns the reason why the last run of a conversation ended.
pub(crate) fn end_of(state: &ConversationState) -> Option<&str> {
    state.end.as_ref().map(|end| &*end.reason)
}

/// Returns a name that no other test and no earlier run has.
pub(crate) fn unique(name: &str) -> String {
    format!("{name}-{}", uuid::Uuid::new_v4())
}

/// Returns the path of a file of this test's own.
pub(crate) fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(unique(name))
}

/// Appends a line to a file.
pub(crate) fn note(path: &Path, line: &str) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    writeln!(file.unwrap(), "{line}").unwrap();
}

/// Counts the lines of a file that begin like this.
pub(crate) fn notes(path: &Path, line: &str) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|one| one.starts_with(line)).count()
}

/// Waits until a file has so many of these lines.
pub(crate) async fn noted(path: &Path, line: &str, count: usize) {
    until(|| notes(path, line) >= count).await;
}

pub(crate) async fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it did not come to that in a minute");
}

/// A worker that runs until it is stopped.
pub(crate) struct Running {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), FleetError>>,
}

pub(crate) fn start(worker: Worker) -> Running {
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(worker.run(async {
        let _ = stopped.await;
    }));
    Running { stop, task }
}

impl Running {
    pub(crate) async fn stop(self) {
        self.ended().await.unwrap();
    }

    pub(crate) async fn ended(self) -> Result<(), FleetError> {
        let _ = self.stop.send(());
        self.task.await.unwrap()
    }
}

/// The context of the first turn of a run.
pub(crate) fn run(id: &str) -> Context {
    Context::new().with_run(unique(id))
}

/// Runs one call as an agent does, and returns its result.
pub(crate) async fn call(tools: &Toolset, call: &ToolCall, cx: &Context) -> ToolResult {
    let executor = Executor::serial(tools);
    let batch = executor.run(std::slice::from_ref(call), cx).await;
    batch.into_results().next().unwrap()
}

pub(crate) fn place(cx: &Context) -> CallPlace {
    cx.call_place().unwrap()
}

/// A model that does as it is told. A message of lines `call NAME ARGUMENTS` makes these calls; of results it says what they are,
/// and of other messages that it heard them.
pub(crate) struct Obedient;

impl Model for Obedient {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let messages = request.thread.messages();
            let response = match messages.last() {
                Some(ThreadMessage::User { text }) if text == "fail" => {
                    return Err(ModelError::new(ModelErrorKind::Refused, "I was told to"));
                }
                Some(ThreadMessage::User { text }) if text.starts_with("call ") => {
                    let calls = (1..).zip(text.lines()).map(|(number, line)| {
                        let mut words = line.splitn(3, ' ').skip(1);
                        let name = words.next().unwrap_or_default();
                        let arguments = words.next().unwrap_or("{}");
                        ToolCall::new(format!("c{number}"), name, arguments)
                    });
                    ModelResponse::calls(calls)
                }
                Some(ThreadMessage::User { text }) => {
                    let shown = if text.len() > 50 { "a long text" } else { text };
                    ModelResponse::text(format!("heard {shown}"))
                }
                _ => {
                    let results = messages.iter().rev().map_while(|message| match message {
                        ThreadMessage::Tool(result) => Some(result.text.clone()),
                        _ => None,
                    });
                    let mut results: Vec<_> = results.collect();
                    results.reverse();
                    ModelResponse::text(results.join(" | "))
                }
            };
            Ok(response)
        })
    }
}

/// Returns an agent with a store of its own.
pub(crate) fn agent(tools: impl Into<toolwright::executor::Source>) -> Agent {
    let store = SqliteCheckpointer::open(file("fleet.db")).unwrap();
    Agent::new(Obedient, tools).checkpointer(store)
}

/// Waits until a conversation's run is like this, and returns what it does.
pub(crate) async fn running(
    talk: &Conversation,
    is_so: impl Fn(&RunningInfo) -> bool,
) -> RunningInfo {
    let mut seen = None;
    for _ in 0..300 {
        seen = talk.running().await.unwrap();
        if let Some(run) = seen.take_if(|run| is_so(run)) {
            return run;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it did not come to that in half a minute: {seen:?}");
}

/// Returns what users said in a stored session.
pub(crate) async fn said(agent: &Agent, talk: &Conversation) -> Vec<String> {
    let session = agent.state(&talk.session_id()).await.unwrap().unwrap();
    let said = session
        .thread()
        .messages()
        .iter()
        .filter_map(|message| match message {
            ThreadMessage::User { text } => Some(text.clone()),
            _ => None,
        });
    said.collect()
}
