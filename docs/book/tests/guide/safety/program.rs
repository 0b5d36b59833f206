// ANCHOR: program
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Logs in.
#[tool]
fn login(user: &str, #[arg(secret, len(8..))] password: &str) -> Result<String, String> {
    match password {
        "correct horse" => Ok(format!("{user} is logged in")),
        _ => Err("the password is wrong".into()),
    }
}

fn main() {
    let executor = Executor::serial(tools![login]).on_event(|event| {
        if let toolwright::executor::Event::Finished {
            redacted, result, ..
        } = event
        {
            println!("{}", redacted.text());
            println!("  {}", result.content(Encoder::auto()));
        }
        assert!(!format!("{event:?}").contains("hunter2"));
    });
    let calls = [
        ToolCall::new(
            "call_1",
            "login",
            r#"{"user": "ann", "password": "hunter2"}"#,
        ),
        ToolCall::new(
            "call_2",
            "login",
            r#"{"user": "ann", "password": ["hunter2"]}"#,
        ),
        ToolCall::new(
            "call_3",
            "login",
            r#"{"user": "ann", "pasword": "hunter2-hunter2"}"#,
        ),
    ];
    executor.run_blocking(&calls, &Context::new());
}
// ANCHOR_END: program

#[test]
fn it_prints_what_the_page_shows() {
    crate::output::shown("safety.txt", &crate::output::of(main));
}
