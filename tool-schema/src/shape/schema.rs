use super::{Id, Shape};

/// A type whose JSON the compiler knows: derive it beside serde's traits.
///
/// ```
/// use serde::Deserialize;
/// use toolwright::{Schema, schema::SchemaDoc};
///
/// /// Where to look
/// #[derive(Deserialize, Schema)]
/// struct Place {
///     /// City name
///     city: String,
///     country: Option<String>,
/// }
///
/// let schema = SchemaDoc::of::<Place>();
/// assert_eq!(
///     schema.as_json(),
///     r#"{"type":"object","description":"Where to look","properties":{"city":{"type":"string","description":"City name"},"country":{"type":["string","null"]}},"required":["city"],"additionalProperties":false}"#
/// );
/// ```
/// serde's attributes have the meaning of serde. An attribute with unpredictable JSON is refused, with
/// an alternative. The derive's own attributes are:
///
/// | attribute | on | meaning |
/// | --- | --- | --- |
/// | `#[schema(range(1..=50))]`, `len(1..)`, `pattern = "…"`, `format = "…"`, `multiple_of = …`, `unique` | fields, newtypes | bounds |
/// | `#[schema(as = Type)]` | fields, variants, types | the JSON looks like that of `Type` |
/// | `#[schema(schema_with = path)]` | fields, variants | the function of this path returns the JSON Schema: `fn() -> serde_json::Value` |
/// | `#[schema(title = "…")]`, `description = "…"`, `example = …`, `deprecated` | fields | words for the model |
/// | `#[schema(secret)]` | fields, types | only the tool sees the values: errors, events and logs redact them, and values beside them that do not fit |
/// | `#[schema(recursive)]` | fields | leads back to a type that contains this one |
/// | `#[schema(open)]` | types | other keys than the declared ones are admitted |
/// | `#[schema(json_schema)]` | types | also implement schemars' `JsonSchema` (feature `schemars`) |
/// | `#[schema(crate = path)]` | types | where `toolwright` is, if not at `::toolwright` |
///
/// Options of `#[schemars(…)]` that say the same are read too, so that one derive can take the place of the other.
///
/// # Types of other crates
/// Features of the crates' names have the schemas of:
///
/// | feature | types |
/// | --- | --- |
/// | `bigdecimal` | `BigDecimal`, read from up to 1000 characters |
/// | `bytes` | `Bytes`, `BytesMut` |
/// | `camino` | `Utf8Path`, `Utf8PathBuf` |
/// | `chrono` | `DateTime`, `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `Month`, `Weekday` |
/// | `either` | `Either` |
/// | `indexmap` | `IndexMap`, `IndexSet` |
/// | `jiff` (1.x), `jiff02` (0.2) | `Timestamp`, `ZonedDateTime` (0.2: `Zoned`), `civil::{Date, Time, DateTime}`, `Span`, `SignedDuration` |
/// | `ordered-float` | `OrderedFloat`, `NotNan` |
/// | `rust_decimal` | `Decimal` |
/// | `secrecy` | `SecretString`, `SecretBox`: like `#[schema(secret)]` |
/// | `semver` | `Version`, `VersionReq` |
/// | `smallvec` | `SmallVec` |
/// | `smol_str` | `SmolStr` |
/// | `time` | `Date`, `Time`, `PrimitiveDateTime`, `UtcDateTime`, `OffsetDateTime`, `UtcOffset`, `Duration`, `Month`, `Weekday` |
/// | `url` | `Url` |
/// | `uuid` | `Uuid` |
///
/// The features do not switch on `serde` of these crates, which a program does for itself. One does more: `time`
/// switches on `serde-human-readable` of `time` for the whole build, since its types are arrays of numbers without it. A moment
/// that is written as models write it has two attributes: `#[serde(with = "time::serde::rfc3339")]` and
/// `#[schema(as = String, format = "date-time")]`.
///
/// Other types with serde's traits and schemars' `JsonSchema` (which schemars has by its own features, such as
/// `arrayvec07`) have schemars' schema. Values are checked and repaired by it before serde reads them, except for
/// patterns, which are published and not enforced.
/// For a type with neither trait, `as` describes the JSON, on a field or on a newtype around it:
///
/// ```
/// use serde::Deserialize;
/// use toolwright::{Schema, schema::SchemaDoc};
/// # #[derive(Deserialize)]
/// # #[serde(from = "String")]
/// # struct Version(String);
/// # impl From<String> for Version {
/// #     fn from(text: String) -> Self {
/// #         Self(text)
/// #     }
/// # }
///
/// #[derive(Deserialize, Schema)]
/// #[schema(as = String)]
/// struct Release(Version); // of another crate, and read from a string
///
/// assert_eq!(SchemaDoc::of::<Release>().as_json(), r#"{"type":"string"}"#);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "the model would not know what to write here",
    note = "derive `toolwright::Schema` for `{Self}`, beside `serde::Deserialize`; for what a tool returns, beside `serde::Serialize`",
    note = "schemars' `JsonSchema` counts too: version 1, with the feature `schemars`; in generic code as `Opaque<{Self}>`",
    note = "for types of other crates there are features of the crates' names (`chrono`, `uuid` and others) and `#[schema(as = …)]`",
    note = "a parameter that the model must not see is marked `#[state]`"
)]
pub trait Schema {
    /// Identity of the type. Types of one identity have one tree.
    const ID: Id = Id::NONE;
    /// The type's tree.
    const SHAPE: &'static Shape<'static>;
    /// Trees that edges of this one point back to and that do not contain it.
    const REFS: &'static Refs = &Refs::NONE;
}

/// Targets of edges that were cut to break a cycle between types, so that a constant function can traverse them.
#[derive(Debug, Clone, Copy)]
pub struct Refs {
    /// The targets.
    pub targets: &'static [&'static Shape<'static>],
    /// The targets inside the types that a type is made of.
    pub of: &'static [&'static Refs],
}

impl Refs {
    /// No targets.
    pub const NONE: Self = Self {
        targets: &[],
        of: &[],
    };

    /// Returns the targets inside the types that a type is made of.
    pub const fn through(of: &'static [&'static Refs]) -> Self {
        Self { targets: &[], of }
    }
}
