//! The types of the tools' arguments and answers, for each to derive on them what it needs.

/// Defines the types with the given derives: those of arguments, those of answers, and those of the enum that is both.
#[macro_export]
macro_rules! types {
    (arguments: [$($argument:tt)*], answers: [$($answer:tt)*], both: [$($both:tt)*]) => {
        /// Unit of the temperature
        #[derive(Clone, Copy, $($both)*)]
        #[serde(rename_all = "lowercase")]
        pub enum Unit {
            Celsius,
            Fahrenheit,
        }

        #[derive($($answer)*)]
        pub struct Weather {
            pub temperature: f64,
            pub unit: Unit,
            pub sky: &'static str,
        }

        #[derive($($argument)*)]
        pub struct Customer {
            pub name: String,
            pub email: String,
            pub country: Option<String>,
        }

        #[derive($($argument)*)]
        pub struct Line {
            pub sku: String,
            pub title: String,
            pub qty: u32,
            pub price: f64,
            pub note: Option<String>,
        }

        #[derive($($answer)*)]
        pub struct Receipt {
            pub to: usize,
            pub items: u32,
            pub letters: usize,
            pub total: f64,
        }

        pub fn weather(city: &str, unit: Option<Unit>) -> Weather {
            Weather {
                temperature: if city.len() > 4 { 21.5 } else { -2.5 },
                unit: unit.unwrap_or(Unit::Celsius),
                sky: "clear",
            }
        }
    };
}

/// A `Receipt` that has looked at every value. `to` counts the letters of a customer.
#[macro_export]
macro_rules! receipt {
    ($customer:expr, $lines:expr) => {{
        let (customer, lines) = (&$customer, &$lines);
        Receipt {
            to: customer.name.len()
                + customer.email.len()
                + customer.country.as_ref().map_or(0, |country| country.len()),
            items: lines.iter().map(|line| line.qty).sum(),
            letters: lines
                .iter()
                .map(|line| {
                    line.sku.len()
                        + line.title.len()
                        + line.note.as_ref().map_or(0, |note| note.len())
                })
                .sum(),
            total: lines
                .iter()
                .map(|line| f64::from(line.qty) * line.price)
                .sum(),
        }
    }};
}

/// A number out of a `Key` that has looked at all of it.
#[macro_export]
macro_rules! size_of_key {
    ($ty:ident, $key:expr) => {
        match $key {
            $ty::Id(id) => id,
            $ty::Name(name) => name.len() as u64,
            $ty::Both { id, name } => id + name.len() as u64,
        }
    };
}

/// A number out of a `Payment` that has looked at all of it.
#[macro_export]
macro_rules! size_of_payment {
    ($ty:ident, $payment:expr) => {
        match $payment {
            $ty::Card { number, check } => number.len() + usize::from(check),
            $ty::Transfer { account } => account.len(),
        }
    };
}
