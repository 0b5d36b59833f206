use std::collections::HashMap;

use super::error::{SchemaError, SchemaErrorKind as Kind};

/// Schemas for the same value, by the pointer of the schema that holds or refers to them.
type Here = HashMap<String, Vec<String>>;

/// Maximum number of schemas that check one value: references double the work each time that two of them share a
/// target.
const MOST_STEPS: u64 = 65_536;
/// Maximum depth of schemas that check one value: values nest too, and the stack is limited.
const MOST_INSIDE: u64 = 16;

/// Cost of checking one value against a schema, without its parts.
#[derive(Clone, Copy)]
enum Cost {
    /// It is being found out, further up.
    Open,
    Known {
        steps: u64,
        inside: u64,
    },
}

/// Refuses schemas that take too long for one value, or for ever.
pub(super) fn cost(here: &Here) -> Result<(), SchemaError> {
    let mut known = HashMap::new();
    let mut places: Vec<&String> = here.keys().collect();
    // So that the same schema is refused at the same place.
    places.sort_unstable();
    for at in places {
        of(at, 0, here, &mut known)?;
    }
    Ok(())
}

fn of<'a>(
    at: &'a str,
    depth: u64,
    here: &'a Here,
    known: &mut HashMap<&'a str, Cost>,
) -> Result<(u64, u64), SchemaError> {
    match known.get(at) {
        Some(Cost::Known { steps, inside }) => return Ok((*steps, *inside)),
        Some(Cost::Open) => {
            let message = "it refers to itself for the same value, so no check would end; refer to \
                           it from what is inside, such as a property";
            return Err(SchemaError::new(Kind::EndlessReference, at, message));
        }
        None => {}
    }
    known.insert(at, Cost::Open);
    let (mut steps, mut inside) = (1u64, 0);
    // A cycle shows before the limit does, unless it is as long as the schemas are many.
    if depth <= 2048 {
        for next in here.get(at).into_iter().flatten() {
            let (more, deeper) = of(next, depth + 1, here, known)?;
            steps = steps.saturating_add(more);
            inside = inside.max(deeper);
        }
    } else {
        inside = MOST_INSIDE;
    }
    inside += 1;
    if inside > MOST_INSIDE {
        let message = format!("more than {MOST_INSIDE} schemas inside each other for one value");
        return Err(SchemaError::new(Kind::TooCostly, at, message));
    }
    if steps > MOST_STEPS {
        let message = format!("one value takes more than {MOST_STEPS} steps to check");
        return Err(SchemaError::new(Kind::TooCostly, at, message));
    }
    known.insert(at, Cost::Known { steps, inside });
    Ok((steps, inside))
}
