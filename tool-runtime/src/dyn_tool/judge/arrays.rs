use serde_json::{Map, Value};
use toolwright_json::Place as Reading;

use super::explain::{Explainer, Found, Place};
use super::words::describe;
use crate::schema::decode::{FaultCode, Json, Segment, Store};

/// The texts of an array's elements, and where each starts.
fn elements(text: &str) -> Vec<(&str, usize)> {
    let store = Store::new();
    let mut json = Json::new(text, &store);
    let mut reading = Reading::Opened;
    let mut elements = Vec::new();
    // The text has been read, so none of these fails.
    let _ = json.enter_array();
    while let Ok(true) = json.next_element(&mut reading) {
        let Ok(element) = json.skip() else { break };
        elements.push((element.len(), json.offset() - element.len()));
    }
    elements
        .into_iter()
        .map(|(len, at)| (text.get(at..at + len).unwrap_or_default(), at))
        .collect()
}

impl<'s> Explainer<'s> {
    pub(super) fn array(
        &mut self,
        schema: &'s Map<String, Value>,
        values: &[Value],
        place: &Place<'_>,
        found: &mut Vec<Found>,
    ) {
        // Before draft 2020-12 `items` may be the list, and `additionalItems` the rest.
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (None, Some(Value::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, rest) => (&[][..], rest),
        };
        let contained = schema.get("contains");
        let mut fitting: u64 = 0;
        for (index, ((text, at), value)) in elements(place.text).into_iter().zip(values).enumerate()
        {
            let mut path = place.path.clone();
            path.push(Segment::Index(index));
            let element = Place {
                value,
                text,
                at: place.at + at,
                path,
            };
            match first.get(index).or(rest) {
                Some(Value::Bool(false)) => {
                    let most = first.len();
                    let plural = if most == 1 { "" } else { "s" };
                    let what = format!("an array of at most {most} element{plural}");
                    found.push(place.expected(FaultCode::Bound, &what));
                    break;
                }
                Some(schema) => found.extend(self.faults(schema, &element)),
                None => {}
            }
            if let Some(contained) = contained {
                fitting += u64::from(self.fits(contained, &element));
            }
        }
        if let Some(contained) = contained {
            let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
            let (least, most) = (bound("minContains").unwrap_or(1), bound("maxContains"));
            let words = describe(contained, self.judge);
            let what = match most {
                _ if fitting < least => format!("an array with at least {least} of: {words}"),
                Some(most) if fitting > most && !self.is_cut => {
                    format!("an array with at most {most} of: {words}")
                }
                _ => return,
            };
            found.push(place.expected(FaultCode::Bound, &what));
        }
    }
}
