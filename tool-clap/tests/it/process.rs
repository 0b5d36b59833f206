//! Calls by a child process.

use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::{Context, Executor, ToolCall};
use toolwright_clap::Process;

use crate::{error, example, shop, shop_tools, text};

#[tokio::test]
async fn an_exit_code_is_an_error_with_what_the_program_said() {
    let tools = shop_tools(Process::new(shop())).tools;
    let failed = error(&tools, "odd_fail", json!({"code": 3})).await;
    assert_eq!(failed.kind().as_str(), "failed");
    assert_eq!(failed.data(), Some(&json!({"exit_code": 3})));
    assert_eq!(
        failed.messages().collect::<Vec<_>>(),
        ["`odd_fail` failed: exit code 3\nno such order"]
    );
    assert_eq!(text(&tools, "odd_quiet", json!({})).await, "done");
    assert_eq!(
        text(&tools, "odd_warn", json!({})).await,
        "on the other stream"
    );

    let nowhere = shop_tools(Process::new("/nowhere/shop")).tools;
    let failed = error(&nowhere, "odd_quiet", json!({})).await;
    let words = failed.messages().next().unwrap();
    let reason = words.strip_prefix("the program cannot be started: ");
    assert!(
        reason.is_some_and(|reason| reason.contains("os error")),
        "{words}"
    );
}

#[tokio::test]
async fn output_is_bounded_and_read_to_its_end() {
    let tools = shop_tools(Process::new(shop()).max_bytes(1001)).tools;
    // More than a pipe holds.
    let seen = text(&tools, "odd_flood", json!({"bytes": 1_000_000})).await;
    assert_eq!(
        seen,
        format!("{}\n[998999 more bytes are left out]", "é".repeat(500))
    );
    assert_eq!(
        text(&tools, "odd_flood", json!({"bytes": 1000})).await,
        "é".repeat(500)
    );
}

#[tokio::test]
async fn the_input_is_closed_and_the_environment_is_the_hosts() {
    let tools = shop_tools(Process::new(shop())).tools;
    assert_eq!(text(&tools, "odd_input", json!({})).await, "read 0 bytes");
    if cfg!(unix) {
        assert_eq!(text(&tools, "odd_environment", json!({})).await, "done");
        let set = Process::new(shop())
            .env("B", "=")
            .env("A", "1")
            .inherit_env(["NO_SUCH_VARIABLE"]);
        assert_eq!(
            text(&shop_tools(set).tools, "odd_environment", json!({})).await,
            "A=1 B=="
        );
    }
    let token = shop_tools(Process::new(shop()).env("SHOP_TOKEN", "s3cret")).tools;
    let seen = text(&token, "remote_remove", json!({"name": "a"})).await;
    assert!(seen.contains(r#"token: Some("s3cret")"#), "{seen}");
}

#[test]
fn the_examples_print_what_the_guide_shows() {
    for (name, expected) in [
        ("orders", include_str!("../../examples/orders.txt")),
        ("agent", include_str!("../../examples/agent.txt")),
    ] {
        let output = std::process::Command::new(example(name)).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

/// An argument that the environment sets is not missing, and its value is in no error.
#[tokio::test]
async fn what_the_environment_sets_counts_as_given() {
    use clap::{Arg, Command, value_parser};
    let command = || {
        let token = Arg::new("token")
            .long("token")
            .env("SHOP_TEST_TOKEN")
            .value_parser(value_parser!(u8));
        Command::new("p")
            .arg(token.required(true))
            .arg(Arg::new("user").long("user").conflicts_with("token"))
    };
    let tools = |process| toolwright_clap::tools_of(command()).process(process).tools;
    let without = error(&tools(Process::new("never")), "p", json!({})).await;
    let missing = "the following required arguments were not provided:\n  --token <token>";
    assert_eq!(without.messages().collect::<Vec<_>>(), [missing]);
    let set = tools(Process::new("/nowhere/p").env("SHOP_TEST_TOKEN", "s3cret"));
    let failed = error(&set, "p", json!({})).await;
    let words = failed.messages().next().unwrap();
    assert!(
        words.starts_with("the program cannot be started"),
        "{words}"
    );
    let failed = error(&set, "p", json!({"user": "me"})).await;
    let messages: Vec<_> = failed.messages().collect();
    assert_eq!(
        messages,
        ["the argument '--token <token>' cannot be used with '--user <user>'"]
    );
}

/// A positional argument and a flag, which no word before `--` stands for.
#[tokio::test]
async fn what_the_environment_sets_may_be_positional_or_a_flag() {
    use clap::{Arg, ArgAction, Command};
    let command = || {
        let agreed = Arg::new("agreed").long("agreed").env("SHOP_TEST_AGREED");
        Command::new("p")
            .arg(agreed.action(ArgAction::SetTrue).required(true))
            .arg(Arg::new("file").required(true))
            .arg(Arg::new("token").required(true).env("SHOP_TEST_TOKEN"))
    };
    let tools = |process| toolwright_clap::tools_of(command()).process(process).tools;
    let process = || Process::new("/nowhere/p").env("SHOP_TEST_TOKEN", "s3cret");
    let lacking = error(&tools(process()), "p", json!({"file": "a"})).await;
    assert_eq!(
        lacking.messages().collect::<Vec<_>>(),
        ["the following required arguments were not provided:\n  --agreed"]
    );
    let set = tools(process().env("SHOP_TEST_AGREED", "true"));
    let failed = error(&set, "p", json!({"file": "a"})).await;
    let words = failed.messages().next().unwrap();
    assert!(
        words.starts_with("the program cannot be started"),
        "{words}"
    );
}

/// Waits until a file is written, and returns a function that says whether it is written on.
async fn beating(file: &std::path::Path) {
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until a file is not written any more.
async fn stopped(file: &std::path::Path) {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let before = std::fs::read(file).unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        if std::fs::read(file).unwrap() == before {
            return;
        }
        assert!(Instant::now() < end, "it still runs");
    }
}

#[tokio::test]
#[cfg(unix)]
async fn a_time_limit_ends_the_process_and_what_it_started() {
    let file = std::env::temp_dir().join(format!("toolwright-clap-limit-{}", std::process::id()));
    let tools = shop_tools(Process::new(shop()).timeout(Duration::from_secs(2))).tools;
    let failed = error(&tools, "odd_hang", json!({"file": file})).await;
    assert_eq!(failed.kind().as_str(), "timeout");
    assert!(failed.is_outcome_unknown());
    let words = "`odd_hang` did not end within 2 s and was stopped; it may have taken effect";
    assert_eq!(failed.messages().collect::<Vec<_>>(), [words]);
    beating(&file).await;
    stopped(&file).await;
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
#[cfg(unix)]
async fn a_cancelled_call_ends_the_process_and_what_it_started() {
    let file = std::env::temp_dir().join(format!("toolwright-clap-cancel-{}", std::process::id()));
    let tools = shop_tools(Process::new(shop())).tools;
    let call = ToolCall::new("1", "odd_hang", json!({"file": file}).to_string());
    let cx = Context::new();
    let running = tools.call(&call, &cx);
    tokio::select! {
        result = running => panic!("{result:?}"),
        () = beating(&file) => {}
    }
    stopped(&file).await;
    std::fs::remove_file(file).unwrap();
}

/// A program may start one that goes on, and holds its pipes.
#[tokio::test]
async fn what_a_program_leaves_running_does_not_hold_its_call() {
    let tools = shop_tools(Process::new(shop())).tools;
    let start = Instant::now();
    assert_eq!(text(&tools, "odd_start", json!({})).await, "started");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn the_executor_asks_before_a_tool_runs_as_before_any_destructive_one() {
    use toolwright::layers::Approval;
    let tools = shop_tools(Process::new("/nowhere/shop")).tools;
    let executor = Executor::serial(&tools).layer(Approval::default());
    let calls = [
        ToolCall::new("1", "odd_quiet", "{}"),
        // Nobody is asked about a call that cannot run.
        ToolCall::new("2", "ship", r#"{"order": 1, "insured": 5}"#),
    ];
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(batch.pending().count(), 1);
}

/// The child has no `PATH`, so the program is searched in that of this process.
#[tokio::test]
#[cfg(unix)]
async fn a_name_is_searched_in_the_path_of_this_process() {
    use clap::{Arg, Command};
    let command = Command::new("echo").arg(Arg::new("word").required(true));
    let process = Process::new("echo").timeout(Duration::MAX);
    let tools = toolwright_clap::tools_of(command).process(process).tools;
    let limit = tools.get("echo").unwrap().def().options.timeout;
    assert_eq!(limit, Some(Duration::MAX));
    assert!(
        text(&tools, "echo", json!({"word": "hi"}))
            .await
            .ends_with("hi")
    );
}
