//! serde's attributes, all of them: what a schema makes of each.
//!
//! The list is that of serde.rs ("Container attributes", "Variant attributes", "Field attributes")
//! and of `serde_derive/src/internals/attr.rs` in serde 1.0.229.
// A test that finds less than it expects has failed; and the types are what people write.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::items_after_statements,
    clippy::linkedlist,
    clippy::needless_pass_by_value,
    clippy::option_option,
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::boxed_local,
    clippy::unwrap_used,
    dead_code
)]

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::{
    Schema,
    schema::{Kind, SchemaDoc, Shape},
    tool, tools,
};

/// What we do about an attribute.
enum Done {
    /// A type with it has the schema that it should have, and serde reads and writes just that.
    Supported(fn()),
    /// It does not compile; the case shows the error.
    Refused(&'static str),
}

use Done::{Refused, Supported};

const CONTAINER: [(&str, Done); 18] = [
    ("rename", Supported(container_rename)),
    ("rename_all", Supported(container_rename_all)),
    ("rename_all_fields", Supported(container_rename_all_fields)),
    ("deny_unknown_fields", Supported(deny_unknown_fields)),
    ("tag", Supported(tag)),
    ("content", Supported(content)),
    ("untagged", Supported(untagged)),
    ("bound", Supported(container_bound)),
    ("default", Supported(container_default)),
    ("remote", Refused("remote")),
    ("transparent", Supported(transparent)),
    ("from", Supported(from)),
    ("try_from", Supported(try_from)),
    ("into", Supported(into)),
    ("crate", Supported(crate_path)),
    ("expecting", Supported(expecting)),
    ("variant_identifier", Refused("variant_identifier")),
    ("field_identifier", Refused("field_identifier")),
];

const VARIANT: [(&str, Done); 13] = [
    ("rename", Supported(variant_rename)),
    ("alias", Supported(variant_alias)),
    ("rename_all", Supported(variant_rename_all)),
    ("skip", Supported(variant_skip)),
    ("skip_serializing", Supported(variant_skip_serializing)),
    ("skip_deserializing", Supported(variant_skip_deserializing)),
    // Each of these with `#[schema(as = …)]`; without it they are refused.
    ("serialize_with", Supported(variant_serialize_with)),
    ("deserialize_with", Supported(variant_deserialize_with)),
    ("with", Supported(variant_with)),
    ("bound", Supported(variant_bound)),
    ("borrow", Supported(variant_borrow)),
    ("other", Refused("other")),
    ("untagged", Supported(variant_untagged)),
];

const FIELD: [(&str, Done); 14] = [
    ("rename", Supported(field_rename)),
    ("alias", Supported(field_alias)),
    ("default", Supported(field_default)),
    ("flatten", Supported(flatten)),
    ("skip", Supported(skip)),
    ("skip_serializing", Supported(skip_serializing)),
    ("skip_deserializing", Supported(skip_deserializing)),
    ("skip_serializing_if", Supported(skip_serializing_if)),
    ("serialize_with", Supported(serialize_with)),
    ("deserialize_with", Supported(deserialize_with)),
    ("with", Supported(with)),
    ("borrow", Supported(borrow)),
    ("bound", Supported(field_bound)),
    ("getter", Refused("getter")),
];

/// Refused in some places alone, of some types, or for want of `#[schema(as = …)]`.
const REFUSED_TOO: [&str; 22] = [
    "with_without_as",
    "serialize_with_without_as",
    "deserialize_with_without_as",
    "variant_with_without_as",
    "variant_serialize_with_without_as",
    "variant_deserialize_with_without_as",
    "default_in_tuple",
    "default_on_tuple",
    "skip_serializing_if_in_tuple",
    "skip_of_the_only_value",
    "flatten_key_twice",
    "flatten_key_twice_by_type",
    "flatten_number",
    "flatten_map_of_numbers",
    "flatten_map_in_front",
    "tag_beside_number",
    "tag_twice",
    "deny_with_open",
    "deny_with_flatten",
    "flatten_itself",
    "borrowed_bytes",
    "borrowed_cow_of_bytes",
];

#[test]
fn every_attribute_is_supported_or_refused() {
    let all = CONTAINER.iter().chain(&VARIANT).chain(&FIELD);
    let mut cases: Vec<&str> = REFUSED_TOO.into();
    for (_, done) in all {
        match done {
            Supported(check) => check(),
            Refused(case) => cases.push(case),
        }
    }
    for case in cases {
        let path = format!("tests/compile/tests/ui/schema_serde/{case}.rs");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        assert!(path.exists(), "{}", path.display());
        assert!(path.with_extension("stderr").exists(), "{}", path.display());
    }
}

/// Whole schemas of both sides.
fn schemas<T: Schema>(input: Value, output: Value) {
    let name = std::any::type_name::<T>();
    assert_eq!(
        SchemaDoc::of::<T>().to_value(),
        input,
        "what {name} is read from"
    );
    assert_eq!(
        SchemaDoc::of_output::<T>().to_value(),
        opened(output),
        "what {name} is written as"
    );
}

/// A schema whose objects are open, as those that are written are.
fn opened(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            members.retain(|key, value| key != "additionalProperties" || *value != json!(false));
            members
                .values_mut()
                .for_each(|value| *value = opened(value.take()));
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = opened(item.take())),
        _ => {}
    }
    schema
}

/// What serde reads, and what it writes of that.
fn reads<T: DeserializeOwned + Serialize>(input: Value, output: Value) {
    let value: T = serde_json::from_value(input).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), output);
}

fn byte() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": 255})
}

/// A closed object; a key that ends with `?` may be missing.
fn object(keys: &[(&str, Value)]) -> Value {
    let name = |key: &str| key.trim_end_matches('?').to_owned();
    let properties: BTreeMap<_, _> = keys.iter().map(|(key, value)| (name(key), value)).collect();
    let required: Vec<_> = keys
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !key.ends_with('?'))
        .collect();
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn only(name: &str) -> Value {
    json!({"type": "string", "enum": [name]})
}

fn string() -> Value {
    json!({"type": "string"})
}

fn container_rename() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(rename = "other")]
    struct Plain {
        a: u8,
    }
    schemas::<Plain>(object(&[("a", byte())]), object(&[("a", byte())]));

    #[derive(Serialize, Deserialize, Schema)]
    #[serde(tag = "type", rename = "other")]
    struct Tagged {
        a: u8,
    }
    let written = object(&[("type", only("other")), ("a", byte())]);
    schemas::<Tagged>(object(&[("a", byte())]), written);
    reads::<Tagged>(json!({"a": 1}), json!({"type": "other", "a": 1}));
}

fn container_rename_all() {
    macro_rules! rules {
        ($($rule:literal: $field:literal, $variant:literal;)*) => {$({
            #[derive(Serialize, Deserialize, Schema)]
            #[serde(rename_all = $rule)]
            struct Fields {
                two_words: u8,
            }
            let schema = object(&[($field, byte())]);
            schemas::<Fields>(schema.clone(), schema);
            reads::<Fields>(json!({$field: 1}), json!({$field: 1}));

            #[derive(Serialize, Deserialize, Schema)]
            #[serde(rename_all = $rule)]
            enum Variants {
                TwoWords,
            }
            schemas::<Variants>(only($variant), only($variant));
            reads::<Variants>(json!($variant), json!($variant));
        })*};
    }
    rules! {
        "lowercase": "two_words", "twowords";
        "UPPERCASE": "TWO_WORDS", "TWOWORDS";
        "PascalCase": "TwoWords", "TwoWords";
        "camelCase": "twoWords", "twoWords";
        "snake_case": "two_words", "two_words";
        "SCREAMING_SNAKE_CASE": "TWO_WORDS", "TWO_WORDS";
        "kebab-case": "two-words", "two-words";
        "SCREAMING-KEBAB-CASE": "TWO-WORDS", "TWO-WORDS";
    }

    #[derive(Serialize, Deserialize, Schema)]
    #[serde(rename_all(serialize = "camelCase", deserialize = "kebab-case"))]
    struct Sided {
        two_words: u8,
    }
    schemas::<Sided>(
        object(&[("two-words", byte())]),
        object(&[("twoWords", byte())]),
    );
    reads::<Sided>(json!({"two-words": 1}), json!({"twoWords": 1}));
}

fn container_rename_all_fields() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(rename_all_fields = "camelCase")]
    enum Event {
        Opened { opened_by: u8 },
    }
    let schema = object(&[("Opened", object(&[("openedBy", byte())]))]);
    schemas::<Event>(schema.clone(), schema);
    reads::<Event>(
        json!({"Opened": {"openedBy": 1}}),
        json!({"Opened": {"openedBy": 1}}),
    );
}

fn deny_unknown_fields() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        a: u8,
    }
    schemas::<Strict>(object(&[("a", byte())]), object(&[("a", byte())]));
}

fn tag() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(tag = "kind")]
    enum Event {
        Opened { by: u8 },
        Closed,
    }
    let schema = json!({"anyOf": [
        object(&[("kind", only("Opened")), ("by", byte())]),
        object(&[("kind", only("Closed"))]),
    ]});
    schemas::<Event>(schema.clone(), schema.clone());
    reads::<Event>(
        json!({"by": 1, "kind": "Opened"}),
        json!({"kind": "Opened", "by": 1}),
    );

    // Of an `Option` behind a tag serde reads what it holds, and never nothing.
    #[derive(Deserialize, Schema)]
    struct By {
        by: u8,
    }
    #[derive(Deserialize, Schema)]
    #[serde(tag = "kind")]
    enum Maybe {
        Opened(Option<By>),
        Closed,
    }
    assert_eq!(SchemaDoc::of::<Maybe>().to_value(), schema);
    assert!(serde_json::from_value::<Maybe>(json!({"kind": "Opened"})).is_err());
}

fn content() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(tag = "kind", content = "data")]
    enum Event {
        Opened(u8),
        Moved { to: Option<u8> },
        Closed,
    }
    let maybe = || json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255});
    let schema = |to: &str| {
        json!({"anyOf": [
            object(&[("kind", only("Opened")), ("data", byte())]),
            object(&[("kind", only("Moved")), ("data", object(&[(to, maybe())]))]),
            object(&[("kind", only("Closed"))]),
        ]})
    };
    schemas::<Event>(schema("to?"), schema("to"));
    assert!(serde_json::from_value::<Event>(json!({"kind": "Moved"})).is_err());
    reads::<Event>(
        json!({"data": 1, "kind": "Opened"}),
        json!({"kind": "Opened", "data": 1}),
    );
}

fn untagged() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(untagged)]
    enum Id {
        Number(u8),
        Name(String),
    }
    let schema = json!({"anyOf": [byte(), string()]});
    schemas::<Id>(schema.clone(), schema);
    reads::<Id>(json!("a"), json!("a"));

    // Nothing is `null`, and never an object without keys.
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(untagged)]
    enum Maybe {
        Some { a: u8 },
        Nothing,
    }
    #[derive(Serialize, Deserialize, Schema)]
    struct Flattens {
        #[serde(flatten)]
        maybe: Maybe,
    }
    let some = object(&[("a", byte())]);
    let written = json!({"anyOf": [some.clone(), object(&[])]});
    schemas::<Flattens>(some, written);
    assert!(serde_json::from_value::<Flattens>(json!({})).is_err());
    let nothing = Flattens {
        maybe: Maybe::Nothing,
    };
    assert_eq!(serde_json::to_value(nothing).unwrap(), json!({}));
}

fn container_bound() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(bound = "T: Serialize + serde::de::DeserializeOwned")]
    struct Page<T> {
        items: Vec<T>,
    }
    let schema = object(&[("items", json!({"type": "array", "items": byte()}))]);
    schemas::<Page<u8>>(schema.clone(), schema.clone());

    // Of an associated type nothing is asked of the parameter itself.
    #[derive(Deserialize, Schema)]
    #[serde(bound = "T::Item: DeserializeOwned")]
    struct Given<T: Iterator>
    where
        T::Item: Schema,
    {
        items: Vec<T::Item>,
    }
    type Bytes = std::vec::IntoIter<u8>;
    assert_eq!(SchemaDoc::of::<Given<Bytes>>().to_value(), schema);
}

fn container_default() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(default = "usual")]
    struct Options {
        a: u8,
    }
    fn usual() -> Options {
        Options { a: 7 }
    }
    let mut read = byte();
    read["default"] = json!(7);
    schemas::<Options>(object(&[("a?", read)]), object(&[("a", byte())]));
    reads::<Options>(json!({}), json!({"a": 7}));
}

fn transparent() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(transparent)]
    struct Name {
        text: Option<String>,
    }
    #[derive(Serialize, Deserialize, Schema)]
    struct Holds {
        name: Name,
    }
    let text = json!({"type": ["string", "null"]});
    schemas::<Holds>(
        object(&[("name?", text.clone())]),
        object(&[("name", text)]),
    );
    reads::<Holds>(json!({}), json!({"name": null}));
}

/// Bytes that are read from one type and written as another.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

macro_rules! converted {
    ($name:ident $(, $attr:meta)*) => {
        #[derive(Clone, Serialize, Deserialize, Schema)]
        $(#[$attr])*
        struct $name {
            bytes: Vec<u8>,
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self { bytes: Bytes::from(text).0 }
            }
        }

        impl From<$name> for usize {
            fn from(value: $name) -> Self {
                value.bytes.len()
            }
        }
    };
}

fn own() -> Value {
    object(&[("bytes", json!({"type": "array", "items": byte()}))])
}

fn from() {
    converted!(Read, serde(from = "String"));
    schemas::<Read>(string(), own());
    reads::<Read>(json!("a"), json!({"bytes": [97]}));
}

fn try_from() {
    converted!(Read, serde(try_from = "String"));
    schemas::<Read>(string(), own());
    reads::<Read>(json!("a"), json!({"bytes": [97]}));
}

fn into() {
    converted!(Written, serde(into = "usize"));
    let length = json!({"type": "integer", "minimum": 0, "maximum": usize::MAX});
    schemas::<Written>(own(), length);
    reads::<Written>(json!({"bytes": [97]}), json!(1));
}

fn crate_path() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(crate = "serde")]
    struct Plain {
        a: u8,
    }
    schemas::<Plain>(object(&[("a", byte())]), object(&[("a", byte())]));
}

fn expecting() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(expecting = "something else")]
    struct Plain {
        a: u8,
    }
    schemas::<Plain>(object(&[("a", byte())]), object(&[("a", byte())]));
}

fn variant_rename() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Speed {
        #[serde(rename(serialize = "out", deserialize = "in"))]
        Slow,
    }
    schemas::<Speed>(only("in"), only("out"));
    reads::<Speed>(json!("in"), json!("out"));
}

/// An alias is read and never told: one name a thing is enough for a model.
fn variant_alias() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Speed {
        #[serde(alias = "lazy")]
        Slow,
    }
    schemas::<Speed>(only("Slow"), only("Slow"));
    reads::<Speed>(json!("lazy"), json!("Slow"));
    assert_eq!(aliases(Speed::SHAPE), ["lazy"]);

    #[derive(Serialize, Deserialize, Schema)]
    enum External {
        #[serde(alias = "one", alias = "uno", alias = "One")]
        One(u8),
        #[serde(alias = "none")]
        None,
    }
    reads::<External>(json!({"uno": 1}), json!({"One": 1}));
    assert_eq!(aliases(External::SHAPE), ["one", "uno", "none"]);

    #[derive(Serialize, Deserialize, Schema)]
    #[serde(tag = "t")]
    enum Internal {
        #[serde(alias = "one")]
        One {
            #[serde(alias = "b")]
            a: u8,
        },
        #[serde(alias = "none")]
        None,
        #[serde(alias = "unread", skip_deserializing)]
        Unread,
    }
    reads::<Internal>(json!({"t": "one", "b": 1}), json!({"t": "One", "a": 1}));
    assert_eq!(aliases(Internal::SHAPE), ["one", "b", "none"]);

    #[derive(Serialize, Deserialize, Schema)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        #[serde(alias = "one")]
        One(u8),
        #[serde(alias = "none")]
        None,
    }
    reads::<Adjacent>(json!({"t": "one", "c": 1}), json!({"t": "One", "c": 1}));
    assert_eq!(aliases(Adjacent::SHAPE), ["one", "none"]);
}

/// The aliases that a type's tree knows, in its order.
fn aliases<'s>(shape: &Shape<'s>) -> Vec<&'s str> {
    match shape.kind {
        Kind::Enum(variants) => variants
            .iter()
            .flat_map(|variant| variant.aliases)
            .copied()
            .collect(),
        Kind::Object(object) => object
            .fields
            .iter()
            .flat_map(|field| [field.aliases.to_vec(), aliases(field.shape)].concat())
            .collect(),
        Kind::Union(union) => union.members.iter().flat_map(aliases).collect(),
        Kind::InOut { input, .. } => aliases(input),
        _ => Vec::new(),
    }
}

fn variant_rename_all() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(rename_all_fields = "kebab-case")]
    enum Event {
        #[serde(rename_all(serialize = "camelCase"))]
        Opened { opened_by: u8 },
    }
    let of = |key| object(&[("Opened", object(&[(key, byte())]))]);
    schemas::<Event>(of("opened-by"), of("openedBy"));
    reads::<Event>(
        json!({"Opened": {"opened-by": 1}}),
        json!({"Opened": {"openedBy": 1}}),
    );
}

fn variant_skip() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Speed {
        Slow,
        #[serde(skip)]
        #[allow(dead_code)]
        Secret,
    }
    schemas::<Speed>(only("Slow"), only("Slow"));
}

fn variant_skip_serializing() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Speed {
        Slow,
        #[serde(skip_serializing)]
        Old,
    }
    schemas::<Speed>(
        json!({"type": "string", "enum": ["Slow", "Old"]}),
        only("Slow"),
    );
}

fn variant_skip_deserializing() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Speed {
        Slow,
        #[serde(skip_deserializing)]
        #[allow(dead_code)]
        New,
    }
    schemas::<Speed>(
        only("Slow"),
        json!({"type": "string", "enum": ["Slow", "New"]}),
    );
}

mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

macro_rules! variant {
    ($attr:meta: $input:expr, $output:expr; $read:tt, $written:tt) => {
        #[derive(Serialize, Deserialize, Schema)]
        enum Value {
            #[$attr]
            #[schema(as = String)]
            Text(u8),
        }
        let of = |value| object(&[("Text", value)]);
        schemas::<Value>(of($input), of($output));
        reads::<Value>(json!({"Text": $read}), json!({"Text": $written}));
    };
}

fn variant_serialize_with() {
    variant!(serde(serialize_with = "text::serialize"): byte(), string(); 1, "1");
}

fn variant_deserialize_with() {
    variant!(serde(deserialize_with = "text::deserialize"): string(), byte(); "1", 1);
}

fn variant_with() {
    variant!(serde(with = "text"): string(), string(); "1", "1");
}

fn variant_bound() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Maybe<T> {
        #[serde(bound = "T: Serialize + serde::de::DeserializeOwned")]
        Some(T),
    }
    let schema = object(&[("Some", byte())]);
    schemas::<Maybe<u8>>(schema.clone(), schema);
}

fn variant_borrow() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Name<'a> {
        #[serde(borrow)]
        Text(std::borrow::Cow<'a, str>),
    }
    let schema = object(&[("Text", string())]);
    schemas::<Name<'_>>(schema.clone(), schema);
}

fn variant_untagged() {
    #[derive(Serialize, Deserialize, Schema)]
    enum Speed {
        Slow,
        #[serde(untagged)]
        Other(u8),
    }
    let schema = json!({"anyOf": [only("Slow"), byte()]});
    schemas::<Speed>(schema.clone(), schema);
    reads::<Speed>(json!(3), json!(3));
}

macro_rules! field {
    ($ty:ty, $(#[$attr:meta])*: $input:expr, $output:expr; $read:tt, $written:tt) => {
        #[derive(Serialize, Deserialize, Schema)]
        struct Holds {
            $(#[$attr])*
            a: $ty,
        }
        schemas::<Holds>($input, $output);
        reads::<Holds>(json!($read), json!($written));
    };
}

fn field_rename() {
    field!(u8, #[serde(rename(serialize = "out", deserialize = "in"))]:
        object(&[("in", byte())]), object(&[("out", byte())]); {"in": 1}, {"out": 1});
}

/// See [`variant_alias`].
fn field_alias() {
    field!(u8, #[serde(alias = "b")]:
        object(&[("a", byte())]), object(&[("a", byte())]); {"b": 1}, {"a": 1});

    #[derive(Deserialize, Schema)]
    struct Several {
        #[serde(rename = "a", alias = "b", alias = "a", alias = "b", alias = "c")]
        first: u8,
        #[serde(alias = "d", skip_deserializing)]
        second: u8,
    }
    assert_eq!(aliases(Several::SHAPE), ["b", "c"]);
}

fn field_default() {
    fn seven() -> u8 {
        7
    }
    let mut read = byte();
    read["default"] = json!(7);
    field!(u8, #[serde(default = "seven")]:
        object(&[("a?", read)]), object(&[("a", byte())]); {}, {"a": 7});
}

fn flatten() {
    #[derive(Serialize, Deserialize, Schema)]
    struct Inner {
        b: u8,
    }
    field!(Inner, #[serde(flatten)]:
        object(&[("b", byte())]), object(&[("b", byte())]); {"b": 1}, {"b": 1});
}

fn skip() {
    field!(u8, #[serde(skip)]: object(&[]), object(&[]); {}, {});
}

fn skip_serializing() {
    field!(u8, #[serde(skip_serializing)]: object(&[("a", byte())]), object(&[]); {"a": 1}, {});
}

fn skip_deserializing() {
    field!(u8, #[serde(skip_deserializing)]: object(&[]), object(&[("a", byte())]); {}, {"a": 0});
}

fn skip_serializing_if() {
    let maybe = json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255});
    field!(Option<u8>, #[serde(skip_serializing_if = "Option::is_none")]:
        object(&[("a?", maybe.clone())]), object(&[("a?", maybe)]); {}, {});
}

fn serialize_with() {
    field!(u8, #[serde(serialize_with = "text::serialize")] #[schema(as = String)]:
        object(&[("a", byte())]), object(&[("a", string())]); {"a": 1}, {"a": "1"});
}

fn deserialize_with() {
    field!(u8, #[serde(deserialize_with = "text::deserialize")] #[schema(as = String)]:
        object(&[("a", string())]), object(&[("a", byte())]); {"a": "1"}, {"a": 1});
}

fn with() {
    field!(u8, #[serde(with = "text")] #[schema(as = String)]:
        object(&[("a", string())]), object(&[("a", string())]); {"a": "1"}, {"a": "1"});
}

fn borrow() {
    #[derive(Serialize, Deserialize, Schema)]
    struct Holds<'a> {
        #[serde(borrow)]
        name: std::borrow::Cow<'a, str>,
    }
    schemas::<Holds<'_>>(object(&[("name", string())]), object(&[("name", string())]));
}

fn field_bound() {
    #[derive(Serialize, Deserialize, Schema)]
    struct Holds<T> {
        #[serde(bound = "T: Serialize + serde::de::DeserializeOwned")]
        a: T,
    }
    schemas::<Holds<u8>>(object(&[("a", byte())]), object(&[("a", byte())]));
}

/// serde tells numbers apart by their spelling, and an integer in another spelling is still one where no float is meant.
#[test]
fn an_untagged_number_is_read_by_its_spelling() {
    #[derive(Debug, Serialize, Deserialize, Schema)]
    #[serde(untagged)]
    enum Number {
        Integer(i64),
        Float(f64),
    }
    #[derive(Debug, Serialize, Deserialize, Schema)]
    #[serde(untagged, deny_unknown_fields)]
    enum Point {
        Pixel { x: i32, y: i32 },
        Place { x: f64, y: f64 },
    }
    #[derive(Debug, Serialize, Deserialize, Schema)]
    #[serde(untagged)]
    enum Nested {
        Few(Vec<Number>),
        One(Point),
        Any(Value),
    }
    #[derive(Debug, Serialize, Deserialize, Schema)]
    #[serde(untagged)]
    enum Id {
        Number(i64),
        Name(String),
    }
    /// Takes all of them.
    #[tool]
    fn take(all: All) -> String {
        format!("{all:?}")
    }
    #[derive(Debug, Deserialize, Schema)]
    struct All {
        numbers: Vec<Number>,
        points: Vec<Point>,
        nested: Vec<Nested>,
    }
    let text = r#"{"numbers": [1, 1.0, -0, 1e2, 1.5, 123456789012345678], "points": [{"x": 1, "y": 2}, {"x": 1.0, "y": 2},
        {"x": 1, "y": 2e0}], "nested": [[1, 1.0], {"x": 1.0, "y": 0}, 1.0, -0, "1.0"]}"#;
    let all: All = serde_json::from_str(text).unwrap();
    let read = |tools: &toolwright::Toolset, name: &str, arguments: String| {
        let call = toolwright::ToolCall::new("1", name, arguments);
        let result = tools.call_blocking(&call, &toolwright::Context::new());
        result.content(toolwright::Encoder::auto()).into_owned()
    };
    let answer = read(&tools![take], "take", format!(r#"{{"all": {text}}}"#));
    assert_eq!(answer, format!("{all:?}"));

    /// Finds one.
    #[tool]
    fn find(id: Id) -> String {
        format!("{id:?}")
    }
    let answer = read(&tools![find], "find", r#"{"id": 1.0}"#.to_owned());
    assert_eq!(answer, "Number(1)");
}
