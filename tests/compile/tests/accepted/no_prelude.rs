//! Code without the preludes.
#![no_implicit_prelude]

use ::std::assert_eq;
use ::std::option::Option::{self, None, Some};
use ::std::result::Result::{self, Ok};
use ::std::string::{String, ToString as _};

use ::serde::{Deserialize, Serialize};
use ::toolwright::{Context, Schema, ToolCall, tool, tools};

/// A customer
#[derive(Deserialize, Serialize, Schema)]
struct Customer {
    name: String,
    age: Option<u8>,
}

/// Adds a customer.
#[tool]
fn add(customer: Customer, #[arg(default)] notify: bool) -> Result<String, String> {
    let _ = notify;
    Ok(customer.name)
}

struct Crm;

#[tool]
impl Crm {
    /// Counts the customers.
    #[tool]
    async fn count(&self, of: Option<&str>, _cx: &Context) -> u32 {
        match of {
            Some(_) => 1,
            None => 2,
        }
    }
}

#[::std::prelude::v1::test]
fn tools_need_no_prelude() {
    let tools = tools![add, ..Crm: Crm];
    let call = ToolCall::new("1", "add", r#"{"customer": {"name": "Ada"}}"#);
    let result = tools.call_blocking(&call, &Context::new());
    assert_eq!(
        result.content(::toolwright::Encoder::auto()).into_owned(),
        "Ada".to_string()
    );
}
