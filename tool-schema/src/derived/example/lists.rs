//! Lists: their elements, that none stands there twice, and how many there are.

use super::scalar::length;
use super::{Json, Misfit, Place, check};
use crate::shape::{Array, Shape};

pub(super) const fn elements(
    array: &Array<'static>,
    at: usize,
    items: &[Json],
    place: Place,
) -> Option<Misfit> {
    let mut rest = items;
    while let [item, tail @ ..] = rest {
        if let Some(misfit) = check(array.items, item, place.element()) {
            return Some(misfit);
        }
        rest = tail;
    }
    if array.unique
        && let Some(twice) = repeated(items)
    {
        return Some(not_unique(twice, place));
    }
    let len = items.len() as u64;
    length(
        at + 1,
        len,
        array.min_len,
        array.max_len,
        place,
        " elements",
    )
}

pub(super) const fn repeated(items: &[Json]) -> Option<usize> {
    let mut rest = items;
    while let [item, tail @ ..] = rest {
        let mut others = tail;
        while let [other, more @ ..] = others {
            if item.is(other) {
                return Some(other.at());
            }
            others = more;
        }
        rest = tail;
    }
    None
}

pub(super) const fn not_unique(at: usize, place: Place) -> Misfit {
    let mut misfit = Misfit::new(at);
    misfit.text.push("no two elements of ");
    place.say(&mut misfit.text);
    misfit
        .text
        .push(" are equal, and this one stands there already\nhelp: remove it");
    misfit
}

pub(super) const fn tuple(
    shapes: &[&'static Shape<'static>],
    at: usize,
    items: &[Json],
    place: Place,
) -> Option<Misfit> {
    let (mut shapes_left, mut rest) = (shapes, items);
    while let ([shape, shapes_tail @ ..], [item, tail @ ..]) = (shapes_left, rest) {
        if let Some(misfit) = check(shape, item, place.element()) {
            return Some(misfit);
        }
        (shapes_left, rest) = (shapes_tail, tail);
    }
    if shapes_left.is_empty() && rest.is_empty() {
        return None;
    }
    let mut misfit = Misfit::new(at + 1);
    place.say(&mut misfit.text);
    misfit.text.push(" takes a list of ");
    misfit.text.push_number(shapes.len());
    misfit.text.push(", and this has ");
    misfit.text.push_number(items.len());
    misfit.text.push("\nhelp: write as many elements");
    Some(misfit)
}
