//! What a schema asks of values, checked on their JSON text.

mod decimal;

#[allow(unused_imports)]
pub(crate) use self::decimal::Decimal;
