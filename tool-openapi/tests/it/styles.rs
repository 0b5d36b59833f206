//! The table "Style Examples" of `OpenAPI` 3.0.4 and 3.1.1, and what it leaves open.

use crate::{document, header, operation, sent};

const STRING: &str = r#""blue""#;
const ARRAY: &str = r#"["blue", "black", "brown"]"#;
const OBJECT: &str = r#"{"R": 100, "G": 200, "B": 150}"#;

fn parameter(place: &str, style: &str, explode: bool) -> String {
    let path = if place == "path" {
        "/things/{color}"
    } else {
        "/things"
    };
    let parameters = format!(
        r#""parameters": [{{"name": "color", "in": "{place}", "required": true, "style": "{style}", "explode": {explode}, "schema": {{}}}}]"#
    );
    document(&operation(path, "get", &parameters), "")
}

fn url(place: &str, style: &str, explode: bool, value: &str) -> String {
    let request = sent(
        &parameter(place, style, explode),
        &format!(r#"{{"color": {value}}}"#),
    )
    .unwrap();
    let rest = request
        .url
        .strip_prefix("https://api.example.com/v1/things")
        .unwrap();
    rest.trim_start_matches(['/', '?']).to_owned()
}

#[test]
fn paths_follow_the_table() {
    let table = [
        ("matrix", false, STRING, ";color=blue"),
        ("matrix", false, ARRAY, ";color=blue,black,brown"),
        ("matrix", false, OBJECT, ";color=R,100,G,200,B,150"),
        ("matrix", true, STRING, ";color=blue"),
        ("matrix", true, ARRAY, ";color=blue;color=black;color=brown"),
        ("matrix", true, OBJECT, ";R=100;G=200;B=150"),
        ("label", false, STRING, ".blue"),
        ("label", false, ARRAY, ".blue,black,brown"),
        ("label", false, OBJECT, ".R,100,G,200,B,150"),
        ("label", true, STRING, ".blue"),
        ("label", true, ARRAY, ".blue.black.brown"),
        ("label", true, OBJECT, ".R=100.G=200.B=150"),
        ("simple", false, STRING, "blue"),
        ("simple", false, ARRAY, "blue,black,brown"),
        ("simple", false, OBJECT, "R,100,G,200,B,150"),
        ("simple", true, STRING, "blue"),
        ("simple", true, ARRAY, "blue,black,brown"),
        ("simple", true, OBJECT, "R=100,G=200,B=150"),
    ];
    for (style, explode, value, expected) in table {
        assert_eq!(
            url("path", style, explode, value),
            expected,
            "{style} {explode} {value}"
        );
    }
    // The table has `.` for an empty value, which is another path.
    for explode in [false, true] {
        let label = parameter("path", "label", explode);
        assert!(sent(&label, r#"{"color": ""}"#).is_err(), "{explode}");
    }
    // The table has `;color`, which servers that drop what follows a semicolon read as the path above.
    assert!(sent(&parameter("path", "matrix", false), r#"{"color": ""}"#).is_err());
}

#[test]
fn queries_follow_the_table() {
    let table = [
        ("form", false, r#""""#, "color="),
        ("form", false, STRING, "color=blue"),
        ("form", false, ARRAY, "color=blue,black,brown"),
        ("form", false, OBJECT, "color=R,100,G,200,B,150"),
        ("form", true, r#""""#, "color="),
        ("form", true, STRING, "color=blue"),
        ("form", true, ARRAY, "color=blue&color=black&color=brown"),
        ("form", true, OBJECT, "R=100&G=200&B=150"),
        ("spaceDelimited", false, ARRAY, "color=blue%20black%20brown"),
        (
            "spaceDelimited",
            false,
            OBJECT,
            "color=R%20100%20G%20200%20B%20150",
        ),
        ("pipeDelimited", false, ARRAY, "color=blue%7Cblack%7Cbrown"),
        (
            "pipeDelimited",
            false,
            OBJECT,
            "color=R%7C100%7CG%7C200%7CB%7C150",
        ),
        (
            "deepObject",
            true,
            OBJECT,
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
        ),
    ];
    for (style, explode, value, expected) in table {
        assert_eq!(
            url("query", style, explode, value),
            expected,
            "{style} {explode} {value}"
        );
    }
}

#[test]
fn headers_and_cookies_follow_the_table() {
    let table = [
        ("header", "simple", false, STRING, "blue"),
        ("header", "simple", false, ARRAY, "blue,black,brown"),
        ("header", "simple", false, OBJECT, "R,100,G,200,B,150"),
        ("header", "simple", true, OBJECT, "R=100,G=200,B=150"),
        // A boolean is not a Rust or Python word.
        ("header", "simple", false, "true", "true"),
        ("cookie", "form", false, STRING, "color=blue"),
        ("cookie", "form", false, ARRAY, "color=blue,black,brown"),
        ("cookie", "form", true, OBJECT, "R=100; G=200; B=150"),
        ("header", "simple", true, STRING, "blue"),
        ("header", "simple", true, ARRAY, "blue,black,brown"),
        ("cookie", "form", false, r#""""#, "color="),
        ("cookie", "form", false, OBJECT, "color=R,100,G,200,B,150"),
        ("cookie", "form", true, r#""""#, "color="),
        ("cookie", "form", true, STRING, "color=blue"),
        // The table has `color=blue&color=black&color=brown`, which is one cookie; OpenAPI 3.2 has the pairs of a cookie.
        (
            "cookie",
            "form",
            true,
            ARRAY,
            "color=blue; color=black; color=brown",
        ),
        ("cookie", "cookie", false, r#""""#, "color="),
        ("cookie", "cookie", false, STRING, "color=blue"),
        ("cookie", "cookie", false, ARRAY, "color=blue,black,brown"),
        ("cookie", "cookie", false, OBJECT, "color=R,100,G,200,B,150"),
        (
            "cookie",
            "cookie",
            true,
            ARRAY,
            "color=blue; color=black; color=brown",
        ),
        ("cookie", "cookie", true, OBJECT, "R=100; G=200; B=150"),
        // Nothing is escaped.
        (
            "cookie",
            "cookie",
            true,
            r#""a/b=%20c+d""#,
            "color=a/b=%20c+d",
        ),
    ];
    for (place, style, explode, value, expected) in table {
        let request = sent(
            &parameter(place, style, explode),
            &format!(r#"{{"color": {value}}}"#),
        )
        .unwrap();
        let name = if place == "header" { "color" } else { "Cookie" };
        assert_eq!(
            header(&request, name),
            Some(expected),
            "{place} {style} {explode} {value}"
        );
    }
}

/// RFC 6265, section 4.1.1: the model gives such characters in escaped form.
#[test]
fn a_cookie_that_is_not_escaped_stays_one_cookie() {
    let text = parameter("cookie", "cookie", true);
    for value in [
        r#""a; admin=1""#,
        r#""a b""#,
        r#""é""#,
        r#""a\r\nb""#,
        r#""a,b""#,
        r#"{"a": "x;y"}"#,
        r#"{"a;b": "x"}"#,
        r#"["a", "b;c"]"#,
    ] {
        let given = format!(r#"{{"color": {value}}}"#);
        assert!(sent(&text, &given).is_err(), "{value}");
    }
}

/// An array in a query explodes unless the document says otherwise, which other importers got wrong in both directions.
#[test]
fn explode_has_the_default_of_its_style() {
    for (more, expected) in [
        ("", "ids=1&ids=2"),
        (r#", "explode": false"#, "ids=1,2"),
        (r#", "style": "pipeDelimited""#, "ids=1%7C2"),
    ] {
        let parameters = format!(
            r#""parameters": [{{"name": "ids", "in": "query"{more}, "schema": {{"type": "array", "items": {{"type": "integer"}}}}}}]"#
        );
        let request = sent(
            &document(&operation("/a", "get", &parameters), ""),
            r#"{"ids": [1, 2]}"#,
        )
        .unwrap();
        assert_eq!(
            request.url,
            format!("https://api.example.com/v1/a?{expected}")
        );
    }
}

/// Stripe's parameters: `deepObject` with arrays and nesting, which the specification does not define.
#[test]
fn deep_objects_have_arrays_and_nesting() {
    let table = [
        (
            r#"{"gte": 1, "lt": {"a": true}}"#,
            "created%5Bgte%5D=1&created%5Blt%5D%5Ba%5D=true",
        ),
        (r#"["a", "b"]"#, "created%5B%5D=a&created%5B%5D=b"),
        (
            r#"{"in": [1, 2]}"#,
            "created%5Bin%5D%5B%5D=1&created%5Bin%5D%5B%5D=2",
        ),
        (
            r#"[{"price": "p", "n": 1}]"#,
            "created%5B0%5D%5Bprice%5D=p&created%5B0%5D%5Bn%5D=1",
        ),
        ("17", "created=17"),
        (r#"{"a": null}"#, ""),
    ];
    for (value, expected) in table {
        let parameters = r#""parameters": [{"name": "created", "in": "query", "style": "deepObject", "explode": true, "schema": {}}]"#;
        let request = sent(
            &document(&operation("/a", "get", parameters), ""),
            &format!(r#"{{"created": {value}}}"#),
        )
        .unwrap();
        let query = request.url.split_once('?').map_or("", |(_, query)| query);
        assert_eq!(query, expected, "{value}");
    }
}

#[test]
fn delimiters_in_values_are_escaped_and_numbers_keep_their_spelling() {
    let parameters = r#""parameters": [
        {"name": "tags", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "n", "in": "query", "schema": {"type": "number"}},
        {"name": "filter", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}}]"#;
    let document = document(&operation("/a", "get", parameters), "");
    let request = sent(
        &document,
        r#"{"tags": ["a,b", "c&d=e"], "n": 12345678901234567890.10, "filter": {"b": 1, "a": "é"}}"#,
    );
    let expected = "tags=a%2Cb,c%26d%3De&n=12345678901234567890.10&filter=%7B%22b%22%3A1%2C%22a%22%3A%22%C3%A9%22%7D";
    assert_eq!(
        request.unwrap().url,
        format!("https://api.example.com/v1/a?{expected}")
    );
}
