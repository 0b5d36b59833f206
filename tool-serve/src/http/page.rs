//! The page at `/`. It is part of the program and loads nothing from elsewhere.

use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use toolwright_schema::text::hidden_pattern;

use super::mount::mount_path;

/// Start of a link from the page to the root.
const ROOT_LINK: &str = "=\"/";

/// Files of the page: path, type, text.
const FILES: [(&str, &str, &str); 5] = [
    (
        "/page/page.css",
        "text/css; charset=utf-8",
        include_str!("page/page.css"),
    ),
    ("/page/page.js", SCRIPT, include_str!("page/page.js")),
    ("/page/form.js", SCRIPT, include_str!("page/form.js")),
    ("/page/call.js", SCRIPT, include_str!("page/call.js")),
    ("/page/json.js", SCRIPT, include_str!("page/json.js")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(super) fn routes() -> Router {
    let visible =
        include_str!("page/visible.js").replace("/HIDDEN/", &format!("/{}/", hidden_pattern()));
    let visible =
        move || async move { ([(header::CONTENT_TYPE, SCRIPT)], visible).into_response() };
    FILES.into_iter().fold(
        Router::new()
            .route("/", get(index))
            .route("/page/visible.js", get(visible)),
        |router, (path, kind, text)| {
            let file =
                move || async move { ([(header::CONTENT_TYPE, kind)], text).into_response() };
            router.route(path, get(file))
        },
    )
}

/// Serves the page. Its links contain the mount path, because the page is requested without a trailing slash. Scripts
/// use relative paths.
async fn index(request: Request) -> Response {
    let mount = mount_path(request.extensions(), request.uri());
    let text = include_str!("page/index.html").replace(ROOT_LINK, &format!("=\"{mount}/"));
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}
