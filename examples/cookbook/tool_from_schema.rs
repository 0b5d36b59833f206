// How do I make a tool at run time from a JSON Schema?

use serde_json::{Value, json};
use toolwright::schema::SchemaDoc;
use toolwright::{Context, DynTool, ToolError, Toolset};

// From a file, a database or another program.
const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3}
    },
    "required": ["city"],
    "additionalProperties": false
}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = DynTool::builder()
        .name("forecast")
        .description("Forecast the weather of a city.")
        .parameters(SchemaDoc::parse(SCHEMA)?)
        .handler(|arguments: Value, _cx| async move {
            // Checked against the schema, with defaults filled in.
            let city = arguments["city"].as_str().unwrap_or_default();
            let days = &arguments["days"];
            Ok::<_, ToolError>(format!("{days} days of sun in {city}"))
        })
        .build()?;
    let tools = Toolset::new([tool])?;

    let sun = tools
        .call_json("forecast", json!({"city": "Oslo"}), &Context::new())
        .await?;
    println!("{sun}");
    let wrong = json!({"town": "Oslo", "days": 30});
    if let Err(error) = tools.call_json("forecast", wrong, &Context::new()).await {
        println!("{error}");
    }
    Ok(())
}

// Prints:
// "3 days of sun in Oslo"
// days: expected an integer from 1 to 10, got 30
// town: unknown argument; there are `city`, `days`
// city: missing, expected a string
