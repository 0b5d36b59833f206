//! Outputs that were cut, over HTTP: each caller reads on in what was cut for them.

use toolwright::call::Grant;
use toolwright::executor::{OutputLimit, Overflow};
use toolwright::serve::axum::extract::Request;
use toolwright::serve::axum::middleware::map_request;
use toolwright::{Context, tool, tools};

use super::client::serve_tools;
use super::waiting::JSON;

/// Reads a diary.
#[tool(read_only)]
fn diary() -> String {
    "dear diary\n".repeat(50)
}

#[test]
fn nobody_reads_the_output_of_another() {
    let overflow = Overflow::new(1 << 20);
    let limit = OutputLimit::new(100, 3).overflow(&overflow);
    let served = serve_tools(tools![diary].with(overflow.tool()), |server| {
        server
            .executor(move |executor| executor.output_limit(limit.clone()))
            .routes(|router| {
                router.layer(map_request(|mut request: Request| async {
                    let user = request.headers().get("x-user");
                    if let Some(user) = user.and_then(|user| user.to_str().ok()) {
                        let grant = Grant::new().with_subject(user);
                        request.extensions_mut().insert(Context::new().with(grant));
                    }
                    request
                }))
            })
    });
    let by = |user: &str| match user {
        "" => JSON.to_owned(),
        user => format!("{JSON}X-User: {user}\r\n"),
    };
    let read = |id: &str, user: &str| {
        let body = format!(r#"{{"id": "{id}", "offset": 0}}"#);
        served
            .call_with("read_output", body.as_bytes(), &by(user))
            .body
            .contains("dear")
    };
    let mut ids = Vec::new();
    for user in ["ada", "bot", "", ""] {
        let answer = served.call_with("diary", b"{}", &by(user));
        let (_, id) = answer.body.split_once("with id ").unwrap();
        let (id, _) = id.split_once(' ').unwrap();
        assert!(read(id, user));
        for other in ["ada", "bot", ""] {
            assert_eq!(read(id, other), user == other, "{user:?} {other:?}");
        }
        ids.push(id.to_owned());
    }
    // Who has no name has what they know: an id has 64 random bits.
    for id in &ids {
        let digits = id.strip_prefix("output_").unwrap();
        assert_eq!(digits.len(), 16, "{id}");
        assert!(u64::from_str_radix(digits, 16).is_ok(), "{id}");
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}
