use toolwright::{Schema, tool, tools};

#[derive(serde::Deserialize)]
struct City;

/// Find it.
#[tool]
fn find<T: Schema + serde::de::DeserializeOwned>(what: T) {
    drop(what);
}

fn main() {
    tools![find::<City> as "find_city"];
}
