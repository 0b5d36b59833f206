//! The client of the official conformance suite of MCP, which starts it with the URL of a server:
//! `tests/outside/mcp_conformance.sh`. It calls what the suite says, or each tool once.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Map, Value, json};
use toolwright::mcp::{
    self, AuthorizationRequest, ElicitResult, Elicitation, OAuth, OAuthHostError,
};
use toolwright::{Context, ToolCall};

/// A value for each property of a schema: its default, or one of its type.
fn values(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let value = |schema: &Value| match schema["type"].as_str() {
        _ if schema.get("default").is_some() => Some(schema["default"].clone()),
        Some("number" | "integer") => Some(json!(2)),
        Some("boolean") => Some(json!(true)),
        Some("string") => Some(json!("x")),
        _ => None,
    };
    properties
        .filter_map(|(name, schema)| Some((name.clone(), value(schema)?)))
        .collect()
}

/// The browser of somebody who says yes to everything: the suite's page leads back at once.
async fn browse(request: AuthorizationRequest) -> Result<String, OAuthHostError> {
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let page = browser.build()?.get(&request.url).send().await?;
    let back = page.headers().get(reqwest::header::LOCATION);
    let back = back.ok_or("the page leads nowhere")?;
    Ok(back.to_str()?.to_owned())
}

/// The program's own word on who it is, signed by its key.
fn assertion(client: &str, key: &str, audience: &str) -> Result<String, OAuthHostError> {
    let key: String = key.lines().filter(|line| !line.starts_with("--")).collect();
    let key = EncodingKey::from_ec_der(&STANDARD.decode(key)?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let claims = json!({
        "iss": client, "sub": client, "aud": audience, "exp": now + 60, "iat": now, "jti": now.to_string(),
    });
    Ok(encode(&Header::new(Algorithm::ES256), &claims, &key)?)
}

/// The authorization server that a secret is for. A host knows it; the suite does not say it, so the server is believed.
async fn issuer(server: &str) -> Result<String, OAuthHostError> {
    let refused = reqwest::Client::new().post(server).send().await?;
    let challenge = refused.headers().get(reqwest::header::WWW_AUTHENTICATE);
    let challenge = challenge.ok_or("no challenge")?.to_str()?;
    let place = challenge.split("resource_metadata=\"").nth(1);
    let place = place.and_then(|rest| rest.split('"').next());
    let metadata = reqwest::get(place.ok_or("no metadata")?).await?;
    let metadata: Value = serde_json::from_slice(&metadata.bytes().await?)?;
    let issuer = metadata.pointer("/authorization_servers/0");
    let issuer = issuer.and_then(Value::as_str);
    Ok(issuer.ok_or("no authorization server")?.to_owned())
}

/// Who this is, as the suite says.
async fn oauth(url: &str, scenario: &str, context: &Value) -> Result<OAuth, OAuthHostError> {
    let text = |key: &str| context[key].as_str().unwrap_or_default().to_owned();
    let (id, secret) = (text("client_id"), text("client_secret"));
    if scenario == "auth/client-credentials-basic" {
        return Ok(OAuth::client_credentials(id, secret).issuer(issuer(url).await?));
    }
    if scenario == "auth/client-credentials-jwt" {
        let (client, key) = (id.clone(), text("private_key_pem"));
        let oauth = OAuth::client_assertion(id, move |audience| {
            std::future::ready(assertion(&client, &key, &audience))
        });
        return Ok(oauth.issuer(issuer(url).await?));
    }
    let oauth = OAuth::new(browse)
        .redirect_uri("http://127.0.0.1:8765/callback")
        .client_metadata("https://conformance-test.local/client-metadata.json");
    if id.is_empty() {
        return Ok(oauth);
    }
    let oauth = oauth.client_id(id).client_secret(secret);
    Ok(oauth.issuer(issuer(url).await?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().next_back().unwrap_or_default();
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let oauth = oauth(&url, &scenario, &context)
        .await
        .map_err(|error| error.to_string())?;
    let client = mcp::connect(url)
        .oauth(oauth)
        .on_elicitation(|asked: Elicitation| async move {
            ElicitResult::Accept(values(&asked.schema.unwrap_or_default()))
        })
        .await?;
    for notice in client.notices() {
        eprintln!("{notice}");
    }
    let tools = client.toolset();
    let schema = |name: &str| tools.get(name).map(|tool| tool.def().input.to_value());
    let calls: Vec<(String, Value)> =
        if let Some(calls) = context.get("toolCalls").and_then(Value::as_array) {
            let call =
                |call: &Value| Some((call["name"].as_str()?.to_owned(), call["arguments"].clone()));
            calls.iter().filter_map(call).collect()
        } else if let (Some(seen), true) = (
            schema("json_schema_2020_12_tool"),
            tools.get("json_schema_echo").is_some(),
        ) {
            vec![("json_schema_echo".to_owned(), json!({"schema": seen}))]
        } else {
            let call = |def: &toolwright::ToolDef| {
                (def.name.to_string(), values(&def.input.to_value()).into())
            };
            tools.definitions().map(call).collect()
        };
    for (name, arguments) in calls {
        let call = ToolCall::new("1", name.clone(), arguments.to_string());
        let result = tools.call(&call, &Context::new()).await;
        eprintln!("{name} {arguments}: {:?}", result.outcome);
    }
    client.close().await;
    Ok(())
}
