//! Facts of safety, which a definition around a tool does not take away.

use std::iter;

use serde_json::{Map, Value};

use super::{Annotations, Meta, ToolDef, ToolOptions};

/// The attribute for the scopes that callers need: a list of strings.
pub const SCOPES: &str = "scopes";

/// The attribute for a tool's risk.
pub const RISK: &str = "risk";

toolwright_json::named_enum! {
    /// A value of the attribute `risk`, as in `#[tool(meta(risk = "high"))]`, from the lowest.
    #[derive(PartialOrd, Ord)]
    pub enum Risk {
        /// `low`.
        Low = "low",
        /// `medium`.
        Medium = "medium",
        /// `high`.
        High = "high",
        /// `critical`.
        Critical = "critical",
    }
}

impl ToolDef {
    /// Returns true if arguments run only as they were written, without repairs: by [`ToolOptions::exact`], and for
    /// tools that are `destructive` or [need an approval](ToolOptions::needs_approval). A foreign tool may be `destructive` only
    /// by default, and its owner checks the arguments again.
    #[doc(hidden)]
    pub fn is_exact(&self) -> bool {
        let mut options = self.options;
        if self.origin.is_foreign {
            options.annotations.destructive = None;
        }
        options.is_exact()
    }

    /// Returns the definition with the caution of the tool inside that it lacks; `None` if it lacks nothing.
    #[doc(hidden)]
    pub fn with_caution_of(&self, inside: &Self) -> Option<Self> {
        let mut def = self.clone();
        let (own, inside_options) = (&mut def.options, inside.options);
        own.annotations = own.annotations.with_caution_of(inside_options.annotations);
        own.manual |= inside_options.manual;
        own.needs_approval |= inside_options.needs_approval;
        own.exclusive |= inside_options.exclusive;
        own.exact |= inside_options.exact;
        def.origin.is_foreign |= inside.origin.is_foreign;
        // Foreign or not, of two definitions the exact one counts.
        let is_exact = self.is_exact() || inside.is_exact();
        def.options.exact |= is_exact && !def.is_exact();
        def.meta = self.meta.with_caution_of(&inside.meta);
        for attributes in inside.all_attributes() {
            if def.all_attributes().all(|known| known != attributes) {
                def.origin.inside.push(attributes.clone());
            }
        }
        (def.caution() != self.caution()).then_some(def)
    }

    /// Returns the definition's attributes, then those of the tools inside that had others. A rule about levels goes by
    /// the highest.
    #[doc(hidden)]
    pub fn all_attributes(&self) -> impl Iterator<Item = &Meta> {
        iter::once(&self.meta).chain(&self.origin.inside)
    }

    fn caution(&self) -> (ToolOptions, bool, Vec<&Meta>) {
        let attributes = self.all_attributes().collect();
        (self.options, self.origin.is_foreign, attributes)
    }
}

impl Annotations {
    /// Returns the more cautious value of each hint; `None` if one definition lacks it and the other one denies harm.
    fn with_caution_of(self, inside: Self) -> Self {
        let hint = |own: Option<bool>, inside: Option<bool>, harm: bool| {
            if own == inside || own == Some(harm) {
                own
            } else {
                inside.filter(|inside| *inside == harm)
            }
        };
        Self {
            read_only: hint(self.read_only, inside.read_only, false),
            destructive: hint(self.destructive, inside.destructive, true),
            idempotent: hint(self.idempotent, inside.idempotent, false),
            open_world: hint(self.open_world, inside.open_world, true),
        }
    }
}

impl Meta {
    /// Adds attributes of the tool inside, all scopes of both, and the higher risk.
    fn with_caution_of(&self, inside: &Self) -> Self {
        if self == inside || inside.is_empty() {
            return self.clone();
        }
        let mut values = Map::from(self.clone());
        for (name, value) in inside.iter() {
            match values.get_mut(name) {
                None => {
                    values.insert(name.to_owned(), value.clone());
                }
                Some(own) if name == SCOPES => add_scopes(own, value),
                Some(own) if name == RISK && risk(value) > risk(own) => *own = value.clone(),
                Some(_) => {}
            }
        }
        values.into()
    }
}

/// Adds the scopes of the tool inside. A value that is not a list admits no caller, and stays.
fn add_scopes(own: &mut Value, inside: &Value) {
    match (own, inside) {
        (Value::Array(own), Value::Array(inside)) => {
            let new = |scope: &&Value| !own.contains(scope);
            let new: Vec<_> = inside.iter().filter(new).cloned().collect();
            own.extend(new);
        }
        (own @ Value::Array(_), no_list) => *own = no_list.clone(),
        _ => {}
    }
}

/// Returns the level of a risk. An unknown one is the highest, so a misspelled one is not ignored.
fn risk(value: &Value) -> usize {
    let level = Risk::ALL.iter().position(|level| value == level.as_str());
    level.unwrap_or(usize::MAX)
}
