use serde_json::{Map, Value};

use super::explain::{Explainer, Found, Place};
use super::objects::entries;
use super::words::{describe_any, described};
use crate::schema::decode::fault::say;
use crate::schema::decode::{FaultCode, Segment, one_of};

impl<'s> Explainer<'s> {
    /// What other schemas for the same value find wrong.
    pub(super) fn combined(
        &mut self,
        schema: &'s Map<String, Value>,
        place: &Place<'_>,
        found: &mut Vec<Found>,
    ) {
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        for part in list("allOf").into_iter().flatten() {
            found.extend(self.faults(part, place));
        }
        if let Some(forms) = list("anyOf") {
            found.extend(self.one_form(forms, place, false));
        }
        if let Some(forms) = list("oneOf") {
            found.extend(self.one_form(forms, place, true));
        }
        if let Some(not) = schema.get("not")
            && self.fits(not, place)
            && !self.is_cut
        {
            found.push(match described(not, self.judge) {
                Some(words) => place.expected(FaultCode::Bound, &format!("anything but {words}")),
                None => place.refused(),
            });
        }
        if let Some(condition) = schema.get("if") {
            let branch = if self.fits(condition, place) {
                "then"
            } else {
                "else"
            };
            if let Some(branch) = schema.get(branch)
                && !self.is_cut
            {
                found.extend(self.faults(branch, place));
            }
        }
    }

    /// What is wrong with a value that must have one of these forms.
    fn one_form(&mut self, forms: &'s [Value], place: &Place<'_>, is_one: bool) -> Vec<Found> {
        let tried: Vec<_> = forms.iter().map(|form| self.faults(form, place)).collect();
        let fitting = tried.iter().filter(|found| found.is_empty()).count();
        let words = || describe_any(forms, self.judge);
        if fitting == 1 || (fitting > 1 && (!is_one || self.is_cut)) {
            return Vec::new();
        }
        if fitting > 1 {
            let got = say::shortened(place.text);
            let message = format!(
                "fits {fitting} of the forms, where one is wanted: {}, got {got}",
                words()
            );
            return vec![place.fault(FaultCode::Bound, message)];
        }
        if let Some(found) = self.tagged(forms, place) {
            return found;
        }
        let path = say::path(&place.path);
        let is_other_type = |found: &[Found]| {
            found
                .iter()
                .any(|found| found.fault.code == FaultCode::WrongType && found.fault.path == path)
        };
        let is_inside = place.value.is_object() || place.value.is_array();
        let mut near: Vec<_> = tried
            .into_iter()
            .filter(|found| !is_other_type(found))
            .collect();
        if near.len() == 1 || is_inside {
            near.sort_by_key(Vec::len);
            if let Some(nearest) = near.into_iter().next() {
                return nearest;
            }
        }
        vec![place.expected(FaultCode::WrongType, &words())]
    }

    /// What is wrong where each form names itself in the same key, as the model meant one of them.
    fn tagged(&mut self, forms: &'s [Value], place: &Place<'_>) -> Option<Vec<Found>> {
        let Value::Object(values) = place.value else {
            return None;
        };
        let judge = self.judge;
        let tags: Vec<_> = forms
            .iter()
            .map(|form| {
                let mut keywords = form.as_object();
                // References were found to end.
                while let Some(target) = keywords.and_then(|keywords| judge.referred(keywords)) {
                    keywords = target.as_object();
                }
                (form, tags(keywords))
            })
            .filter(|(_, tags)| !tags.is_empty())
            .collect();
        let (_, first) = tags.first()?;
        let (name, _) = first.iter().find(|(name, _)| {
            tags.len() > 1
                && tags
                    .iter()
                    .all(|(_, tags)| tags.iter().any(|tag| tag.0 == *name))
        })?;
        let named: Vec<(&Value, &str)> = tags
            .iter()
            .flat_map(|(form, tags)| tags.iter().map(move |tag| (*form, tag)))
            .filter_map(|(form, tag)| (tag.0 == *name).then_some((form, tag.1)))
            .collect();
        let all = one_of(named.iter().map(|(_, tag)| format!("{tag:?}")));
        let Some(value) = values.get(*name) else {
            return Some(vec![
                place.missing(name, format!("missing, expected {all}")),
            ]);
        };
        if let Some((form, _)) = named.iter().find(|(_, tag)| value == tag) {
            return Some(self.faults(form, place));
        }
        let (_, text, at) = entries(place.text)
            .into_iter()
            .find(|(key, ..)| key == name)?;
        let mut path = place.path.clone();
        path.push(Segment::Key((*name).to_owned()));
        let at = place.at + at;
        let mut fault = Place {
            value,
            text,
            at,
            path,
        }
        .expected(FaultCode::WrongType, &all);
        if let Value::String(got) = value {
            fault.add_near(got, named.iter().map(|(_, tag)| *tag));
        }
        Some(vec![fault])
    }
}

/// The keys of a form that may only have one text.
fn tags(form: Option<&Map<String, Value>>) -> Vec<(&str, &str)> {
    let properties = form.and_then(|form| form.get("properties")?.as_object());
    properties
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| {
            let listed = property.get("enum").and_then(Value::as_array);
            let tag = match listed.map(Vec::as_slice) {
                Some([tag]) => tag,
                _ => property.get("const")?,
            };
            Some((name.as_str(), tag.as_str()?))
        })
        .collect()
}
