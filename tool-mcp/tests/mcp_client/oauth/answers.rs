//! Authorization servers as they are: a slash behind their name, and answers of other forms than RFC 6749 has.

use super::*;

/// Both with a slash behind them, with one behind either, and with none.
#[tokio::test]
async fn a_slash_behind_an_origin_makes_no_other_issuer() {
    let world = World::new().await;
    let store = Arc::new(Texts::default());
    let bare = world.issuer();
    let slash = format!("{bare}/");
    for (named, own, back, bound) in [
        (&bare, &slash, &slash, &bare),
        (&slash, &bare, &bare, &slash),
        (&slash, &slash, &slash, &bare),
        (&bare, &bare, &bare, &slash),
    ] {
        let rules = &world.rules;
        rules.issuer.lock().unwrap().clone_from(named);
        *rules.server_metadata.lock().unwrap() = json!({"issuer": own});
        *rules.back.lock().unwrap() = Form::from([("iss".to_owned(), back.clone())]);
        let oauth = world.oauth().issuer(bound).client_id("mine");
        mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
        // Tokens of one writing are those of the other.
        let oauth = world.oauth().issuer(bound).tokens(Arc::clone(&store));
        mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    }
    assert_eq!(world.questions().len(), 5);
    assert_eq!(store.all.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn issuers_that_differ_by_more_are_two() {
    for end in ["//", "/?", "/#", "/.", "/x", "/%2f", ".evil.example/"] {
        let world = World::new().await;
        let own = format!("{}{end}", world.issuer());
        *world.rules.server_metadata.lock().unwrap() = json!({"issuer": own});
        asks_nobody(world, "of another one").await;
    }
    // Over `http` the slash counts in a redirect.
    for end in ["/", "//", "/?", "/#", "/.", "/x", "/%2f", ".evil.example/"] {
        let world = World::new().await;
        let back = format!("{}{end}", world.issuer());
        let back = Form::from([("iss".to_owned(), back)]);
        *world.rules.back.lock().unwrap() = back;
        let error = world.refused().await.to_string();
        assert!(error.contains("of another authorization server"), "{error}");
        assert!(world.grants().is_empty());
    }
}

/// A token with members in the place of others; `null` removes one.
async fn given(change: Change) -> (World, Result<mcp::Client, ConnectError>) {
    let world = World::new().await;
    *world.rules.token_answer.lock().unwrap() = Some(change);
    let connected = world.connector().await;
    (world, connected)
}

fn with(token: Value, others: &Value) -> Reply {
    Reply::json(&merged(token, others))
}

#[tokio::test]
async fn token_answers_are_read_as_the_official_sdks_read_them() {
    let accepted: [Change; 14] = [
        // Without an end that is known.
        |token| with(token, &json!({"expires_in": "soon"})),
        |token| with(token, &json!({"expires_in": "NaN"})),
        |token| with(token, &json!({"expires_in": {"at": 1}})),
        |token| with(token, &json!({"expires_in": 1e300})),
        |token| with(token, &json!({"expires_in": "3600"})),
        |token| with(token, &json!({"expires_in": " 3599.5 "})),
        |token| with(token, &json!({"expires_in": 3599.5})),
        |token| with(token, &json!({"expires_in": 0, "scope": ["read"]})),
        |mut token| {
            token["expires_in"] = Value::Null;
            token["refresh_token"] = Value::Null;
            with(token, &json!({"scope": 5, "error": ""}))
        },
        |token| with(token, &json!({"token_type": null, "id_token": {}})),
        |token| with(token, &json!({"token_type": "BEARER", "refresh_token": ""})),
        |token| Reply::new("201 Created", "application/json", token.to_string()),
        |token| Reply::new("200 OK", "text/html", token.to_string()),
        |token| Reply::new("200 OK", "application/json", format!("\u{feff}{token}")),
    ];
    for (number, change) in accepted.into_iter().enumerate() {
        let (_world, connected) = given(change).await;
        let client = connected.unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    }
}

/// A text is a time as a number is: the token is renewed before it ends.
#[tokio::test]
async fn a_token_ends_when_a_text_says_so() {
    let (world, connected) = given(|token| with(token, &json!({"expires_in": "1"}))).await;
    let client = connected.unwrap();
    *world.rules.token_answer.lock().unwrap() = None;
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(world.grant_types()[1], "refresh_token");
}

/// The answer to a renewal may hold the only refresh token that is valid.
#[tokio::test]
async fn an_end_that_cannot_be_read_costs_no_refresh_token() {
    let world = World::new().await;
    world.rules.lasts.store(1, Ordering::SeqCst);
    let client = world.connector().await.unwrap();
    *world.rules.token_answer.lock().unwrap() =
        Some(|token| with(token, &json!({"expires_in": "soon"})));
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    world.forget();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    assert_eq!(world.questions().len(), 1);
    let renewed = world.grants();
    let renewed: Vec<_> = renewed
        .iter()
        .filter_map(|form| form.get("refresh_token"))
        .collect();
    assert_eq!(
        renewed.last().unwrap(),
        &&format!("one-refresh-{}", renewed.len() - 1)
    );
}

#[tokio::test]
async fn a_strict_client_reads_token_answers_as_they_are_defined() {
    let answers: [(Change, bool); 6] = [
        (|token| Reply::json(&token), true),
        (|token| with(token, &json!({"expires_in": "3600"})), false),
        (|token| with(token, &json!({"expires_in": "soon"})), false),
        (|token| with(token, &json!({"token_type": null})), false),
        (
            |token| Reply::new("201 Created", "application/json", token.to_string()),
            false,
        ),
        (
            |token| Reply::new("200 OK", "text/html", token.to_string()),
            false,
        ),
    ];
    for (number, (answer, is_read)) in answers.into_iter().enumerate() {
        let world = World::new().await;
        *world.rules.token_answer.lock().unwrap() = Some(answer);
        let connected = world.connector().strict().await;
        assert_eq!(connected.is_ok(), is_read, "{number}: {connected:?}");
    }
    // A redirect is named as it is to others.
    let world = World::new().await;
    let moved = format!("{}/moved", world.issuer());
    *world.rules.server_metadata.lock().unwrap() = json!({ "token_endpoint": moved });
    let error = world.connector().strict().await.unwrap_err().to_string();
    assert!(
        error.contains("`https://elsewhere.example/here`"),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_names_the_member_and_shows_no_secret() {
    let cases: [(Change, &str); 8] = [
        (
            |token| with(token, &json!({"access_token": ["s3cret"]})),
            "its `access_token` is not a string",
        ),
        (
            |token| with(token, &json!({"access_token": null})),
            "its answer has no `access_token`",
        ),
        (
            |token| with(token, &json!({"refresh_token": {"s3cret": 1}})),
            "its `refresh_token` is not a string",
        ),
        (
            |token| with(token, &json!({"token_type": "DPoP"})),
            "not a bearer token",
        ),
        (
            |token| with(token, &json!({"token_type": 7})),
            "its `token_type` is not a string",
        ),
        (
            |_| Reply::json(&json!(["s3cret"])),
            "its answer is not a JSON object",
        ),
        (
            |_| Reply::json(&json!({"error": "bad_code", "error_description": "of yesterday"})),
            "bad_code (of yesterday)",
        ),
        (
            |_| Reply::new("502 Bad Gateway", "text/html", "<p>s3cret"),
            "HTTP 502 Bad Gateway",
        ),
    ];
    for (change, words) in cases {
        let (_world, connected) = given(change).await;
        let error = connected.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(words), "{words}: {shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[tokio::test]
async fn registrations_are_read_as_generously() {
    for (changes, words) in [
        (json!({"client_secret_expires_at": "0"}), ""),
        (
            json!({"client_secret_expires_at": 4_102_444_800.5, "client_secret": ""}),
            "",
        ),
        (json!({"client_id": null}), "its answer has no `client_id`"),
        (json!({"client_id": 7}), "its `client_id` is not a string"),
        (
            json!({"client_secret": ["s3cret"]}),
            "its `client_secret` is not a string",
        ),
        (
            json!({"client_secret_expires_at": "s3cret"}),
            "its `client_secret_expires_at` is not a number",
        ),
    ] {
        let world = World::new().await;
        *world.rules.registration.lock().unwrap() = changes;
        match world.connector().await {
            Ok(_) => assert_eq!(words, ""),
            Err(error) => {
                let shown = format!("{error} {error:?}");
                assert!(!words.is_empty() && shown.contains(words), "{shown}");
                assert!(!shown.contains("s3cret"), "{shown}");
            }
        }
    }
}

/// What somebody else sends to the host's program is not the page that the person was to come back to.
#[tokio::test]
async fn the_browser_comes_back_to_the_redirect_uri() {
    for place in [
        "http://127.0.0.1:8765/other",
        "http://127.0.0.1:8766/callback",
        "https://127.0.0.1:8765/callback",
        "http://localhost:8765/callback",
        "evil:/callback",
    ] {
        let world = World::new().await;
        let rules = Arc::clone(&world.rules);
        let oauth = OAuth::new(move |request: AuthorizationRequest| {
            let back = rules.browse(&request.url).unwrap();
            let back = back.replacen(REDIRECT, place, 1);
            async { Ok(back) }
        });
        let oauth = oauth.redirect_uri(REDIRECT);
        let connector = mcp::connect(&*world.server.url).oauth(oauth);
        let error = connector.await.unwrap_err().to_string();
        assert!(error.contains("not with the `redirect_uri`"), "{error}");
        assert!(world.grants().is_empty(), "{place}");
    }
}

/// The authorization server writes parts of a URL that the host hands to a program.
#[tokio::test]
async fn the_url_for_a_browser_has_no_syntax_of_shells() {
    let world = World::new().await;
    let hostile = "$(id)`id`;'id'|id<id>id\\(id)";
    let page = format!("{}/{hostile}/authorize?tenant={hostile}&", world.issuer());
    *world.rules.server_metadata.lock().unwrap() = json!({"authorization_endpoint": page});
    let seen = Arc::new(Mutex::new(String::new()));
    let (of, rules) = (Arc::clone(&seen), Arc::clone(&world.rules));
    let oauth = OAuth::new(move |request: AuthorizationRequest| {
        request.url.clone_into(&mut of.lock().unwrap());
        let back = rules.browse(&request.url);
        async { back }
    });
    let oauth = oauth.redirect_uri(REDIRECT).scopes(["a'b$(c)"]);
    mcp::connect(&*world.server.url).oauth(oauth).await.unwrap();
    let seen = seen.lock().unwrap();
    assert!(
        !seen.contains(['$', '`', ';', '\'', '|', '(', ')', '<', '>', '\\', '"', ' ']),
        "{seen}"
    );
    let query = form(Url::parse(&seen).unwrap().query().unwrap());
    assert_eq!(query["tenant"], hostile);
    assert_eq!(query["scope"], "read a'b$(c)");
}

#[tokio::test]
async fn a_host_that_is_not_a_name_is_not_asked() {
    for host in [
        "a$(id).example",
        "a'b.example",
        "a;b.example",
        "a`id`.example",
    ] {
        let world = World::new().await;
        let page = format!("https://{host}/authorize");
        *world.rules.server_metadata.lock().unwrap() = json!({"authorization_endpoint": page});
        asks_nobody(world, "the authorization endpoint").await;
    }
}
