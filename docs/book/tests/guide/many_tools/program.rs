// ANCHOR: program
use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
use toolwright::{Context, ToolCall, Toolset, tool, tools};

/// Tells the time.
#[tool(read_only)]
pub fn now() -> &'static str {
    "noon"
}

/// Finds customers by a part of their name.
#[tool(read_only)]
pub fn find_customer(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

/// Closes an order of a customer.
#[tool]
pub fn close_order(order: u32) -> String {
    format!("order {order} is closed")
}

struct Disk {
    folder: String,
}

#[tool]
impl Disk {
    /// Reads a text file.
    #[tool(read_only)]
    fn read_file(&self, path: &str) -> String {
        format!("the text of {}/{path}", self.folder)
    }
}

pub fn shop() -> Toolset {
    let disk = Disk {
        folder: "/srv/shop".to_owned(),
    };
    tools! {
        defer: {
            /// Customers and their orders
            crm: [find_customer, close_order],
            /// Files of the shop
            files: [..disk: Disk],
        };
        now
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A model that follows a script, so that this runs without a network.
    let call = |id, name, arguments| ModelResponse::calls([ToolCall::new(id, name, arguments)]);
    let model = ScriptedModel::new([
        Ok(call("1", "search_tools", r#"{"query": "close an order"}"#)),
        Ok(call("2", "close_order", r#"{"order": 7}"#)),
        Ok(ModelResponse::text("Order 7 is closed.")),
    ]);
    let agent = Agent::new(model.clone(), shop());
    let mut session = Session::ask("Please close order 7.");
    let _ = agent.run(&mut session, &Context::new()).await?;

    for request in model.requests() {
        println!("tools of the request: {}", request.tools.join(", "));
    }
    Ok(())
}
// ANCHOR_END: program

#[test]
fn it_prints_what_the_page_shows() {
    let printed = crate::output::of(|| main().unwrap());
    crate::output::shown("many_tools.txt", &printed);
}
