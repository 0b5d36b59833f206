//! Tools whose parts a `macro_rules` hands on, each as a fragment of its own.
#![deny(warnings)]

use toolwright::{Schema, tool, tools};

macro_rules! named {
    ($tool:ident, $name:literal, $words:expr, $time:literal, $value:literal, $is_read_only:literal) => {
        #[tool(name = $name, description = $words, timeout = $time, blocking, read_only = $is_read_only, meta(cost = $value))]
        fn $tool() {}
    };
}
named!(wait, "pause", "Wait.", "1s", -3, true);

macro_rules! bounded {
    ($(#[doc = $doc:expr])* $tool:ident, $least:literal, $most:expr, $lengths:expr, $pattern:literal, $other:expr, $ty:ty) => {
        $(#[doc = $doc])*
        #[tool]
        fn $tool(
            #[arg(range($least..=$most), default = $least)] number: $ty,
            #[arg(pattern = $pattern, rename = $other)] text: &str,
            #[arg(len($lengths))] list: Option<&[$ty]>,
        ) -> usize {
            text.len() + list.map_or(0, <[$ty]>::len) + number.unsigned_abs() as usize
        }
    };
}
bounded!(
    /// Count them.
    #[doc = "All."]
    count, -5, 10, 1..=3, "^a", "word", i64
);

macro_rules! of_type {
    ($type:ident { $($field:ident: $ty:ty = $example:expr, $doc:literal, $range:expr;)* }) => {
        #[derive(serde::Deserialize, Schema)]
        struct $type {
            $(
                #[doc = $doc]
                #[schema(example = $example, range($range))]
                $field: $ty,
            )*
        }
    };
}
of_type!(Size {
    width: u32 = 3, "From left to right", 1..=9;
    height: Option<u32> = 4, "From top to bottom", 1..;
});

/// Tell the area.
#[tool]
fn area(size: Size) -> u32 {
    size.width * size.height.unwrap_or(1)
}

#[test]
fn runs() {
    let tools = tools![wait, count, area];
    let texts: Vec<_> = tools
        .iter()
        .map(|tool| tool.def().input.as_json().to_owned())
        .collect();
    assert!(tools.get("pause").is_some(), "{texts:?}");
    assert!(
        texts[1].contains(r#""minimum":-5,"maximum":10"#),
        "{texts:?}"
    );
    assert!(
        texts[1].contains(r#""word":{"type":"string","pattern":"^a"}"#),
        "{texts:?}"
    );
    assert!(
        texts[2].contains(r#""description":"From left to right""#),
        "{texts:?}"
    );
    let count = tools.iter().nth(1);
    assert_eq!(
        count
            .map(|tool| tool.def().description.to_string())
            .as_deref(),
        Some("Count them. All.")
    );
}
