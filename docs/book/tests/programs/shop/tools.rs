//! The orders of a shop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use toolwright::call::Approved;
use toolwright::{Schema, Toolset, tool, tools};

/// An order
#[derive(Debug, Clone, PartialEq, Serialize, Schema)]
pub struct Order {
    id: u32,
    customer: String,
    /// Price in cents
    cents: u64,
    /// Cents paid back
    refunded: u64,
}

/// The application's state: here a map, in yours a pool of connections.
pub struct Shop {
    orders: Mutex<BTreeMap<u32, Order>>,
}

impl Shop {
    pub fn open() -> Self {
        let order = |id, customer: &str, cents| Order {
            id,
            customer: customer.to_owned(),
            cents,
            refunded: 0,
        };
        let orders = [order(7, "Ada", 1200), order(8, "Ben", 350)];
        let orders = orders.map(|order| (order.id, order)).into();
        Self {
            orders: Mutex::new(orders),
        }
    }

    fn orders(&self) -> MutexGuard<'_, BTreeMap<u32, Order>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tool]
impl Shop {
    /// Finds an order.
    #[tool(read_only)]
    fn find_order(&self, id: u32) -> Result<Order, String> {
        let order = self.orders().get(&id).cloned();
        order.ok_or_else(|| format!("there is no order {id}"))
    }

    /// Lists the orders of a customer.
    #[tool(read_only)]
    fn list_orders(
        &self,
        customer: &str,
        #[arg(range(1..=50), default = 10)] limit: usize,
    ) -> Vec<Order> {
        let orders = self.orders();
        let theirs = orders.values().filter(|order| order.customer == customer);
        theirs.take(limit).cloned().collect()
    }

    /// Pays money back to the customer.
    #[tool(destructive)]
    fn refund(
        &self,
        id: u32,
        #[arg(range(1..))] cents: u64,
        _approval: Approved<'_>,
    ) -> Result<Order, String> {
        let mut orders = self.orders();
        let order = orders.get_mut(&id).ok_or("there is no such order")?;
        let left = order.cents - order.refunded;
        if cents > left {
            return Err(format!("only {left} cents are left to refund"));
        }
        order.refunded += cents;
        Ok(order.clone())
    }
}

/// The tools, for every way in.
pub fn all(shop: &Arc<Shop>) -> Toolset {
    tools![..Arc::clone(shop): Shop]
}
