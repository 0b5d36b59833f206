//! Rules for names that providers accept, and suggestions for misspelled ones.

/// Tools, for every provider: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
pub(crate) const TOOL_RULE: &str = "a letter or `_`, then letters, digits, `_` or `-`, 64 in all";

/// Parameters, for every provider: `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`.
pub(crate) const PARAM_RULE: &str = "a letter or `_`, then letters, digits or `_`, 64 in all";

pub(crate) fn is_tool_name(name: &str) -> bool {
    is_name(name, |char| {
        char.is_ascii_alphanumeric() || char == '_' || char == '-'
    })
}

pub(crate) fn is_param_name(name: &str) -> bool {
    is_name(name, |char| char.is_ascii_alphanumeric() || char == '_')
}

fn is_name(name: &str, inner: impl Fn(char) -> bool) -> bool {
    name.len() <= 64
        && name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && name.chars().all(inner)
}

/// `` did you mean `x`? `` or an empty text, to follow `help: `.
pub(crate) fn did_you_mean<'n>(
    wrong: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    let folded = wrong.to_lowercase();
    let near = |name: &&str| {
        // Allows changes in a third of the letters, or one missing letter in names of two. The runtime suggests names
        // of tools and arguments by the same rule.
        let limit = wrong.len().max(name.len().min(3)) / 3;
        let is_start = folded.len() >= 3 && (name.starts_with(&folded) || folded.starts_with(name));
        let distance = strsim::osa_distance(&folded, name);
        (is_start || distance <= limit).then_some(distance)
    };
    let best = names
        .into_iter()
        .filter_map(|name| near(&name).map(|distance| (distance, name)))
        .min_by_key(|(distance, _)| *distance)?;
    Some(format!("did you mean `{}`?", best.1))
}

/// `` `a`, `b`, `c` ``
pub(crate) fn quoted<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// A name as that of a variant or a struct: `create_order` as `CreateOrder`.
pub(crate) fn variant(name: &str) -> String {
    let words = name.split(|char: char| !char.is_alphanumeric());
    let mut all = String::new();
    for word in words {
        let mut chars = word.chars();
        all.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        all.push_str(chars.as_str());
    }
    all
}
