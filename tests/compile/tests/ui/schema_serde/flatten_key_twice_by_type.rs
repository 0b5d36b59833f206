use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Page<T> {
    name: String,
    #[serde(flatten)]
    of: T,
}

#[derive(Deserialize, Schema)]
struct Place {
    name: String,
}

#[derive(Deserialize, Schema)]
struct Shop {
    page: Page<Place>,
}

fn main() {}
