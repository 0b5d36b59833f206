//! What the program says of itself: lists, schemas, checks, help, completions.

use serde_json::{Value, json};
use toolwright::tokens::Tokenizer;

use super::Named;
use super::program::{Came, command, run, run_inside, run_with};

pub(crate) const TESTS: &[Named] = named![
    tools_are_listed,
    tools_are_found_by_what_they_do,
    tokens_are_counted,
    the_search_of_deferred_tools_is_called,
    a_program_may_run_inside_of_a_runtime,
    schemas_are_printed,
    providers_are_asked_before,
    help_is_what_the_comments_say,
    colour_is_for_terminals,
    completions_know_tools_and_flags,
    completions_hold_nothing_of_a_schema_that_a_shell_runs,
    a_tool_is_no_command,
    mcp_is_spoken_by_hand,
    #[cfg(debug_assertions)]
    a_wrong_example_ends_the_program,
];

fn tools_are_listed() {
    let came = run(&["list"]);
    let first: Vec<_> = came.out.lines().take(2).collect();
    assert_eq!(
        first,
        [
            "get_forecast  Weather forecast of a city.",
            "order         Places an order.",
        ]
    );
    // Two instances of a tool begin with the same sentence.
    let regions = came.out.lines().filter(|line| line.contains("_stock"));
    assert_eq!(
        regions
            .map(|line| line.split_once("  ").unwrap().1.trim())
            .collect::<Vec<_>>(),
        [
            "Counts what is in stock. It may be out of date. In the north.",
            "Counts what is in stock. It may be out of date. In the south.",
        ]
    );
    assert!(!came.out.contains("hidden"), "{came:?}");
    let tools = run(&["list", "--output", "json"]).json()["tools"].clone();
    assert_eq!(tools[0]["name"], "get_forecast");
    assert_eq!(tools[0]["annotations"], json!({"read_only": true}));
    let login = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "login")
        .unwrap();
    let fields = &login["input_schema"]["properties"];
    assert_eq!(fields["password"]["writeOnly"], true);
    assert_eq!(fields["user"]["writeOnly"], json!(null));
}

fn tools_are_found_by_what_they_do() {
    let came = run(&["search", "weather", "of", "a city"]);
    assert_eq!(
        came.out.lines().next().unwrap(),
        "get_forecast  1.00  Weather forecast of a city. It is made up."
    );
    assert_eq!(came.code, 0);
    let found =
        run(&["--output", "json", "search", "stock", "--most", "1"]).json()["found"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(found[0]["name"], "north_stock");
    assert!(found[0]["score"].is_number());
    // What is hidden is not found, and that nothing is found is not a success.
    let came = run(&["search", "hidden"]);
    assert_eq!((came.code, &*came.out), (1, ""), "{came:?}");
    assert_eq!(came.err, "error: no tool has these words\n");
    // A deferred tool is listed with its group.
    let listed = run(&["list"]);
    assert!(
        listed.out.lines().any(|line| line.ends_with(" [strange]")),
        "{listed:?}"
    );
    let tools = run(&["--output", "json", "list"]).json()["tools"].clone();
    let groups = tools
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["namespace"] == "strange");
    assert_eq!(groups.count(), 1);
}

fn tokens_are_counted() {
    let json = run(&["--output", "json", "list"]).json();
    assert_eq!(json["tokenizer"], "bound");
    let tools = json["tools"].as_array().unwrap();
    let sum: u64 = tools
        .iter()
        .filter(|tool| tool["namespace"].is_null())
        .map(|tool| tool["tokens"].as_u64().unwrap())
        .sum();
    // And `search_tools`, which loads the deferred one.
    let all = json["tokens"].as_u64().unwrap();
    assert!((sum + 80..sum + 300).contains(&all), "{sum} {all}");
    for (arguments, by) in [
        (&["list", "--tokens=bound"][..], "bound"),
        (&["list", "--tokens", "gemini"], "gemini"),
        (
            &["check", "--target", "mcp_2025_11_25", "--tokens=claude"],
            "claude",
        ),
    ] {
        let came = run(arguments);
        let last = came.out.lines().last().unwrap_or_default();
        assert!(
            last.ends_with(&format!(
                " tokens of a request, by {by}; deferred ones only once they are loaded"
            )),
            "{came:?}"
        );
        assert_eq!(last.contains("at most"), by == "bound", "{last}");
        assert_eq!(last.contains("about"), by != "bound", "{last}");
    }
    let listed = run(&["list", "--tokens=gemini"]);
    let (tool, json) = (
        listed
            .out
            .lines()
            .find(|line| line.starts_with("get_forecast ")),
        run(&["--output", "json", "list", "--tokens=gemini"]).json(),
    );
    let tools = json["tools"].as_array().unwrap();
    let forecast = tools.iter().find(|tool| tool["name"] == "get_forecast");
    let tokens = forecast.unwrap()["tokens"].to_string();
    assert!(
        tool.unwrap().contains(&format!(" {tokens}  ")),
        "{tool:?} {tokens}"
    );
    let checked = run(&[
        "--output",
        "json",
        "check",
        "--target",
        "ollama",
        "--tokens=gemini",
    ]);
    assert_eq!(checked.json()[0]["tokens"], json["tokens"]);
    let came = run(&["list", "--tokens=gpt"]);
    assert_eq!(came.code, 2);
    let names: Vec<_> = Tokenizer::ALL.iter().map(|one| one.name()).collect();
    let names = names.join(", ");
    assert_eq!(
        came.err,
        format!("error: no tokenizer is called `gpt`; there are {names}\n")
    );
    // One that a program without the feature lacks.
    let came = run(&["check", "--target", "ollama", "--tokens=o200k"]);
    let is_there = "o200k".parse::<Tokenizer>().is_ok();
    assert_eq!(came.code, if is_there { 0 } else { 2 }, "{came:?}");
    assert_eq!(
        came.err.ends_with("help: switch on the feature `tokens`\n"),
        !is_there,
        "{came:?}"
    );
}

/// As in `#[tokio::main]`, where somebody has connected an MCP server before.
fn a_program_may_run_inside_of_a_runtime() {
    for arguments in [
        &["list"][..],
        &["call", "get_forecast", "--location", "Oslo"],
        &["call", "no_such_tool"],
    ] {
        let (alone, inside) = (run(arguments), run_inside("2", arguments));
        assert_eq!((alone.code, alone.out), (inside.code, inside.out));
        let came = run_inside("1", arguments);
        assert_eq!((came.code, &*came.out), (1, ""), "{came:?}");
        assert_eq!(
            came.err,
            "error: the program runs inside a runtime of one thread, which would wait for itself\nhelp: write \
             `#[tokio::main]` without a flavor, or leave the runtime before\n"
        );
    }
}

fn the_search_of_deferred_tools_is_called() {
    let listed = run(&["list"]);
    let search = listed.out.lines().last().unwrap_or_default();
    assert!(search.starts_with("search_tools "), "{listed:?}");
    let came = run(&["call", "search_tools", "--query", "strange"]);
    assert_eq!(came.code, 0, "{came:?}");
    assert!(
        came.out.starts_with("These tools can be called now:"),
        "{came:?}"
    );
    let came = run(&["call", "search_tools", "--help"]);
    assert_eq!(came.code, 0, "{came:?}");
    let came = run(&["call", "search_tools"]);
    assert_eq!(came.code, 3, "{came:?}");
}

fn schemas_are_printed() {
    let all = run(&["schema"]).json();
    assert_eq!(all["tree"]["required"], json!(["node"]));
    let own = run(&["schema", "get_forecast"]).json();
    assert_eq!(own, all["get_forecast"]);
    // What models are told marks no secrets.
    assert_eq!(
        all["login"]["properties"]["password"]["writeOnly"],
        json!(null)
    );
    let strict = run(&["schema", "get_forecast", "--dialect", "openai_strict"]).json();
    assert_eq!(strict["required"], json!(["location", "unit", "days"]));
    let came = run(&["schema", "get_forcast"]);
    assert_eq!(came.code, 4);
    assert!(
        came.err.contains("did you mean `get_forecast`?"),
        "{came:?}"
    );
    let came = run(&["schema", "--dialect", "openai_strct"]);
    assert_eq!(came.code, 2);
    assert!(
        came.err.contains("did you mean `openai_strict`?"),
        "{came:?}"
    );
    let came = run(&["schema", "strange", "--dialect", "openai_strict"]);
    assert_eq!((came.code, came.out.as_str()), (1, ""), "{came:?}");
    assert!(came.err.contains("strange: /none: "), "{came:?}");
}

fn providers_are_asked_before() {
    let came = run(&["check", "--target", "openai_strict,gemini_json"]);
    assert_eq!(came.code, 1, "{came:?}");
    assert!(
        came.out.contains("strange: /none: false_schema"),
        "{came:?}"
    );
    let came = run(&["check", "--target", "mcp_2025_11_25", "--output", "json"]);
    assert_eq!(came.code, 0, "{came:?}");
    assert_eq!(came.json()[0]["dialect"], "mcp_2025_11_25");
    assert_eq!(came.json()[0]["accepted"], true);
    let all = run(&["check", "--target", "all", "--output", "json"]).json();
    assert_eq!(
        all.as_array().unwrap().len(),
        toolwright::Dialect::ALL.len()
    );
    // What several have in common is said once.
    let came = run(&["check", "--target", "all"]);
    let notes = came.out.lines().filter(|line| line.starts_with("note"));
    let mut notes: Vec<_> = notes.collect();
    assert!(!notes.is_empty(), "{came:?}");
    let all = notes.len();
    notes.sort_unstable();
    notes.dedup();
    assert_eq!(notes.len(), all, "{came:?}");
    assert_eq!(run(&["check"]).code, 2);
    let came = run(&["check", "--target", "openai"]);
    assert_eq!(came.code, 2);
}

fn help_is_what_the_comments_say() {
    let came = run(&["--help"]);
    assert_eq!(came.code, 0);
    for words in [
        "A shop",
        "completions",
        "130  the call was cancelled",
        "--output <FORMAT>",
    ] {
        assert!(came.out.contains(words), "{words}: {came:?}");
    }
    let came = run(&["call", "--help"]);
    assert!(came.out.contains("Weather forecast of a city."), "{came:?}");
    assert!(!came.out.contains("hidden"), "{came:?}");
    let came = run(&["call", "get_forecast", "--help"]);
    for words in [
        "Weather forecast of a city. It is made up.",
        "--location <TEXT>",
        "City name [required]",
        "How many days, counted from today [1 to 10] [default: 3]",
        "[possible values: celsius, fahrenheit]",
    ] {
        assert!(came.out.contains(words), "{words}: {}", came.out);
    }
    let came = run(&["call", "order", "--help"]);
    for words in [
        "--customer.address.country <TEXT>",
        "Two letters",
        "--labels <KEY=VALUE>\n          [may be repeated] [default: {}]",
        "--tags <TEXT>\n          [may be repeated] [default: []]",
        "--lines <JSON>",
        "--delivery.by <TEXT>",
        "- post:   To the door",
        "- pickup: In a shop",
        "--delivery.express[=<BOOLEAN>]\n          [required if delivery.by is post]",
        "--delivery.shop <TEXT>\n          Which one [required if delivery.by is pickup]",
        "--dry-run[=<BOOLEAN>]",
    ] {
        assert!(came.out.contains(words), "{words}: {}", came.out);
    }
    assert!(!came.out.contains("[default: null]"), "{}", came.out);
    // The customer is given whole or in parts, and the parts say which are needed.
    let after = |flag: &str| {
        let (_, rest) = came.out.split_once(&format!("{flag} <")).unwrap();
        rest.split_once("\n      --")
            .map_or(rest, |(help, _)| help)
            .to_owned()
    };
    assert!(!after("--customer").contains("[required]"), "{}", came.out);
    assert!(
        after("--customer.name").contains("[required]"),
        "{}",
        came.out
    );
    // What is said of the flag is not a word on its last choice.
    let came = run(&["call", "pages", "--help"]);
    let last = "- `backwards`: From the last one\n          [default: \"forwards\"]\n";
    assert!(came.out.contains(last), "{}", came.out);
    assert_eq!(run(&["--version"]).out, "shop 1.2.0\n");
}

fn colour_is_for_terminals() {
    let escape = '\u{1b}';
    for arguments in [&["list"][..], &["--help"], &["call", "nope"]] {
        let plain = run(arguments);
        assert!(
            !format!("{}{}", plain.out, plain.err).contains(escape),
            "{plain:?}"
        );
        let forced = command(arguments)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        let said = [forced.stdout, forced.stderr].concat();
        assert!(said.contains(&0x1b), "{arguments:?}");
        let both = command(arguments)
            .env("NO_COLOR", "1")
            .env("CLICOLOR", "0")
            .output()
            .unwrap();
        assert!(
            ![both.stdout, both.stderr].concat().contains(&0x1b),
            "{arguments:?}"
        );
    }
}

fn completions_know_tools_and_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let came = run(&["completions", shell]);
        assert_eq!(came.code, 0, "{came:?}");
        for words in ["get_forecast", "location", "customer.address.country"] {
            assert!(came.out.contains(words), "{shell}: {words}");
        }
        // The shells whose completions know values.
        let knows_values = ["bash", "zsh", "fish"].contains(&shell);
        assert_eq!(came.out.contains("fahrenheit"), knows_values, "{shell}");
    }
    assert_eq!(run(&["completions", "cmd"]).code, 2);
}

/// A shell runs the script when it begins, and words of it at each key.
fn completions_hold_nothing_of_a_schema_that_a_shell_runs() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let came = run(&["completions", shell]);
        assert_eq!(came.code, 0, "{came:?}");
        for active in ["$(", "`", "; ", "\""].map(|before| format!("{before}touch")) {
            assert!(!came.out.contains(&active), "{shell}: {active}");
        }
        // Other apostrophes end a text of PowerShell's, too.
        assert!(!came.out.contains('\u{2018}'), "{shell}");
        // Words of one value.
        let knows_values = ["bash", "zsh", "fish"].contains(&shell);
        assert_eq!(came.out.contains("plain"), knows_values, "{shell}");
        assert!(!came.out.contains("New York"), "{shell}");
    }
}

fn a_tool_is_no_command() {
    let tip = "a tool is called with `call get_forecast`";
    for (name, is_told) in [
        ("get_forecast", true),
        ("hidden", false),
        ("nothing", false),
    ] {
        let came = run(&[name, "--location", "Oslo"]);
        assert_eq!(came.code, 2, "{came:?}");
        assert_eq!(came.err.contains(tip), is_told, "{came:?}");
    }
    // A command's own near name stays.
    assert!(run(&["lst"]).err.contains("'list'"));
}

fn mcp_is_spoken_by_hand() {
    // As the guide does.
    let lines = include_str!("../../../docs/book/tests/guide/mcp_server/lines.json");
    let lines: Vec<_> = lines.split_inclusive('\n').take(3).collect();
    let came = run_with(&["mcp"], lines.concat().as_bytes());
    let answers: Vec<Value> = came
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answers[1]["result"]["tools"][0]["name"], "get_forecast");
    assert_eq!(answers.len(), 2, "{came:?}");
}

#[cfg(debug_assertions)]
fn a_wrong_example_ends_the_program() {
    let mut list = command(&["list"]);
    list.env("TOOLWRIGHT_ATTENDED", "with a wrong example");
    let came = Came::of(list.output().unwrap());
    let words = "error: tools refuse their examples:
error: wait: refused_example: the example {\"seconds\":300} is refused: seconds: expected an integer from 0 to 255, got 300
  help: change the example: a model does as it is shown\n";
    assert_eq!((came.code, &*came.out, &*came.err), (1, "", words));
}
