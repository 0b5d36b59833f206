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
