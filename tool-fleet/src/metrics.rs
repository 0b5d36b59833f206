//! Measurements, through OpenTelemetry. Names and units follow its conventions; no attribute has arguments or a session.

use std::sync::Arc;
use std::time::Instant;

use opentelemetry::metrics::{Counter, Histogram, Meter, UpDownCounter};
use opentelemetry::{InstrumentationScope, KeyValue, global};
use temporalio_sdk::activities::ActivityInfo;
use toolwright::agent::store::CheckpointError;

/// Bounds of the conventions for calls, in seconds.
const CALL: [f64; 14] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
/// Bounds of the conventions for runs of agents.
const RUN: [f64; 13] = [
    0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6,
];

const TOOL: &str = "gen_ai.tool.name";
const AGENT: &str = "gen_ai.agent.name";
const ERROR: &str = "error.type";

/// The instruments of a fleet. They record nothing if the host has not set a provider before.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Instruments>);

struct Instruments {
    calls: WorkMeters,
    runs: WorkMeters,
    unknown: Counter<u64>,
    conflicts: Counter<u64>,
}

/// What is measured of calls, and of runs.
#[derive(Clone)]
struct WorkMeters {
    duration: Histogram<f64>,
    queued: Histogram<f64>,
    active: UpDownCounter<i64>,
}

impl WorkMeters {
    fn new(meter: &Meter, kind: &'static str, duration: &'static str, bounds: &[f64]) -> Self {
        let seconds = |name: String, bounds: &[f64], description: String| {
            let histogram = meter.f64_histogram(name).with_unit("s");
            let histogram = histogram.with_boundaries(bounds.to_vec());
            histogram.with_description(description).build()
        };
        let active = meter.i64_up_down_counter(format!("toolwright.fleet.{kind}.active"));
        Self {
            duration: seconds(
                duration.to_owned(),
                bounds,
                format!("Duration of a {kind} on a worker"),
            ),
            queued: seconds(
                format!("toolwright.fleet.{kind}.time_in_queue"),
                &CALL,
                format!("Time that a {kind} waited for a worker"),
            ),
            active: active
                .with_unit(format!("{{{kind}}}"))
                .with_description(format!("Number of {kind}s that a worker has begun"))
                .build(),
        }
    }

    fn begin(&self, attributes: Vec<KeyValue>, info: &ActivityInfo) -> Measured {
        let (scheduled, started) = (info.current_attempt_scheduled_time, info.started_time);
        // Both times are the server's.
        if let (Some(scheduled), Some(started)) = (scheduled, started) {
            let waited = started.duration_since(scheduled).unwrap_or_default();
            self.queued.record(waited.as_secs_f64(), &attributes);
        }
        self.active.add(1, &attributes);
        Measured {
            work: self.clone(),
            attributes,
            began: Instant::now(),
            end: vec![KeyValue::new(ERROR, "moved")],
        }
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let scope = InstrumentationScope::builder("toolwright-fleet")
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        let meter = global::meter_with_scope(scope);
        let unknown = meter.u64_counter("toolwright.fleet.call.unknown_outcomes");
        let conflicts = meter.u64_counter("toolwright.fleet.session.conflicts");
        Self(Arc::new(Instruments {
            calls: WorkMeters::new(&meter, "call", "gen_ai.execute_tool.duration", &CALL),
            runs: WorkMeters::new(&meter, "run", "gen_ai.invoke_agent.duration", &RUN),
            unknown: unknown
                .with_unit("{call}")
                .with_description("Remote calls whose outcome the caller does not know")
                .build(),
            conflicts: conflicts
                .with_unit("{conflict}")
                .with_description("Runs whose session another machine holds or went on with")
                .build(),
        }))
    }

    /// Measures a call from now until the returned value is dropped. `tool` is `None` if the worker has no such tool: a caller
    /// may name anything.
    pub(crate) fn call(
        &self,
        tool: Option<&str>,
        agent: Option<&str>,
        info: &ActivityInfo,
    ) -> Measured {
        let tool = KeyValue::new(TOOL, tool.unwrap_or("_OTHER").to_owned());
        let agent = agent.map(|agent| KeyValue::new(AGENT, agent.to_owned()));
        let attributes = std::iter::once(tool).chain(agent).collect();
        self.0.calls.begin(attributes, info)
    }

    /// Measures a run of an agent, as [`call`](Self::call) does.
    pub(crate) fn run(&self, agent: &str, info: &ActivityInfo) -> Measured {
        let attributes = vec![KeyValue::new(AGENT, agent.to_owned())];
        self.0.runs.begin(attributes, info)
    }

    pub(crate) fn unknown_outcome(&self, tool: &str) {
        let tool = KeyValue::new(TOOL, tool.to_owned());
        self.0.unknown.add(1, &[tool]);
    }

    pub(crate) fn conflict(&self, agent: &str, error: &CheckpointError) {
        let kind = match error {
            CheckpointError::Held { .. } => "held",
            CheckpointError::LeaseLost { .. } => "lease_lost",
            _ => "conflict",
        };
        let agent = KeyValue::new(AGENT, agent.to_owned());
        let attributes = [agent, KeyValue::new(ERROR, kind)];
        self.0.conflicts.add(1, &attributes);
    }
}

/// A call or a run in progress. It is recorded when it is dropped.
pub(crate) struct Measured {
    work: WorkMeters,
    attributes: Vec<KeyValue>,
    began: Instant,
    /// What the end adds to the attributes.
    end: Vec<KeyValue>,
}

impl Measured {
    /// Sets how it ended. Without that, it went on elsewhere.
    pub(crate) fn ended(&mut self, end: Option<&str>, error: Option<&str>) {
        let end = end.map(|end| KeyValue::new("toolwright.run.end", end.to_owned()));
        let error = error.map(|error| KeyValue::new(ERROR, error.to_owned()));
        self.end = end.into_iter().chain(error).collect();
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        self.work.active.add(-1, &self.attributes);
        self.attributes.append(&mut self.end);
        let seconds = self.began.elapsed().as_secs_f64();
        self.work.duration.record(seconds, &self.attributes);
    }
}
