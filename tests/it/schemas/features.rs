//! Types of other crates, each behind a feature of its crate's name.

use crate::schemas::row::{Row, rows};

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    #[cfg(feature = "chrono")]
    rows.extend({
        use chrono::{
            DateTime, FixedOffset, Month, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday,
        };
        rows! {
            DateTime<Utc> => r#"["2026-12-31T23:59:59Z"]"#, r#"["2026-12-31", 1]"#;
            DateTime<FixedOffset> => r#"["2026-12-31T23:59:59+01:00"]"#, "[1]";
            NaiveDate => r#"["2026-12-31"]"#, r#"["31.12.2026", 1]"#;
            NaiveTime => r#"["23:59:59"]"#, "[1]";
            NaiveDateTime => r#"["2026-12-31T23:59:59"]"#, "[1]";
            Weekday => r#"["Mon"]"#, r#"["Montag"]"#;
            -no Month => r#"["January"]"#, r#"["Januar"]"#;
        }
    });
    #[cfg(feature = "uuid")]
    rows.extend(rows! {
        uuid::Uuid => r#"["67e55044-10b1-426f-9247-bb680e5fe0c8"]"#, r#"["67e55044", 1]"#;
    });
    #[cfg(feature = "url")]
    rows.extend(rows! {
        url::Url => r#"["https://example.org/a?b=c"]"#, r#"["no url", 1]"#;
    });
    #[cfg(feature = "bytes")]
    rows.extend(rows! {
        bytes::Bytes => "[[1, 2]]", r#"[[256], "text"]"#;
        bytes::BytesMut => "[[1, 2]]", "[[256]]";
    });
    #[cfg(feature = "rust_decimal")]
    rows.extend(rows! {
        rust_decimal::Decimal => r#"["1.50", "-3"]"#, r#"["a", 1.5]"#;
    });
    rows
}
