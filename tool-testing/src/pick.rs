use super::rng::Rng;
use super::value::{Node, Value};

/// Any value inside another, or the whole.
pub(super) fn any<'n>(root: &'n mut Node, rng: &mut Rng) -> Option<&'n mut Node> {
    pick(root, rng, &|_| true)
}

/// One of the values that are as asked, each as likely as the next.
pub(super) fn pick<'n>(
    root: &'n mut Node,
    rng: &mut Rng,
    is_meant: &dyn Fn(&Node) -> bool,
) -> Option<&'n mut Node> {
    let mut before = rng.below(count(root, is_meant));
    nth(root, &mut before, is_meant)
}

fn count(node: &Node, is_meant: &dyn Fn(&Node) -> bool) -> usize {
    let inside: usize = match &node.value {
        Value::Array(items) => items.iter().map(|item| count(item, is_meant)).sum(),
        Value::Object(entries) => entries.iter().map(|(_, item)| count(item, is_meant)).sum(),
        _ => 0,
    };
    inside + usize::from(is_meant(node))
}

fn nth<'n>(
    node: &'n mut Node,
    before: &mut usize,
    is_meant: &dyn Fn(&Node) -> bool,
) -> Option<&'n mut Node> {
    if is_meant(node) {
        if *before == 0 {
            return Some(node);
        }
        *before -= 1;
    }
    match &mut node.value {
        Value::Array(items) => items
            .iter_mut()
            .find_map(|item| nth(item, before, is_meant)),
        Value::Object(entries) => entries
            .iter_mut()
            .find_map(|(_, item)| nth(item, before, is_meant)),
        _ => None,
    }
}
