use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Place {
    Street { name: String },
}

#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Shop {
    #[serde(flatten)]
    place: Place,
}

fn main() {}
