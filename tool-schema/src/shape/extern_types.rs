//! Schemas of other crates' types, each behind a feature of the crate's name.

#[allow(unused_imports)]
use crate::shape::{Id, Kind, Schema, Shape, Variant};

#[allow(unused_macros)]
macro_rules! formats {
    ($($ty:ty => $shape:expr;)*) => {$(
        impl Schema for $ty {
            const ID: Id = Id::of(stringify!($ty), "");
            const SHAPE: &'static Shape<'static> = &$shape;
        }
    )*};
}

#[cfg(feature = "chrono")]
mod chrono {
    use chrono::{
        DateTime, FixedOffset, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc, Weekday,
    };

    use super::{Id, Kind, Schema, Shape, Variant};

    impl<Tz: TimeZone> Schema for DateTime<Tz> {
        const ID: Id = Id::of("DateTime", "");
        const SHAPE: &'static Shape<'static> = &Shape::format("date-time");
    }

    // Without an offset these are no formats of JSON Schema (RFC 3339 wants one), so words say it.
    formats! {
        NaiveDate => Shape::format("date");
        NaiveTime => Shape::parsed("Time of day, such as `23:59:59`");
        NaiveDateTime => Shape::parsed("Date and time without an offset, such as `2026-12-31T23:59:59`");
        Weekday => Shape::new(Kind::Enum(&[
            named("Mon"), named("Tue"), named("Wed"), named("Thu"), named("Fri"), named("Sat"),
            named("Sun"),
        ])).watched();
        Month => Shape::new(Kind::Enum(&[
            named("January"), named("February"), named("March"), named("April"), named("May"),
            named("June"), named("July"), named("August"), named("September"), named("October"),
            named("November"), named("December"),
        ])).watched();
    }

    const fn named(name: &'static str) -> Variant<'static> {
        Variant::new(name, "")
    }

    // Named so that what a user would write first is known to compile.
    const _: &[&Shape<'_>] = &[DateTime::<Utc>::SHAPE, DateTime::<FixedOffset>::SHAPE];
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

#[cfg(feature = "rust_decimal")]
mod rust_decimal {
    use super::super::{Pattern, Regex};
    use super::{Id, Kind, Schema, Shape};
    use crate::shape::StringRules;

    const DECIMAL: Pattern<'_> = Pattern::new(r"^-?[0-9]+(\.[0-9]+)?$", |text| {
        // It means the same in both dialects.
        static REGEX: Regex = Regex::new(DECIMAL.text);
        REGEX.is_match(text)
    });

    formats! {
        rust_decimal::Decimal => Shape::new(Kind::String(StringRules {
            min_len: 0,
            max_len: None,
            pattern: Some(DECIMAL),
            format: "",
            is_parsed: true,
        }));
    }
}
