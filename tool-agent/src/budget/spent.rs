use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use toolwright_provider::wire::Usage;

/// What model calls took: all of it, and by model. It is stored in sessions, and older ones have no models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spent {
    #[serde(flatten)]
    total: Usage,
    /// Shares of models that have a name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    models: BTreeMap<Arc<str>, Usage>,
    /// Share of models that cost nothing.
    #[serde(default, skip_serializing_if = "is_none")]
    free: Usage,
}

fn is_none(usage: &Usage) -> bool {
    *usage == Usage::default()
}

impl Spent {
    pub(crate) fn total(&self) -> Usage {
        self.total
    }

    /// Returns the shares of models that cost something. That of models without a name has the empty name.
    pub(super) fn by_model(&self) -> impl Iterator<Item = (&str, Usage)> {
        let named = self.models.iter().map(|(name, usage)| (&**name, *usage));
        let mut sum = self.free;
        for (_, usage) in named.clone() {
            sum += usage;
        }
        let rest = above(self.total(), sum);
        let rest = (rest != Usage::default()).then_some(("", rest));
        named.chain(rest)
    }

    /// Adds what a model took. A model without a name has the empty one, and one that costs nothing has `None`.
    pub(crate) fn add(&mut self, model: Option<&str>, usage: Usage) {
        self.total += usage;
        match model {
            None => self.free += usage,
            Some("") => {}
            Some(name) => *self.models.entry(name.into()).or_default() += usage,
        }
    }

    /// Returns what is spent here and not there.
    pub(crate) fn above(&self, other: &Self) -> Self {
        let total = above(self.total(), other.total());
        let models = self.models.iter().map(|(name, usage)| {
            let there = other.models.get(name).copied().unwrap_or_default();
            (Arc::clone(name), above(*usage, there))
        });
        Self {
            total,
            free: above(self.free, other.free),
            models: models
                .filter(|(_, usage)| *usage != Usage::default())
                .collect(),
        }
    }

    /// Returns what is spent here or there.
    pub(crate) fn max(mut self, other: &Self) -> Self {
        self += other.above(&self);
        self
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.free += other.free;
        for (model, usage) in other.models {
            *self.models.entry(model).or_default() += usage;
        }
    }
}

fn above(all: Usage, other: Usage) -> Usage {
    all.zip(other, u64::saturating_sub)
}
