//! What a schema asks of values, checked on their JSON text.

mod decimal;
mod format;
mod unique;

pub(crate) use self::decimal::Decimal;
#[allow(unused_imports)]
pub(crate) use self::format::admits;
#[allow(unused_imports)]
pub(crate) use self::unique::first_repeat;
