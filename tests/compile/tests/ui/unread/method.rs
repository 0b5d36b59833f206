use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
#[serde(tag = "by")]
enum Query {
    Block { number: u128 },
}

struct Chain;

#[tool]
impl Chain {
    /// Finds it.
    #[tool]
    fn find(&self, query: Query) {
        let Query::Block { number } = query;
        let _ = number;
    }

    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        0
    }
}

fn main() {
    let _ = tools![..Chain: Chain];
}
