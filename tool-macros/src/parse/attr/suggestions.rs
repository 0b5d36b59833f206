//! Suggestions for unknown options.

use quote::ToTokens;

use super::entry::KeyValue;
use crate::ctxt::Ctxt;
use crate::name::{did_you_mean, quoted};

/// Options of other libraries, and ours for the same purpose.
const OTHER_WORDS: [(&str, &str); 17] = [
    ("desc", "description"),
    ("doc", "description"),
    ("about", "description"),
    ("readonly", "read_only"),
    ("read_only_hint", "read_only"),
    ("direct", "return_direct"),
    ("hidden", "visible"),
    ("attributes", "meta"),
    ("open", "ignore_unknown"),
    ("sensitive", "secret"),
    ("password", "secret"),
    ("redact", "secret"),
    ("additional_properties", "ignore_unknown"),
    ("dialects", "targets"),
    ("regex", "pattern"),
    ("length", "len"),
    ("name", "rename"),
];

/// Options that exist in another form, by attribute, with the help to show.
#[rustfmt::skip]
const OTHER_FORMS: [(&str, &[&str], &str); 13] = [
    ("arg", &["description", "desc", "doc", "about"],
        "describe the parameter in a `///` comment above it;"),
    ("arg", &["optional", "required", "nullable"],
        "a parameter may be left out if it is an `Option` or has a `default`;"),
    ("arg", &["skip", "context", "state"],
        "what the model must not see is marked `#[state]`; the call's `cx: &Context` needs no mark;"),
    ("arg", &["as", "schema_with", "with"],
        "the schema is the type's: take a struct `Limit(#[schema(schema_with = f)] u32)` that derives `Schema`;"),
    ("schema", &["rename", "rename_all", "name", "alias", "default", "flatten", "skip", "tag", "untagged"],
        "serde has it, and the schema follows: `#[serde(…)]`;"),
    ("schema", &["optional", "required", "nullable"],
        "a field may be left out if it is an `Option` or has `#[serde(default)]`;"),
    ("tool", &["args", "arguments", "params", "param"],
        "parameters are described in `///` comments above them;"),
    ("tool", &["required", "optional"],
        "an argument is required unless it is an `Option` or has `#[arg(default)]`;"),
    ("tool", &["approval", "approve", "confirm", "confirmation", "needs_approval", "require_approval", "requires_approval", "risk"],
        "a parameter `yes: Approved<'_>` lets nothing run without a person's approval, and a layer `Approval` asks about tools that are `destructive` or have `meta(risk = \"high\")`;"),
    ("", &["enum", "choices", "one_of", "values", "variants", "possible_values"],
        "for one of several strings, take an enum that derives `Deserialize` and `Schema`;"),
    ("", &["type", "ty"],
        "the JSON type follows from the Rust type;"),
    ("", &["min", "max", "minimum", "maximum"],
        "write `range(1..=50)`;"),
    ("", &["min_length", "max_length", "min_len", "max_len", "min_items", "max_items"],
        "write `len(1..=50)`;"),
];

/// Reports an unknown option, with a suggestion.
pub(crate) fn unknown(cx: &Ctxt, entry: &KeyValue, attribute: &str, options: &[&str]) {
    let (key, path) = (entry.key.as_str(), entry.meta.path());
    let form = || {
        let form = OTHER_FORMS.iter().find(|(of, keys, _)| {
            let bounds = of.is_empty() && options.contains(&"range");
            (*of == attribute || bounds) && keys.contains(&key)
        });
        form.map(|(_, _, help)| (*help).to_owned())
    };
    let meant = OTHER_WORDS
        .iter()
        .find(|(word, option)| *word == key && options.contains(option))
        .map(|(_, option)| format!("did you mean `{option}`?"))
        .or_else(form)
        .or_else(|| did_you_mean(key, options.iter().copied()));
    let known = match options {
        [] => "remove it".to_owned(),
        [only] => format!("the only option is `{only}`"),
        options => format!("the options are {}", quoted(options.iter().copied())),
    };
    let help = meant.into_iter().chain([known]).collect::<Vec<_>>();
    cx.error(
        path,
        format!(
            "unknown option `{}` in `#[{attribute}]`\nhelp: {}",
            if key.is_empty() {
                path.to_token_stream().to_string()
            } else {
                key.to_owned()
            },
            help.join(" "),
        ),
    );
}
