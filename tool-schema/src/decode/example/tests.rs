use super::{example, sample};
use crate::format::admits;
use crate::shape::{
    Array, Bounds, Edge, Field, Id, Int, Kind, Literal, Map, NumberRange, Presence, RecursiveEdge,
    Schema, Shape, Union, Variant,
};

fn of<T: Schema + ?Sized>() -> Option<String> {
    example(T::SHAPE)
}

fn within(base: &'static Shape<'static>, bounds: Bounds<'_>) -> Option<String> {
    example(&Shape::new(Kind::Bounded(base, bounds)))
}

#[test]
fn types_of_std() {
    let table: &[(Option<String>, Option<&str>)] = &[
        (of::<bool>(), Some("true")),
        (of::<()>(), Some("null")),
        (of::<u8>(), Some("1")),
        (of::<i128>(), Some("1")),
        (of::<std::num::NonZero<i8>>(), Some("1")),
        (of::<f32>(), Some("1")),
        (of::<String>(), Some("\"text\"")),
        (of::<char>(), Some("\"t\"")),
        (of::<Option<u8>>(), Some("1")),
        (of::<Option<()>>(), Some("null")),
        (of::<serde_json::Value>(), None),
        (of::<Option<serde_json::Value>>(), Some("null")),
        (of::<Vec<serde_json::Value>>(), Some("[]")),
        (of::<Vec<u8>>(), Some("[1]")),
        (
            of::<std::collections::BTreeSet<String>>(),
            Some("[\"text\"]"),
        ),
        (of::<[u8; 3]>(), Some("[1,1,1]")),
        (of::<[u8; 100]>(), None),
        (
            of::<(u8, String, Option<bool>)>(),
            Some("[1,\"text\",true]"),
        ),
        (of::<(u8, serde_json::Value)>(), None),
        (
            of::<std::collections::BTreeMap<String, u8>>(),
            Some("{\"key\":1}"),
        ),
        (
            of::<serde_json::Map<String, serde_json::Value>>(),
            Some("{}"),
        ),
        (
            of::<std::time::Duration>(),
            Some("{\"secs\":1,\"nanos\":1}"),
        ),
        (of::<std::net::IpAddr>(), Some("\"192.0.2.1\"")),
        (of::<std::net::SocketAddr>(), Some("\"127.0.0.1:80\"")),
        (of::<Result<serde_json::Value, u8>>(), Some("{\"Err\":1}")),
    ];
    for (row, (found, expected)) in table.iter().enumerate() {
        assert_eq!(found.as_deref(), *expected, "row {row}");
    }
}

#[test]
fn integers_within_bounds() {
    // From, to, multiples of.
    let table = [
        (-10, 10, 0, Some("1")),
        (5, 10, 0, Some("5")),
        (-10, 0, 0, Some("0")),
        (-10, -5, 0, Some("-5")),
        (0, 100, 5, Some("5")),
        (7, 100, 5, Some("10")),
        (0, 4, 5, Some("0")),
        (-9, 4, 5, Some("0")),
        (-9, -1, 5, Some("-5")),
        (1, 4, 5, None),
        (-4, -1, 5, None),
        (3, 2, 0, None),
    ];
    for (min, max, of, expected) in table {
        let Kind::Integer(mut range) = i64::SHAPE.kind else {
            panic!("an integer");
        };
        (range.min, range.max) = (Int::signed(min), Int::signed(max));
        range.multiple_of = of;
        let found = example(&Shape::new(Kind::Integer(range)));
        assert_eq!(found.as_deref(), expected, "{min} {max} {of}");
        range.not_zero = true;
        let found = example(&Shape::new(Kind::Integer(range)));
        let expected = match (expected, min, of) {
            (Some("0"), -10, 0) => Some("-1"),
            (Some("0"), -9, 5) => Some("-5"),
            (Some("0"), ..) => None,
            (other, ..) => other,
        };
        assert_eq!(found.as_deref(), expected, "{min} {max} {of}, not zero");
    }
}

const fn at(text: &'static str, value: f64) -> Literal<'static> {
    Literal { value, text }
}

// The table reads better so.
#[allow(clippy::unnecessary_wraps)]
const fn edge(text: &'static str, value: f64, exclusive: bool) -> Option<Edge<'static>> {
    Some(Edge {
        at: at(text, value),
        exclusive,
    })
}

#[test]
fn numbers_within_bounds() {
    let table = [
        (None, None, None, Some("1")),
        (edge("0.0", 0.0, true), None, None, Some("1")),
        (edge("2.5", 2.5, false), None, None, Some("2.5")),
        (edge("2.5", 2.5, true), None, None, Some("3.5")),
        (None, edge("-3", -3.0, true), None, Some("-4")),
        (None, edge("0.5", 0.5, false), None, Some("0.5")),
        (
            edge("0", 0.0, true),
            edge("1", 1.0, true),
            None,
            Some("0.5"),
        ),
        (edge("1", 1.0, true), edge("1", 1.0, true), None, None),
        (None, None, Some(at("0.1", 0.1)), Some("1")),
        (None, None, Some(at("0.3", 0.3)), Some("0.9")),
        (
            edge("0.5", 0.5, false),
            None,
            Some(at("0.3", 0.3)),
            Some("0.9"),
        ),
        (
            edge("0.25", 0.25, true),
            edge("0.35", 0.35, true),
            Some(at("0.1", 0.1)),
            Some("0.3"),
        ),
        (
            edge("31", 31.0, false),
            None,
            Some(at("2.5", 2.5)),
            Some("32.5"),
        ),
        (None, edge("4", 4.0, false), Some(at("5", 5.0)), Some("0")),
        (
            None,
            edge("-1", -1.0, false),
            Some(at("5", 5.0)),
            Some("-5"),
        ),
        (edge("1e300", 1e300, false), None, None, Some("1e300")),
    ];
    for (row, (min, max, multiple_of, expected)) in table.into_iter().enumerate() {
        let found = example(&Shape::new(Kind::Number(NumberRange {
            width: f64::MAX,
            min,
            max,
            multiple_of,
        })));
        assert_eq!(found.as_deref(), expected, "row {row}");
    }
    let Kind::Number(mut range) = f32::SHAPE.kind else {
        panic!("a number");
    };
    range.min = edge("1e300", 1e300, false);
    assert_eq!(example(&Shape::new(Kind::Number(range))), None);
}

#[test]
fn strings_within_bounds() {
    let len = |min_len, max_len| Bounds {
        min_len,
        max_len,
        ..Bounds::NONE
    };
    let table = [
        (len(None, Some(2)), Some("\"te\"")),
        (len(None, Some(0)), Some("\"\"")),
        (len(Some(6), None), Some("\"textte\"")),
        (len(Some(3), Some(2)), None),
        (len(Some(1_000_000_000_000), None), None),
    ];
    for (row, (bounds, expected)) in table.into_iter().enumerate() {
        assert_eq!(within(str::SHAPE, bounds).as_deref(), expected, "row {row}");
    }
    for (format, expected) in [("date", Some("\"2026-01-31\"")), ("color", None)] {
        let bounds = Bounds {
            format,
            ..Bounds::NONE
        };
        assert_eq!(within(str::SHAPE, bounds).as_deref(), expected, "{format}");
        let short = Bounds {
            max_len: Some(3),
            ..bounds
        };
        assert_eq!(within(str::SHAPE, short), None, "{format}");
    }
}

#[test]
fn samples_are_of_their_formats() {
    let formats = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uuid",
        "json-pointer",
        "regex",
    ];
    for format in formats {
        assert!(
            sample(format).is_some_and(|text| admits(format, text)),
            "{format}"
        );
    }
}

#[test]
fn arrays_and_maps_within_bounds() {
    let array = |items, min_len, max_len, unique| {
        example(&Shape::new(Kind::Array(Array {
            items,
            min_len,
            max_len,
            unique,
        })))
    };
    assert_eq!(array(u8::SHAPE, 2, None, false).as_deref(), Some("[1,1]"));
    assert_eq!(array(u8::SHAPE, 0, Some(0), false).as_deref(), Some("[]"));
    assert_eq!(array(u8::SHAPE, 1, None, true).as_deref(), Some("[1]"));
    assert_eq!(array(u8::SHAPE, 2, None, true), None);
    assert_eq!(array(ANY, 1, None, false), None);
    assert_eq!(array(u8::SHAPE, 3, Some(2), false), None);
    assert_eq!(array(u8::SHAPE, u64::MAX, None, false), None);

    let map = |keys, min_len, max_len| {
        example(&Shape::new(Kind::Map(Map {
            keys,
            values: bool::SHAPE,
            min_len,
            max_len,
        })))
    };
    assert_eq!(map(str::SHAPE, 1, None).as_deref(), Some("{\"key\":true}"));
    assert_eq!(map(str::SHAPE, 2, None), None);
    assert_eq!(map(str::SHAPE, 0, Some(0)).as_deref(), Some("{}"));
    assert_eq!(
        map(&SPEED, 1, None).as_deref(),
        Some("{\"so \\\"fast\\\"\":true}")
    );
    assert_eq!(map(u8::SHAPE, 0, None).as_deref(), Some("{}"));
    assert_eq!(map(u8::SHAPE, 1, None), None);
}

const SPEED: Shape<'_> = Shape::new(Kind::Enum(&[
    Variant::new("so \"fast\"", ""),
    Variant::new("slow", ""),
]));

const LINE: Shape<'_> = Shape::object(&[
    Field::new("sku", "", str::SHAPE),
    Field {
        presence: Presence::Optional,
        ..Field::new("note", "", str::SHAPE)
    },
    Field::new("qty", "", u8::SHAPE),
]);

const NESTED: Shape<'_> = Shape::object(&[
    Field::new("speed", "", &SPEED),
    Field {
        flatten: true,
        ..Field::new("", "", &LINE)
    },
    Field::new("hint", "", <Option<u8>>::SHAPE),
    Field::new("sure", "", <Option<bool>>::SHAPE).always(),
    Field::new("a", "", ANY).exemplified(|| Some("[7]".into())),
    Field {
        example: Some(|| None),
        ..Field::new("b", "", u8::SHAPE)
    },
    Field {
        example: Some(|| Some("7".repeat(1000))),
        default: Some(|| Some("8".into())),
        ..Field::new("c", "", u8::SHAPE)
    },
]);
const ANY: &Shape<'_> = serde_json::Value::SHAPE;
const UNKNOWN: Shape<'_> = Shape::object(&[Field::new("a", "", ANY)]);
const FORTY: &str = "a name of forty characters, more or less";
const WIDE: Shape<'_> = Shape::object(&[
    Field::new(FORTY, "", u8::SHAPE),
    Field::new(FORTY, "", u8::SHAPE),
    Field::new(FORTY, "", u8::SHAPE),
    Field::new(FORTY, "", u8::SHAPE),
]);

#[test]
fn objects_have_the_keys_that_must_be_there() {
    assert_eq!(example(&LINE).as_deref(), Some(r#"{"sku":"text","qty":1}"#));
    let nested = r#"{"speed":"so \"fast\"","sku":"text","qty":1,"sure":true,"a":[7],"b":1,"c":8}"#;
    assert_eq!(example(&NESTED).as_deref(), Some(nested));
    assert_eq!(example(&UNKNOWN), None);
    assert_eq!(example(&Shape::object(&[])).as_deref(), Some("{}"));
    // Too long.
    assert_eq!(example(&WIDE), None);
}

const EXPRESSION: Id = Id::of("a::Expression", "Expression");

const BACK_TO_SUM: Shape<'_> = Shape::new(Kind::Recursive(RecursiveEdge::new(EXPRESSION, || &SUM)));

/// `[Expression, Expression]`, or an expression, or a truth.
static SUM: Shape<'_> = Shape::new(Kind::Union(Union::of(&[
    Shape::new(Kind::Tuple(&[&BACK_TO_SUM, &BACK_TO_SUM])),
    BACK_TO_SUM,
    Shape::new(Kind::Bool),
])));

/// The edge to the next of 20 types, each of which has two fields of the next one.
macro_rules! chain {
    ($name:ident) => {
        &Shape::new(Kind::Bool)
    };
    ($name:ident $next:ident $($rest:ident)*) => {{
        const BACK: &Shape<'_> = &Shape::new(Kind::Recursive(RecursiveEdge::new(Id::of(stringify!($next), ""), || const {
            &Shape::new(Kind::Tuple(&[BACK_TO_NEXT, BACK_TO_NEXT]))
        })));
        const BACK_TO_NEXT: &Shape<'_> = chain!($next $($rest)*);
        BACK
    }};
}

#[test]
fn recursion_ends() {
    assert_eq!(example(&SUM).as_deref(), Some("[true,true]"));
    let named = Shape {
        id: EXPRESSION,
        ..SUM
    };
    assert_eq!(example(&named).as_deref(), Some("true"));
    let endless = Shape {
        id: EXPRESSION,
        ..BACK_TO_SUM
    };
    assert_eq!(example(&endless), None);
    // As text each is twice as long as the next.
    assert_eq!(
        example(chain!(a b c)).as_deref(),
        Some("[[true,true],[true,true]]")
    );
    assert_eq!(
        example(chain!(a b c d e f g h i j k l m n o p q r s t)),
        None
    );
}
