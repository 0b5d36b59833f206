use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Place {
    #[serde(alias = "title")]
    name: String,
}

#[derive(Deserialize, Schema)]
struct Shop {
    title: String,
    #[serde(flatten)]
    place: Place,
}

fn main() {}
