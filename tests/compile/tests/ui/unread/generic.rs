use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
#[serde(tag = "by")]
enum Query<T> {
    At { place: T },
}

/// Finds it.
#[tool]
fn find<T: Schema + DeserializeOwned + Send + 'static>(query: Query<T>) {
    let Query::At { place } = query;
    let _ = place;
}

fn main() {
    let _ = tools![find::<u64> as "find_small", find::<u128>];
}
