//! Types of other crates that only this package has: a plain `cargo test` builds none of them.

use camino::{Utf8Path, Utf8PathBuf};
use chrono::NaiveDate;
use either::Either;
use indexmap::{IndexMap, IndexSet};
use ordered_float::{NotNan, OrderedFloat};
use semver::{Version, VersionReq};
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::schemas::row::{Row, rows};

pub(crate) fn rows() -> Vec<Row> {
    rows! {
        -no jiff::Timestamp => r#"["2026-12-31T23:59:59Z", "2026-12-31T23:59:59.5+01:00"]"#, r#"["2026-12-31", "now", 1, ["2026-12-31T23:59:59Z"]]"#;
        -no jiff::ZonedDateTime => r#"["2026-12-31T23:59:59-05:00[-05:00]"]"#, "[1]";
        -no jiff::civil::Date => r#"["2026-12-31"]"#, r#"["31.12.2026", "2026-02-30", 1]"#;
        -no jiff::civil::Time => r#"["23:59:59", "23:59:59.5"]"#, "[1, [23, 59]]";
        -no jiff::civil::DateTime => r#"["2026-12-31T23:59:59"]"#, "[1]";
        -no jiff::Span => r#"["P1DT2H30M", "-P1D", "PT0.5S"]"#, "[1]";
        -no jiff::SignedDuration => r#"["PT2H30M", "-PT1S"]"#, "[1]";
        jiff02::Timestamp => r#"["2026-12-31T23:59:59Z", "2026-12-31T23:59:59.5+01:00"]"#, r#"["2026-12-31", 1]"#;
        jiff02::Zoned => r#"["2026-12-31T23:59:59-05:00[-05:00]"]"#, "[1]";
        jiff02::civil::Date => r#"["2026-12-31"]"#, r#"["31.12.2026", 1]"#;
        jiff02::civil::Time => r#"["23:59:59"]"#, "[1]";
        jiff02::civil::DateTime => r#"["2026-12-31T23:59:59"]"#, "[1]";
        jiff02::Span => r#"["P1DT2H30M", "-P1D"]"#, "[1]";
        jiff02::SignedDuration => r#"["PT2H30M"]"#, "[1]";
        -no time::Date => r#"["2026-12-31"]"#, r#"["31.12.2026", "2026-02-30", 1, [2026, 365]]"#;
        -no time::Time => r#"["23:59:59.0", "23:59:59.25"]"#, "[1, [23, 59, 59, 0]]";
        -no time::PrimitiveDateTime => r#"["2026-12-31 23:59:59.0"]"#, "[1, [2026, 365, 23, 59, 59, 0]]";
        -no time::UtcDateTime => r#"["2026-12-31 23:59:59.0"]"#, "[1, [2026, 365, 23, 59, 59, 0]]";
        -no time::OffsetDateTime => r#"["2026-12-31 23:59:59.0 +01:00:00"]"#, "[1, [2026, 365, 23, 59, 59, 0, 1, 0, 0]]";
        -no time::UtcOffset => r#"["+01:00:00"]"#, "[1, [1, 0, 0]]";
        -no time::Duration => r#"["90.5", "-0.5"]"#, "[1, [90, 5]]";
        -no time::Month => r#"["May"]"#, r#"["Mai", 5]"#;
        -no time::Weekday => r#"["Monday"]"#, r#"["Mon", 1]"#;
        IndexMap<String, u8> => r#"[{}, {"b": 1, "a": 2}]"#, r#"[{"a": 256}, [], null]"#;
        IndexMap<u8, IndexSet<String>> => r#"[{"1": ["a", "b"]}]"#, r#"[{"a": []}, {"1": ["a", "a"]}]"#;
        Vec<IndexMap<String, NaiveDate>> => r#"[[], [{"due": "2026-12-31"}]]"#, r#"[{}, [{"due": "soon"}], [{"due": null}]]"#;
        IndexSet<u8> => "[[], [2, 1]]", "[[1, 1], [256], {}]";
        SmallVec<[u8; 2]> => "[[], [1, 2, 3]]", "[[256], \"a\"]";
        -no Option<SmallVec<[Utf8PathBuf; 1]>> => r#"[null, ["/a"]]"#, "[[1]]";
        Either<u8, String> => r#"[{"Left": 1}, {"Right": "a"}]"#, r#"[{}, {"left": 1}, {"Left": 1, "Right": "a"}, {"Left": "a"}, 1, "Left"]"#;
        -no Either<Vec<SmolStr>, OrderedFloat<f64>> => r#"[{"Left": ["a"]}, {"Right": 1.5}]"#, r#"[{"Left": "a"}]"#;
        Version => r#"["1.2.3", "2.0.0-rc.1+build.5"]"#, "[1, null]";
        -no VersionReq => r#"["^1.2", ">=1.2, <2"]"#, "[1]";
        SmolStr => r#"["", "text", "a text of more than twenty-three bytes"]"#, "[1, null]";
        bigdecimal::BigDecimal => r#"["1.50", "-3", "1e-9", "1E+30"]"#, r#"["a", 1.5, 1, "1e1000", "1_000", " 1", ".5", "+1"]"#;
        -no OrderedFloat<f64> => "[0, 1.5, -1e300]", "[\"1\", null]";
        -no OrderedFloat<f32> => "[0, 1.5]", "[1e40]";
        -no NotNan<f64> => "[0, 1.5]", "[\"NaN\", null]";
        -no Utf8PathBuf => r#"["/a/b", ""]"#, "[1, null]";
        -no &Utf8Path => r#"["/a/b"]"#, "[1]";
    }
}
