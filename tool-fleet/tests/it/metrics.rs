//! Measurements, through OpenTelemetry's own exporter in memory.

use std::sync::LazyLock;
use std::time::Duration;

use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use tokio::sync::Semaphore;
use toolwright::agent::{Agent, MemoryCheckpointer, Session};
use toolwright::{Context, ToolCall, tool, tools};

use crate::support::{Obedient, call, end_of, fleet, run, start, unique, until};

type Telemetry = (InMemoryMetricExporter, SdkMeterProvider);

/// The provider of the process. Fleets that connect afterwards use it.
static TELEMETRY: LazyLock<Telemetry> = LazyLock::new(|| {
    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    opentelemetry::global::set_meter_provider(provider.clone());
    (exporter, provider)
});

/// Returns how often this was recorded, or its sum for a counter, by its attributes: `error.type=failed`. Of other tests nothing
/// is seen if the first attribute is unique.
fn recorded(name: &str, attributes: &[&str]) -> Option<f64> {
    let (exporter, provider) = &*TELEMETRY;
    provider.force_flush().unwrap();
    let finished = exporter.get_finished_metrics().unwrap();
    let newest = finished.last()?;
    let metrics = newest.scope_metrics().flat_map(|scope| {
        assert_eq!(scope.scope().name(), "toolwright-fleet");
        scope.metrics()
    });
    let points = metrics
        .filter(|metric| metric.name() == name)
        .flat_map(points);
    let mut wanted: Vec<String> = attributes.iter().map(ToString::to_string).collect();
    wanted.sort();
    let found = points.filter(|(found, _)| *found == wanted);
    found.map(|(_, value)| value).next()
}

type Point = (Vec<String>, f64);

#[allow(clippy::cast_precision_loss)]
fn points(metric: &Metric) -> Vec<Point> {
    fn of<'a>(attributes: impl Iterator<Item = &'a opentelemetry::KeyValue>) -> Vec<String> {
        let mut all: Vec<_> = attributes
            .map(|one| format!("{}={}", one.key, one.value))
            .collect();
        all.sort();
        all
    }
    match metric.data() {
        AggregatedMetrics::F64(MetricData::Histogram(data)) => {
            assert_eq!(metric.unit(), "s");
            let points = data.data_points();
            points
                .map(|point| (of(point.attributes()), point.count() as f64))
                .collect()
        }
        AggregatedMetrics::I64(MetricData::Sum(data)) => {
            let points = data.data_points();
            points
                .map(|point| (of(point.attributes()), point.value() as f64))
                .collect()
        }
        AggregatedMetrics::U64(MetricData::Sum(data)) => {
            let points = data.data_points();
            points
                .map(|point| (of(point.attributes()), point.value() as f64))
                .collect()
        }
        data => panic!("{data:?}"),
    }
}

/// Works.
#[tool]
fn measured() -> u32 {
    4
}

/// Fails.
#[tool]
fn measured_failure() -> Result<u32, String> {
    Err("it is broken".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_runs_are_measured_with_how_they_ended() {
    LazyLock::force(&TELEMETRY);
    let (fleet, queue, name) = (fleet().await, unique("metrics"), unique("agent"));
    let tools = tools![measured, measured_failure];
    let far = fleet.toolset(&queue, &tools).unwrap();
    let agent = Agent::new(Obedient, &far).name("shop");
    let agent = agent.checkpointer(MemoryCheckpointer::new());
    let worker = fleet.worker().tools(&queue, tools![measured_failure]);
    let worker = start(worker.tools(unique("other"), &tools).agent(&name, agent));
    let talk = fleet.conversation(&name, "t1");
    talk.say("call measured_failure {}\ncall measured {}")
        .await
        .unwrap();
    talk.wait().await.unwrap();
    talk.say("fail").await.unwrap();
    talk.wait().await.unwrap();
    worker.stop().await;

    let by = |attribute: &str| {
        recorded(
            "gen_ai.execute_tool.duration",
            &["gen_ai.agent.name=shop", attribute, "error.type=failed"],
        )
    };
    assert_eq!(by("gen_ai.tool.name=measured_failure"), Some(1.0));
    // The worker has no such tool: its name is the caller's alone.
    let unknown = ["gen_ai.agent.name=shop", "gen_ai.tool.name=_OTHER"];
    let with_error = [&unknown[..], &["error.type=unknown_tool"]].concat();
    assert_eq!(
        recorded("gen_ai.execute_tool.duration", &with_error),
        Some(1.0)
    );
    assert_eq!(
        recorded("toolwright.fleet.call.time_in_queue", &unknown),
        Some(1.0)
    );
    assert_eq!(
        recorded("toolwright.fleet.call.active", &unknown),
        Some(0.0)
    );

    let agent = format!("gen_ai.agent.name={name}");
    let runs =
        |more: &[&str]| recorded("gen_ai.invoke_agent.duration", &[&[&*agent], more].concat());
    assert_eq!(runs(&["toolwright.run.end=completed"]), Some(1.0));
    assert_eq!(runs(&["error.type=error"]), Some(1.0));
    assert_eq!(
        recorded("toolwright.fleet.run.time_in_queue", &[&agent]),
        Some(2.0)
    );
    assert_eq!(
        recorded("toolwright.fleet.run.active", &[&agent]),
        Some(0.0)
    );
}

static BEGUN: Semaphore = Semaphore::const_new(0);

/// Works for a long while.
#[tool(timeout = "60s")]
async fn measured_long() {
    BEGUN.add_permits(1);
    tokio::time::sleep(Duration::from_secs(40)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_outcomes_are_counted_where_the_call_was_made() {
    LazyLock::force(&TELEMETRY);
    let (fleet, queue) = (fleet().await, unique("metrics"));
    let worker = fleet.worker().tools(&queue, tools![measured_long]);
    let worker = start(worker.drain_limit(Duration::from_millis(100)));
    let far = fleet.toolset(&queue, &tools![measured_long]).unwrap();
    let asked = tokio::spawn(async move {
        let asked = ToolCall::new("c1", "measured_long", "{}");
        call(&far, &asked, &run("metrics")).await
    });
    BEGUN.acquire().await.unwrap().forget();
    let tool = ["gen_ai.tool.name=measured_long"];
    assert_eq!(recorded("toolwright.fleet.call.active", &tool), Some(1.0));
    worker.stop().await;
    let error = asked.await.unwrap().outcome.unwrap_err();
    assert!(error.is_outcome_unknown());
    assert_eq!(
        recorded("toolwright.fleet.call.unknown_outcomes", &tool),
        Some(1.0)
    );
    assert_eq!(recorded("toolwright.fleet.call.active", &tool), Some(0.0));
}

static HELD: Semaphore = Semaphore::const_new(0);
static LET_GO: Semaphore = Semaphore::const_new(0);

/// Holds its session.
#[tool(timeout = "60s")]
async fn measured_hold() {
    HELD.add_permits(1);
    LET_GO.acquire().await.unwrap().forget();
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_are_held_elsewhere_are_counted() {
    LazyLock::force(&TELEMETRY);
    let (fleet, name) = (fleet().await, unique("agent"));
    let store = MemoryCheckpointer::new().with_lease(Duration::from_secs(5));
    let agent = Agent::new(Obedient, &tools![measured_hold]).checkpointer(store);
    let talk = fleet.conversation(&name, "t1");
    let (elsewhere, id) = (agent.clone(), talk.session_id());
    let elsewhere = tokio::spawn(async move {
        let mut session = Session::with_id(id);
        session.say("call measured_hold {}").unwrap();
        elsewhere.run(&mut session, &Context::new()).await
    });
    HELD.acquire().await.unwrap().forget();
    let worker = start(fleet.worker().agent(&name, agent));
    talk.say("hello").await.unwrap();
    let name = format!("gen_ai.agent.name={name}");
    let conflicts = || {
        recorded(
            "toolwright.fleet.session.conflicts",
            &[&*name, "error.type=held"],
        )
    };
    until(|| conflicts().is_some()).await;
    LET_GO.add_permits(1);
    let _ = elsewhere.await.unwrap().unwrap();
    assert_eq!(end_of(&talk.wait().await.unwrap()), Some("completed"));
    worker.stop().await;
}

static STUCK: Semaphore = Semaphore::const_new(0);
static FREED: Semaphore = Semaphore::const_new(0);

/// Waits while somebody else writes the session.
#[tool(timeout = "60s")]
async fn measured_stuck() {
    STUCK.add_permits(1);
    FREED.acquire().await.unwrap().forget();
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_somebody_takes_or_writes_are_counted() {
    LazyLock::force(&TELEMETRY);
    for (lease, kind) in [
        (Some(Duration::from_mins(1)), "lease_lost"),
        (None, "conflict"),
    ] {
        let (fleet, name) = (fleet().await, unique("agent"));
        let store = MemoryCheckpointer::new().with_lease(lease);
        let agent = Agent::new(Obedient, &tools![measured_stuck]).checkpointer(store);
        let worker = start(fleet.worker().agent(&name, agent.clone()));
        let talk = fleet.conversation(&name, "t1");
        talk.say("call measured_stuck {}").await.unwrap();
        STUCK.acquire().await.unwrap().forget();
        let id = talk.session_id();
        let written = match lease {
            Some(_) => agent.stop(&id).await,
            None => agent.update_state(&id, |_| Ok(())).await,
        };
        written.unwrap();
        FREED.add_permits(1);
        let attributes = [
            format!("gen_ai.agent.name={name}"),
            format!("error.type={kind}"),
        ];
        let attributes = attributes.each_ref().map(|one| &**one);
        until(|| recorded("toolwright.fleet.session.conflicts", &attributes) == Some(1.0)).await;
        talk.wait().await.unwrap();
        worker.stop().await;
    }
}
