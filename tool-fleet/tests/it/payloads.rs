//! Payloads that are too large to be sent.

use toolwright::call::ErrorKind;
use toolwright::{ToolCall, Toolset, tool, tools};
use toolwright_fleet::{FleetError, MemoryPayloads, PayloadError, PayloadStore};

use crate::support::{agent, builder, call, fleet, run, said, start, unique};

/// Repeats a text.
#[tool]
fn repeat(text: String, times: usize) -> String {
    text.repeat(times)
}

fn asked(bytes: usize, times: usize) -> ToolCall {
    let text = "x".repeat(bytes);
    ToolCall::new(
        "c1",
        "repeat",
        format!(r#"{{"text": "{text}", "times": {times}}}"#),
    )
}

const LARGE: usize = 3 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn large_arguments_and_results_go_by_reference() {
    let (store, queue) = (MemoryPayloads::new(), unique("large"));
    let fleet = builder()
        .payloads(store.clone(), 64 * 1024)
        .connect()
        .await
        .unwrap();
    let worker = start(fleet.worker().tools(&queue, tools![repeat]));
    let far = fleet.toolset(&queue, &tools![repeat]).unwrap();
    let small = call(&far, &asked(10, 1), &run("small")).await;
    assert!(small.is_success() && store.is_empty());
    let large = call(&far, &asked(LARGE, 1), &run("large")).await;
    assert_eq!(large.value(), Some("x".repeat(LARGE).into()));
    assert_eq!(store.len(), 2);
    // A machine without the store says so, and does not run the call.
    worker.stop().await;
    let other = start(
        crate::support::fleet()
            .await
            .worker()
            .tools(&queue, tools![repeat]),
    );
    let error = call(&far, &asked(LARGE, 2), &run("other"))
        .await
        .outcome
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotStarted);
    assert!(
        error.to_string().contains("this machine has none"),
        "{error}"
    );
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_store_large_payloads_are_errors_where_they_are_sent() {
    let (fleet, queue, name) = (fleet().await, unique("large"), unique("agent"));
    let worker = start(fleet.worker().tools(&queue, tools![repeat]));
    let far = fleet.toolset(&queue, &tools![repeat]).unwrap();
    let error = call(&far, &asked(LARGE, 1), &run("arguments"))
        .await
        .outcome
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotStarted);
    assert!(
        error.is_permanent() && error.to_string().contains("help: give the fleet a store"),
        "{error}"
    );
    let error = call(&far, &asked(1, LARGE), &run("result"))
        .await
        .outcome
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Encoding);
    assert!(
        error.is_permanent() && error.to_string().contains("help: give the fleet a store"),
        "{error}"
    );
    let error = fleet
        .conversation(&name, "t1")
        .say("x".repeat(LARGE))
        .await
        .unwrap_err();
    let FleetError::TooLarge { bytes, most, .. } = error else {
        panic!("{error:?}");
    };
    assert!(bytes > LARGE && most < LARGE);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_say_and_read_goes_by_reference_too() {
    let (store, name) = (MemoryPayloads::new(), unique("agent"));
    let fleet = builder()
        .payloads(store, 64 * 1024)
        .connect()
        .await
        .unwrap();
    let agent = agent(Toolset::default());
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let talk = fleet.conversation(&name, "t1");
    let text = "y".repeat(LARGE);
    talk.say(&*text).await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(state.text.as_deref(), Some("heard a long text"));
    assert_eq!(said(&agent, &talk).await, [text]);
    assert_eq!(talk.history().await.unwrap().len(), 2);
    worker.stop().await;
}

/// Opens the store in the database that `tests/outside/fleet.sh` starts.
#[cfg(feature = "postgres")]
async fn postgres() -> toolwright_postgres::PostgresPayloads {
    let url = std::env::var("DATABASE_URL")
        .expect("`DATABASE_URL` names a database: see tests/outside/fleet.sh");
    let schema = format!("payloads_{}", uuid::Uuid::new_v4().simple());
    let database = toolwright_postgres::Database::connect(&url).unwrap();
    let database = database.schema(&schema).unwrap();
    database.migrate().await.unwrap();
    let store = toolwright_postgres::PostgresPayloads::open(database).await;
    store.unwrap()
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn payloads_go_by_way_of_postgres_between_machines() {
    let (store, queue, name) = (postgres().await, unique("large"), unique("agent"));
    let fleet = builder().payloads(store.clone(), 64 * 1024);
    let fleet = fleet.connect().await.unwrap();
    let far = fleet.toolset(&queue, &tools![repeat]).unwrap();
    // Another connection to both servers.
    let elsewhere = builder().payloads(store.clone(), 64 * 1024);
    let elsewhere = elsewhere.connect().await.unwrap().worker();
    let worker = elsewhere.tools(&queue, tools![repeat]);
    let worker = start(worker.agent(&name, agent(&far)));

    let small = call(&far, &asked(10, 1), &run("small")).await;
    assert!(small.is_success());
    let aged = std::time::Duration::ZERO;
    assert_eq!(store.prune(aged).await.unwrap(), 0);
    let large = call(&far, &asked(LARGE, 1), &run("large")).await;
    assert_eq!(large.value(), Some("x".repeat(LARGE).into()));
    let talk = fleet.conversation(&name, "t1");
    talk.say("z".repeat(LARGE)).await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(state.text.as_deref(), Some("heard a long text"));
    // Arguments, result, and what was said.
    assert_eq!(store.prune(aged).await.unwrap(), 3);
    // Who reads it again learns that it is gone.
    let error = talk.history().await.unwrap_err();
    let FleetError::Payload(PayloadError::Missing { .. }) = error else {
        panic!("{error:?}");
    };
    worker.stop().await;
}

async fn stores(store: impl PayloadStore) {
    let key = store.put(b"one").await.unwrap();
    assert_eq!(store.put(b"one").await.unwrap(), key);
    assert_eq!(store.get(&key).await.unwrap(), b"one");
    assert!(store.delete(&key).await.unwrap());
    assert!(!store.delete(&key).await.unwrap());
    let missing = store.get(&key).await.unwrap_err();
    assert!(matches!(missing, PayloadError::Missing { .. }), "{missing}");
    let foreign = store.get("../../etc/passwd").await.unwrap_err();
    assert!(matches!(foreign, PayloadError::Missing { .. }), "{foreign}");
    assert!(!store.delete("../../etc/passwd").await.unwrap());
}

#[tokio::test]
async fn stores_of_payloads_do_as_they_say() {
    stores(MemoryPayloads::new()).await;
    #[cfg(feature = "postgres")]
    stores(postgres().await).await;
}
