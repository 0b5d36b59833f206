//! Names that somebody may have meant.

/// At most this many names are offered: a model needs one, and a list of thousands helps nobody.
const MOST: usize = 3;

/// The names nearest to `wrong`, best first; none that is too far to be a slip.
pub(crate) fn near<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = fold(wrong);
    let count = folded.chars().count();
    // A name of one or two letters is another one after any change.
    let limit = match count {
        0..=2 => 0,
        count => count / 3,
    };
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let candidate = fold(name);
            // Each character too many is a step, so the costly count of steps is spared.
            if candidate.chars().count().abs_diff(count) > limit {
                return None;
            }
            let distance = strsim::osa_distance(&folded, &candidate);
            (distance <= limit).then_some((distance, name))
        })
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.truncate(MOST);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Case and separators are what models get wrong most: `getWeather` for `get_weather`.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// `` did you mean `a` or `b`? ``; empty without names.
pub(crate) fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("did you mean {}?", names.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["search", "get_weather", "get_whether", "delete_all"];
        let table: [(&str, &[&str]); 7] = [
            ("serch", &["search"]),
            ("getWeather", &["get_weather", "get_whether"]),
            ("get-weather", &["get_weather", "get_whether"]),
            ("Search", &["search"]),
            ("launch_rocket", &[]),
            ("", &[]),
            ("x", &[]),
        ];
        for (wrong, expected) in table {
            assert_eq!(near(wrong, names), expected, "{wrong}");
        }
    }
}
