//! Finds the value that a path in the names of Rust leads to.

use toolwright_json::Place;

use crate::decode::{Arena, Error, Json, MAX_DEPTH, Segment};

/// A value of a text.
pub(super) struct Found {
    /// The segments that lead there, by the keys of the text.
    pub(super) path: Vec<Segment>,
    /// The offset where the value starts, unless it is not there.
    pub(super) at: Option<usize>,
}

/// The value that `path` leads to from the value at an offset.
pub(super) fn find(text: &str, at: Option<usize>, path: Vec<Segment>) -> Found {
    let mut found = Found {
        path: Vec::with_capacity(path.len()),
        at,
    };
    let mut path = path.into_iter().peekable();
    while let Some(segment) = path.next() {
        let parts = found.at.map(|at| Parts::of(text, at));
        match (segment, parts) {
            (segment, None) => found.path.push(segment),
            (Segment::Index(index), Some(Parts::Items(items))) => {
                found.at = items.get(index).copied();
                found.path.push(Segment::Index(index));
            }
            // No array stands for a newtype. An object may stand for its variant.
            (Segment::Index(index), Some(Parts::Keys(keys))) => {
                let next = path.peek();
                let is_inside = next.is_some_and(|next| position(&keys, next).is_some());
                if let [(key, at)] = keys.as_slice()
                    && !is_inside
                {
                    found.path.push(Segment::Key(key.clone()));
                    found.at = Some(*at);
                    if let Parts::Items(items) = Parts::of(text, *at) {
                        found.at = items.get(index).copied();
                        found.path.push(Segment::Index(index));
                    }
                }
            }
            (Segment::Index(_), Some(Parts::None)) => {}
            (segment, Some(Parts::Keys(keys))) => {
                let way = position(&keys, &segment).map(|at| vec![at]);
                match way.or_else(|| through_one(text, &keys, &segment)) {
                    Some(way) => {
                        found.at = way.last().map(|(_, at)| *at);
                        let keys = way.into_iter().map(|(key, _)| Segment::Key(key));
                        found.path.extend(keys);
                    }
                    None => {
                        found.at = None;
                        found.path.push(segment);
                    }
                }
            }
            (segment, Some(Parts::Items(_) | Parts::None)) => {
                found.at = None;
                found.path.push(segment);
            }
        }
    }
    found
}

/// The parts of a value, with the offsets where they start.
enum Parts {
    Keys(Vec<(String, usize)>),
    Items(Vec<usize>),
    None,
}

impl Parts {
    fn of(text: &str, at: usize) -> Self {
        let arena = Arena::new();
        let mut json = Json::new(text, &arena).at(at, MAX_DEPTH);
        let parts = match json.peek() {
            Some(b'{') => keys(&mut json).map(Self::Keys),
            Some(b'[') => items(&mut json).map(Self::Items),
            _ => return Self::None,
        };
        parts.unwrap_or(Self::None)
    }
}

fn keys(json: &mut Json<'_>) -> Result<Vec<(String, usize)>, Error> {
    let (mut place, mut keys) = (Place::Opened, Vec::new());
    json.enter_object()?;
    while let Some(key) = json.next_key(&mut place)? {
        keys.push((key.to_owned(), json.offset()));
        json.skip()?;
    }
    Ok(keys)
}

fn items(json: &mut Json<'_>) -> Result<Vec<usize>, Error> {
    let (mut place, mut items) = (Place::Opened, Vec::new());
    json.enter_array()?;
    while json.next_element(&mut place)? {
        items.push(json.offset());
        json.skip()?;
    }
    Ok(items)
}

/// The key that a segment names: as it is, or but for letter case and what stands between words.
fn position(keys: &[(String, usize)], segment: &Segment) -> Option<(String, usize)> {
    let Segment::Key(name) = segment else {
        return None;
    };
    let letters = |text: &str| -> String {
        let text = text.strip_prefix("r#").unwrap_or(text);
        let chars = text.chars().filter(|char| !matches!(char, '_' | '-'));
        chars.flat_map(char::to_lowercase).collect()
    };
    let wanted = letters(name);
    let exact = keys.iter().find(|(key, _)| key == name);
    let found = exact.or_else(|| keys.iter().find(|(key, _)| letters(key) == wanted));
    found.cloned()
}

/// The way to a key that stands in the only object that has it, behind one of `keys`: the name or the content of a variant.
fn through_one(
    text: &str,
    keys: &[(String, usize)],
    segment: &Segment,
) -> Option<Vec<(String, usize)>> {
    let mut ways = keys
        .iter()
        .filter_map(|(key, at)| match Parts::of(text, *at) {
            Parts::Keys(inner) => Some(vec![(key.clone(), *at), position(&inner, segment)?]),
            _ => None,
        });
    ways.next().filter(|_| ways.next().is_none())
}
