use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
#[schema(open)]
struct Shop {
    name: String,
}

fn main() {}
