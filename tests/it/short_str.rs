//! Ids and names: short ones stand in place and long ones are shared, and nobody can tell which it is.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use toolwright::{ToolCall, text::ShortStr};

/// Texts on both sides of what stands in place, which is 30 bytes.
fn texts() -> Vec<String> {
    let plain = [0, 1, 29, 30, 31, 64, 255, 256, 300].map(|len| "x".repeat(len));
    let wide = [
        "ø".repeat(15),
        "ø".repeat(16),
        "a".to_owned() + &"ø".repeat(15),
    ];
    let odd = ["\0".to_owned(), "a\nb\"c".to_owned(), "😀".repeat(8)];
    plain.into_iter().chain(wide).chain(odd).collect()
}

#[test]
fn a_text_is_the_same_from_wherever_it_comes_and_wherever_it_goes() {
    for text in texts() {
        let made = [
            ShortStr::from(text.as_str()),
            ShortStr::from(&text),
            ShortStr::from(text.clone()),
            ShortStr::from(text.clone().into_boxed_str()),
            ShortStr::from(Cow::Borrowed(text.as_str())),
            ShortStr::from(Cow::<str>::Owned(text.clone())),
            ShortStr::from(Arc::<str>::from(text.as_str())),
            ShortStr::from(&Arc::<str>::from(text.as_str())),
        ];
        for short in made {
            assert_eq!(short.as_str(), text);
            assert_eq!(short.clone(), text.as_str());
            assert_eq!(short, text);
            assert_eq!(text, short);
            assert_eq!(short, Arc::<str>::from(text.as_str()));
            assert_eq!(short.to_string(), text);
            assert_eq!(format!("{short:?}"), format!("{text:?}"));
            assert_eq!(short.len(), text.len());
            assert_eq!(&*Arc::<str>::from(short.clone()), text);
            assert_eq!(String::from(short), text);
        }
    }
}

#[test]
fn a_long_text_goes_on_being_shared() {
    let long = Arc::<str>::from("call_0123456789_0123456789_0123456789");
    let short = ShortStr::from(Arc::clone(&long)).clone();
    assert!(Arc::ptr_eq(&long, &Arc::from(short)));
}

#[test]
fn texts_differ_are_ordered_and_hashed_as_str() {
    let texts = texts();
    for one in &texts {
        for other in &texts {
            let (a, b) = (ShortStr::from(one), ShortStr::from(other));
            assert_eq!(a == b, one == other, "{one:?} {other:?}");
            assert_eq!(a.cmp(&b), one.cmp(other), "{one:?} {other:?}");
        }
    }
    let by: HashMap<ShortStr, usize> = texts.iter().map(ShortStr::from).zip(0..).collect();
    for (at, text) in texts.iter().enumerate() {
        assert_eq!(by.get(text.as_str()), Some(&at), "{text:?}");
    }
    let ordered: BTreeSet<ShortStr> = texts.iter().map(ShortStr::from).collect();
    assert!(texts.iter().all(|text| ordered.contains(text.as_str())));
}

#[test]
fn a_call_is_written_and_read_as_before() {
    for text in texts() {
        let call = ToolCall::new(&text, &text, "{}");
        let json = serde_json::to_value(&call).unwrap();
        assert_eq!(json["id"], text);
        assert_eq!(json["name"], text);
        assert_eq!(serde_json::from_value::<ToolCall>(json).unwrap(), call);
    }
    let error = serde_json::from_str::<ShortStr>("7").unwrap_err();
    assert!(error.to_string().contains("expected a string"), "{error}");
    assert_eq!(ShortStr::default(), "");
}
