//! `toolwright-openapi`: any API as a command line and an MCP server.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use toolwright::serve::Serve;
use toolwright_openapi::{Notice, NoticeKind, OpenApi};

const USAGE: &str = "\
An API as tools, from its OpenAPI document.

toolwright-openapi check API.json            prints what of the document is not a tool, and why
toolwright-openapi list API.json             lists the tools
toolwright-openapi call [OPTIONS] API.json NAME --json '{…}'
                                             calls a tool; asks before one that changes something;
                                             what follows the name is the tool's
toolwright-openapi serve API.json --mcp      serves the tools over MCP, on the standard input and output
toolwright-openapi serve API.json --listen 127.0.0.1:8080
                                             serves them over HTTP, and over MCP at /mcp

  --base-url URL               the URL before all paths
  --bearer-env VARIABLE        the environment variable with a bearer token
  --basic-env VARIABLE         the one with `user:password`
  --api-key-env SCHEME=VARIABLE
                               the one with the key of a security scheme
  --preset NAME=VALUE          sends a value that the model does not see
  --hide NAME                  hides a parameter
  --tag TAG                    keeps the operations of a tag; may be repeated
  --reading                    keeps the operations that only read: GET, HEAD and QUERY
  --prefix PREFIX              before all names
  --document URI=FILE          another document that references lead to
  --lock FILE                  leaves out tools that are not as a lock file says; TOOLS_LOCK=update writes it
  --unattended                 runs calls without asking a person";

/// What the command line says.
#[derive(Default)]
struct Arguments {
    command: String,
    file: String,
    /// Options of this program, in order, with their values.
    options: Vec<(String, String)>,
    /// What the command itself takes.
    rest: Vec<String>,
}

const WITH_VALUE: [&str; 10] = [
    "--base-url",
    "--bearer-env",
    "--basic-env",
    "--api-key-env",
    "--preset",
    "--hide",
    "--tag",
    "--prefix",
    "--document",
    "--lock",
];
/// Options of a server that take a value.
const OF_SERVER: [&str; 4] = ["--listen", "--token-env", "--allow-host", "--allow-origin"];
const FLAGS: [&str; 3] = ["--reading", "--unattended", "--mcp"];

impl Arguments {
    fn read(all: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut read = Self::default();
        let mut all = all.into_iter();
        read.command = all.next().unwrap_or_default();
        while let Some(argument) = all.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name.to_owned(), Some(value.to_owned()))
                }
                _ => (argument.clone(), None),
            };
            if read.command == "call" && !read.file.is_empty() && !argument.starts_with('-') {
                // The name of a tool. What follows is the tool's.
                read.rest.push(argument);
                read.rest.extend(all);
                break;
            }
            if OF_SERVER.contains(&&*name) {
                read.rest.push(argument);
                if value.is_none() {
                    read.rest.extend(all.next());
                }
            } else if WITH_VALUE.contains(&&*name) {
                let value = value
                    .or_else(|| all.next())
                    .ok_or_else(|| format!("`{name}` takes a value"))?;
                read.options.push((name, value));
            } else if FLAGS.contains(&&*argument) {
                read.options.push((argument, String::new()));
            } else if read.file.is_empty() && !argument.starts_with('-') {
                read.file = argument;
            } else {
                read.rest.push(argument);
            }
        }
        Ok(read)
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.options
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| &**value)
    }

    /// Returns true without a document. Beside one, the help is that of the command.
    fn asks_for_help(&self) -> bool {
        let mut words = self.rest.iter().chain([&self.command]);
        self.file.is_empty() && words.any(|word| matches!(&**word, "help" | "--help" | "-h"))
    }

    fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }
}

/// Returns an error in the words of the command line.
fn said(error: impl Display) -> String {
    let words = error.to_string();
    let words = words.replace("`base_url`", "`--base-url`");
    words.replace("`filter`", "`--tag` or `--reading`")
}

fn secret(variable: &str) -> Result<String, String> {
    std::env::var(variable).map_err(|_| format!("the environment variable `{variable}` is not set"))
}

fn pair<'a>(text: &'a str, option: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once('=')
        .ok_or_else(|| format!("`{option}` takes `NAME=VALUE`, not `{text}`"))
}

fn parse<'t>(file: &str, text: &'t str) -> Result<OpenApi<'t>, String> {
    let is_yaml = Path::new(file)
        .extension()
        .is_some_and(|end| end == "yaml" || end == "yml");
    let parsed = if is_yaml {
        OpenApi::parse_yaml(text)
    } else {
        OpenApi::parse(text)
    };
    parsed.map_err(said)
}

fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("`{file}`: {error}"))
}

/// Applies the options to a document.
fn configured<'t>(
    arguments: &Arguments,
    text: &'t str,
    others: &'t [(String, String)],
) -> Result<OpenApi<'t>, String> {
    let mut api = parse(&arguments.file, text)?;
    for (uri, text) in others {
        api = api.document(uri, text).map_err(said)?;
    }
    for url in arguments.all("--base-url") {
        api = api.base_url(url).map_err(said)?;
    }
    for variable in arguments.all("--bearer-env") {
        api = api.bearer(&secret(variable)?);
    }
    for variable in arguments.all("--basic-env") {
        let secret = secret(variable)?;
        let (user, password) = secret
            .split_once(':')
            .ok_or_else(|| format!("`{variable}` is not `user:password`"))?;
        api = api.basic(user, password);
    }
    for text in arguments.all("--api-key-env") {
        let (scheme, variable) = pair(text, "--api-key-env")?;
        api = api.api_key(scheme, secret(variable)?);
    }
    for text in arguments.all("--preset") {
        let (name, value) = pair(text, "--preset")?;
        api = api.preset(name, value.to_owned());
    }
    let hidden: Vec<String> = arguments.all("--hide").map(str::to_owned).collect();
    api = api.hide(move |parameter| hidden.iter().any(|name| name == parameter.name));
    let tags: Vec<String> = arguments.all("--tag").map(str::to_owned).collect();
    if !tags.is_empty() {
        api = api.filter(move |operation| tags.iter().any(|tag| operation.has_tag(tag)));
    }
    if arguments.has("--reading") {
        api = api.filter(|operation| matches!(operation.method(), "GET" | "HEAD" | "QUERY"));
    }
    for file in arguments.all("--lock") {
        api = api.lock(file);
    }
    Ok(match arguments.all("--prefix").last() {
        Some(prefix) => api.prefix(prefix),
        None => api,
    })
}

fn check(notices: &[Notice]) -> ExitCode {
    for notice in notices {
        println!("{notice}");
    }
    let left_out = notices
        .iter()
        .filter(|notice| notice.kind == NoticeKind::LeftOut)
        .count();
    println!(
        "{left_out} operations are left out; {} other notices",
        notices.len() - left_out
    );
    if left_out > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, String> {
    let text = read(&arguments.file)?;
    let mut others = Vec::new();
    for option in arguments.all("--document") {
        let (uri, file) = pair(option, "--document")?;
        others.push((uri.to_owned(), read(file)?));
    }
    let mut api = configured(&arguments, &text, &others)?;
    if arguments.command == "check" {
        if let Some(word) = arguments.rest.first() {
            return Err(format!("`check` does not take `{word}`"));
        }
        return Ok(check(&api.notices()));
    }
    if matches!(&*arguments.command, "list" | "call") {
        api = api.defer_by_tag(usize::MAX);
    }
    let title = api.title().to_owned();
    let tools = api.toolset().map_err(said)?;
    let is_mcp = arguments.command == "serve" && arguments.has("--mcp");
    let name = if is_mcp { "mcp" } else { &*arguments.command };
    let mut command = vec!["toolwright-openapi".to_owned(), name.to_owned()];
    let is_unattended = arguments.has("--unattended");
    command.extend(arguments.rest);
    let serve = Serve::new(tools)
        .version(env!("CARGO_PKG_VERSION"))
        .about(title);
    let serve = if is_unattended {
        serve.unattended()
    } else {
        serve
    };
    Ok(serve.run_with(command))
}

fn main() -> ExitCode {
    let arguments = Arguments::read(std::env::args().skip(1));
    let arguments = match arguments {
        Ok(arguments) if arguments.asks_for_help() => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Ok(arguments)
            if matches!(&*arguments.command, "check" | "list" | "call" | "serve")
                && !arguments.file.is_empty() =>
        {
            arguments
        }
        Ok(_) => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    run(arguments).unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}
