//! The people, who talk to the agents, and the count of what became of all calls.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::time::{sleep, timeout};
use toolwright::agent::ThreadMessage;
use toolwright::agent::store::Checkpointer;
use toolwright::call::Decision;
use toolwright::executor::PendingReason;
use toolwright_fleet::{Conversation, ConversationState};
use toolwright_postgres::{Database, PostgresCheckpointer};
use url::Url;

use crate::faults::{Counts, Faults, Random};
use crate::proxy::Proxy;
use crate::worker::connected;
use crate::{AGENT, CALLS, Failure, audit, setting};

/// Conversations at a time.
const AT_ONCE: usize = 150;
/// Time limit of an answer before somebody asks again.
const PATIENCE: Duration = Duration::from_mins(1);

/// Unknown outcomes that people were asked about: the session and the call.
type Listed = Mutex<BTreeSet<(String, String)>>;

/// Runs the conversations; after the limit none begins. Returns true if nothing was lost or done twice.
pub(crate) async fn run(calls: usize, seed: u64, limit: Duration) -> Result<bool, Failure> {
    let url = setting("DATABASE_URL")?;
    let database = Database::connect(&url)?;
    database.migrate().await?;
    audit::begin(&url).await?;
    let effects = std::env::temp_dir().join(format!("toolwright-effects-{}", std::process::id()));
    let faults = faults(&url, &effects, seed).await?;

    let conversations = calls.div_ceil(CALLS);
    let (began, counts, listed) = (Instant::now(), Counts::default(), Listed::default());
    let fleet = connected().await?;
    let started = AtomicUsize::new(0);
    let talks = async {
        let ended = Arc::new(AtomicUsize::new(0));
        let numbers = (0..conversations).take_while(|_| began.elapsed() < limit);
        let all = numbers.map(|number| {
            started.store(number + 1, Ordering::SeqCst);
            let (talk, listed) = (
                fleet.conversation(AGENT, format!("{seed}-{number}")),
                &listed,
            );
            let (ended, counts) = (Arc::clone(&ended), &counts);
            async move {
                // Few calls are over before a worker has the next version.
                while number * 2 >= conversations && !counts.are_all_deployed() {
                    sleep(Duration::from_millis(100)).await;
                }
                talk_to(&talk, listed).await;
                let ended = ended.fetch_add(1, Ordering::SeqCst) + 1;
                if ended.is_multiple_of(50) {
                    eprintln!(
                        "{ended} of {conversations} conversations in {:?}",
                        began.elapsed()
                    );
                }
            }
        });
        stream::iter(all)
            .buffer_unordered(AT_ONCE)
            .collect::<()>()
            .await;
    };
    tokio::select! {
        () = talks => {}
        failed = faults.inject(&counts) => failed?,
    }
    let (seconds, conversations) = (began.elapsed().as_secs(), started.load(Ordering::SeqCst));

    let listed = listed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let store = PostgresCheckpointer::open(database).await?;
    let answered = answered(&store, conversations, seed).await?;
    let (mut once, mut twice) = (0, 0);
    for count in answered.values() {
        once += usize::from(*count == 1);
        twice += usize::from(*count > 1);
    }
    let effects_of = Effects::read(&effects)?;
    let unlisted = effects_of
        .begun
        .keys()
        .filter(|call| !effects_of.ended.contains(*call) && !listed.contains(*call));
    let unlisted = unlisted.count();
    let doubled = effects_of
        .begun
        .values()
        .filter(|count| **count > 1)
        .count();
    let audit = audit::end(&url).await?;
    let calls = conversations * CALLS;
    let lost = calls - once;
    let result = json!({
        "calls": calls,
        "answered_once": once,
        "lost": lost,
        "doubled": doubled,
        "unknown_listed": listed.len(),
        "unknown_unlisted": unlisted,
        "stale_writes_accepted": audit.stale,
        "effects": effects_of.begun.len(),
        "effects_after_deploy": effects_of.deployed,
        "leased_writes": audit.writes,
        "leases_taken_over": audit.taken_over,
        "faults": counts.to_json(),
        "seconds": seconds,
        "seed": seed,
    });
    println!("{result}");
    let _ = std::fs::remove_file(&effects);
    Ok(lost == 0
        && twice == 0
        && doubled == 0
        && unlisted == 0
        && audit.stale == 0
        && audit.writes > 0
        && effects_of.deployed > 0
        && counts.are_all())
}

async fn faults(url: &str, effects: &Path, seed: u64) -> Result<Faults, Failure> {
    let mut database = Url::parse(url)?;
    let host = |url: &Url| format!("127.0.0.1:{}", url.port().unwrap_or_default());
    let to_database = Proxy::to(host(&database)).await?;
    let engine = Url::parse(&setting("TEMPORAL_ADDRESS")?)?;
    let to_engine = Proxy::to(host(&engine)).await?;
    let port = Some(to_database.address.port());
    database
        .set_port(port)
        .map_err(|()| "the URL of the database has no port")?;
    Ok(Faults {
        effects: effects.to_owned(),
        to_database,
        to_engine,
        worker_url: database.to_string(),
        random: Random::new(seed),
    })
}

/// Talks until all is done. What fails is done again.
async fn talk_to(talk: &Conversation, listed: &Listed) {
    // The model makes its calls once, however often it hears this.
    while talk.say("Charge me.").await.is_err() {
        sleep(Duration::from_millis(500)).await;
    }
    loop {
        let state = match timeout(PATIENCE, talk.wait()).await {
            Ok(Ok(state)) => state,
            Ok(Err(_)) => {
                sleep(Duration::from_millis(500)).await;
                continue;
            }
            Err(_) => continue,
        };
        if state
            .end
            .as_ref()
            .is_some_and(|end| end.reason == "completed")
            && state.waiting.is_empty()
        {
            return;
        }
        if let Err(error) = answer(talk, &state, listed).await {
            eprintln!("{}: {error}", talk.session());
            sleep(Duration::from_millis(500)).await;
        }
    }
}

async fn answer(
    talk: &Conversation,
    state: &ConversationState,
    listed: &Listed,
) -> Result<(), Failure> {
    for call in &state.waiting {
        let decision = match &call.reason {
            PendingReason::OutcomeUnknown(_) => {
                let of = (talk.session_id(), call.id.clone());
                listed
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(of);
                Decision::Reject("nobody knows what became of it".to_owned())
            }
            PendingReason::Decision(_) => Decision::Approve,
            PendingReason::Question(_) => Decision::Answer("yes".into()),
            // It runs when the conversation goes on.
            _ => continue,
        };
        talk.decide(call, decision).await?;
    }
    if state.waiting.is_empty() {
        talk.resume().await?;
    }
    Ok(())
}

/// Returns how often each call of the conversations is answered.
async fn answered(
    store: &PostgresCheckpointer,
    conversations: usize,
    seed: u64,
) -> Result<BTreeMap<(String, String), usize>, Failure> {
    let mut answered = BTreeMap::new();
    for number in 0..conversations {
        let id = format!("{AGENT}/{seed}-{number}");
        let Some(latest) = store.latest(&id).await? else {
            continue;
        };
        let session = latest.session()?;
        for message in session.thread().messages() {
            if let ThreadMessage::Tool(answer) = message {
                *answered
                    .entry((id.clone(), answer.id.to_string()))
                    .or_default() += 1;
            }
        }
    }
    Ok(answered)
}

/// Effects as the tools noted them.
#[derive(Default)]
struct Effects {
    begun: BTreeMap<(String, String), usize>,
    ended: BTreeSet<(String, String)>,
    /// Calls that tools of the next version got.
    deployed: usize,
}

impl Effects {
    fn read(path: &Path) -> Result<Self, Failure> {
        let mut effects = Self::default();
        for line in std::fs::read_to_string(path)?.lines() {
            let mut words = line.split(' ').map(str::to_owned);
            let what = words.next().unwrap_or_default();
            let of = (
                words.next().unwrap_or_default(),
                words.next().unwrap_or_default(),
            );
            match &*what {
                "begin" => *effects.begun.entry(of).or_default() += 1,
                "deployed" => effects.deployed += 1,
                _ => {
                    effects.ended.insert(of);
                }
            }
        }
        Ok(effects)
    }
}
