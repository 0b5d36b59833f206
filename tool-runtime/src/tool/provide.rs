use std::sync::Arc;

/// Application state that holds a `T` for tools with a `#[state] name: &T` parameter.
///
/// A parameter `#[state] name: Arc<T>` takes a share instead: of the state itself, or of a derived struct's field of
/// that type.
///
/// Every type provides itself. For a state of many parts derive it, which provides each field by its type:
///
/// ```
/// use std::time::Instant;
/// use toolwright::{Context, Provide, ToolCall, tool, tools};
///
/// struct Db {
///     orders: u32,
/// }
/// struct Config;
///
/// #[derive(Provide)]
/// struct App {
///     db: Db,
///     config: Config,
///     #[provide(skip)]
///     started: Instant,
/// }
///
/// /// Counts the orders.
/// #[tool]
/// fn count_orders(#[state] db: &Db) -> u32 {
///     db.orders
/// }
///
/// let app = App { db: Db { orders: 3 }, config: Config, started: Instant::now() };
/// let tools = tools![count_orders; state = app];
/// let result = tools.call_blocking(&ToolCall::new("1", "count_orders", "{}"), &Context::new());
/// assert_eq!(result.value(), Some(3.into()));
/// ```
#[diagnostic::on_unimplemented(
    message = "this tool needs a `{T}`, and the toolset's state `{Self}` provides none",
    label = "needs `{T}` as `#[state]`",
    note = "give the state at the end of the list, `tools![…; state = app]`, where `app` is the `{T}` itself or a struct with `#[derive(toolwright::Provide)]` and a field of that type",
    note = "a state that is given as `Arc<App>` is taken as `#[state] app: &App` or `#[state] app: Arc<App>`, and one that is given as `Arc<dyn Trait>` as `#[state] app: Arc<dyn Trait>`"
)]
pub trait Provide<T: ?Sized> {
    /// Returns the part.
    fn provide(&self) -> &T;
}

/// Application state that holds an `Arc<T>` for tools with a `#[state] name: Arc<T>` parameter.
///
/// Every type behind the list's own `Arc` provides itself, and a struct that derives `Provide` each field that is
/// spelled `Arc<T>`.
#[diagnostic::on_unimplemented(
    message = "this tool needs an `Arc<{T}>`, and the toolset's state `{Self}` provides none",
    label = "needs `Arc<{T}>` as `#[state]`",
    note = "give the state at the end of the list, `tools![…; state = app]`, where `app` is the `{T}` itself, an `Arc` of it, or a struct with `#[derive(toolwright::Provide)]` and a field of the type `Arc<{T}>`",
    note = "for a `Provide` that is implemented by hand, take a reference: `#[state] name: &Arc<{T}>`"
)]
pub trait ProvideShared<T: ?Sized> {
    /// Returns the part.
    fn provide(this: &Arc<Self>) -> Arc<T>;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> ProvideShared<T> for T {
    fn provide(this: &Arc<Self>) -> Arc<T> {
        Arc::clone(this)
    }
}

/// A state that is given as an `Arc<dyn Trait>` provides itself.
#[diagnostic::do_not_recommend]
impl<T: ?Sized> ProvideShared<T> for Arc<T> {
    fn provide(this: &Arc<Self>) -> Arc<T> {
        Arc::clone(this)
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}
