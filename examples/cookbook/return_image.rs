// How do I return an image?

use toolwright::call::Content;
use toolwright::{Context, Encoder, ToolCall, Wire, tool, tools};

/// Draw a chart of the sales of a year.
#[tool(read_only)]
fn sales_chart(year: u16) -> Content {
    let png = "iVBORw0KGgo="; // the file's bytes, as Base64
    Content::text(format!("Sales of {year}:")).image("image/png", png)
}

fn main() {
    let tools = tools![sales_chart];
    let call = ToolCall::new("call_1", "sales_chart", r#"{"year": 2025}"#);
    let result = tools.call_blocking(&call, &Context::new());

    // Providers that take images get the image, others a note in its place.
    let results = [result];
    for wire in [Wire::Anthropic, Wire::OpenAiChat] {
        println!("{}", wire.results(&results, Encoder::auto()));
    }
}

// Prints:
// [{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"Sales of 2025:"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}]
// [{"role":"tool","tool_call_id":"call_1","content":"Sales of 2025:\n[image, image/png]"}]
