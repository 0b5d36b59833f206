use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Place {
    name: String,
}

#[derive(Deserialize, Schema)]
struct Shop {
    #[serde(alias = "name")]
    title: String,
    #[serde(flatten)]
    place: Place,
}

fn main() {}
