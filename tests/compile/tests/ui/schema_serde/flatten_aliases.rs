use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Place {
    #[serde(alias = "called")]
    name: String,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Shop {
    In {
        #[serde(alias = "called")]
        title: String,
        #[serde(flatten)]
        place: Place,
    },
}

fn main() {}
