//! An agent that people can pause, as a program.
//!
//! `cargo run --example agent` plays a conversation with a scripted model, without a network: tools
//! are called, a person edits a payment before it is made, a tool asks a question while another one works
//! in the background, and the process ends. A second one gives the answer and goes on from the SQLite file
//! in which the session is kept, with what worked in the background too.
//!
//! `cargo run --example agent -- --base-url https://api.openai.com/v1 --model gpt-5 --key-env
//! OPENAI_API_KEY "My order 17 came broken."` talks to a model, and you are the person. End it whenever
//! you like: `--resume` goes on. `--help` tells the rest.

mod args;
mod person;
mod script;
mod shop;
mod show;

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use toolwright::agent::store::Checkpointer;
use toolwright::agent::{
    Agent, AgentError, Endpoint, Model, RunEnd, Session, SqliteCheckpointer, Status,
};
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Executor, tools};

use crate::args::{Args, Provider, Wire};
use crate::person::Person;
use crate::script::Scratch;
use crate::show::Show;

type Done<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = args::read();
    let show = Show::new(args.json);
    let done = match &args.provider {
        Some(provider) => talk(&args, provider, &show).await,
        None => play(&args, &show).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The agent: a model, tools, and what stands around each call.
fn agent(model: impl Model + 'static, store: impl Checkpointer + 'static, show: &Show) -> Agent {
    let tools = tools![
        shop::find_order,
        shop::refund,
        shop::ask_address,
        shop::ask_supplier,
        shop::resend
    ];
    // Tools that are marked with this risk wait for a person.
    let executor = Executor::parallel(tools, 4).layer(Approval::at_least(Risk::High));
    Agent::with_executor(model, executor)
        .system(shop::SYSTEM)
        .checkpointer(store)
        .listener(show.clone())
}

/// Runs the session, and asks the person whenever it pauses. `false` if nobody answered: the session
/// is kept as it stands, and another process can go on with it.
async fn converse(
    agent: &Agent,
    session: &mut Session,
    person: &Person,
    show: &Show,
) -> Done<bool> {
    let cx = Context::new();
    // A call whose edited arguments were refused is asked about again, alone.
    let mut refused = None;
    loop {
        match session.status() {
            Status::AwaitingTools => {
                let tools = agent.executor().tools(&cx);
                let pending = session.pending().into_iter();
                for call in pending.filter(|call| refused.is_none_or(|index| call.index == index)) {
                    // Without what is marked as secret.
                    let tool = tools.get(&call.call.name);
                    let shown = tool.map(|tool| tool.redacted(&call.call.arguments));
                    let Some(decision) = person.decides(&call, &shown.unwrap_or_default())? else {
                        return Ok(false);
                    };
                    session.decide(call.index, decision)?;
                }
            }
            Status::AwaitingUser {
                question, options, ..
            } => {
                let Some(answer) = person.answers(&question, &options)? else {
                    return Ok(false);
                };
                session.answer(answer)?;
            }
            // A model failed; the session goes on where it stood.
            Status::Failed { .. } => session.clear_error(),
            // What goes on in the background is awaited, here or by the process that goes on.
            Status::Completed if session.open().is_live() || !session.queue().is_empty() => {
                session.queue().arrived().await;
            }
            Status::Completed => {
                let Some(words) = person.says()? else {
                    return Ok(true);
                };
                show.words(&words);
                session.say(words)?;
            }
            _ => {}
        }
        refused = None;
        match agent.run(session, &cx).await {
            Ok(run) => match run.end {
                RunEnd::ModelError(error) => return Err(error.into()),
                RunEnd::Completed | RunEnd::Pending | RunEnd::AskUser { .. } => {}
                // A limit, or a tool that ends the run.
                other => return Err(format!("the run ended: {}", other.as_str()).into()),
            },
            // Edited arguments are checked like a model's. Nothing ran, and the call waits on.
            Err(AgentError::Decision { path, error }) => {
                show.note(&error.to_string());
                refused = path.first().copied();
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// A new session, or the one that is to go on.
async fn session(args: &Args, agent: &Agent) -> Done<Session> {
    let Some(id) = &args.resume else {
        return Ok(Session::new());
    };
    let kept = agent.state(id).await?;
    kept.ok_or_else(|| format!("no session `{id}` is kept there").into())
}

/// A conversation with a model behind HTTP; you are the person.
async fn talk(args: &Args, provider: &Provider, show: &Show) -> Done<()> {
    let path = args.db.as_deref().unwrap_or(Path::new("agent.db"));
    let store = SqliteCheckpointer::open(path)?;
    let agent = agent(endpoint(provider)?, store, show);
    let mut session = session(args, &agent).await?;
    let person = Person::at_terminal(show);
    let words = match &args.words {
        Some(words) => Some(words.clone()),
        None if session.thread().is_empty() => person.says()?,
        None => None,
    };
    if let Some(words) = words {
        show.words(&words);
        session.say(words)?;
    }
    let done = converse(&agent, &mut session, &person, show).await;
    if !matches!(done, Ok(true)) {
        show.kept(session.id(), path);
    }
    done.map(drop)
}

fn endpoint(to: &Provider) -> Done<Endpoint> {
    let key = match &to.key_env {
        Some(name) => std::env::var(name).map_err(|error| format!("--key-env {name}: {error}"))?,
        None => String::new(),
    };
    let (url, model) = (&*to.base_url, &*to.model);
    Ok(match to.wire {
        Wire::OpenAiChat => Endpoint::openai_chat(url, model, key),
        Wire::OpenAiResponses => Endpoint::openai_responses(url, model, key),
        Wire::Anthropic => Endpoint::anthropic(url, model, key),
        Wire::Gemini => Endpoint::gemini(url, model, key),
        Wire::Ollama => Endpoint::ollama(url, model).key(key),
    })
}

/// The scripted conversation: the first process comes to a question, the second one answers it.
async fn play(args: &Args, show: &Show) -> Done<()> {
    if args.resume.is_some() {
        return play_on(args, show).await;
    }
    let scratch = Scratch::new()?;
    let path = args.db.clone().unwrap_or_else(|| scratch.file());
    let store = SqliteCheckpointer::open(&path)?;
    let agent = agent(script::until_the_question(), store, show);
    let mut session = Session::new();
    show.words(script::WORDS);
    session.say(script::WORDS)?;
    if converse(&agent, &mut session, &Person::first(show), show).await? {
        return Err("the script did not come to its question".into());
    }
    // From here on all that there is stands in the file.
    drop(agent);
    show.second_process(session.id(), &path);
    let mut second = Command::new(std::env::current_exe()?);
    second
        .arg("--resume")
        .arg(session.id())
        .arg("--db")
        .arg(&path);
    if args.json {
        second.arg("--json");
    }
    let status = second.status()?;
    if status.success() {
        // As one that is killed: what it does in the background comes to no end.
        drop(scratch);
        std::process::exit(0);
    } else {
        Err(format!("the second process ended with {status}").into())
    }
}

/// The second process.
async fn play_on(args: &Args, show: &Show) -> Done<()> {
    let path = args.db.as_deref();
    let path = path.ok_or("--resume needs --db: where is the session kept?")?;
    let store = Arc::new(SqliteCheckpointer::open(path)?);
    // How far the script has come stands in the session.
    let mut session = session(args, &agent(script::nothing(), Arc::clone(&store), show)).await?;
    let agent = agent(script::from(session.thread()), store, show);
    converse(&agent, &mut session, &Person::second(show), show).await?;
    Ok(())
}
