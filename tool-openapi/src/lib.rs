//! `OpenAPI` documents as tools: an API is a toolset.
//!
//! ```no_run
//! use toolwright_openapi::OpenApi;
//!
//! # fn run(text: &str, secret: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let api = OpenApi::parse(text)?;
//! for notice in api.notices() {
//!     eprintln!("{notice}");
//! }
//! let tools = api
//!     .base_url("https://api.example.com/v1")?
//!     .bearer(secret)
//!     .preset("api-version", "2024-01-01")
//!     .hide(|parameter| parameter.name.starts_with("X-Amz-"))
//!     .filter(|operation| operation.has_tag("orders") && !operation.deprecated())
//!     .prefix("shop_")
//!     .toolset()?;
//! # let _ = tools;
//! # Ok(())
//! # }
//! ```
//!
//! Data flows one way, and the modules are in its order: a text becomes a `document`, with `operation`s in it; a `schema`
//! becomes JSON Schema; `tool` makes a definition and a plan of the `request` (`path`, `style`, `body`); `api_tool` runs it
//! with `auth` and a `client`, and `answer` reads the response. `settings` has the builder, and `import` calls them all.

mod answer;
mod api_tool;
mod auth;
mod body;
mod client;
mod document;
mod groups;
mod guard;
mod import;
#[cfg(feature = "lock")]
mod lock;
mod notice;
mod operation;
mod path;
mod request;
mod schema;
mod secrets;
mod server;
mod settings;
mod style;
mod text;
mod tool;
#[cfg(feature = "yaml")]
mod yaml;

pub use self::answer::Trim;
pub use self::auth::{AuthRequest, Credential};
pub use self::client::{HttpClient, HttpError, HttpRequest, HttpResponse};
pub use self::notice::{ImportError, Notice, NoticeKind};
pub use self::operation::{Operation, Parameter, Place};
pub use self::settings::OpenApi;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
