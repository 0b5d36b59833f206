//! Names that somebody may have meant.

use crate::text::Printable;

/// Maximum number of suggested names: a model needs one.
const MOST: usize = 3;

/// The names nearest to `wrong`, best first, without those that are too far to be a slip.
pub fn near<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = fold(wrong);
    let count = folded.chars().count();
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let candidate = fold(name);
            let meant = candidate.chars().count();
            // A third of the letters. Two letters may lack one, and are another name after any other change.
            let limit = count.max(meant.min(3)) / 3;
            // Each character too many is a step, so the costly count of steps is spared.
            if meant.abs_diff(count) > limit {
                return None;
            }
            let distance = strsim::osa_distance(&folded, &candidate);
            (distance <= limit).then_some((distance, name))
        })
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    // Case and separators alone leave no doubt.
    if matches!(found.first(), Some((0, _))) {
        found.retain(|(distance, _)| *distance == 0);
    }
    found.truncate(MOST);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Models confuse case and separators most: `getWeather` for `get_weather`.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// `` did you mean `a` or `b`? ``; empty without names.
pub fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    // Names of tools and schemas from elsewhere.
    let shown = |name: &&str| format!("`{}`", Printable::new(name).one_line());
    let names: Vec<_> = names.iter().map(shown).collect();
    format!("did you mean {}?", names.join(" or "))
}

/// Joins the first dozen words of a list and counts the others: a schema may list thousands.
pub fn listed(words: impl ExactSizeIterator<Item = String>, separator: &str) -> String {
    const MOST: usize = 12;
    let others = words.len().saturating_sub(MOST);
    let shown = words.take(MOST).collect::<Vec<_>>().join(separator);
    match others {
        0 => shown,
        1 => format!("{shown}{separator}… and 1 other"),
        others => format!("{shown}{separator}… and {others} others"),
    }
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["search", "get_weather", "get_whether", "delete_all"];
        let table: [(&str, &[&str]); 8] = [
            ("serch", &["search"]),
            ("getWeather", &["get_weather"]),
            ("get-weather", &["get_weather"]),
            ("get_wether", &["get_weather", "get_whether"]),
            ("Search", &["search"]),
            ("launch_rocket", &[]),
            ("", &[]),
            ("x", &[]),
        ];
        for (wrong, expected) in table {
            assert_eq!(near(wrong, names), expected, "{wrong}");
        }
    }

    #[test]
    fn short_names_are_near_by_one_letter() {
        let names = ["add", "get", "id", "x", "list"];
        let table: [(&str, &[&str]); 13] = [
            ("ad", &["add"]),
            ("dd", &["add"]),
            ("gt", &["get"]),
            ("adds", &["add"]),
            ("dad", &["add"]),
            ("ids", &["id"]),
            ("lst", &["list"]),
            // A two-letter name with one other letter is another name, and so is a name without any letter in place.
            ("is", &[]),
            ("di", &[]),
            ("i", &[]),
            ("y", &[]),
            ("at", &[]),
            ("li", &[]),
        ];
        for (wrong, expected) in table {
            assert_eq!(near(wrong, names), expected, "{wrong}");
        }
    }
}
