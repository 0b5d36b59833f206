//! JSON with halves of surrogate pairs, which JavaScript writes where it cuts a text inside of an emoji.

use std::collections::HashSet;

use toolwright_json::{Error, Place, Scanner, write_comma, write_key, write_string};

use super::fields::falls_together;

/// Returns the JSON with U+FFFD in place of each half of a surrogate pair, if it holds one. Of keys that become equal, the first
/// stays. At the top, an entry of `exact` with such a half is `null`: an id or a cursor would be another one.
pub(crate) fn replaced(json: &str, exact: &[&str]) -> Option<String> {
    if !json.contains("\\u") || Scanner::new(json).skip().is_ok() {
        return None;
    }
    let mut out = String::with_capacity(json.len());
    copy(&mut Scanner::lossy(json), exact, &mut out).ok()?;
    Some(out)
}

fn copy(scanner: &mut Scanner<'_>, exact: &[&str], out: &mut String) -> Result<(), Error> {
    let mut place = Place::Opened;
    match scanner.peek() {
        Some(b'{') => {
            scanner.open()?;
            out.push('{');
            let mut seen = HashSet::new();
            while let Some(key) = scanner.next_key(&mut place)? {
                if falls_together(&key, &mut seen) {
                    scanner.skip()?;
                    continue;
                }
                write_key(out, &key);
                if exact.contains(&&*key) && !is_exact(&mut scanner.clone()) {
                    scanner.skip()?;
                    out.push_str("null");
                } else {
                    copy(scanner, &[], out)?;
                }
            }
            out.push('}');
        }
        Some(b'[') => {
            scanner.open()?;
            out.push('[');
            while scanner.next_element(&mut place)? {
                write_comma(out);
                copy(scanner, &[], out)?;
            }
            out.push(']');
        }
        Some(b'"') => {
            let text = scanner.string()?;
            write_string(out, &text);
        }
        _ => out.push_str(scanner.skip()?),
    }
    Ok(())
}

/// Returns true if the next value holds no half.
fn is_exact(scanner: &mut Scanner<'_>) -> bool {
    scanner
        .skip()
        .is_ok_and(|value| Scanner::new(value).skip().is_ok())
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn halves_are_replaced_and_all_else_stays() {
        let table = [
            (
                r#"{"a":"x\ud83d","n":1.50,"b":[true,null,"\ud83d\ude00"]}"#,
                "{\"a\":\"x\u{fffd}\",\"n\":1.50,\"b\":[true,null,\"\u{1f600}\"]}",
            ),
            // The first of keys that fall together stays, with what it holds.
            (
                r#"{"\ud800":1,"a":0,"\udc00":2,"\ud800":[3]}"#,
                "{\"\u{fffd}\":1,\"a\":0}",
            ),
            (
                r#"[{"k\ud800":{"k\ud800":1,"k\udfff":2}}]"#,
                "[{\"k\u{fffd}\":{\"k\u{fffd}\":1}}]",
            ),
            // What names something is not changed, but where it is content.
            (
                r#"{"nextCursor":"a\ud800","x":{"nextCursor":"a\ud800"}}"#,
                "{\"nextCursor\":null,\"x\":{\"nextCursor\":\"a\u{fffd}\"}}",
            ),
        ];
        for (json, expected) in table {
            assert_eq!(replaced(json, &["nextCursor"]).as_deref(), Some(expected));
        }
        for whole in [
            "1",
            r#"{"a":"\ud83d\ude00"}"#,
            r#""\\ud83d""#,
            r#"{"a":1,"a":2}"#,
            "nope",
        ] {
            assert_eq!(replaced(whole, &[]), None, "{whole}");
        }
    }
}
