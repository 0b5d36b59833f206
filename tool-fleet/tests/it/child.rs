//! Machines that tests kill: this program once more, with a role.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};
use toolwright::agent::{Agent, SqliteCheckpointer};
use toolwright::{Context, ToolCall, tool, tools};

use crate::support::{Obedient, fleet, note};

/// Charges a customer, slowly.
#[tool(timeout = "60s")]
pub(crate) async fn charge(notes: String, ms: u64, #[context] cx: &Context) -> String {
    begin_and_end(&notes, ms, cx).await
}

/// Looks something up, slowly.
#[tool(idempotent, timeout = "60s")]
pub(crate) async fn look_up(notes: String, ms: u64, #[context] cx: &Context) -> String {
    begin_and_end(&notes, ms, cx).await
}

async fn begin_and_end(notes: &str, ms: u64, cx: &Context) -> String {
    let key = cx.idempotency_key().unwrap_or_default();
    note(Path::new(notes), &format!("begin {key}"));
    tokio::time::sleep(Duration::from_millis(ms)).await;
    note(Path::new(notes), &format!("end {key}"));
    format!("done by {}", std::process::id())
}

/// A machine of its own, which dies with its test.
pub(crate) struct Machine(Child);

impl Machine {
    /// Starts a machine that serves `charge` and `look_up`.
    pub(crate) fn tools(queue: &str) -> Self {
        Self::start("tools", &[("QUEUE", queue)])
    }

    /// Starts a machine that runs an agent with the far tools of a queue.
    pub(crate) fn agent(name: &str, store: &Path, queue: &str) -> Self {
        let store = store.to_str().unwrap();
        Self::start(
            "agent",
            &[("AGENT", name), ("STORE", store), ("QUEUE", queue)],
        )
    }

    /// Starts a machine that makes one call.
    pub(crate) fn caller(queue: &str, run: &str, arguments: &str) -> Self {
        Self::start(
            "caller",
            &[("QUEUE", queue), ("RUN", run), ("ARGUMENTS", arguments)],
        )
    }

    fn start(role: &str, settings: &[(&str, &str)]) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::machine", "--ignored", "--nocapture"])
            .env("ROLE", role)
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        Self(child.unwrap())
    }

    /// Stops the machine, or lets it go on.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.0.id().unwrap().to_string();
        let done = std::process::Command::new("kill")
            .args([signal, &id])
            .status();
        assert!(done.unwrap().success());
    }

    /// Kills the machine at once.
    pub(crate) async fn kill(mut self) {
        self.0.kill().await.unwrap();
    }
}

/// The agent that `Machine::agent` runs.
pub(crate) async fn agent(store: &Path, queue: &str) -> Agent {
    let far = fleet()
        .await
        .toolset(queue, &tools![charge, look_up])
        .unwrap();
    Agent::new(Obedient, &far).checkpointer(SqliteCheckpointer::open(store).unwrap())
}

fn setting(name: &str) -> String {
    std::env::var(name).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the tests start it in a process of its own"]
async fn machine() {
    let fleet = fleet().await;
    let queue = setting("QUEUE");
    match &*setting("ROLE") {
        "tools" => {
            let worker = fleet.worker().tools(queue, tools![charge, look_up]);
            worker.run(std::future::pending()).await.unwrap();
        }
        "agent" => {
            let agent = agent(&PathBuf::from(setting("STORE")), &queue).await;
            let worker = fleet.worker().agent(setting("AGENT"), agent);
            worker.run(std::future::pending()).await.unwrap();
        }
        _ => {
            let far = fleet.toolset(&queue, &tools![charge, look_up]).unwrap();
            let asked = ToolCall::new("c1", "charge", setting("ARGUMENTS"));
            let cx = Context::new().with_run(setting("RUN"));
            println!("{:?}", crate::support::call(&far, &asked, &cx).await);
        }
    }
}
