//! Tools from files and from other processes, as the examples make them.
#![cfg(unix)]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../../examples/from_file.rs"]
mod from_file;
#[path = "../../examples/remote.rs"]
mod remote;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright::{Context, Encoder, ToolCall, Toolset, tool, tools};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    fs::create_dir_all(folder.join(name)).unwrap();
    let path = folder.join(name).join("TOOL.json");
    fs::write(&path, text).unwrap();
    path
}

fn call(tools: &Toolset, name: &str, arguments: &Value) -> (bool, String) {
    let call = ToolCall::new("1", name, arguments.to_string());
    let result = tools.call_blocking(&call, &Context::new());
    let text = result.content(Encoder::auto()).into_owned();
    (result.is_success(), text)
}

#[test]
fn a_tool_from_a_file_runs_its_command_with_quoted_arguments() {
    let folder = folder("from_file");
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}, "n": {"type": "integer"}, "gone": {"type": "string"}}});
    let file = json!({"name": "say", "description": "Says it.", "parameters": schema, "command": "printf '%s|' {{text}} {{ n }} {{gone}}x {{nobody}}"});
    let path = put(&folder, "say", &file.to_string());
    let tool = from_file::from_file(&path).unwrap();
    assert_eq!(tool.def().input.to_value(), schema);
    let tools = Toolset::new([tool]).unwrap();
    for text in [
        "a b",
        "it's; rm -rf $HOME `id` \"$(id)\"\\",
        "{{n}}",
        "é\n*",
    ] {
        let said = call(&tools, "say", &json!({"text": text, "n": 7}));
        assert_eq!(said, (true, format!("{text}|7|x|")));
    }
    put(
        &folder,
        "fails",
        r#"{"name": "fails", "description": "Fails.", "command": "echo no >&2; exit 3"}"#,
    );
    put(
        &folder,
        "binary",
        r#"{"name": "binary", "description": "Bytes.", "command": "printf '\\377\\000'"}"#,
    );
    let (tools, skipped) = from_file::load_all(&folder).unwrap();
    assert!(skipped.is_empty(), "{skipped:?}");
    assert_eq!(
        call(&tools, "fails", &json!({})),
        (false, "exit status: 3: no".into())
    );
    assert_eq!(
        call(&tools, "binary", &json!({})).1,
        "[binary, 2 bytes: cannot be shown as text]"
    );
}

/// The tool of a file with this command, whose parameters are texts.
fn commanded(folder: &Path, command: &str) -> Result<Toolset, String> {
    let text = json!({"type": "string"});
    let schema =
        json!({"type": "object", "properties": {"name": text, "path": text, "more": text}});
    let file =
        json!({"name": "run", "description": "Runs.", "parameters": schema, "command": command});
    let tool = from_file::from_file(&put(folder, "run", &file.to_string()));
    let tool = tool.map_err(|error| error.to_string())?;
    Ok(Toolset::new([tool]).unwrap())
}

#[test]
fn what_a_model_says_is_never_run_wherever_its_placeholder_stands() {
    let folder = folder("from_file_injected");
    let ran = folder.join("ran");
    let hostile = [
        format!("$(touch {})", ran.display()),
        format!("`touch {}`", ran.display()),
        format!("\"; touch {}; \"", ran.display()),
        format!("'; touch {}; '", ran.display()),
        format!("x\ntouch {}", ran.display()),
        format!("a & touch {} #", ran.display()),
        "$HOME ${IFS} * ~ \\ {{path}} %s".to_owned(),
    ];
    for command in [
        r#"printf %s "Hello {{name}}""#,
        "printf %s 'Hello {{name}}'",
        r"printf %s Hello\ {{name}}",
        r#"sh -c 'printf "Hello %s" "$1"' sh {{name}}"#,
    ] {
        let tools = commanded(&folder, command).unwrap();
        for name in &hostile {
            let said = call(&tools, "run", &json!({"name": name}));
            assert_eq!(said, (true, format!("Hello {name}")), "{command}");
        }
    }
    assert!(!ran.exists());
}

#[test]
fn a_path_that_a_model_gives_is_no_option() {
    let folder = folder("from_file_options");
    let (file, list) = (folder.join("-file"), folder.join("list"));
    fs::write(&file, "a\nb\n").unwrap();
    fs::write(&list, format!("{}\0", file.display())).unwrap();
    let option = format!("--files0-from={}", list.display());
    for command in [
        "wc -l {{path}}",
        "wc -l \"{{path}}\"",
        "wc -l {{more}}{{path}}",
        "wc {{more}} {{path}}",
        "sh -c 'wc -l \"$1\"' sh {{path}}",
    ] {
        let tools = commanded(&folder, command).unwrap();
        for path in [option.as_str(), "-", "--help"] {
            let (ok, text) = call(&tools, "run", &json!({"path": path}));
            assert!(
                !ok && text.ends_with(": must not begin with `-`"),
                "{command}: {text}"
            );
        }
    }
    // Behind `--` nothing is one, and a word that begins otherwise is none.
    let tools = commanded(&folder, "wc -l -- {{path}}").unwrap();
    let (ok, text) = call(&tools, "run", &json!({"path": option}));
    assert!(!ok && text.contains("No such file"), "{text}");
    let tools = commanded(&folder, "printf %s --name={{name}}").unwrap();
    let said = call(&tools, "run", &json!({"name": "-x"}));
    assert_eq!(said, (true, "--name=-x".into()));
    let (ok, text) = call(&tools, "run", &json!({"name": "a\0b"}));
    assert_eq!(
        (ok, &*text),
        (false, "name: must not hold the character NUL")
    );
}

#[test]
fn a_command_that_would_need_a_shell_for_its_arguments_is_no_tool() {
    let folder = folder("from_file_shells");
    for (command, why) in [
        ("wc -l < {{path}}", "`<` is for a shell"),
        ("echo {{name}} | sort", "`|` is for a shell"),
        ("echo {{name}}; exit 3", "`;` is for a shell"),
        ("echo \"$HOME {{name}}\"", "`$` is for a shell"),
        ("echo `id` {{name}}", "``` is for a shell"),
        ("ls ~/{{path}}/*", "`~` is for a shell"),
        ("echo\n{{name}}", "`\\n` is for a shell"),
        ("echo \"{{name}}", "a quote is not closed"),
        ("{{name}} x", "says which program runs"),
        ("./{{name}} x", "says which program runs"),
        (" {{name}}", "says which program runs"),
        ("sh -c \"echo {{name}}\"", "stands in a script"),
        ("sh -ec 'echo {{name}}' sh", "stands in a script"),
        ("bash -o pipefail -c 'echo {{name}}'", "stands in a script"),
        ("env A=1 /bin/sh -c {{name}}", "stands in a script"),
        ("sh {{path}}", "stands in a script"),
        ("rbash {{path}}", "stands in a script"),
        ("/opt/bin/pwsh.exe {{path}}", "stands in a script"),
        ("nice yash -x {{path}}", "stands in a script"),
        ("busybox sh -c {{name}}", "stands in a script"),
        ("any -c {{name}}", "behind an option for code"),
        ("any -lc {{name}}", "behind an option for code"),
        ("cmd /c {{name}}", "behind an option for code"),
        ("any -Command {{name}}", "behind an option for code"),
        ("find . -exec {{name}}", "behind an option for code"),
        ("any --command={{name}}", "in an option for code"),
        ("any --Command='echo {{name}}'", "in an option for code"),
        ("any -c=\"{{name}}\"", "in an option for code"),
        ("any /c={{name}}", "in an option for code"),
        ("any -- --exec={{name}}", "in an option for code"),
        ("wc -{{flags}} list", "says which option"),
        ("wc --{{flags}}", "says which option"),
        ("grep -i{{flags}} -- {{pattern}}", "says which option"),
    ] {
        let error = commanded(&folder, command).unwrap_err();
        assert!(error.contains(why), "{command}: {error}");
    }
    // Without placeholders nothing comes from a model.
    let tools = commanded(&folder, "printf '%s' a b | tr a x").unwrap();
    assert_eq!(call(&tools, "run", &json!({})), (true, "xb".into()));
}

#[test]
fn what_is_no_tool_is_reported_alone_and_skipped_among_others() {
    let folder = folder("from_files");
    put(
        &folder,
        "a",
        r#"{"name": "a", "description": "A.", "command": "true"}"#,
    );
    let broken = [
        put(&folder, "b", "{"),
        put(&folder, "c", r#"{"name": "c", "description": "C."}"#),
        put(
            &folder,
            "d",
            r#"{"name": "no spaces", "description": "D.", "command": "true"}"#,
        ),
        put(
            &folder,
            "e",
            r#"{"name": "e", "description": "", "command": "true"}"#,
        ),
    ];
    fs::create_dir_all(folder.join("empty")).unwrap();
    for path in &broken {
        assert!(
            !from_file::from_file(path)
                .unwrap_err()
                .to_string()
                .is_empty()
        );
    }
    assert!(from_file::from_file(&folder.join("nothing")).is_err());
    let (tools, skipped) = from_file::load_all(&folder).unwrap();
    let names: Vec<_> = tools.definitions().map(|def| &*def.name).collect();
    assert_eq!((names, skipped.len()), (vec!["a"], broken.len()));
    assert!(
        skipped[1].contains("c/TOOL.json: missing field `command`"),
        "{skipped:?}"
    );
}

/// Divides.
#[tool(read_only)]
fn divide(a: i64, b: i64) -> Result<i64, String> {
    a.checked_div(b).ok_or_else(|| "no number".into())
}

#[test]
fn tools_of_another_host_are_listed_without_code_and_run_by_name() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (host, _) = listener.accept().unwrap();
    let served = std::thread::spawn(move || remote::host(&tools![divide], &host));
    let tools = remote::remote(stream).unwrap();
    let (here, there) = (tools.definitions().next().unwrap(), tools![divide]);
    let there = there.definitions().next().unwrap();
    assert_eq!(here.input.to_value(), there.input.to_value());
    assert_eq!(
        (&here.name, here.options.annotations),
        (&there.name, there.options.annotations)
    );
    assert_eq!(
        call(&tools, "divide", &json!({"a": 7, "b": 2})),
        (true, "3".into())
    );
    assert_eq!(
        call(&tools, "divide", &json!({"a": 7, "b": 0})),
        (false, "no number".into())
    );
    let (ok, text) = call(&tools, "divide", &json!({"a": 7}));
    assert!(!ok && text.starts_with("b: "), "{text}");
    assert_eq!(
        call(&tools, "subtract", &json!({})),
        (false, "unknown tool `subtract`".into())
    );
    drop(tools);
    served.join().unwrap().unwrap();
}
