//! Schemas of other crates' types, each behind a feature of the crate's name.

#[allow(unused_imports)]
use crate::shape::{Id, Kind, Refs, Schema, Shape, Variant};

#[allow(unused_macros)]
macro_rules! formats {
    ($($ty:ty => $shape:expr;)*) => {$(
        impl Schema for $ty {
            const ID: Id = Id::of(stringify!($ty), "");
            const SHAPE: &'static Shape<'static> = &$shape;
        }
    )*};
}

/// Time types without an offset have no JSON Schema format (RFC 3339 requires an offset), so the description names
/// theirs.
#[allow(dead_code)]
const TIME_OF_DAY: Shape<'_> = Shape::parsed("Time of day, such as `23:59:59`");
#[allow(dead_code)]
const LOCAL_DATE_TIME: Shape<'_> =
    Shape::parsed("Date and time without an offset, such as `2026-12-31T23:59:59`");

#[allow(dead_code)]
const MONTHS: &[Variant<'_>] = &[
    named("January"),
    named("February"),
    named("March"),
    named("April"),
    named("May"),
    named("June"),
    named("July"),
    named("August"),
    named("September"),
    named("October"),
    named("November"),
    named("December"),
];

const fn named(name: &str) -> Variant<'_> {
    Variant::new(name, "")
}

#[cfg(feature = "chrono")]
mod chrono {
    use chrono::{
        DateTime, FixedOffset, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc, Weekday,
    };

    use super::{Id, Kind, LOCAL_DATE_TIME, MONTHS, Schema, Shape, TIME_OF_DAY, named};

    impl<Tz: TimeZone> Schema for DateTime<Tz> {
        const ID: Id = Id::of("DateTime", "");
        const SHAPE: &'static Shape<'static> = &Shape::format("date-time");
    }

    formats! {
        NaiveDate => Shape::format("date");
        NaiveTime => TIME_OF_DAY;
        NaiveDateTime => LOCAL_DATE_TIME;
        Weekday => Shape::new(Kind::Enum(&[
            named("Mon"), named("Tue"), named("Wed"), named("Thu"), named("Fri"), named("Sat"),
            named("Sun"),
        ])).watched();
        Month => Shape::new(Kind::Enum(MONTHS)).watched();
    }

    // Named so that the obvious first attempt is known to compile.
    const _: &[&Shape<'_>] = &[DateTime::<Utc>::SHAPE, DateTime::<FixedOffset>::SHAPE];
}

#[allow(unused_macros)]
macro_rules! jiff {
    ($jiff:ident, $zoned:ident) => {
        formats! {
            $jiff::Timestamp => Shape::format("date-time");
            $jiff::$zoned => Shape::parsed("Date and time with a time zone, such as `2026-12-31T23:59:59-05:00[America/New_York]`");
            $jiff::civil::Date => Shape::format("date");
            $jiff::civil::Time => TIME_OF_DAY;
            $jiff::civil::DateTime => LOCAL_DATE_TIME;
            // The format `duration` has neither signs nor fractions.
            $jiff::Span => Shape::parsed("ISO 8601 duration, such as `P1DT2H30M`");
            $jiff::SignedDuration => Shape::parsed("ISO 8601 duration of hours, minutes and seconds, such as `PT2H30M`");
        }
    };
}

#[cfg(feature = "jiff")]
jiff!(jiff, ZonedDateTime);
#[cfg(feature = "jiff02")]
jiff!(jiff02, Zoned);

// The feature switches on `serde-human-readable` of `time`: without it these are arrays of numbers, and any
// crate of the build may switch it on. All of them read numbers too.
#[cfg(feature = "time")]
formats! {
    time::Date => Shape::format("date");
    time::Time => Shape::parsed("Time of day, such as `23:59:59.0`").watched();
    time::PrimitiveDateTime => Shape::parsed("Date and time without an offset, such as `2026-12-31 23:59:59.0`").watched();
    time::UtcDateTime => Shape::parsed("Date and time in UTC, such as `2026-12-31 23:59:59.0`").watched();
    time::OffsetDateTime => Shape::parsed("Date and time with an offset, such as `2026-12-31 23:59:59.0 +01:00:00`").watched();
    time::UtcOffset => Shape::parsed("Offset from UTC, such as `+01:00:00`").watched();
    time::Duration => Shape::parsed("Seconds with a decimal point, such as `90.5`").watched();
    time::Month => Shape::new(Kind::Enum(MONTHS)).watched();
    time::Weekday => Shape::new(Kind::Enum(&[
        named("Monday"), named("Tuesday"), named("Wednesday"), named("Thursday"), named("Friday"),
        named("Saturday"), named("Sunday"),
    ])).watched();
}

#[cfg(feature = "uuid")]
formats! {
    uuid::Uuid => Shape::format("uuid");
}

#[cfg(feature = "url")]
formats! {
    url::Url => Shape::format("uri");
}

#[cfg(feature = "bytes")]
mod bytes {
    use bytes::{Bytes, BytesMut};

    use super::{Id, Schema, Shape};

    formats! {
        Bytes => (*<[u8]>::SHAPE).watched();
        BytesMut => (*<[u8]>::SHAPE).watched();
    }
}

#[allow(dead_code)]
mod decimals {
    use super::super::{Pattern, Regex, StringRules};
    use super::{Kind, Shape};

    // The expressions mean the same in both dialects.
    pub(super) const DECIMAL: Pattern<'_> = Pattern::new(r"^-?[0-9]+(\.[0-9]+)?$", |text| {
        static REGEX: Regex = Regex::new(DECIMAL.text);
        REGEX.is_match(text)
    });
    pub(super) const SCIENTIFIC: Pattern<'_> =
        Pattern::new(r"^-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?$", |text| {
            static REGEX: Regex = Regex::new(SCIENTIFIC.text);
            REGEX.is_match(text)
        });
    /// The exponent has three digits at most.
    pub(super) const SHORT_SCIENTIFIC: Pattern<'_> =
        Pattern::new(r"^-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]{1,3})?$", |text| {
            static REGEX: Regex = Regex::new(SHORT_SCIENTIFIC.text);
            REGEX.is_match(text)
        });

    pub(super) const fn of(pattern: Pattern<'_>, max_len: Option<u64>) -> Shape<'_> {
        Shape::new(Kind::String(StringRules {
            min_len: 0,
            max_len,
            pattern: Some(pattern),
            format: "",
            is_parsed: true,
            is_number: true,
        }))
    }
}

#[cfg(feature = "rust_decimal")]
formats! {
    rust_decimal::Decimal => decimals::of(decimals::DECIMAL, None);
}

// Reading digits takes time with the square of their number, and a sum with `1e999999999` takes all memory. So what is
// read is shorter than what may be written.
#[cfg(feature = "bigdecimal")]
formats! {
    bigdecimal::BigDecimal => Shape::new(Kind::InOut {
        input: &decimals::of(decimals::SHORT_SCIENTIFIC, Some(1000)),
        output: &decimals::of(decimals::SCIENTIFIC, None),
    });
}

#[cfg(feature = "semver")]
formats! {
    semver::Version => Shape::parsed("Semantic version, such as `1.2.3` or `2.0.0-rc.1`");
    semver::VersionReq => Shape::parsed("Requirement on a semantic version, such as `^1.2` or `>=1.2, <2`");
}

#[cfg(feature = "smol_str")]
formats! {
    smol_str::SmolStr => *str::SHAPE;
}

#[cfg(feature = "camino")]
formats! {
    camino::Utf8Path => *str::SHAPE;
    camino::Utf8PathBuf => *str::SHAPE;
}

/// Types that look like another in JSON.
#[allow(unused_macros)]
macro_rules! like {
    ($([$($generics:tt)*] $ty:ty => $like:ty;)*) => {$(
        impl<$($generics)*> Schema for $ty {
            const ID: Id = <$like>::ID;
            const SHAPE: &'static Shape<'static> = <$like>::SHAPE;
            const REFS: &'static Refs = <$like>::REFS;
        }
    )*};
}

#[cfg(feature = "either")]
mod either {
    use super::{Id, Kind, Refs, Schema, Shape};
    use crate::shape::{Field, Union};

    impl<L: Schema, R: Schema> Schema for either::Either<L, R> {
        const ID: Id = Id::of("Either", "").with(L::ID).with(R::ID);
        const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Union(Union::of(&[
            Shape::object(&[Field::new("Left", "", L::SHAPE).always()]),
            Shape::object(&[Field::new("Right", "", R::SHAPE).always()]),
        ])));
        const REFS: &'static Refs = &Refs::through(&[L::REFS, R::REFS]);
    }
}

#[cfg(feature = "indexmap")]
like! {
    [K: Schema, V: Schema, S] indexmap::IndexMap<K, V, S> => std::collections::BTreeMap<K, V>;
    [T: Schema, S] indexmap::IndexSet<T, S> => std::collections::BTreeSet<T>;
}

#[cfg(feature = "smallvec")]
like! {
    [A: smallvec::Array<Item: Schema>] smallvec::SmallVec<A> => [A::Item];
}

#[cfg(feature = "ordered-float")]
like! {
    [T: Schema] ordered_float::OrderedFloat<T> => T;
    [T: Schema] ordered_float::NotNan<T> => T;
}

#[cfg(feature = "secrecy")]
impl<T: Schema + secrecy::zeroize::Zeroize + ?Sized> Schema for secrecy::SecretBox<T> {
    const ID: Id = Id::of("SecretBox", "").with(T::ID);
    const SHAPE: &'static Shape<'static> = &(*T::SHAPE).secret();
    const REFS: &'static Refs = T::REFS;
}
