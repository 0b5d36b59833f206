//! Words for a model that name tools: they are written with the names that the model is told.
// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use std::sync::Arc;

use serde::Deserialize;
use toolwright::{
    Dialect, Instructions, Schema, Tool, ToolDef, Toolset, Wire, call::WrapTool, instructions,
    tool, tool_of, tools,
};

/// Tells the weather.
#[tool]
fn forecast(city: String) -> String {
    city
}

mod orders {
    use super::{Deserialize, Schema, tool};

    #[derive(Deserialize, Schema)]
    pub(crate) struct Line {
        pub(crate) sku: String,
    }

    /// Creates an order.
    #[tool(name = "place_order")]
    pub(crate) fn create(#[arg(rename = "customer")] payer: String, lines: Vec<Line>) -> usize {
        payer.len() + lines.iter().map(|line| line.sku.len()).sum::<usize>()
    }

    /// Tells the weather of another day.
    #[tool]
    pub(crate) fn forecast(city: String, day: u8) -> String {
        city.repeat(day.into())
    }
}

/// Finds things.
#[tool]
fn find<T: Schema + serde::de::DeserializeOwned + serde::Serialize>(what: T) -> T {
    what
}

/// A tool under a name that some provider refuses.
struct Dotted(Arc<dyn Tool>, ToolDef);

impl WrapTool for Dotted {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.0
    }

    fn def(&self) -> &ToolDef {
        &self.1
    }
}

struct Crm;

#[tool]
impl Crm {
    /// Looks someone up.
    #[tool]
    fn look_up(&self, name: String) -> String {
        name
    }
}

const SYSTEM: Instructions = instructions!(
    "Look with {forecast} before {orders::create}; {orders::create.customer} and \
     {orders::create.lines.sku} are {{never}} guessed. {find::<u8>}, {Crm::look_up} {Crm::look_up.name}"
);
static SHARED: Instructions = instructions!("{forecast}",);

#[test]
fn names_are_those_of_the_set() {
    let tools = tools! {
        instructions: [SYSTEM, SHARED];
        forecast as "weather", orders::create, find::<u8> as "find_small", ..Crm: Crm as "crm_"
    };
    let system = SYSTEM.render(&tools).unwrap();
    assert_eq!(
        system,
        "Look with weather before place_order; customer and sku are {never} guessed. find_small, crm_look_up name"
    );
    let renamed = tools
        .prefix("my_")
        .unwrap()
        .rename("my_weather", "sky")
        .unwrap();
    let renamed = renamed.prefix("x_").unwrap();
    assert_eq!(SHARED.render(&renamed).unwrap(), "x_sky");
    assert!(
        SYSTEM
            .render(&renamed)
            .unwrap()
            .contains("before x_my_place_order;")
    );
    // A definition that was stored says nothing of it, and its tool does.
    let stored: Vec<ToolDef> = renamed.definitions().cloned().collect();
    let stored = serde_json::to_string(&stored).unwrap();
    let stored: Vec<ToolDef> = serde_json::from_str(&stored).unwrap();
    let attached = renamed.attach(stored).unwrap();
    assert_eq!(SHARED.render(&attached).unwrap(), "x_sky");
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind", rename_all_fields = "camelCase")]
enum Way {
    Train { stop_name: String },
    Car { seats: u8 },
}

/// Plans a way.
#[tool]
fn plan(way: Way, free: serde_json::Value) -> String {
    match way {
        Way::Train { stop_name } => stop_name + &free.to_string(),
        Way::Car { seats } => seats.to_string(),
    }
}

const WRONG: Instructions = instructions!(
    "{orders::create} {forecast} {forecast.city} {Crm::lookup} {plan.wy} {plan.way.stop_name} \
     {plan.way.seats.number} {plan.way.stopName.a} {orders::create.lines.name} {plan.way.kind} {plan.free.any}"
);

#[test]
fn what_the_set_lacks_is_an_error_and_reported() {
    let tools = tools! { instructions: [WRONG, SHARED]; orders::create, plan, ..Crm: Crm };
    let error = WRONG.render(&tools).unwrap_err();
    let shown: Vec<_> = error.problems().iter().map(ToString::to_string).collect();
    let expected = [
        "error: forecast: unknown_tool: the instructions name the tool, which the set lacks
  help: add it to the set, or take it out of the instructions",
        "error: lookup: unknown_tool: the instructions name the tool, which the set lacks
  help: did you mean `look_up`?",
        "error: plan: /wy: unknown_argument: the instructions name `wy`, which is not there
  help: did you mean `way`?",
        "error: plan: /way/stop_name: unknown_argument: the instructions name `stop_name`, which is not there
  help: did you mean `stopName`?",
        "error: plan: /way/seats/number: unknown_argument: the instructions name `number`, which is not there
  help: name the argument alone: it has no keys",
        "error: plan: /way/stopName/a: unknown_argument: the instructions name `a`, which is not there
  help: name the argument alone: it has no keys",
        "error: place_order: /lines/name: unknown_argument: the instructions name `name`, which is not there
  help: the keys are `sku`",
    ];
    assert_eq!(shown, expected);
    assert!(error.to_string().contains(&shown.join("\n")));

    let report = tools.prefix("my_").unwrap().check(Dialect::OpenAiNonStrict);
    let reported: Vec<_> = report.errors().collect();
    assert_eq!(
        reported[..shown.len()],
        error.problems().iter().collect::<Vec<_>>()
    );
    assert_eq!(reported[shown.len()..].len(), 1, "{report}");
    let some = tools.filter(|tool| tool.def().name == "plan");
    assert!(some.check(Dialect::OpenAiNonStrict).is_accepted());

    assert_eq!(
        SHARED.to_string(),
        "forecast",
        "without a set, the tool's own name"
    );
}

#[test]
fn tools_of_one_own_name_are_told_apart() {
    let tools = tools![forecast as "today", orders::forecast as "later"];
    let both = instructions!("{forecast} {orders::forecast}");
    assert_eq!(both.render(&tools).unwrap(), "today later");
    let tools = tools![orders::forecast as "later", forecast as "today"];
    assert_eq!(both.render(&tools).unwrap(), "today later");
}

#[test]
fn a_request_has_the_names_that_its_provider_takes() {
    let tool = tool_of!(forecast);
    let mut def = tool.def().clone();
    def.name = "sky.forecast".into();
    let tools = Toolset::new([Arc::new(Dotted(tool, def)) as Arc<dyn Tool>]).unwrap();
    assert_eq!(SHARED.render(&tools).unwrap(), "sky.forecast");
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    assert_eq!(SHARED.render_for(&tools, &sent).unwrap(), "sky_forecast");

    let tools = tools![forecast as "weather"];
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    assert_eq!(SHARED.render_for(&tools, &sent).unwrap(), "weather");
    let others = Wire::OpenAiChat.definitions_in(&tools![orders::create], Dialect::OpenAiStrict);
    assert!(SHARED.render_for(&tools, &others.unwrap()).is_err());
}
