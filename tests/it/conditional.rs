//! What is there in one build and not in another: tools, methods, elements of lists. The conditions are plain, so that both
//! sides of each are seen in every build.
#![allow(clippy::unwrap_used)]

use toolwright::{Context, ToolCall, Toolset, tool, tools};

/// In every build.
#[tool]
fn here() -> &'static str {
    "here"
}

/// In no build.
#[cfg(false)]
#[tool]
fn gone() {}

/// Its condition stands behind the macro, inside of another.
#[tool]
#[cfg_attr(true, cfg(false), must_use)]
fn gone_by_attribute() {}

/// In every build, for all its conditions.
#[tool]
#[cfg_attr(false, cfg(false))]
#[cfg_attr(true, must_use, cfg_attr(true, cfg(true), cfg(not(false))))]
fn here_by_attribute() -> &'static str {
    "here by attribute"
}

struct Crm {
    times: u8,
}

#[tool]
impl Crm {
    /// In no build.
    #[tool]
    #[cfg_attr(not(false), cfg(false))]
    fn forget(&self) {}

    /// In every build.
    #[tool]
    #[cfg_attr(false, cfg(false))]
    fn remember(&self, #[arg(default = 3)] times: u8) -> u8 {
        self.times * times
    }
}

fn names(tools: &Toolset) -> Vec<&str> {
    tools.definitions().map(|def| &*def.name).collect()
}

#[test]
fn elements_that_are_off_are_not_in_the_list() {
    let crm = Crm { times: 2 };
    let tools = tools![
        #[cfg(false)]
        gone,
        here,
        #[cfg(true)]
        #[cfg(false)]
        no_such_tool,
        #[cfg(all())]
        #[cfg(not(false))]
        here_by_attribute,
        #[cfg(false)]
        gone_by_attribute as "gone",
        #[cfg(false)]
        ..nobody: Nobody,
        #[cfg(true)]
        ..crm: Crm,
        #[cfg(false)]
        gone
    ];
    assert_eq!(names(&tools), ["here", "here_by_attribute", "remember"]);
    let call = |name: &str| tools.call_blocking(&ToolCall::new("1", name, "{}"), &Context::new());
    assert_eq!(
        call("here_by_attribute").value().unwrap(),
        "here by attribute"
    );
    assert_eq!(call("remember").value().unwrap(), 6);
}

#[test]
fn names_are_taken_by_those_that_are_there() {
    let tools = tools![
        #[cfg(false)]
        gone as "here",
        here,
        #[cfg(false)]
        here,
        #[cfg(false)]
        gone as "here"
    ];
    assert_eq!(names(&tools), ["here"]);
}

#[test]
fn a_list_may_be_all_off() {
    let tools = tools![#[cfg(false)] gone; state = String::new()];
    assert_eq!(names(&tools), [""; 0]);
}

#[test]
fn what_is_off_is_held_against_no_target() {
    let tools = tools! {
        targets: [openai_strict], unproven: [gone], budget: 100;
        #[cfg(false)]
        gone,
        #[cfg(true)]
        here,
        #[cfg(false)]
        ..nobody: Nobody
    };
    assert_eq!(names(&tools), ["here"]);
}
