//! Redirects of a server that wants a token, and of authorization servers.

use super::*;

#[tokio::test]
async fn a_token_goes_with_a_redirect_only_where_its_resource_reaches() {
    for (place, is_followed) in [
        ("/mcp/", true),
        ("/mcp/v2?x=1", true),
        ("/mcpx", false),
        ("/other", false),
        ("/mcp/../other", false),
    ] {
        let world = World::new().await;
        *world.rules.moved.lock().unwrap() = Some(place);
        let connected = world.connector().await;
        assert_eq!(connected.is_ok(), is_followed, "{place}");
        let asked = world.server.asked().into_iter();
        let mut elsewhere =
            asked.filter(|asked| asked.path != "/mcp" && !asked.path.starts_with("/.well-known/"));
        let signed = elsewhere
            .next()
            .map(|asked| asked.header("authorization").starts_with("Bearer one-"));
        assert_eq!(signed, is_followed.then_some(true), "{place}");
    }
}

/// A server at `/v2/mcp`, to which `/mcp` redirects. Its tokens are for `resource` at its origin.
async fn moved(world: &World, resource: &'static str) -> Server {
    let issuer = world.issuer();
    Server::start(move |asked| {
        let host = format!("http://{}", asked.header("host"));
        let metadata = format!("/.well-known/oauth-protected-resource{resource}");
        match &*asked.path {
            "/mcp" => Reply::status("308 Permanent Redirect").with("location", "/v2/mcp"),
            path if path == metadata => Reply::json(&json!({
                "resource": format!("{host}{resource}"), "authorization_servers": [issuer],
            })),
            _ if asked.header("authorization").starts_with("Bearer one-") => {
                plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done")))
            }
            _ => {
                let challenge = format!(r#"Bearer resource_metadata="{host}{metadata}""#);
                Reply::status("401 Unauthorized").with("www-authenticate", &challenge)
            }
        }
    })
    .await
}

fn tokens_at(server: &Server, path: &str) -> Vec<bool> {
    let asked = server.asked().into_iter();
    let asked = asked.filter(|asked| asked.path == path);
    asked
        .map(|asked| !asked.header("authorization").is_empty())
        .collect()
}

#[tokio::test]
async fn a_request_without_a_token_follows_a_redirect_to_another_path() {
    let world = World::new().await;
    let server = moved(&world, "").await;
    let connector = mcp::connect(&*server.url).oauth(world.oauth());
    let client = connector.initialize().await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(tokens_at(&server, "/v2/mcp")[..2], [false, true]);

    // A token for the old path stays there.
    let world = World::new().await;
    let server = moved(&world, "/mcp").await;
    let connector = mcp::connect(&*server.url).oauth(world.oauth());
    let error = connector.initialize().await.unwrap_err().to_string();
    let words = "a redirect to `/v2/mcp`, which is not followed";
    assert!(error.contains(words), "{error}");
    assert_eq!(world.grants().len(), 1);
    assert_eq!(tokens_at(&server, "/v2/mcp"), [false]);

    // So does a header of the host's.
    let server = moved(&world, "").await;
    let connector = mcp::connect(&*server.url).oauth(world.oauth());
    let error = connector.header("x-key", "k").initialize().await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
    assert!(tokens_at(&server, "/v2/mcp").is_empty());
}

type Answer = fn() -> Reply;

pub(super) fn elsewhere() -> Reply {
    let place = "https://me:s3cret@elsewhere.example/here?key=s3cret#s3cret";
    Reply::status("307 Temporary Redirect").with("location", place)
}

#[tokio::test]
async fn a_redirect_of_an_authorization_server_is_an_error_that_names_the_place() {
    let named = "HTTP 307 Temporary Redirect: a redirect to `https://elsewhere.example/here`, which is not followed";
    for member in ["token_endpoint", "registration_endpoint"] {
        let world = World::new().await;
        let moved = format!("{}/moved", world.issuer());
        *world.rules.server_metadata.lock().unwrap() = json!({ member: moved });
        let error = world.refused().await.to_string();
        assert!(error.contains(named), "{member}: {error}");
        assert!(!error.contains("s3cret"), "{member}: {error}");
    }
    let answers: [(Answer, &str); 4] = [
        (elsewhere, named),
        (
            || Reply::status("302 Found").with("location", "/login?key=s3cret"),
            "HTTP 302 Found: a redirect to `http://127.0.0.1:",
        ),
        (
            || Reply::status("308 Permanent Redirect").with("location", "//other.example"),
            "HTTP 308 Permanent Redirect: a redirect to `http://other.example/`",
        ),
        // It leads nowhere.
        (|| Reply::status("303 See Other"), "HTTP 303 See Other"),
    ];
    for (answer, named) in answers {
        let world = World::new().await;
        *world.rules.hostile.lock().unwrap() = Some(answer);
        let error = world.refused().await.to_string();
        assert!(error.contains(named), "{named}: {error}");
        assert!(!error.contains("s3cret"), "{named}: {error}");
    }
}
