//! Where the decoder and the schema do not say the same of a text, and why that is as it should be.

use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};
use std::str::FromStr;

use crate::schemas::exact::Exact;

/// A kind of texts that one of both admits and the other does not.
pub(crate) struct Exception {
    /// The types, or `*` for every type.
    pub(crate) of: &'static [&'static str],
    /// Whether the tool decodes what the schema does not admit, or else refuses what it admits.
    pub(crate) decoded: bool,
    /// Which texts.
    pub(crate) is_such: fn(&Exact) -> bool,
    pub(crate) why: &'static str,
}

/// Such texts are decoded and not admitted.
const fn decoded(
    of: &'static [&'static str],
    is_such: fn(&Exact) -> bool,
    why: &'static str,
) -> Exception {
    Exception {
        of,
        decoded: true,
        is_such,
        why,
    }
}

/// Such texts are admitted and not decoded.
const fn refused(
    of: &'static [&'static str],
    is_such: fn(&Exact) -> bool,
    why: &'static str,
) -> Exception {
    Exception {
        of,
        decoded: false,
        is_such,
        why,
    }
}

pub(crate) const ALL: &[Exception] = &[
    refused(
        &["*"],
        |value| value.depth() >= 128,
        "arguments nest at most 128 deep",
    ),
    refused(
        &["*"],
        |value| value.has(&is_beyond_f64),
        "no `f64` holds it",
    ),
    refused(
        &["*"],
        |value| value.has(&is_raw_text),
        "`serde_json` reads the text behind a key of its own",
    ),
    decoded(&["Aliased"], |value| value.get("colour").is_some(), ALIAS),
    decoded(&["Renamed"], |value| is(value, |text| text == "c"), ALIAS),
    refused(&["SocketAddr"], |value| !is_read::<SocketAddr>(value), READ),
    refused(
        &["SocketAddrV4"],
        |value| !is_read::<SocketAddrV4>(value),
        READ,
    ),
    refused(
        &["SocketAddrV6"],
        |value| !is_read::<SocketAddrV6>(value),
        READ,
    ),
    #[cfg(feature = "chrono")]
    refused(
        &["NaiveTime"],
        |value| !is_read::<chrono::NaiveTime>(value),
        READ,
    ),
    #[cfg(feature = "chrono")]
    refused(
        &["NaiveDateTime"],
        |value| !is_read::<chrono::NaiveDateTime>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff::ZonedDateTime"],
        |value| !is_decoded::<jiff::ZonedDateTime>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff::civil::Time"],
        |value| !is_decoded::<jiff::civil::Time>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff::civil::DateTime"],
        |value| !is_decoded::<jiff::civil::DateTime>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff::Span"],
        |value| !is_decoded::<jiff::Span>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff::SignedDuration"],
        |value| !is_decoded::<jiff::SignedDuration>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff02::Zoned"],
        |value| !is_decoded::<jiff02::Zoned>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff02::civil::Time"],
        |value| !is_decoded::<jiff02::civil::Time>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff02::civil::DateTime"],
        |value| !is_decoded::<jiff02::civil::DateTime>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff02::Span"],
        |value| !is_decoded::<jiff02::Span>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["jiff02::SignedDuration"],
        |value| !is_decoded::<jiff02::SignedDuration>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["time::Time"],
        |value| !is_decoded::<time::Time>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["time::PrimitiveDateTime", "time::UtcDateTime"],
        |value| !is_decoded::<time::PrimitiveDateTime>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["time::OffsetDateTime"],
        |value| !is_decoded::<time::OffsetDateTime>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["time::UtcOffset"],
        |value| !is_decoded::<time::UtcOffset>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["time::Duration"],
        |value| !is_decoded::<time::Duration>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["Version"],
        |value| !is_decoded::<semver::Version>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["VersionReq"],
        |value| !is_decoded::<semver::VersionReq>(value),
        READ,
    ),
    #[cfg(oracle)]
    refused(
        &["IndexMap<u8, IndexSet<String>>"],
        |value| !has_keys::<u8>(value),
        KEYS,
    ),
    #[cfg(feature = "url")]
    refused(&["url::Url"], |value| !is_read::<url::Url>(value), READ),
    refused(
        &["SeenAs"],
        |value| {
            let is_byte = |key| value.get(key).is_some_and(is_read::<u8>);
            !is_byte("both")
                || !(is_byte("maybe") || matches!(value.get("maybe"), Some(Exact::Null)))
        },
        READ,
    ),
    refused(
        &["Tried"],
        |value| matches!(value, Exact::Null),
        "its `TryFrom` refuses it",
    ),
    refused(
        &["HashMap<u32, String>"],
        |value| !has_keys::<u32>(value),
        KEYS,
    ),
    refused(
        &["BTreeMap<i64, u8>"],
        |value| !has_keys::<i64>(value),
        KEYS,
    ),
    refused(
        &["HoldsTheirs"],
        |value| match value.get("map") {
            Some(Exact::Object(maps)) => !maps.iter().all(|(_, map)| has_keys::<u8>(map)),
            _ => false,
        },
        KEYS,
    ),
    decoded(
        &["FlattensTheirs"],
        |value| has_others(value, &["id", "zulu", "alpha"]),
        THEIRS,
    ),
];

const THEIRS: &str = "what serde buffers for a type that only schemars knows is out of our sight";
const ALIAS: &str = "an old name is read; a model is told the new one";
const READ: &str = "a library reads the text, and no format says what it takes";
const KEYS: &str = "no pattern says where the width of an integer ends";

fn is(value: &Exact, is_such: impl Fn(&str) -> bool) -> bool {
    matches!(value, Exact::String(text) if is_such(text))
}

fn is_read<T: FromStr>(value: &Exact) -> bool {
    is(value, |text| text.parse::<T>().is_ok())
}

/// Of types that serde reads from a text and that are no `FromStr`.
#[cfg(oracle)]
fn is_decoded<T: serde::de::DeserializeOwned>(value: &Exact) -> bool {
    is(value, |text| {
        serde_json::from_value::<T>(text.into()).is_ok()
    })
}

fn has_keys<T: FromStr>(value: &Exact) -> bool {
    match value {
        Exact::Object(entries) => entries.iter().all(|(key, _)| key.parse::<T>().is_ok()),
        _ => false,
    }
}

fn is_beyond_f64(value: &Exact) -> bool {
    match value {
        Exact::Number(number) => number.to_f64().is_infinite(),
        _ => false,
    }
}

fn has_others(value: &Exact, known: &[&str]) -> bool {
    match value {
        Exact::Object(entries) => entries
            .iter()
            .any(|(key, _)| !known.contains(&key.as_str())),
        _ => false,
    }
}

/// Only the first key makes it one.
fn is_raw_text(value: &Exact) -> bool {
    match value {
        Exact::Object(entries) => entries
            .first()
            .is_some_and(|(key, _)| key == "$serde_json::private::RawValue"),
        _ => false,
    }
}
