//! A toolset over HTTP: calls, its OpenAPI document, a page to try it.
