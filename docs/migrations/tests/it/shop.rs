//! The application that all tools of the pages belong to.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

// ANCHOR: shop
/// A handle to the shop's database.
#[derive(Clone, Debug, Default)]
pub struct Db(Arc<AtomicU32>);

impl Db {
    /// Stores an order, and returns its number and its total in cents.
    pub fn order(&self, sku: &str, quantity: u8, express: bool) -> Result<(u32, u32), NoArticle> {
        let price = match sku {
            "lamp" => 4_900,
            "tea" => 350,
            _ => return Err(NoArticle(sku.to_owned())),
        };
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let fee = if express { 990 } else { 0 };
        Ok((number, price * u32::from(quantity) + fee))
    }
}

/// The error that the model should read.
#[derive(Debug)]
pub struct NoArticle(String);

impl fmt::Display for NoArticle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no article {:?}; there are lamp and tea",
            self.0
        )
    }
}

impl Error for NoArticle {}
// ANCHOR_END: shop
