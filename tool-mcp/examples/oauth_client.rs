//! A client that asks somebody for access who says yes to everything: `tests/outside/mcp_oauth.sh`. It takes the URL of a
//! server, prints its tools, and calls one for each line that it reads: `name {"its": "arguments"}`.

use std::io::{BufRead, stdin};

use reqwest::{Client, header, redirect::Policy};
use toolwright::mcp::{self, AuthorizationRequest, OAuth, OAuthHostError};
use toolwright::{Context, Encoder, ToolCall};

/// The browser: the page leads back at once.
async fn browse(request: AuthorizationRequest) -> Result<String, OAuthHostError> {
    let browser = Client::builder().redirect(Policy::none()).build()?;
    let page = browser.get(&request.url).send().await?;
    let back = page.headers().get(header::LOCATION);
    Ok(back.ok_or("the page leads nowhere")?.to_str()?.to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("say which server")?;
    let oauth = OAuth::new(browse)
        .client_id("app")
        .redirect_uri("http://127.0.0.1:8765/callback");
    let client = mcp::connect(url).oauth(oauth).await?;
    let tools = client.toolset();
    let names: Vec<&str> = tools.definitions().map(|def| &*def.name).collect();
    println!("{}", names.join(" "));
    for line in stdin().lock().lines() {
        let line = line?;
        let (name, arguments) = line.split_once(' ').unwrap_or((&line, "{}"));
        let call = ToolCall::new("1", name, arguments);
        let result = tools.call(&call, &Context::new()).await;
        println!("{}", result.content(Encoder::auto()).replace('\n', " "));
    }
    client.close().await;
    Ok(())
}
