//! The crate under another name, wherever the macros are.
#![deny(warnings)]

mod vendor {
    pub mod wright {
        pub use toolwright::*;
    }
}
use vendor::wright::{Provide, Schema, tool, tools};

#[derive(serde::Deserialize, Schema)]
#[schema(crate = crate::crate_path::vendor::wright)]
struct Query {
    words: String,
}

#[derive(Provide)]
#[provide(crate = crate::crate_path::vendor::wright)]
struct App {
    db: u32,
}

/// Search.
#[tool(crate = crate::crate_path::vendor::wright)]
fn search(query: Query, #[state] db: &u32) -> String {
    format!("{}{db}", query.words)
}

struct Crm;

#[tool(crate = crate::crate_path::vendor::wright)]
impl Crm {
    /// Count.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

// Of another crate, which users of its macro need not have heard of.
toolwright_compile_tests::make!(made, Made, count_made);

#[test]
fn runs() {
    assert_eq!(tools![made, ..Made { amount: 1 }: Made].iter().len(), 2);
    assert_eq!(
        tools![search, ..Crm: Crm; state = App { db: 1 }]
            .iter()
            .len(),
        2
    );
}
