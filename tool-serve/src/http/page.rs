//! The page at `/`, whole in the program: it loads nothing from elsewhere.

use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::below::below;

/// What the page leads to, as it is told where nobody has moved the page.
const OWN: &str = "=\"/";

/// Its files, by path and type.
const FILES: [(&str, &str, &str); 4] = [
    (
        "/page/page.css",
        "text/css; charset=utf-8",
        include_str!("page/page.css"),
    ),
    ("/page/page.js", SCRIPT, include_str!("page/page.js")),
    ("/page/form.js", SCRIPT, include_str!("page/form.js")),
    ("/page/call.js", SCRIPT, include_str!("page/call.js")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(super) fn routes() -> Router {
    FILES.into_iter().fold(
        Router::new().route("/", get(index)),
        |router, (path, kind, text)| {
            let file =
                move || async move { ([(header::CONTENT_TYPE, kind)], text).into_response() };
            router.route(path, get(file))
        },
    )
}

/// The page itself. It is asked for without a `/` behind the path that it stands below, so it names all of that path;
/// scripts know where they are.
async fn index(request: Request) -> Response {
    let below = below(request.extensions(), request.uri());
    let text = include_str!("page/index.html").replace(OWN, &format!("=\"{below}/"));
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}
