//! The shop whose desk both servers are, as a product would have it. No library of either is used here: `Schema` is the derive of
//! the server that includes this file.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Schema;

#[derive(Clone, Deserialize, Serialize, Schema)]
pub struct Address {
    /// Street and number
    pub street: String,
    pub city: String,
    /// Two-letter country code
    pub country: String,
}

#[derive(Clone, Deserialize, Serialize, Schema)]
pub struct Line {
    /// Article number
    pub sku: String,
    pub quantity: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Open,
    Sent,
    Cancelled,
}

#[derive(Clone, Serialize, Schema)]
pub struct Order {
    pub id: String,
    pub customer: String,
    pub address: Address,
    pub lines: Vec<Line>,
    /// Total in cents
    pub cents: u32,
    /// Refunded so far, in cents
    pub refunded: u32,
    pub state: State,
    /// Day of the order
    pub placed: String,
    pub note: Option<String>,
}

#[derive(Serialize, Schema)]
pub struct Orders {
    pub orders: Vec<Order>,
    /// Number of all that match
    pub matches: usize,
}

#[derive(Clone, Serialize, Schema)]
pub struct Article {
    pub sku: String,
    pub title: String,
    /// Price in cents
    pub cents: u32,
    /// Pieces in stock
    pub stock: u32,
}

#[derive(Serialize, Schema)]
pub struct Articles {
    pub articles: Vec<Article>,
}

#[derive(Serialize, Schema)]
pub struct Report {
    pub orders: usize,
    pub cents: u32,
    pub refunded: u32,
}

pub enum Fault {
    NoOrder(String),
    NoArticle(String),
    Closed(String),
    TooMuch { left: u32 },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOrder(id) => write!(f, "there is no order {id}"),
            Self::NoArticle(sku) => write!(f, "there is no article {sku}"),
            Self::Closed(id) => write!(f, "order {id} is sent or cancelled"),
            Self::TooMuch { left } => write!(f, "at most {left} cents can be refunded"),
        }
    }
}

impl Fault {
    /// Data for a client's program.
    pub fn data(&self) -> Value {
        match self {
            Self::NoOrder(id) => json!({ "code": "no_order", "id": id }),
            Self::NoArticle(sku) => json!({ "code": "no_article", "sku": sku }),
            Self::Closed(id) => json!({ "code": "closed", "id": id }),
            Self::TooMuch { left } => json!({ "code": "too_much", "left": left }),
        }
    }
}

/// What orders are looked for.
#[derive(Default)]
pub struct Search<'a> {
    pub customer: Option<&'a str>,
    pub state: Option<State>,
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

pub struct Shop {
    orders: Mutex<Vec<Order>>,
    articles: Vec<Article>,
}

impl Default for Shop {
    fn default() -> Self {
        let article = |sku: &str, title: &str, cents| Article {
            sku: sku.to_owned(),
            title: title.to_owned(),
            cents,
            stock: 10,
        };
        Self {
            orders: Mutex::default(),
            articles: vec![
                article("lamp", "Desk lamp", 4_900),
                article("tea", "Green tea", 350),
            ],
        }
    }
}

impl Shop {
    fn with<T>(&self, then: impl FnOnce(&mut Vec<Order>) -> T) -> T {
        then(&mut self.orders.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(
        &self,
        id: &str,
        then: impl FnOnce(&mut Order) -> Result<(), Fault>,
    ) -> Result<Order, Fault> {
        self.with(|orders| {
            let order = orders.iter_mut().find(|order| order.id == id);
            let order = order.ok_or_else(|| Fault::NoOrder(id.to_owned()))?;
            then(order)?;
            Ok(order.clone())
        })
    }

    fn open(order: &Order) -> Result<(), Fault> {
        match order.state {
            State::Open => Ok(()),
            State::Sent | State::Cancelled => Err(Fault::Closed(order.id.clone())),
        }
    }

    pub fn find(&self, search: &Search<'_>, page: u32, limit: u32) -> Orders {
        self.with(|orders| {
            let found = orders.iter().filter(|order| {
                search.customer.is_none_or(|name| order.customer == name)
                    && search.state.is_none_or(|state| order.state == state)
                    && search.from.is_none_or(|from| *order.placed >= *from)
                    && search.to.is_none_or(|to| *order.placed <= *to)
            });
            let skipped = (page.max(1) - 1) as usize * limit as usize;
            Orders {
                matches: found.clone().count(),
                orders: found.skip(skipped).take(limit as usize).cloned().collect(),
            }
        })
    }

    pub fn order(&self, id: &str) -> Result<Order, Fault> {
        self.change(id, |_| Ok(()))
    }

    pub fn place(
        &self,
        customer: String,
        address: Address,
        lines: Vec<Line>,
        day: String,
        note: Option<String>,
    ) -> Result<Order, Fault> {
        let mut cents = 0;
        for line in &lines {
            cents += self.article(&line.sku)?.cents * line.quantity;
        }
        Ok(self.with(|orders| {
            let order = Order {
                id: format!("o-{}", orders.len() + 1),
                customer,
                address,
                lines,
                cents,
                refunded: 0,
                state: State::Open,
                placed: day,
                note,
            };
            orders.push(order.clone());
            order
        }))
    }

    pub fn send_to(&self, id: &str, address: Address) -> Result<Order, Fault> {
        self.change(id, |order| {
            Self::open(order)?;
            order.address = address;
            Ok(())
        })
    }

    pub fn cancel(&self, id: &str, reason: String) -> Result<Order, Fault> {
        self.change(id, |order| {
            Self::open(order)?;
            order.state = State::Cancelled;
            order.note = Some(reason);
            Ok(())
        })
    }

    pub fn refund(&self, id: &str, cents: u32) -> Result<Order, Fault> {
        self.change(id, |order| {
            let left = order.cents - order.refunded;
            if cents > left {
                return Err(Fault::TooMuch { left });
            }
            order.refunded += cents;
            Ok(())
        })
    }

    pub fn articles(&self, text: &str, limit: u32) -> Articles {
        let found = self
            .articles
            .iter()
            .filter(|article| article.title.contains(text));
        Articles {
            articles: found.take(limit as usize).cloned().collect(),
        }
    }

    pub fn article(&self, sku: &str) -> Result<Article, Fault> {
        let found = self.articles.iter().find(|article| article.sku == sku);
        found
            .cloned()
            .ok_or_else(|| Fault::NoArticle(sku.to_owned()))
    }

    pub fn report(&self, from: &str, to: &str) -> Report {
        let search = Search {
            from: Some(from),
            to: Some(to),
            ..Search::default()
        };
        let Orders { orders, matches } = self.find(&search, 1, u32::MAX);
        Report {
            orders: matches,
            cents: orders.iter().map(|order| order.cents).sum(),
            refunded: orders.iter().map(|order| order.refunded).sum(),
        }
    }
}
