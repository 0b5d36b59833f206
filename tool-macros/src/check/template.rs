//! The URI of a resource, beside its parameters.

use crate::ctxt::Ctxt;
use crate::model::Tool;
use crate::name::{did_you_mean, quoted};

/// Each variable of the template is a parameter, and each parameter a variable: nothing else fills it.
pub(super) fn fits(cx: &Ctxt, tool: &Tool) {
    let Some(uri) = &tool.options.uri else { return };
    if !uri.value.contains(':') {
        cx.error_at(
            uri.span,
            "a resource's URI has a scheme\nhelp: write `config://app`, or a template: `orders://{id}`",
        );
        return;
    }
    let variables = match variables(&uri.value) {
        Ok(variables) => variables,
        Err(why) => {
            let words = format!(
                "this is not a URI template: {why}\nhelp: write `orders://{{id}}`; `{{+path}}` also takes slashes"
            );
            cx.error_at(uri.span, words);
            return;
        }
    };
    let errors = cx.count();
    for (at, variable) in variables.iter().enumerate() {
        if variables.iter().take(at).any(|other| other == variable) {
            let words =
                format!("`{{{variable}}}` stands in the template twice\nhelp: name one otherwise");
            cx.error_at(uri.span, words);
        } else if !tool
            .model_params()
            .any(|param| param.name.value == *variable)
        {
            let names = || tool.model_params().map(|param| param.name.value.as_str());
            let help = did_you_mean(variable, names()).unwrap_or_else(|| match names().next() {
                Some(_) => format!("there are {}", quoted(names())),
                None => "add a parameter of this name".to_owned(),
            });
            let words = format!(
                "`{{{variable}}}` is not a parameter of `{}`\nhelp: {help}",
                tool.ident
            );
            cx.error_at(uri.span, words);
        }
    }
    if cx.count() > errors {
        return;
    }
    for param in tool.model_params() {
        let name = &param.name.value;
        if !variables.contains(&name.as_str()) && param.default.is_none() {
            let words = format!(
                "`{name}` is not a variable of the resource's URI, and nothing else fills it\nhelp: write `{{{name}}}` into the URI, or mark the parameter with `#[state]` or `#[context]`"
            );
            cx.error_at(param.name.span, words);
        }
    }
}

/// The names of a template's variables, as the server reads it: `{id}` and `{+path}`.
fn variables(template: &str) -> Result<Vec<&str>, String> {
    let (mut variables, mut rest) = (Vec::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        if before.contains('}') {
            break;
        }
        if before.is_empty() && !variables.is_empty() {
            return Err("two variables have nothing between them".to_owned());
        }
        let Some((name, after)) = after.split_once('}') else {
            return Err("a `{` has no `}`".to_owned());
        };
        let variable = name.strip_prefix('+').unwrap_or(name);
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        if variable.is_empty() || !variable.chars().all(is_name) {
            return Err(format!(
                "`{{{name}}}` is neither `{{name}}` nor `{{+name}}`"
            ));
        }
        variables.push(variable);
        rest = after;
    }
    if rest.contains('}') {
        return Err("a `}` has no `{`".to_owned());
    }
    Ok(variables)
}
