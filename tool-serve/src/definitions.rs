//! Tools as JSON, for programs and for the page. Secrets are marked in the schemas.

use std::borrow::Cow;

use toolwright_provider::call::{Annotations, ToolDef};
use toolwright_provider::definitions::sent_definitions;
use toolwright_runtime::toolset::Toolset;

use crate::json::{list, object, quoted};

/// Returns `{"tools": […]}`, in the toolset's order.
pub(crate) fn tools_json(tools: &Toolset) -> String {
    let all = list(sent_definitions(tools).map(tool_json));
    object([("tools", all.into())])
}

fn tool_json(def: &ToolDef) -> String {
    let mut members: Vec<(&str, Cow<'_, str>)> = vec![("name", quoted(&def.name).into())];
    if let Some(title) = &def.title {
        members.push(("title", quoted(title).into()));
    }
    members.push(("description", quoted(&def.description).into()));
    members.push(("input_schema", def.input.to_marked_json()));
    if let Some(output) = &def.output {
        members.push(("output_schema", output.to_marked_json()));
    }
    if def.annotations != Annotations::NONE {
        members.push(("annotations", annotations_json(def.annotations).into()));
    }
    if def.manual {
        members.push(("manual", "true".into()));
    }
    object(members)
}

fn annotations_json(hints: Annotations) -> String {
    let hints = [
        ("read_only", hints.read_only),
        ("destructive", hints.destructive),
        ("idempotent", hints.idempotent),
        ("open_world", hints.open_world),
    ];
    let given = hints.into_iter().filter_map(|(name, hint)| {
        let hint = if hint? { "true" } else { "false" };
        Some((name, hint.into()))
    });
    object(given)
}
