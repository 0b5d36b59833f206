use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Place {
    Point(Point),
    Numbers(Vec<f64>),
}

#[tool]
/// Takes one.
fn take(one: Place) {
    drop(one);
}

fn main() {}
