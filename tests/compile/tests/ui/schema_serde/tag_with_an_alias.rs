use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Place {
    #[serde(alias = "kind")]
    name: String,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Shop {
    At(Place),
}

fn main() {}
