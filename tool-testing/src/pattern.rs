use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::rng::Rng;

/// Appends a text that a pattern matches. `None` where what the pattern looks at besides a text's
/// ends cannot be promised.
pub(super) fn matching(pattern: &Hir, rng: &mut Rng, out: &mut String) -> Option<()> {
    match pattern.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(member(class, rng)?),
        HirKind::Look(Look::Start | Look::End) => {}
        HirKind::Look(_) => return None,
        HirKind::Repetition(repetition) => {
            let min = usize::try_from(repetition.min).ok()?;
            let most = repetition.max.and_then(|max| usize::try_from(max).ok());
            let times = rng.between(min, most.unwrap_or(min + 5).min(min + 5));
            for _ in 0..times {
                matching(&repetition.sub, rng, out)?;
            }
        }
        HirKind::Capture(capture) => matching(&capture.sub, rng, out)?,
        HirKind::Concat(parts) => {
            for part in parts {
                matching(part, rng, out)?;
            }
        }
        HirKind::Alternation(parts) => matching(rng.pick(parts)?, rng, out)?,
    }
    Some(())
}

/// Returns whether a match may have other text before it, and after it.
pub(super) fn is_open(pattern: &Hir) -> (bool, bool) {
    let properties = pattern.properties();
    (
        !properties.look_set_prefix().contains(Look::Start),
        !properties.look_set_suffix().contains(Look::End),
    )
}

/// A character of a class: one of ASCII where there is one. Others only of a class that holds
/// about all of them, since JSON Schema's `\d` and `\w` are ASCII and Rust's are not.
fn member(class: &Class, rng: &mut Rng) -> Option<char> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class
            .iter()
            .map(|range| (u32::from(range.start()), u32::from(range.end())))
            .collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|range| (u32::from(range.start()), u32::from(range.end())))
            .collect(),
    };
    let has = |char: char| {
        let char = u32::from(char);
        ranges
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&char))
    };
    if has('é') && has('😀') && rng.percent(20) {
        return rng
            .pick(&['é', '😀', '漢'])
            .copied()
            .filter(|char| has(*char));
    }
    let printable: Vec<_> = (' '..='~').filter(|char| has(*char)).collect();
    if let Some(char) = rng.pick(&printable) {
        return Some(*char);
    }
    let (low, high) = rng.pick(&ranges).copied()?;
    let span = usize::try_from(high - low).ok()?.min(1000);
    char::from_u32(low + u32::try_from(rng.between(0, span)).ok()?)
}
