//! What the command line says.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

pub(crate) struct Args {
    /// Where the model is; none is the scripted one.
    pub(crate) provider: Option<Provider>,
    /// Events as JSON lines.
    pub(crate) json: bool,
    /// The file with the sessions.
    pub(crate) db: Option<PathBuf>,
    /// The id of the session that goes on.
    pub(crate) resume: Option<String>,
    /// What is said first.
    pub(crate) words: Option<String>,
}

/// A model behind HTTP.
pub(crate) struct Provider {
    pub(crate) base_url: String,
    pub(crate) model: String,
    /// The environment variable with the key.
    pub(crate) key_env: Option<String>,
    pub(crate) wire: Wire,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Wire {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Ollama,
}

const WIRES: [(&str, Wire); 5] = [
    ("openai-chat", Wire::OpenAiChat),
    ("openai-responses", Wire::OpenAiResponses),
    ("anthropic", Wire::Anthropic),
    ("gemini", Wire::Gemini),
    ("ollama", Wire::Ollama),
];

const ABOUT: &str = "An agent with tools, which people can pause: they approve, edit or reject what it \
    is about to do, and answer what it asks. Its sessions are kept in an SQLite file, and go on in \
    another process.\n\n\
    Without --base-url a scripted model plays one conversation, without a network.";

const AFTER: &str = "\
What you type when a call waits:
  y                    it runs as it is shown
  n [REASON]           it does not run; the model is told why
  {\"order\": 17, ...}   it runs with these arguments
  = TEXT               it does not run; this is its result
The end of the input leaves the session as it stands.

Models at home:
  --base-url http://localhost:11434 --wire ollama --model qwen3";

fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("agent")
        .about(ABOUT)
        .after_help(AFTER)
        .arg(
            Arg::new("words")
                .value_name("WORDS")
                .help("What you say first; asked for if nothing is said")
                .requires("base-url"),
        )
        .arg(
            text(
                "base-url",
                "URL",
                "The address of a model's provider: https://api.openai.com/v1",
            )
            .requires("model"),
        )
        .arg(text("model", "NAME", "The model's name there").requires("base-url"))
        .arg(
            text(
                "key-env",
                "VARIABLE",
                "The environment variable that holds the key",
            )
            .requires("base-url"),
        )
        .arg(
            text("wire", "WIRE", "What is spoken there")
                .value_parser(WIRES.map(|(name, _)| name))
                .default_value("openai-chat"),
        )
        .arg(
            text(
                "db",
                "FILE",
                "Where sessions are kept [default: agent.db; of the script, nowhere]",
            )
            .value_parser(value_parser!(PathBuf)),
        )
        .arg(text(
            "resume",
            "SESSION",
            "Goes on with a session that is kept there",
        ))
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Tells what happens as JSON, one event a line"),
        )
}

/// What the command line says; a wrong one ends the program.
pub(crate) fn read() -> Args {
    of(&command().get_matches())
}

fn of(given: &ArgMatches) -> Args {
    let text = |name| given.get_one::<String>(name).cloned();
    let wire = text("wire");
    let wire = WIRES
        .iter()
        .find(|(name, _)| Some(*name) == wire.as_deref());
    let provider = text("base-url").zip(text("model"));
    Args {
        provider: provider.map(|(base_url, model)| Provider {
            base_url,
            model,
            key_env: text("key-env"),
            wire: wire.map_or(Wire::OpenAiChat, |(_, wire)| *wire),
        }),
        json: given.get_flag("json"),
        db: given.get_one("db").cloned(),
        resume: text("resume"),
        words: text("words"),
    }
}
