//! Rules for names that a tool and its arguments had before.

use crate::ctxt::Ctxt;
use crate::model::Tool;

pub(super) fn agrees(cx: &Ctxt, tool: &Tool) {
    differs_from_name(cx, tool);
    argument_names_differ(cx, tool);
}

/// An old name equal to the tool's name would have no effect.
fn differs_from_name(cx: &Ctxt, tool: &Tool) {
    for was in &tool.options.was {
        if was.value == tool.name.value {
            cx.error_at(
                was.span,
                format!(
                    "the tool is named `{}` today\nhelp: write the names that it had before, or remove this one",
                    was.value
                ),
            );
        }
    }
}

/// An old name must lead to one argument and must not be the name of a current one.
fn argument_names_differ(cx: &Ctxt, tool: &Tool) {
    let mut seen: Vec<&str> = Vec::new();
    for param in tool.model_params() {
        let Some(was) = &param.was else { continue };
        let old = was.value.as_str();
        if param.flatten.is_some() {
            cx.error_at(
                was.span,
                format!(
                    "the fields of `{}` are the arguments, and it is not one itself\nhelp: put the old name of a field into its type: `#[serde(alias = \"{old}\")]`",
                    param.ident
                ),
            );
        } else if tool.model_params().any(|other| other.name.value == old) {
            cx.error_at(
                was.span,
                format!("`{old}` is an argument of this tool today\nhelp: write the name that `{}` had before, or rename the other one", param.name.value),
            );
        } else if seen.contains(&old) {
            cx.error_at(
                was.span,
                format!("two arguments of this tool were named `{old}`\nhelp: keep it at the one that its values go to"),
            );
        } else {
            seen.push(old);
        }
    }
}
