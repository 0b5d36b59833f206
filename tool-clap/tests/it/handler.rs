//! Calls by a handler in this process.

use clap::{Arg, Command};
use serde_json::json;
use toolwright::ToolError;
use toolwright_clap::tools_of;

use crate::{error, text};

fn command() -> Command {
    Command::new("p")
        .about("Prints.")
        .arg(Arg::new("what").required(true))
}

#[tokio::test]
async fn a_tool_error_stays_what_it_is() {
    let tools = tools_of(command())
        .handler(|_matches, _cx| async {
            Err::<String, _>(ToolError::failed("declined").with_data(json!({"code": 7})))
        })
        .tools;
    let failed = error(&tools, "p", json!({"what": "x"})).await;
    assert_eq!(failed.data(), Some(&json!({"code": 7})));

    let tools = tools_of(command())
        .handler_sync(|_matches, _cx| "x".parse::<u8>())
        .tools;
    let failed = error(&tools, "p", json!({"what": "x"})).await;
    assert_eq!(
        failed.messages().collect::<Vec<_>>(),
        ["invalid digit found in string"]
    );
}

#[tokio::test]
async fn any_value_is_returned() {
    let tools = tools_of(command())
        .annotate(|name, options| match name {
            "p" => options.read_only(true).destructive(false),
            _ => options,
        })
        .handler_sync(|matches, _cx| {
            let what = matches
                .get_one::<String>("what")
                .cloned()
                .unwrap_or_default();
            Ok::<_, ToolError>(json!({"printed": what}))
        })
        .tools;
    let hints = tools.get("p").unwrap().def().options.annotations;
    assert_eq!(
        (hints.read_only, hints.destructive),
        (Some(true), Some(false))
    );
    let result = crate::call(&tools, "p", json!({"what": "--"})).await;
    assert_eq!(result.value(), Some(json!({"printed": "--"})));
    assert_eq!(
        text(
            &tools_of(command())
                .handler_sync(|_, _| Ok::<_, ToolError>("x"))
                .tools,
            "p",
            json!({"what": ""})
        )
        .await,
        "x"
    );
}

/// The value is the host's, perhaps a secret, and the model can do nothing about it.
#[tokio::test]
async fn a_wrong_value_of_the_environment_is_not_shown() {
    let port = |values: &[&'static str]| {
        let port = Arg::new("port").long("port").env("CARGO_PKG_NAME");
        match values {
            [] => port.value_parser(clap::value_parser!(u16)),
            values => port.value_parser(values.to_vec()),
        }
    };
    let commands = [
        command().arg(port(&[])),
        command().arg(port(&["a", "b"])),
        command().arg(port(&[]).global(true)),
    ];
    for command in commands {
        let tools = tools_of(command)
            .handler_sync(|_, _| Ok::<_, ToolError>("ran".to_owned()))
            .tools;
        let failed = error(&tools, "p", json!({"what": "x"})).await;
        let messages: Vec<_> = failed.messages().collect();
        assert_eq!(messages, ["the host's environment is not valid"]);
    }
    let inner = Command::new("p").subcommand(command().name("inner").arg(port(&[])));
    let tools = tools_of(inner)
        .handler_sync(|_, _| Ok::<_, ToolError>("ran".to_owned()))
        .tools;
    let failed = error(&tools, "inner", json!({"what": "x"})).await;
    let messages: Vec<_> = failed.messages().collect();
    assert_eq!(messages, ["the host's environment is not valid"]);
    // A value of the call is shown.
    let number = Command::new("p").arg(Arg::new("n").value_parser(["1", "2"]).required(true));
    let tools = tools_of(number.arg(port(&["toolwright-clap"])));
    let tools = tools
        .handler_sync(|_, _| Ok::<_, ToolError>("ran".to_owned()))
        .tools;
    assert_eq!(text(&tools, "p", json!({"n": "1"})).await, "ran");
}

/// Positional arguments follow their indices, not the order in which the program declares them.
#[tokio::test]
async fn positional_arguments_stand_at_their_indices() {
    let command = Command::new("p")
        .arg(Arg::new("second").index(2).required(true))
        .arg(Arg::new("first").index(1).required(true));
    let tools = tools_of(command)
        .handler_sync(|matches, _| {
            let read = |id: &str| matches.get_one::<String>(id).cloned().unwrap_or_default();
            Ok::<_, ToolError>(format!("{} {}", read("first"), read("second")))
        })
        .tools;
    let given = json!({"second": "b", "first": "a"});
    assert_eq!(text(&tools, "p", given).await, "a b");
}
