//! How connections begin, break and end.

use std::io::{self, Read};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolwright::{Context, Executor, Registry, ToolCall};
use toolwright::{call::ErrorKind, layers::Retry};
use toolwright_mcp::{self as mcp, ClientEvent, ConnectErrorKind};

use super::{call, command, connect, text, told};

#[tokio::test]
async fn a_connection_that_cannot_be_says_why() {
    let error = mcp::connect("/no/such/program --stdio").await.unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Start);
    assert!(
        error
            .to_string()
            .starts_with("`/no/such/program` could not be started"),
        "{error}"
    );

    let (connector, _) = connect("dies at once");
    let error = connector.await.unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Handshake, "{error}");
    assert!(error.to_string().contains("no licence found"), "{error}");

    let (connector, _) = connect("never says hello");
    let error = connector
        .connect_timeout(Duration::from_millis(500))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Timeout, "{error}");

    // Nobody listens there; and a program that reads nothing. In our words, not in the names of others' types.
    for connector in [
        mcp::connect("http://127.0.0.1:1/mcp"),
        mcp::connect(command("reads nothing")),
    ] {
        let error = connector.await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Handshake, "{error}");
        let words = error.to_string();
        assert!(!words.contains("rmcp") && !words.contains("::"), "{words}");
    }

    for server in ["", "http://", "https:// /x"] {
        let error = mcp::connect(server).await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Invalid, "{server}: {error}");
    }
    for server in ["ftp://user:s3cret@example.com/mcp", "WS://x", "file:///srv"] {
        let error = mcp::connect(server).await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Invalid, "{server}: {error}");
        let words = error.to_string();
        assert!(words.contains("`http://` or `https://`"), "{words}");
        assert!(!words.contains("s3cret"), "{words}");
    }
    let error = mcp::connect("https://localhost")
        .header("a\nb", "secret")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Invalid);
    assert!(!error.to_string().contains("secret"));
    let error = mcp::connect("true").bearer("secret").await.unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Invalid);
}

#[tokio::test]
async fn what_a_server_starts_itself_ends_with_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = command("starts another");
    command.env("MCP_LISTENER", listener.local_addr().unwrap().to_string());
    let (connector, _) = told(mcp::connect(command));
    let client = connector.await.unwrap();
    // The other one says when it is there, and stays.
    let (mut other, _) = listener.accept().unwrap();
    other.read_exact(&mut [0]).unwrap();
    other
        .set_read_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    let error = other.read(&mut [0]).unwrap_err();
    let waits = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
    assert!(waits.contains(&error.kind()), "{error}");

    drop(client);
    let ended = tokio::task::spawn_blocking(move || {
        other
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        match other.read(&mut [0]) {
            Ok(bytes) => bytes == 0,
            Err(error) => !waits.contains(&error.kind()),
        }
    });
    assert!(ended.await.unwrap(), "it is still there");
}

#[test]
fn no_secret_of_a_server_is_shown() {
    let mut command = Command::new("server");
    command.arg("--token=s3cret").env("TOKEN", "s3cret");
    let connector = mcp::connect(command).header("x-token", "s3cret");
    let shown = format!("{connector:?}");
    assert!(
        shown.contains("server") && !shown.contains("s3cret"),
        "{shown}"
    );
    let connector = mcp::connect("https://user:s3cret@example.com/?key=s3cret").bearer("s3cret");
    let shown = format!("{connector:?}");
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[tokio::test]
async fn the_older_greeting_can_be_asked_for() {
    // Left without an answer, the newer one would take ten seconds.
    let (connector, _) = connect("silent about the new");
    let begun = Instant::now();
    let client = connector.initialize().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(9));
    assert_eq!(client.protocol(), Some("2025-11-25"));
}

#[tokio::test]
async fn a_call_during_which_the_server_dies_is_told_and_not_sent_twice() {
    let (connector, told) = connect("normal");
    let client = connector.await.unwrap();
    let tools = client.toolset();
    let error = call(&tools, "crash", "{}").await.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(
        error
            .to_string()
            .contains("whether the call took effect is not known"),
        "{error}"
    );
    assert!(error.is_permanent());
    // The next call waits for the new connection.
    assert_eq!(text(&call(&tools, "echo", "{}").await), "{}");
    let lost = told
        .all()
        .into_iter()
        .filter(|event| matches!(event, ClientEvent::Lost(_)));
    assert_eq!(lost.count(), 1);
    assert!(told.all().contains(&ClientEvent::Reconnected));
    let calls = told
        .stderr()
        .into_iter()
        .filter(|line| line == "called crash")
        .count();
    assert_eq!(calls, 1);
}

#[tokio::test]
async fn a_tool_that_may_be_called_again_is_by_who_wants_it() {
    // A server that nobody trusts is not taken at its word.
    for (is_trusted, calls) in [(true, (3, 1)), (false, (1, 1))] {
        let (connector, told) = connect("normal");
        let connector = if is_trusted {
            connector.trust_hints()
        } else {
            connector
        };
        let client = connector.await.unwrap();
        let executor = Executor::serial(client.toolset()).layer(Retry::new(3));
        let asked = [
            ToolCall::new("1", "crash_idempotent", "{}"),
            ToolCall::new("2", "crash", "{}"),
        ];
        let batch = executor.run(&asked, &Context::new()).await;
        assert!(batch.results().all(|result| !result.is_success()));
        let count = |name: &str| {
            told.stderr()
                .into_iter()
                .filter(|line| line == name)
                .count()
        };
        assert_eq!(
            (count("called crash_idempotent"), count("called crash")),
            calls
        );
    }
}

/// Whether a process of this id is there, and no zombie.
#[cfg(target_os = "linux")]
fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_process_outlives_its_connection() {
    // A shell that starts the server, as `npx` does, and says both ids.
    let server = command("does not end");
    let server = server.get_program().to_str().unwrap();
    // What runs in a shell's background has no input unless it is given one.
    let line = format!(
        "exec 3<&0; echo $$ >&2; '{server}' scripted_server --exact --nocapture --quiet <&3 & echo $! >&2; wait"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env("MCP_SCRIPT", "does not end");
    let (connector, told) = told(mcp::connect(shell));
    let client = connector.await.unwrap();
    let tools = client.toolset();
    let pids: Vec<_> = told.stderr().into_iter().take(2).collect();
    assert!(
        pids.len() == 2 && pids.iter().all(|pid| runs(pid)),
        "{pids:?}"
    );
    drop(client);
    // A tool holds the connection.
    assert_eq!(text(&call(&tools, "echo", "{}").await), "{}");
    drop(tools);
    let begun = Instant::now();
    while pids.iter().any(|pid| runs(pid)) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{pids:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_server_started_ends_when_the_server_crashes() {
    let server = command("normal");
    let server = server.get_program().to_str().unwrap();
    let line = format!(
        "sleep 600 & echo $! >&2; exec '{server}' scripted_server --exact --nocapture --quiet"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env("MCP_SCRIPT", "normal");
    let (connector, told) = told(mcp::connect(shell));
    let client = connector.await.unwrap();
    let pid = told.stderr().remove(0);
    assert!(runs(&pid), "{pid}");
    let lost = call(&client.toolset(), "crash", "{}").await;
    assert!(!lost.is_success());
    let begun = Instant::now();
    while runs(&pid) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{pid}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    client.close().await;
}

#[tokio::test]
async fn closing_does_not_wait_for_a_list() {
    let mark = std::env::temp_dir().join(format!("toolwright-mcp-{}", std::process::id()));
    let mut server = command("normal");
    server.env("MCP_MARK", &mark);
    let registry = Registry::new();
    let (connector, told) = told(mcp::connect(server));
    let client = connector.registry(&registry).await.unwrap();
    let lost = call(&client.toolset(), "crash", "{}").await;
    assert!(!lost.is_success());
    // The next process takes its time to list.
    told.wait_for_stderr("listing").await;
    std::fs::remove_file(mark).unwrap();
    let begun = Instant::now();
    client.close().await;
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(registry.snapshot().iter().next().is_none());
}

#[tokio::test]
async fn closing_waits_for_the_end() {
    let (connector, told) = connect("normal");
    let client = connector.await.unwrap();
    let tools = client.toolset();
    client.close().await;
    assert!(
        told.stderr().contains(&"end of input".to_owned()),
        "{:?}",
        told.stderr()
    );
    let error = call(&tools, "echo", "{}").await.outcome.unwrap_err();
    assert!(error.to_string().contains("not sent"), "{error}");
}

/// Not a test: a program whose listener panics, and whoever answers questions, when it is started as one.
#[tokio::test]
async fn panicking_program() {
    if std::env::var_os("MCP_PANICS").is_none() {
        return;
    }
    toolwright::panics::capture();
    let heard = Arc::new(tokio::sync::Notify::new());
    let rings = Arc::clone(&heard);
    let connector = mcp::connect(command("normal"))
        .on_event(move |_| {
            rings.notify_one();
            panic!("the listener's own")
        })
        .on_elicitation(|_| async { panic!("the answer's own") });
    let client = connector.await.unwrap();
    let said = text(&call(&client.toolset(), "ask", "{}").await);
    assert_eq!(said, r#"{"action":"cancel"}"#);
    heard.notified().await;
    client.close().await;
}

#[test]
fn a_panic_of_a_listener_or_of_who_answers_is_told() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["connections::panicking_program", "--exact", "--nocapture"]);
    let output = child.env("MCP_PANICS", "1").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    for said in [
        "a listener of an MCP client panicked: the listener's own\nat ",
        "the handler of an MCP server's questions panicked: the answer's own",
    ] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
}
