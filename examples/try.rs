use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use toolwright::{Context, Provide, Schema, ToolCall, Wire, tool, tools};

#[derive(Deserialize, Schema)]
struct Customer<'a> {
    /// Full name
    name: &'a str,
    country: Option<String>,
}
#[derive(Deserialize, Serialize, Schema, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Speed {
    #[default]
    Normal,
    /// next day
    Express,
}
#[derive(Deserialize, Schema, Serialize)]
struct Line {
    sku: String,
    qty: u32,
}
struct Shop {
    name: String,
}
#[derive(Serialize, Schema)]
struct Receipt {
    total: u32,
    who: String,
}

/// Place an order.
///
/// Use it only after the customer has confirmed the basket.
///
/// # Arguments
/// * `note` - Words for the parcel, if any
#[tool(destructive, timeout = "10s", meta(risk = "high", n = -3))]
async fn create_order(
    /// Who pays
    customer: Customer<'_>,
    /// What to ship
    lines: &[Line],
    note: Option<&str>,
    c: Cow<'_, str>,
    #[arg(default = Speed::Normal)] mut speed: Speed,
    #[arg(default = "hi")] greet: &str,
    #[state] shop: &Shop,
    #[context] cx: &Context,
) -> Result<Receipt, std::io::Error> {
    let _ = (&mut speed, greet, c, note);
    Ok(Receipt {
        total: lines.iter().map(|l| l.qty).sum(),
        who: format!("{} {:?} {}", customer.name, cx.call_id(), shop.name),
    })
}

/// Adds
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Finds
#[tool]
fn find<T: Schema + serde::de::DeserializeOwned + Serialize>(what: T) -> T {
    what
}

struct Crm {
    n: i32,
}
#[tool]
impl Crm {
    fn helper(&self) -> i32 {
        self.n
    }
    /// Count
    #[tool(read_only)]
    async fn count(&self, #[arg(default = 3)] times: i32) -> i32 {
        self.helper() * times
    }
}
#[derive(Provide)]
struct App {
    shop: Shop,
}

fn main() {
    let tools = tools![create_order, add, find::<Line> as "find_line", ..Crm { n: 4 }: Crm; state = App { shop: Shop { name: "s".into() } }];
    println!("{}", Wire::OpenAiChat.definitions(&tools));
    let cx = Context::new();
    for (n, a) in [
        ("add", r#"{"a":1,"b":2.0}"#),
        ("add", r#"{"a":1,"b":"x", "c":3}"#),
        ("count", "{}"),
        ("find_line", r#"{"what":{"sku":"x","qty":1e0,"zz":1}}"#),
        (
            "create_order",
            r#"{"customer":{"name":"A\nB"},"lines":[{"sku":"x","qty":3}],"c":"x\u00e9"}"#,
        ),
        ("ad", "{}"),
        ("add", "{\"a\":1,"),
    ] {
        let r = tools.call_blocking(&ToolCall::new("c1", n, a), &cx);
        println!("{n} {a} -> {}", r.content(toolwright::Encoder::auto()));
    }
}
