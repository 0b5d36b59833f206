//! Authorization, against a server and authorization servers that are imitated here.

mod answers;
mod redirects;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolwright::call::BoxFuture;
use toolwright::call::ErrorKind;
use toolwright_mcp::{
    self as mcp, AuthorizationRequest, ClientEvent, ConnectError, ConnectErrorKind, Connector,
    OAuth, OAuthHostError, StoredTokens, TokenStore,
};

use super::raw_http::{Asked, Reply, Server, answered, plain};
use super::{call, command, text, told};

const REDIRECT: &str = "http://127.0.0.1:8765/callback";
const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

type Form = HashMap<String, String>;

/// Makes another answer of one.
type Change = fn(Value) -> Reply;

/// The parameters of a query or of a form.
fn form(text: &str) -> Form {
    let url = Url::parse(&format!("http://form/?{text}")).unwrap();
    url.query_pairs().into_owned().collect()
}

/// What the imitated servers do. A test changes it.
#[derive(Default)]
struct Rules {
    /// Keys that metadata have in the place of others; `null` removes one.
    server_metadata: Mutex<Value>,
    resource_metadata: Mutex<Value>,
    /// What is answered where metadata are asked for.
    hostile: Mutex<Option<fn() -> Reply>>,
    issuer: Mutex<String>,
    /// Keys that a registration has in the place of others.
    registration: Mutex<Value>,
    /// What is answered in the place of a token.
    token_answer: Mutex<Option<Change>>,
    /// The scopes of the tokens that were given, by their number.
    scopes: Mutex<Vec<String>>,
    /// Tokens before this one are refused.
    first_good: AtomicUsize,
    /// How many seconds a token lasts.
    lasts: AtomicU64,
    refuses_refresh: AtomicBool,
    /// The scope that a call needs.
    needs: Mutex<Option<&'static str>>,
    /// Each call needs another scope than those that were given.
    wants_more: AtomicBool,
    /// A call of `again` is refused only when one of `echo` was answered.
    is_slow: AtomicBool,
    has_answered: AtomicBool,
    /// The parameters of the pages that a person was sent to.
    questions: Mutex<Vec<Form>>,
    /// What the browser comes back with beside `state` and `code`, or in their place.
    back: Mutex<Form>,
    says_no: AtomicBool,
    /// Where the server has gone.
    moved: Mutex<Option<&'static str>>,
    /// How many milliseconds a renewal takes.
    renewal_takes: AtomicU64,
    /// Body of a refusal, without a challenge, of calls in the first session; then sessions are numbered.
    forgets: Mutex<Option<&'static str>>,
    sessions: AtomicUsize,
}

impl Rules {
    /// The authorization server. Its name is in its tokens.
    fn authorize(&self, name: &str, asked: &Asked) -> Reply {
        let issuer = format!("http://{}", asked.header("host"));
        match &*asked.path {
            "/.well-known/oauth-authorization-server" => {
                if let Some(hostile) = *self.hostile.lock().unwrap() {
                    return hostile();
                }
                let metadata = json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"),
                    "registration_endpoint": format!("{issuer}/register"),
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
                });
                Reply::json(&merged(metadata, &self.server_metadata.lock().unwrap()))
            }
            "/register" => {
                let client = json!({"client_id": format!("{name}-client")});
                Reply::json(&merged(client, &self.registration.lock().unwrap()))
            }
            "/token" => self.token(name, &form(&asked.body)),
            "/moved" => redirects::elsewhere(),
            _ => Reply::status("404 Not Found"),
        }
    }

    fn token(&self, name: &str, form: &Form) -> Reply {
        if form["grant_type"] == "refresh_token" {
            let takes = self.renewal_takes.load(Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(takes));
        }
        let mut scopes = self.scopes.lock().unwrap();
        let refused = |words: &str| {
            let body = json!({"error": "invalid_grant", "error_description": words});
            Reply::new("400 Bad Request", "application/json", body.to_string())
        };
        let scope = match &*form["grant_type"] {
            "authorization_code" => {
                let questions = self.questions.lock().unwrap();
                let last = questions.last().unwrap();
                if form["code"] != format!("code-{}", questions.len()) {
                    return refused(&format!("no such code: {}", form["code"]));
                }
                last.get("scope").cloned().unwrap_or_default()
            }
            "refresh_token" => {
                let expected = format!("{name}-refresh-{}", scopes.len() - 1);
                if self.refuses_refresh.load(Ordering::SeqCst) || form["refresh_token"] != expected
                {
                    return refused("it is used up");
                }
                scopes.last().unwrap().clone()
            }
            _ => form.get("scope").cloned().unwrap_or_default(),
        };
        let number = scopes.len();
        scopes.push(scope);
        let token = json!({
            "access_token": format!("{name}-access-{number}"),
            "refresh_token": format!("{name}-refresh-{number}"),
            "token_type": "bearer",
            "expires_in": self.lasts.load(Ordering::SeqCst),
        });
        let change = *self.token_answer.lock().unwrap();
        match change {
            Some(change) => change(token),
            None => Reply::json(&token),
        }
    }

    /// The server that wants to know who asks.
    fn serve(&self, asked: &Asked) -> Reply {
        let host = format!("http://{}", asked.header("host"));
        if asked.path.starts_with("/.well-known/") {
            if asked.path != RESOURCE_METADATA {
                return Reply::status("404 Not Found");
            }
            let metadata = json!({
                "resource": format!("{host}/mcp"),
                "authorization_servers": [*self.issuer.lock().unwrap()],
                "scopes_supported": ["read"],
            });
            return Reply::json(&merged(metadata, &self.resource_metadata.lock().unwrap()));
        }
        let challenge =
            format!(r#"Basic realm="x, y", Bearer resource_metadata="{host}{RESOURCE_METADATA}""#);
        let number = asked.header("authorization").rsplit('-').next().unwrap();
        let scopes = self.scopes.lock().unwrap();
        let scope = number
            .parse::<usize>()
            .ok()
            .filter(|number| *number >= self.first_good.load(Ordering::SeqCst));
        let Some(scope) = scope.and_then(|number| scopes.get(number)) else {
            drop(scopes);
            let is_slow = self.is_slow.load(Ordering::SeqCst);
            while is_slow
                && asked.body.contains("again")
                && !self.has_answered.load(Ordering::SeqCst)
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            return Reply::status("401 Unauthorized").with("www-authenticate", &challenge);
        };
        if let Some(place) = self.moved.lock().unwrap().filter(|_| asked.path == "/mcp") {
            return Reply::status("308 Permanent Redirect").with("location", place);
        }
        let is_call = asked.json()["method"] == "tools/call";
        if asked.json()["method"] == "initialize" {
            self.sessions.fetch_add(1, Ordering::SeqCst);
        }
        if let Some(words) = self.forgets.lock().unwrap().filter(|_| is_call)
            && asked.header("mcp-session-id") == "1"
            && !asked.header("authorization").ends_with("-1")
        {
            return Reply::new("401 Unauthorized", "application/json", words);
        }
        if let Some(needed) = self.needs.lock().unwrap().filter(|_| is_call)
            && !scope.split(' ').any(|scope| scope == needed)
        {
            let challenge = format!(r#"{challenge}, error="insufficient_scope", scope="{needed}""#);
            return Reply::status("403 Forbidden").with("www-authenticate", &challenge);
        }
        if is_call && self.wants_more.load(Ordering::SeqCst) {
            let scope = format!("more-{}", scopes.len());
            let challenge = format!(r#"{challenge}, error="insufficient_scope", scope="{scope}""#);
            return Reply::status("403 Forbidden").with("www-authenticate", &challenge);
        }
        self.has_answered.fetch_or(is_call, Ordering::SeqCst);
        let reply = plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done")));
        let session = self.sessions.load(Ordering::SeqCst);
        reply.with("mcp-session-id", &session.to_string())
    }

    /// The person's browser.
    fn browse(&self, url: &str) -> Result<String, OAuthHostError> {
        let asked = form(Url::parse(url).unwrap().query().unwrap());
        let mut questions = self.questions.lock().unwrap();
        questions.push(asked.clone());
        if self.says_no.load(Ordering::SeqCst) {
            return Err("the person said no".into());
        }
        let mut back = Form::from([
            ("code".to_owned(), format!("code-{}", questions.len())),
            ("state".to_owned(), asked["state"].clone()),
        ]);
        back.extend(self.back.lock().unwrap().clone());
        Ok(Url::parse_with_params(&asked["redirect_uri"], &back)?.into())
    }
}

fn merged(mut metadata: Value, others: &Value) -> Value {
    for (key, value) in others.as_object().into_iter().flatten() {
        if value.is_null() {
            metadata.as_object_mut().unwrap().remove(key);
        } else {
            metadata[key] = value.clone();
        }
    }
    metadata
}

/// A server, its authorization server, and a person.
struct World {
    rules: Arc<Rules>,
    server: Server,
    authorization: Server,
}

impl World {
    async fn new() -> Self {
        let rules = Arc::new(Rules::default());
        rules.lasts.store(3_600, Ordering::SeqCst);
        let authorization = Self::authorization(&rules, "one").await;
        let of = Arc::clone(&rules);
        let server = Server::start(move |asked| of.serve(asked)).await;
        Self {
            rules,
            server,
            authorization,
        }
    }

    /// Another authorization server, which the server trusts from now on.
    async fn authorization(rules: &Arc<Rules>, name: &'static str) -> Server {
        let of = Arc::clone(rules);
        let server = Server::start(move |asked| of.authorize(name, asked)).await;
        server
            .url
            .trim_end_matches("/mcp")
            .clone_into(&mut rules.issuer.lock().unwrap());
        server
    }

    fn oauth(&self) -> OAuth {
        let rules = Arc::clone(&self.rules);
        let ask = move |request: AuthorizationRequest| {
            let back = rules.browse(&request.url);
            async { back }
        };
        OAuth::new(ask).redirect_uri(REDIRECT)
    }

    fn connector(&self) -> Connector {
        mcp::connect(&*self.server.url)
            .oauth(self.oauth())
            .initialize()
    }

    async fn refused(&self) -> ConnectError {
        let error = self.connector().await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Unauthorized, "{error}");
        error
    }

    fn issuer(&self) -> String {
        self.rules.issuer.lock().unwrap().clone()
    }

    fn registrations(&self) -> usize {
        let all = self.authorization.asked().into_iter();
        all.filter(|asked| asked.path == "/register").count()
    }

    fn questions(&self) -> Vec<Form> {
        self.rules.questions.lock().unwrap().clone()
    }

    /// The forms that the authorization server got at its token endpoint.
    fn grants(&self) -> Vec<Form> {
        let all = self.authorization.asked().into_iter();
        let all = all.filter(|asked| asked.path == "/token");
        all.map(|asked| form(&asked.body)).collect()
    }

    fn grant_types(&self) -> Vec<String> {
        let all = self.grants().into_iter();
        all.map(|form| form["grant_type"].clone()).collect()
    }

    fn calls(&self) -> usize {
        let all = self.server.asked().into_iter();
        all.filter(|asked| asked.json()["method"] == "tools/call")
            .count()
    }

    /// Refuses all tokens that were given.
    fn forget(&self) {
        let given = self.rules.scopes.lock().unwrap().len();
        self.rules.first_good.store(given, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_client_without_an_id_registers_and_asks_a_person() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");

    let asked = world.authorization.asked();
    let registered = asked
        .iter()
        .find(|asked| asked.path == "/register")
        .unwrap()
        .json();
    assert_eq!(registered["redirect_uris"], json!([REDIRECT]));
    assert_eq!(registered["application_type"], "native");
    assert_eq!(registered["token_endpoint_auth_method"], "none");
    let [question] = &world.questions()[..] else {
        panic!("{:?}", world.questions())
    };
    let [grant] = &world.grants()[..] else {
        panic!("{:?}", world.grants())
    };
    assert_eq!(question["client_id"], "one-client");
    assert_eq!(question["response_type"], "code");
    assert_eq!(question["code_challenge_method"], "S256");
    assert_eq!(question["scope"], "read");
    assert_eq!(question["resource"], world.server.url);
    assert_eq!(grant["resource"], world.server.url);
    assert_eq!(grant["redirect_uri"], REDIRECT);
    assert_eq!(grant["client_id"], "one-client");
    assert!(grant["code_verifier"].len() >= 43);

    client.close().await;
    let all = world.server.asked().into_iter();
    let all: Vec<_> = all.filter(|asked| asked.path == "/mcp").collect();
    for method in ["POST", "GET", "DELETE"] {
        assert!(all.iter().any(|asked| asked.method == method), "{method}");
    }
    let tokens: Vec<_> = all
        .iter()
        .map(|asked| asked.header("authorization"))
        .collect();
    assert_eq!(tokens[0], "");
    assert!(
        tokens[1..]
            .iter()
            .all(|token| *token == "Bearer one-access-0"),
        "{tokens:?}"
    );
}

#[tokio::test]
async fn a_client_with_an_id_shows_its_secret() {
    let world = World::new().await;
    let oauth = world
        .oauth()
        .client_id("mine")
        .client_secret("s/cret")
        .issuer(world.issuer())
        .scopes(["extra", "read"]);
    mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    assert_eq!(world.questions()[0]["client_id"], "mine");
    assert_eq!(world.questions()[0]["scope"], "read extra");
    let asked = world.authorization.asked();
    assert!(!asked.iter().any(|asked| asked.path == "/register"));
    let token = asked.iter().find(|asked| asked.path == "/token").unwrap();
    // `mine:s%2Fcret`, as RFC 6749 has it.
    assert_eq!(token.header("authorization"), "Basic bWluZTpzJTJGY3JldA==");
    assert!(!token.body.contains("cret"));
}

#[tokio::test]
async fn a_metadata_document_is_the_id_where_it_is_taken() {
    let world = World::new().await;
    let url = "https://app.example/client.json";
    for is_taken in [false, true] {
        *world.rules.server_metadata.lock().unwrap() =
            json!({"client_id_metadata_document_supported": is_taken});
        let oauth = world.oauth().client_metadata(url);
        mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
        let expected = if is_taken { url } else { "one-client" };
        assert_eq!(world.questions().last().unwrap()["client_id"], expected);
    }
}

#[tokio::test]
async fn a_token_that_ends_soon_is_renewed_before_it_is_sent() {
    let world = World::new().await;
    world.rules.lasts.store(1, Ordering::SeqCst);
    let client = world.connector().await.unwrap();
    world.rules.lasts.store(3_600, Ordering::SeqCst);
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(world.questions().len(), 1);
    let grants = world.grants();
    assert!(grants.len() >= 3, "{grants:?}");
    // Each renewal shows the refresh token of the one before, which the imitation demands too.
    for (number, grant) in grants.iter().enumerate().skip(1) {
        assert_eq!(
            grant["refresh_token"],
            format!("one-refresh-{}", number - 1)
        );
        assert_eq!(grant["resource"], world.server.url);
    }
    let refused = world
        .server
        .asked()
        .iter()
        .filter(|asked| asked.path == "/mcp")
        .count();
    let with_token = world
        .server
        .asked()
        .iter()
        .filter(|asked| !asked.header("authorization").is_empty())
        .count();
    assert_eq!(
        refused,
        with_token + 1,
        "more than the first request was refused"
    );
}

#[tokio::test]
async fn a_refused_token_is_renewed_without_a_person() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    world.forget();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(world.questions().len(), 1);
    assert_eq!(world.grant_types(), ["authorization_code", "refresh_token"]);
    assert_eq!(world.calls(), 2);
}

/// Without a challenge and in words about a session, a 401 is not about the token.
#[tokio::test]
async fn a_forgotten_session_costs_no_token() {
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#;
    for (words, sessions, tokens) in [(error, 2, 1), ("no", 1, 2)] {
        let world = World::new().await;
        let client = world.connector().await.unwrap();
        *world.rules.forgets.lock().unwrap() = Some(words);
        assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
        let opened = world.rules.sessions.load(Ordering::SeqCst);
        assert_eq!(
            (opened, world.grants().len()),
            (sessions, tokens),
            "{words}"
        );
        assert_eq!(world.questions().len(), 1, "{words}");
    }
}

#[tokio::test]
async fn where_a_renewal_is_refused_a_person_is_asked_anew() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    world.forget();
    world.rules.refuses_refresh.store(true, Ordering::SeqCst);
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(world.questions().len(), 2);
    let registered = world.authorization.asked();
    let registered = registered
        .iter()
        .filter(|asked| asked.path == "/register")
        .count();
    assert_eq!(registered, 1, "it was registered before");
}

#[tokio::test]
async fn a_call_that_needs_more_scopes_asks_for_all_of_them() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    *world.rules.needs.lock().unwrap() = Some("write");
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    let scopes: Vec<_> = world
        .questions()
        .iter()
        .map(|asked| asked["scope"].clone())
        .collect();
    assert_eq!(scopes, ["read", "write read"]);
    assert_eq!(world.calls(), 2);
}

#[tokio::test]
async fn scopes_that_were_not_given_are_not_asked_for_for_ever() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    // No token that is given has it.
    *world.rules.needs.lock().unwrap() = Some("admin\"");
    for _ in 0..3 {
        let failed = call(&client.toolset(), "echo", "{}")
            .await
            .outcome
            .unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::NotStarted, "{failed:?}");
        assert!(failed.to_string().contains("the server wants"), "{failed}");
        assert!(!failed.is_outcome_unknown());
    }
    assert!(world.questions().len() <= 2, "{:?}", world.questions());
}

#[tokio::test]
async fn a_server_that_wants_ever_more_scopes_is_given_up() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    world.rules.wants_more.store(true, Ordering::SeqCst);
    let failed = call(&client.toolset(), "echo", "{}").await;
    let failed = failed.outcome.unwrap_err();
    assert!(failed.to_string().contains("again and again"), "{failed}");
    assert_eq!(world.questions().len(), 4);
    assert_eq!(world.questions()[3]["scope"], "more-3 more-2 more-1 read");
}

#[tokio::test]
async fn a_server_that_refuses_every_token_is_given_up() {
    let world = World::new().await;
    world.rules.first_good.store(usize::MAX, Ordering::SeqCst);
    let error = world.refused().await;
    assert!(
        error
            .to_string()
            .contains("refuses the token that was asked for"),
        "{error}"
    );
    assert_eq!(world.questions().len(), 1);
}

#[tokio::test]
async fn what_the_browser_comes_back_with_is_checked_before_a_code_is_shown() {
    let other = ("iss", "https://other.example");
    for (back, metadata, words) in [
        (&[("state", "guessed")][..], json!({}), "another `state`"),
        (&[other], json!({}), "of another authorization server"),
        (
            &[other, ("error", "shown?")],
            json!({}),
            "of another authorization server",
        ),
        (
            &[],
            json!({"authorization_response_iss_parameter_supported": true}),
            "does not say which",
        ),
        (
            &[("error", "access_denied")],
            json!({}),
            "said no: access_denied",
        ),
        (&[("code", "")], json!({}), "without a code"),
    ] {
        let world = World::new().await;
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        *world.rules.back.lock().unwrap() = back.iter().map(owned).collect();
        *world.rules.server_metadata.lock().unwrap() = metadata;
        let error = world.refused().await.to_string();
        assert!(
            error.contains(words) && !error.contains("shown?"),
            "{back:?}: {error}"
        );
        assert!(world.grants().is_empty(), "{back:?}");
    }
    let world = World::new().await;
    let issuer = world.rules.issuer.lock().unwrap().clone();
    world
        .rules
        .back
        .lock()
        .unwrap()
        .insert("iss".to_owned(), issuer);
    world.connector().await.unwrap();
}

/// Connecting fails with these words, and nobody is asked.
async fn asks_nobody(world: World, words: &str) {
    let error = world.refused().await.to_string();
    assert!(error.contains(words), "{words}: {error}");
    assert!(error.len() < 1_000, "{error}");
    assert!(
        world.questions().is_empty() && world.grants().is_empty(),
        "{words}"
    );
}

#[tokio::test]
async fn metadata_of_a_server_that_are_wrong_ask_nobody() {
    let long = format!("https://{}", "x".repeat(3_000));
    for (metadata, words) in [
        (
            json!({"resource": "https://evil.example/mcp"}),
            "another resource",
        ),
        (json!({"resource": null}), "missing field `resource`"),
        (
            json!({"authorization_servers": []}),
            "no authorization server",
        ),
        (
            json!({"authorization_servers": ["http://10.0.0.1"]}),
            "has to be `https`",
        ),
        (json!({"authorization_servers": [long]}), "too long"),
    ] {
        let world = World::new().await;
        *world.rules.resource_metadata.lock().unwrap() = metadata;
        asks_nobody(world, words).await;
    }
}

#[tokio::test]
async fn metadata_of_an_authorization_server_that_are_wrong_ask_nobody() {
    let unsafe_url = "has to be `https`";
    for (metadata, words) in [
        (
            json!({"issuer": "https://honest.example"}),
            "of another one",
        ),
        (json!({"code_challenge_methods_supported": null}), "S256"),
        (
            json!({"code_challenge_methods_supported": ["plain"]}),
            "S256",
        ),
        (
            json!({"token_endpoint": "http://evil.example/token"}),
            unsafe_url,
        ),
        (
            json!({"authorization_endpoint": "javascript:alert(1)"}),
            unsafe_url,
        ),
        (
            json!({"registration_endpoint": "file:///etc/passwd"}),
            unsafe_url,
        ),
        (json!({"registration_endpoint": null}), "give a `client_id`"),
    ] {
        let world = World::new().await;
        *world.rules.server_metadata.lock().unwrap() = metadata;
        asks_nobody(world, words).await;
    }
}

#[tokio::test]
async fn answers_that_are_no_metadata_ask_nobody() {
    let endless = || {
        let mut reply = Reply::json(&json!({}));
        reply.endless = true;
        reply.body = vec![b' '; 1_024];
        reply
    };
    let elsewhere = || Reply::status("302 Found").with("location", "/elsewhere");
    let page = || Reply::new("200 OK", "text/html", "<p>");
    let nothing = "does not say what it can do";
    for (hostile, words) in [
        (endless as fn() -> Reply, "more than 262144 bytes"),
        (page, nothing),
        (elsewhere, nothing),
        (Reply::hang_up, "authorization failed"),
    ] {
        let world = World::new().await;
        *world.rules.hostile.lock().unwrap() = Some(hostile);
        asks_nobody(world, words).await;
    }
}

#[tokio::test]
async fn calls_that_are_refused_at_once_ask_once() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    world.forget();
    world.rules.refuses_refresh.store(true, Ordering::SeqCst);
    let tools = client.toolset();
    let calls = (0..32).map(|_| call(&tools, "echo", "{}"));
    for result in futures_util::future::join_all(calls).await {
        assert_eq!(text(&result), "done");
    }
    assert_eq!(world.questions().len(), 2);
    // A person who says no says so to all of them.
    world.forget();
    world.rules.says_no.store(true, Ordering::SeqCst);
    let calls = (0..32).map(|_| call(&tools, "echo", "{}"));
    for result in futures_util::future::join_all(calls).await {
        let failed = result.outcome.unwrap_err();
        assert!(
            failed.to_string().contains("the person said no"),
            "{failed}"
        );
    }
    assert_eq!(world.questions().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refusal_that_comes_late_asks_nobody_again() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    world.forget();
    world.rules.refuses_refresh.store(true, Ordering::SeqCst);
    world.rules.is_slow.store(true, Ordering::SeqCst);
    let tools = client.toolset();
    let (slow, quick) = tokio::join!(call(&tools, "again", "{}"), call(&tools, "echo", "{}"));
    assert_eq!(
        (text(&slow), text(&quick)),
        ("done".to_owned(), "done".to_owned())
    );
    assert_eq!(world.questions().len(), 2);
}

/// A store whose values are texts, as a host's is.
#[derive(Default)]
struct Texts {
    all: Mutex<HashMap<String, String>>,
    fails: AtomicBool,
}

impl Texts {
    fn check(&self) -> Result<(), OAuthHostError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err("the disk is full".into());
        }
        Ok(())
    }
}

impl TokenStore for Texts {
    fn load<'a>(
        &'a self,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredTokens>, OAuthHostError>> {
        Box::pin(async move {
            self.check()?;
            let text = self.all.lock().unwrap().get(key).cloned();
            Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
        })
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        tokens: &'a StoredTokens,
    ) -> BoxFuture<'a, Result<(), OAuthHostError>> {
        Box::pin(async move {
            self.check()?;
            let text = serde_json::to_string(tokens)?;
            self.all.lock().unwrap().insert(key.to_owned(), text);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OAuthHostError>> {
        Box::pin(async move {
            self.check()?;
            self.all.lock().unwrap().remove(key);
            Ok(())
        })
    }
}

#[tokio::test]
async fn the_second_connection_finds_the_tokens_of_the_first() {
    let world = World::new().await;
    let store = Arc::new(Texts::default());
    let connect = || {
        let oauth = world.oauth().tokens(Arc::clone(&store));
        mcp::connect(&*world.server.url).oauth(oauth)
    };
    connect().await.unwrap();
    let key = format!(
        "{} {}",
        world.server.url,
        world.rules.issuer.lock().unwrap()
    );
    assert_eq!(store.all.lock().unwrap().keys().collect::<Vec<_>>(), [&key]);
    connect().await.unwrap();
    assert_eq!(world.grant_types(), ["authorization_code"]);
    // What is stored and refused is renewed, and stored.
    world.forget();
    connect().await.unwrap();
    connect().await.unwrap();
    assert_eq!(world.grant_types(), ["authorization_code", "refresh_token"]);
    assert_eq!(world.questions().len(), 1);
    // A client of another id has nothing stored.
    let oauth = world
        .oauth()
        .client_id("mine")
        .client_secret("s3cret")
        .issuer(world.issuer())
        .tokens(Arc::clone(&store));
    mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    assert_eq!(world.questions().len(), 2);
    assert!(!store.all.lock().unwrap()[&key].contains("s3cret"));
}

#[tokio::test]
async fn tokens_that_another_program_renewed_are_found_in_the_store() {
    let world = World::new().await;
    let store = Arc::new(Texts::default());
    let connect = || {
        let oauth = world.oauth().tokens(Arc::clone(&store));
        mcp::connect(&*world.server.url).oauth(oauth)
    };
    let (one, other) = (connect().await.unwrap(), connect().await.unwrap());
    world.forget();
    assert_eq!(text(&call(&one.toolset(), "echo", "{}").await), "done");
    assert_eq!(text(&call(&other.toolset(), "echo", "{}").await), "done");
    assert_eq!(world.grant_types(), ["authorization_code", "refresh_token"]);
}

#[tokio::test]
async fn a_store_that_fails_is_told_of_and_done_without() {
    let world = World::new().await;
    let store = Arc::new(Texts::default());
    store.fails.store(true, Ordering::SeqCst);
    let oauth = world.oauth().tokens(store);
    let (connector, told) = told(mcp::connect(&*world.server.url).oauth(oauth));
    connector.await.unwrap();
    let event = ClientEvent::TokenStoreFailed("the disk is full".to_owned());
    assert!(told.all().contains(&event), "{:?}", told.all());
}

#[tokio::test]
async fn tokens_of_one_authorization_server_are_not_sent_to_another() {
    let world = World::new().await;
    let client = world.connector().await.unwrap();
    world.forget();
    let second = World::authorization(&world.rules, "two").await;
    let before = world.authorization.asked().len();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(
        world.authorization.asked().len(),
        before,
        "the first one was asked"
    );
    let asked = second.asked();
    assert!(asked.iter().any(|asked| asked.path == "/register"));
    assert!(
        !asked
            .iter()
            .any(|asked| format!("{asked:?}").contains("one-")),
        "{asked:?}"
    );
    assert_eq!(world.questions()[1]["client_id"], "two-client");

    // A client that the host registered is of one authorization server.
    let oauth = || world.oauth().client_id("mine");
    let client = mcp::connect(&*world.server.url)
        .oauth(oauth())
        .await
        .unwrap();
    world.forget();
    let third = World::authorization(&world.rules, "three").await;
    let failed = call(&client.toolset(), "echo", "{}")
        .await
        .outcome
        .unwrap_err();
    assert!(
        failed
            .to_string()
            .contains("not for the authorization server"),
        "{failed}"
    );
    let issuer = world.rules.issuer.lock().unwrap().clone();
    let other = mcp::connect(&*world.server.url).oauth(
        oauth()
            .client_secret("s3cret")
            .issuer("https://auth.example"),
    );
    assert_eq!(
        other.await.unwrap_err().kind(),
        ConnectErrorKind::Unauthorized
    );
    assert!(!third.asked().iter().any(|asked| asked.method == "POST"));
    mcp::connect(&*world.server.url)
        .oauth(oauth().client_secret("s3cret").issuer(issuer))
        .await
        .unwrap();
}

#[tokio::test]
async fn no_secret_is_shown() {
    let world = World::new().await;
    // The authorization server repeats the code that it does not know.
    world
        .rules
        .back
        .lock()
        .unwrap()
        .insert("code".to_owned(), "c0de".to_owned());
    let error = world.refused().await;
    assert!(
        format!("{error} {error:?}").contains("invalid_grant"),
        "{error}"
    );
    assert!(!format!("{error} {error:?}").contains("c0de"), "{error}");

    let oauth = OAuth::client_credentials("me", "s3cret");
    let connector = mcp::connect("https://a.example").oauth(oauth.clone());
    let tokens: StoredTokens = serde_json::from_value(json!({
        "access_token": "s3cret", "refresh_token": "s3cret", "scopes": ["read"],
        "client": {"id": "me", "secret": "s3cret"},
    }))
    .unwrap();
    let shown = format!("{oauth:?} {connector:?} {tokens:?}");
    assert!(shown.contains("me") && shown.contains("read"), "{shown}");
    assert!(!shown.contains("s3cret"), "{shown}");
    let seen = Arc::new(Mutex::new(String::new()));
    let of = Arc::clone(&seen);
    let oauth = OAuth::new(move |request: AuthorizationRequest| {
        *of.lock().unwrap() = format!("{request:?}");
        async { Err("no".into()) }
    });
    let oauth = oauth.redirect_uri(REDIRECT);
    mcp::connect(&*world.server.url)
        .oauth(oauth)
        .await
        .unwrap_err();
    let seen = seen.lock().unwrap();
    assert!(seen.contains("read") && !seen.contains("state="), "{seen}");
}

#[tokio::test]
async fn what_cannot_be_is_an_error_before_anything_is_sent() {
    let world = World::new().await;
    let url = &*world.server.url;
    for (connector, words) in [
        (
            mcp::connect(url).oauth(world.oauth()).bearer("x"),
            "no other authorization",
        ),
        (
            mcp::connect(url)
                .oauth(world.oauth())
                .header("authorization", "x"),
            "no other authorization",
        ),
        (
            mcp::connect(command("plain")).oauth(world.oauth()),
            "behind a URL",
        ),
        (
            mcp::connect("http://a.example").oauth(world.oauth()),
            "a server at `https`",
        ),
        (
            mcp::connect(url).oauth(OAuth::new(|_| async { Err("no".into()) })),
            "needs a `redirect_uri`",
        ),
        (
            mcp::connect(url).oauth(world.oauth().redirect_uri("http://a.example/")),
            "has to be `https`",
        ),
        (
            mcp::connect(url).oauth(world.oauth().client_secret("x")),
            "needs its `client_id`",
        ),
        (
            mcp::connect(url).oauth(world.oauth().client_id("x").client_secret("x")),
            "a `client_secret` needs the `issuer` that it is for",
        ),
        (
            mcp::connect(url).oauth(OAuth::client_credentials("x", "x")),
            "a `client_secret` needs the `issuer` that it is for",
        ),
        (
            mcp::connect(url).oauth(OAuth::client_assertion("x", |_| async {
                Err("nothing is signed".into())
            })),
            "a `client_assertion` needs the `issuer` that it is for",
        ),
        (
            mcp::connect(url).oauth(world.oauth().client_metadata("https://a.example")),
            "with a path",
        ),
        (
            mcp::connect(url).oauth(OAuth::in_browser(|_| {}).redirect_uri("https://a.example/")),
            "of 127.0.0.1",
        ),
    ] {
        let error = connector.await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    assert!(world.server.asked().is_empty());
}

#[tokio::test]
async fn a_person_may_take_longer_than_a_server() {
    let world = World::new().await;
    let rules = Arc::clone(&world.rules);
    let oauth = OAuth::new(move |request: AuthorizationRequest| {
        let back = rules.browse(&request.url);
        async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            back
        }
    });
    let limit = Duration::from_secs(3);
    let connector = mcp::connect(&*world.server.url).oauth(oauth.redirect_uri(REDIRECT));
    let connector = connector
        .connect_timeout(limit)
        .list_timeout(limit)
        .idle_timeout(limit);
    let client = connector.await.unwrap();
    world.forget();
    world.rules.refuses_refresh.store(true, Ordering::SeqCst);
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
}

#[tokio::test]
async fn the_panic_of_a_host_is_an_answer() {
    let world = World::new().await;
    let oauth = OAuth::new(|_| async { panic!("the host's own") }).redirect_uri(REDIRECT);
    let error = mcp::connect(&*world.server.url)
        .oauth(oauth)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Unauthorized);
}

/// Asks the place that a browser comes back to. The status.
async fn visit(url: &str) -> String {
    let url = Url::parse(url).unwrap();
    let host = url.host_str().unwrap();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let at = (host, url.port().unwrap());
    let mut stream = TcpStream::connect(at).await.unwrap();
    let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let request = format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_browser_comes_back_to_a_port_of_ours() {
    let world = World::new().await;
    let (rules, statuses) = (
        Arc::clone(&world.rules),
        Arc::<Mutex<Vec<String>>>::default(),
    );
    let seen = Arc::clone(&statuses);
    let oauth = OAuth::in_browser(move |url| {
        let back = rules.browse(url).unwrap();
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            // A connection that says nothing, one that says too much, and those of somebody else.
            let at = Url::parse(&back).unwrap();
            let at = format!("127.0.0.1:{}", at.port().unwrap());
            let silent = TcpStream::connect(&at).await.unwrap();
            let mut long = TcpStream::connect(&at).await.unwrap();
            let _ = long.write_all(&vec![b'x'; 64 * 1024]).await;
            for url in [
                back.replace("state=", "state=x"),
                back.replace("/callback", "/favicon.ico"),
                back,
            ] {
                let status = visit(&url).await;
                seen.lock().unwrap().push(status);
            }
            drop(silent);
        });
    });
    let client = mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(*statuses.lock().unwrap(), ["404", "404", "200"]);
    let redirect = &world.questions()[0]["redirect_uri"];
    assert!(redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback"));
    // It is closed behind the answer.
    let at = redirect
        .trim_start_matches("http://")
        .trim_end_matches("/callback");
    assert!(TcpStream::connect(at).await.is_err());
}

#[tokio::test]
async fn a_program_without_a_person_has_credentials_of_its_own() {
    let world = World::new().await;
    *world.rules.server_metadata.lock().unwrap() = json!({
        "code_challenge_methods_supported": null, "authorization_endpoint": null,
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
    });
    let issuer = world.issuer();
    let oauth = OAuth::client_credentials("me", "s3cret").issuer(&*issuer);
    mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    let oauth = OAuth::client_assertion("me", |audience| async move {
        Ok(format!("signed for {audience}"))
    });
    let oauth = oauth.issuer(&*issuer);
    mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    let [secret, signed] = &world.grants()[..] else {
        panic!("{:?}", world.grants())
    };
    for grant in [secret, signed] {
        assert_eq!(grant["grant_type"], "client_credentials");
        assert_eq!(grant["client_id"], "me");
        assert_eq!(grant["scope"], "read");
        assert_eq!(grant["resource"], world.server.url);
    }
    assert_eq!(secret["client_secret"], "s3cret");
    assert_eq!(signed["client_assertion"], format!("signed for {issuer}"));
    assert!(!signed.contains_key("client_secret"));
    assert!(world.questions().is_empty());
}

#[tokio::test]
async fn a_neighbour_on_the_same_origin_gets_no_token() {
    let world = World::new().await;
    let rules = Arc::clone(&world.rules);
    let well_known = "/.well-known/oauth-protected-resource";
    let gateway = Server::start(move |asked| {
        if [well_known, "/evil/metadata"].contains(&&*asked.path) {
            let host = format!("http://{}", asked.header("host"));
            let issuer = rules.issuer.lock().unwrap().clone();
            return Reply::json(&json!({"resource": host, "authorization_servers": [issuer]}));
        }
        let is_evil = asked.path.starts_with("/evil/");
        let place = if is_evil {
            "/evil/metadata"
        } else {
            well_known
        };
        let mut reply = rules.serve(asked);
        for (_, value) in &mut reply.headers {
            *value = value.replace(RESOURCE_METADATA, place);
        }
        reply
    })
    .await;
    let store = Arc::new(Texts::default());
    let connect = |path| {
        let oauth = world.oauth().tokens(Arc::clone(&store));
        mcp::connect(gateway.url.replace("/mcp", path)).oauth(oauth)
    };
    // A parent speaks for what is below it where it speaks for itself.
    connect("/good/mcp").await.unwrap();
    let error = connect("/evil/mcp").await.unwrap_err().to_string();
    assert!(error.contains("another resource"), "{error}");
    let asked = gateway.asked().into_iter();
    let mut evil = asked.filter(|asked| asked.path.starts_with("/evil/"));
    assert!(evil.all(|asked| asked.header("authorization").is_empty()));
    assert_eq!(world.questions().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_pending_question_does_not_hold_up_what_a_renewal_helps() {
    let world = World::new().await;
    world.rules.lasts.store(1, Ordering::SeqCst);
    let answers = Arc::new(tokio::sync::Notify::new());
    let (rules, person) = (Arc::clone(&world.rules), Arc::clone(&answers));
    let oauth = OAuth::new(move |request: AuthorizationRequest| {
        let back = rules.browse(&request.url);
        let is_first = rules.questions.lock().unwrap().len() == 1;
        let person = Arc::clone(&person);
        async move {
            if !is_first {
                person.notified().await;
            }
            back
        }
    });
    let store = Arc::new(Texts::default());
    let oauth = oauth.redirect_uri(REDIRECT).tokens(Arc::clone(&store));
    let client = mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    let tools = client.toolset();
    *world.rules.needs.lock().unwrap() = Some("write");
    let asks = async {
        let result = call(&tools, "again", "{}").await;
        assert_eq!(text(&result), "done");
    };
    let does_not = async {
        while world.questions().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        *world.rules.needs.lock().unwrap() = None;
        let limit = Duration::from_secs(5);
        let result = tokio::time::timeout(limit, call(&tools, "echo", "{}")).await;
        assert_eq!(text(&result.expect("it waits for the person")), "done");
        // The person answers while something is renewed.
        world.rules.lasts.store(3_600, Ordering::SeqCst);
        world.rules.renewal_takes.store(400, Ordering::SeqCst);
        let answered = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            answers.notify_one();
        };
        let (result, ()) = tokio::join!(call(&tools, "echo", "{}"), answered);
        assert_eq!(text(&result), "done");
    };
    tokio::join!(asks, does_not);
    // What the person gave is what there is.
    *world.rules.needs.lock().unwrap() = Some("write");
    assert_eq!(text(&call(&tools, "echo", "{}").await), "done");
    assert_eq!(world.questions().len(), 2);
    let kept = store.all.lock().unwrap().values().next().unwrap().clone();
    assert!(kept.contains("write"), "{kept}");
}

#[tokio::test]
async fn a_server_that_is_down_is_not_one_without_metadata() {
    let world = World::new().await;
    for status in ["503 Service Unavailable", "429 Too Many Requests"] {
        let server = Server::start(move |asked| match &*asked.path {
            "/mcp" => Reply::status("401 Unauthorized"),
            _ => Reply::status(status),
        })
        .await;
        let connector = mcp::connect(&*server.url).oauth(world.oauth());
        let error = connector.await.unwrap_err().to_string();
        let code = format!("HTTP {}", &status[..3]);
        assert!(error.contains(&code), "{error}");
        assert!(error.contains(RESOURCE_METADATA), "{error}");
        let others = server.asked().into_iter();
        let others: Vec<_> = others.filter(|asked| asked.path != "/mcp").collect();
        assert_eq!(others.len(), 1, "{others:?}");
    }
    let down = || Reply::status("500 Internal Server Error");
    *world.rules.hostile.lock().unwrap() = Some(down);
    let asked = world.authorization.asked().len();
    let error = world.refused().await.to_string();
    assert!(error.contains("HTTP 500"), "{error}");
    assert_eq!(world.authorization.asked().len(), asked + 1);
}

#[tokio::test]
async fn the_browser_comes_back_to_the_host_of_the_redirect_uri() {
    let world = World::new().await;
    for host in ["127.0.0.2", "[::1]"] {
        let Ok(free) = tokio::net::TcpListener::bind(format!("{host}:0")).await else {
            // Not every machine has it.
            continue;
        };
        let port = free.local_addr().unwrap().port();
        drop(free);
        let rules = Arc::clone(&world.rules);
        let oauth = OAuth::in_browser(move |url| {
            let back = rules.browse(url).unwrap();
            tokio::spawn(async move { visit(&back).await });
        });
        let oauth = oauth.redirect_uri(format!("http://{host}:{port}/callback"));
        let connecting = mcp::connect(&*world.server.url).oauth(oauth);
        let limit = Duration::from_secs(10);
        let client = tokio::time::timeout(limit, async { connecting.await }).await;
        client.expect("the browser does not come back").unwrap();
    }
}

#[tokio::test]
async fn a_person_who_says_no_leaves_one_registration() {
    let world = World::new().await;
    let store = Arc::new(Texts::default());
    let error = ("error".to_owned(), "access_denied".to_owned());
    world.rules.back.lock().unwrap().extend([error]);
    for _ in 0..3 {
        let oauth = world.oauth().tokens(Arc::clone(&store));
        let connector = mcp::connect(&*world.server.url).oauth(oauth);
        let error = connector.await.unwrap_err().to_string();
        assert!(error.contains("said no: access_denied"), "{error}");
    }
    assert_eq!(world.questions().len(), 3);
    assert_eq!(world.registrations(), 1);
}
