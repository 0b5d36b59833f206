use serde_json::Value;
use toolwright_runtime::__private::approved_in_test;
use toolwright_runtime::tool::Approved;

/// Makes a person's approval of these arguments, for the test of a function that takes one. Programs get theirs from an
/// executor.
///
/// ```
/// use serde_json::json;
/// use toolwright::{call::Approved, tool};
/// use toolwright_testing as testing;
///
/// /// Pays a bill.
/// #[tool]
/// fn pay(bill: u32, yes: Approved<'_>) -> String {
///     format!("bill {bill} is paid, as approved: {}", yes.arguments())
/// }
///
/// let paid = pay(7, testing::approved(json!({"bill": 7})));
/// assert_eq!(paid, r#"bill 7 is paid, as approved: {"bill":7}"#);
/// ```
pub fn approved(arguments: impl Into<Value>) -> Approved<'static> {
    approved_in_test(arguments.into().to_string())
}
