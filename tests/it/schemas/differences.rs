//! Where our schema is not schemars', and where a tool decodes what the schema does not admit.

/// Types whose schema differs from schemars', and why.
pub(crate) const OF: &[(&str, &str)] = &[
    ("[u8; 0]", "schemars leaves out what no element looks like"),
    ("Duration", DESCRIBED),
    ("SystemTime", DESCRIBED),
    (
        "IpAddr",
        "`ip` is not a format of JSON Schema: it is `ipv4` or `ipv6`",
    ),
    ("SocketAddr", DESCRIBED),
    ("SocketAddrV4", DESCRIBED),
    ("SocketAddrV6", DESCRIBED),
    ("Skips", LEFT_OUT),
    ("Tree", LEFT_OUT),
    ("Forest", LEFT_OUT),
    (
        "OnlyFlattensMap",
        "that no keys are declared says schemars of a map alone",
    ),
    ("FlattensStruct", OF_FLATTENED),
    ("FlattensOption", OF_FLATTENED),
    (
        "Tagged",
        "serde writes the tag of a struct, which schemars does not say",
    ),
    (
        "SeenAs",
        "serde never asks a function of a field's own for a missing value, so the key of the `Option` must be there",
    ),
    (
        "Person",
        "a cycle of two types may be cut at either; ours is cut where the attribute stands",
    ),
    ("Adjacent", "serde reads a missing content as `None`"),
    ("NaiveTime", "`partial-time` is not a format of JSON Schema"),
    (
        "NaiveDateTime",
        "`partial-date-time` is not a format of JSON Schema",
    ),
    (
        "bytes::Bytes",
        "a string is read too, as its bytes, and never written",
    ),
    (
        "bytes::BytesMut",
        "a string is read too, as its bytes, and never written",
    ),
    (
        "rust_decimal::Decimal",
        "a number is read too, and would lose digits on the way",
    ),
    (
        "bigdecimal::BigDecimal",
        "a number is read too; exponents have signs; ours is short enough to be read",
    ),
    (
        "jiff02::Zoned",
        "`zoned-date-time` is not a format of JSON Schema",
    ),
    (
        "jiff02::civil::Time",
        "`partial-time` is not a format of JSON Schema",
    ),
    (
        "jiff02::civil::DateTime",
        "`partial-date-time` is not a format of JSON Schema",
    ),
    ("jiff02::Span", DURATION),
    ("jiff02::SignedDuration", DURATION),
    (
        "Version",
        "a pattern of 200 characters costs tokens and steers no model",
    ),
];

const DURATION: &str = "the format `duration` has neither signs nor fractions, which are written";
const DESCRIBED: &str = "no format says it, so ours has words";
const LEFT_OUT: &str = "schemars leaves out a default that `skip_serializing_if` would leave out";
const OF_FLATTENED: &str = "schemars takes the words of a flattened type for the container's";

/// Samples that the schema refuses and that are decoded all the same, and why.
pub(crate) const DECODED: &[(&str, &str, &str)] = &[
    ("Aliased", "{\"colour\":\"red\"}", ALIAS),
    ("Renamed", "\"c\"", ALIAS),
];

const ALIAS: &str = "an old name is read; a model is told the new one";
