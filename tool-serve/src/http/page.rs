//! The page at `/`, whole in the program: it loads nothing from elsewhere.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

/// Its files, by path and type.
const FILES: [(&str, &str, &str); 5] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("page/index.html"),
    ),
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
    FILES
        .into_iter()
        .fold(Router::new(), |router, (path, kind, text)| {
            let file =
                move || async move { ([(header::CONTENT_TYPE, kind)], text).into_response() };
            router.route(path, get(file))
        })
}
