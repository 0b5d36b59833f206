//! What a conversation takes in a file: it grows as the conversation does.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;

use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::store::{Checkpointer, Keep};
use toolwright::agent::{Agent, Model, ModelResponse, Session, SqliteCheckpointer};
use toolwright::call::BoxFuture;
use toolwright::{Context, Toolset};

/// A model that says a sentence.
struct Says;

impl Model for Says {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let words = format!(
            "This is answer {} of a long talk.",
            request.thread.len() / 2
        );
        Box::pin(async { Ok(ModelResponse::text(words)) })
    }
}

#[tokio::test]
async fn a_file_grows_with_a_conversation_and_not_with_its_square() {
    let dir = std::env::temp_dir().join(format!("toolwright-growth-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    // 1,000 turns take a minute where nothing is optimized.
    for turns in [10_u64, 100, 300] {
        let path = dir.join(format!("{turns}.db"));
        let store = Arc::new(SqliteCheckpointer::open(&path).unwrap());
        let agent = Agent::new(Says, Toolset::default()).checkpointer(Arc::clone(&store));
        let mut session = Session::with_id("s");
        for turn in 0..turns {
            session.say(format!("This is question {turn}.")).unwrap();
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        }
        let size = fs::metadata(&path).unwrap().len();
        let history = store.history("s").await.unwrap();
        assert_eq!(u64::try_from(history.len()).unwrap(), 2 * turns);
        let whole: usize = history.iter().map(|one| one.body.len()).sum();
        let last = history.last().unwrap().body.len();
        println!(
            "{turns} turns: a file of {size} bytes, {last} of the last checkpoint; whole checkpoints: {whole}"
        );
        // Some 300 bytes a checkpoint are its other columns and its places in three indices.
        let most = 60_000 + 4 * u64::try_from(last).unwrap() + 700 * 2 * turns;
        assert!(
            size <= most,
            "{turns} turns: {size} bytes, more than {most}"
        );

        // What is pruned leaves room for what comes.
        let keep = Keep {
            newest: 10,
            since_ms: u64::MAX,
        };
        let pruned = store.prune("s", keep).await.unwrap();
        assert_eq!(pruned, history.len() - 10);
        let left = store.history("s").await.unwrap();
        assert_eq!(left, history.get(pruned..).unwrap());
        session.say("And now?").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    }
    let _ = fs::remove_dir_all(&dir);
}
