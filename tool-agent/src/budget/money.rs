use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An amount of money, in a currency of the host's, exact to a millionth. Its text and its JSON are decimal:
/// `"2.5"`.
///
/// ```
/// use toolwright::agent::budget::Money;
///
/// let price: Money = "0.075".parse().unwrap();
/// assert_eq!(price, Money::from_micros(75_000));
/// assert_eq!(Money::from_cents(250).to_string(), "2.5");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(u64);

const MICROS: u64 = 1_000_000;

impl Money {
    /// Creates an amount of millionths.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Creates an amount of hundredths. More than fits is the most that there is.
    pub const fn from_cents(cents: u64) -> Self {
        Self(cents.saturating_mul(MICROS / 100))
    }

    /// Returns the millionths.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    pub(super) const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, micros) = (self.0 / MICROS, self.0 % MICROS);
        if micros == 0 {
            return write!(f, "{units}");
        }
        let decimals = format!("{micros:06}");
        write!(f, "{units}.{}", decimals.trim_end_matches('0'))
    }
}

impl FromStr for Money {
    type Err = String;

    /// # Errors
    /// Fails if the text is not decimal, is negative, has more than six decimals, or is too large.
    fn from_str(text: &str) -> Result<Self, String> {
        let (units, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        let micros = || {
            let is_decimal = is_number(units) && is_number(decimals) && decimals.len() <= 6;
            let units = is_decimal.then_some(units)?.parse::<u64>().ok()?;
            let micros = format!("{decimals:0<6}").parse::<u64>().ok()?;
            units.checked_mul(MICROS)?.checked_add(micros)
        };
        micros().map(Self).ok_or_else(|| {
            format!("`{text}` is not an amount of money, such as `2.5`, with at most six decimals")
        })
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
