//! Generic functions are listed by their instances.
#![deny(warnings)]

use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Display;
use toolwright::{Schema, Toolset, tool, tools};

#[derive(serde::Deserialize, Serialize, Schema)]
struct Doc {
    text: String,
}

/// Find it.
#[tool]
fn find<T: Schema + DeserializeOwned + Serialize>(what: T) -> T {
    what
}

/// Show them.
#[tool]
fn show<K, const N: usize>(keys: [K; N], #[arg(default = N)] most: usize) -> String
where
    K: Schema + DeserializeOwned + Display,
    [K; N]: Schema + DeserializeOwned,
{
    let texts: Vec<_> = keys.iter().take(most).map(K::to_string).collect();
    texts.concat()
}

fn build<T>() -> Toolset
where
    T: Schema + DeserializeOwned + Serialize + 'static,
{
    tools![find::<T> as "find_any"]
}

#[test]
fn runs() {
    let tools = tools![find::<Doc> as "find_doc", find::<u8> as "find_number", show::<String, 3>];
    assert_eq!(tools.iter().len(), 3);
    assert_eq!(build::<bool>().iter().len(), 1);
    assert_eq!(find(3), 3);
}
