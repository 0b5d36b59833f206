//! Rules that `dialects.json` has no case for.

use super::{dialect, lowered};
use toolwright::{
    Dialect,
    dialect::{LowerErrorCode, Renames},
};

/// An argument `v` of a schema; what becomes of it.
fn argument(schema: &str, dialect: &str) -> String {
    let schema = format!(r#"{{"type":"object","properties":{{"v":{schema}}},"required":["v"]}}"#);
    whole(&schema, dialect)
}

fn whole(schema: &str, name: &str) -> String {
    match lowered(schema, dialect(name)) {
        Ok(lowered) => {
            let text = lowered.schema.unwrap_or_default();
            let steps = lowered.inverse.steps().iter();
            let steps: Vec<_> = steps
                .map(|step| format!("{} {}", step.op.as_str(), step.at))
                .collect();
            let inner = text
                .strip_prefix(r#"{"type":"object","properties":{"v":"#)
                .map_or(text.as_str(), |rest| {
                    rest.split(r#"},"required":["v"]"#).next().unwrap_or(rest)
                });
            [vec![inner.to_owned()], steps].concat().join(" | ")
        }
        Err(reject) => format!("{} {}", reject.path, reject.code),
    }
}

/// A schema, a dialect, and what becomes of it.
const TABLE: &[(&str, &str, &str)] = &[
    // Python's `re` has no `\p{…}`, `\u{…}`, `\c…`, `\z`, `[]`, no groups `(?<name>…)` and no ranges that start with a class.
    (
        r#"{"type":"string","pattern":"^\\p{L}+$"}"#,
        "openai_strict",
        r#"{"type":"string","description":"[pattern ^\\p{L}+$]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"^(?!__)[^\\p{Cc}\"\\\\./[\\]]{1,200}$"}"#,
        "openai_non_strict",
        r#"{"type":"string","description":"[pattern ^(?!__)[^\\p{Cc}\"\\\\./[\\]]{1,200}$]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"^(?!a)[\\w.\\-]{2,5}?\\u00e9\\/\\d*$"}"#,
        "openai_non_strict",
        r#"{"type":"string","pattern":"^(?!a)[\\w.\\-]{2,5}?\\u00e9\\/\\d*$"}"#,
    ),
    (
        r#"{"type":"string","pattern":"(?<year>\\d{4})"}"#,
        "openai_non_strict",
        r#"{"type":"string","description":"[pattern (?<year>\\d{4})]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"[\\w-z]"}"#,
        "groq",
        r#"{"type":"string","description":"[pattern [\\w-z]]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"^\\p{L}+$"}"#,
        "anthropic",
        r#"{"type":"string","pattern":"^\\p{L}+$"}"#,
    ),
    (
        r#"{"type":"object","patternProperties":{"^\\p{L}+$":{"type":"integer"}},"additionalProperties":false}"#,
        "openai_non_strict",
        r#"{"type":"object","description":"[patternProperties {\"^\\\\p{L}+$\":{\"type\":\"integer\"}}; additionalProperties false]","additionalProperties":true}"#,
    ),
    // Without the patterns, what is said of other keys would forbid keys that fit one.
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":{"type":"string"}}"#,
        "gemini_json",
        r#"{"type":"object","description":"[patternProperties {\"^n_\":{\"type\":\"integer\"}}; additionalProperties {\"type\":\"string\"}]","properties":{"a":{"type":"string"}},"additionalProperties":true}"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":false}"#,
        "vllm_xgrammar",
        r#"{"type":"object","description":"[patternProperties {\"^n_\":{\"type\":\"integer\"}}; additionalProperties false]","properties":{"a":{"type":"string"}},"additionalProperties":true}"#,
    ),
    (
        r#"{"properties":{"a":{"type":"string"}},"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":false}"#,
        "ollama",
        r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
    ),
    // A map and a list of entries have one form, which leads back to one of them.
    (
        r#"{"anyOf":[{"type":"object","additionalProperties":{"type":"integer"}},{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"],"additionalProperties":false}}]}"#,
        "openai_strict",
        r#"{"type":"string","description":"[a string of JSON: {\"anyOf\":[{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"key\":{\"type\":\"string\"},\"value\":{\"type\":\"integer\"}},\"required\":[\"key\",\"value\"],\"additionalProperties\":false}}]}]"} | text_to_json /v"#,
    ),
    (
        r#"{"anyOf":[{"type":"object","additionalProperties":{"type":"integer"}},{"type":"array","items":{"type":"integer"}}]}"#,
        "openai_strict",
        r#"{"anyOf":[{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"],"additionalProperties":false}},{"type":"array","items":{"type":"integer"}}]} | entries_to_map /v/?0"#,
    ),
    // An enum without `null` has none, whatever its types.
    (
        r#"{"type":["number","null"],"enum":[1,2]}"#,
        "openai_strict",
        r#"{"type":"number","enum":[1,2]}"#,
    ),
    (
        r#"{"type":["string","null"],"enum":["a","b"]}"#,
        "gemini_openapi",
        r#"{"type":"string","enum":["a","b"]}"#,
    ),
    (
        r#"{"enum":["a","b"],"const":"b"}"#,
        "anthropic",
        r#"{"type":"string","enum":["b"]}"#,
    ),
    // "int too big to convert".
    (
        r#"{"type":"integer","minimum":0,"maximum":9223372036854775807}"#,
        "anthropic",
        r#"{"type":"integer","minimum":0,"description":"[maximum 9223372036854775807]"}"#,
    ),
    (
        r#"{"type":"integer","minimum":-9007199254740993}"#,
        "bedrock",
        r#"{"type":"integer","description":"[minimum -9007199254740993]"}"#,
    ),
    // Gemini refuses the empty string in an enum, wherever it stands.
    (
        r#"{"type":"string","enum":["","a"]}"#,
        "gemini_openapi",
        r#"{"type":"string","description":"[enum [\"\",\"a\"]]"}"#,
    ),
    (
        r#"{"type":["string","null"],"enum":["",null]}"#,
        "gemini_json",
        r#"{"type":["string","null"],"description":"[enum [\"\"]]"}"#,
    ),
    (
        r#"{"type":"array","items":{"const":""}}"#,
        "gemini_json",
        r#"{"type":"array","items":{"type":"string","description":"[enum [\"\"]]"}}"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"enum":["","a"]},"additionalProperties":{"type":"integer"}}"#,
        "gemini_openapi",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string","description":"[enum [\"\",\"a\"]]"},"value":{"type":"integer"}},"required":["key","value"],"propertyOrdering":["key","value"]}} | entries_to_map /v"#,
    ),
    // "When using any_of, it must be the only field set."
    (
        r#"{"anyOf":[{"type":"string"},{"type":"integer","description":"Its number"},{"type":"null"}],"description":"Who","default":"me"}"#,
        "gemini_openapi",
        r#"{"anyOf":[{"type":"string","nullable":true,"description":"Who [default \"me\"]"},{"type":"integer","nullable":true,"description":"Its number"}]}"#,
    ),
    (
        r#"{"anyOf":[{"type":"string","description":"Its name"},{"type":"integer","description":"Its number"}],"description":"Who"}"#,
        "gemini_openapi",
        r#"{"anyOf":[{"type":"string","description":"Who\nIts name"},{"type":"integer","description":"Its number"}]}"#,
    ),
    (
        r#"{"type":["array","null"],"items":{"type":"string"},"maxItems":3}"#,
        "anthropic_strict",
        r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}],"description":"[maxItems 3]"}"#,
    ),
    (
        r#"{"type":["array","null"],"items":{"type":"string"},"maxItems":3}"#,
        "gemini_openapi",
        r#"{"type":"array","nullable":true,"items":{"type":"string"},"maxItems":3}"#,
    ),
    (
        r#"{"type":["array","null"],"items":{"type":"string"},"maxItems":3}"#,
        "deepseek_strict",
        r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}],"description":"[maxItems 3]"}"#,
    ),
    (
        r#"{"type":["object","null"],"description":"P","properties":{"a":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]}"#,
        "openai_strict",
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"],"additionalProperties":false}}},"required":["a"],"additionalProperties":false},{"type":"null"}],"description":"P"} | entries_to_map /v/?0/a"#,
    ),
    (
        r#"{"type":["object","null"],"description":"P","properties":{"a":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]}"#,
        "gemini_openapi",
        r#"{"type":"object","nullable":true,"description":"P","properties":{"a":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"],"propertyOrdering":["key","value"]}}},"required":["a"]} | entries_to_map /v/a"#,
    ),
    (
        r#"{"type":["object","null"],"description":"P","properties":{"a":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]}"#,
        "gemini_json",
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]},{"type":"null"}],"description":"P"}"#,
    ),
    (
        r#"{"type":["object","null"],"description":"P","properties":{"a":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a"]}"#,
        "xai",
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}},"required":["key","value"]}}},"required":["a"]},{"type":"null"}],"description":"P"} | entries_to_map /v/?0/a"#,
    ),
    (
        r#"{"type":["string","null"],"enum":["a","b",null]}"#,
        "openai_strict",
        r#"{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}]}"#,
    ),
    (
        r#"{"type":["string","null"],"enum":["a","b",null]}"#,
        "anthropic",
        r#"{"type":["string","null"],"enum":["a","b",null]}"#,
    ),
    (
        r#"{"type":["string","null"],"enum":["a","b",null]}"#,
        "gemini_openapi",
        r#"{"type":"string","nullable":true,"enum":["a","b"]}"#,
    ),
    (
        r#"{"type":["string","null"],"enum":["a","b",null]}"#,
        "gemini_json",
        r#"{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}]}"#,
    ),
    (
        r#"{"type":["string","integer"],"minimum":3,"maxLength":2,"description":"S"}"#,
        "openai_strict",
        r#"{"type":["string","integer"],"minimum":3,"description":"S [maxLength 2]"}"#,
    ),
    (
        r#"{"type":["string","integer"],"minimum":3,"maxLength":2,"description":"S"}"#,
        "anthropic_strict",
        r#"{"anyOf":[{"type":"string","description":"[maxLength 2]"},{"type":"integer","description":"[minimum 3]"}],"description":"S"}"#,
    ),
    (
        r#"{"type":["string","integer"],"minimum":3,"maxLength":2,"description":"S"}"#,
        "gemini_openapi",
        r#"{"anyOf":[{"type":"string","maxLength":2,"description":"S"},{"type":"integer","minimum":3,"description":"S"}]}"#,
    ),
    (
        r#"{"type":"array","items":{"type":["integer","null"]}}"#,
        "anthropic_strict",
        r#"{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}"#,
    ),
    (
        r#"{"type":"array","items":{"type":["integer","null"]}}"#,
        "gemini_openapi",
        r#"{"type":"array","items":{"type":"integer","nullable":true}}"#,
    ),
    (
        r#"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}"#,
    ),
    (
        r#"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}"#,
        "anthropic_strict",
        r#"{"type":"object","properties":{"_0":{"type":"integer"},"_1":{"type":"integer"}},"required":["_0","_1"],"additionalProperties":false} | object_to_tuple /v"#,
    ),
    (
        r#"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}"#,
        "deepseek_strict",
        r#"{"type":"object","properties":{"_0":{"type":"integer"},"_1":{"type":"integer"}},"required":["_0","_1"],"additionalProperties":false} | object_to_tuple /v"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"minItems":2,"maxItems":2}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"minItems":2,"maxItems":2}"#,
        "azure_strict",
        r#"{"type":"object","properties":{"_0":{"type":"integer"},"_1":{"type":"integer"}},"required":["_0","_1"],"additionalProperties":false} | object_to_tuple /v"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"minItems":2,"maxItems":2}"#,
        "gemini_json",
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"minItems":2,"maxItems":2}"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"string","description":"[a string of JSON: {\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"},{}]}]"}} | text_to_json /v/*"#,
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]}"#,
        "ollama",
        r#"{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"string"},{}]}}"#,
    ),
    // An object that declares no keys takes any.
    (
        r#"{"type":"object"}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"string","description":"[a string of JSON]"}},"required":["key","value"],"additionalProperties":false}} | entries_to_map /v | text_to_json /v/*/value"#,
    ),
    (
        r#"{"type":"object"}"#,
        "anthropic",
        r#"{"type":"object","additionalProperties":true}"#,
    ),
    (
        r#"{"type":"object"}"#,
        "ollama",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{}},"required":["key","value"]}} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"null"}},"required":["a","b"]}"#,
        "openai_strict",
        r#"{"type":"string","description":"[a string of JSON: {\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"}},\"required\":[\"a\",\"b\"]}]"} | text_to_json /v"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"null"}},"minProperties":2}"#,
        "openai_strict",
        r#"{"type":"string","description":"[a string of JSON: {\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"}},\"minProperties\":2}]"} | text_to_json /v"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"null"}},"unevaluatedProperties":true}"#,
        "openai_strict",
        r#"{"type":"string","description":"[a string of JSON: {\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"}},\"additionalProperties\":true}]"} | text_to_json /v"#,
    ),
    (
        r#"{"type":"object","unevaluatedProperties":{"type":"string"}}"#,
        "vllm_xgrammar",
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
    ),
    (
        r#"{"type":"array"}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"string","description":"[a string of JSON]"}} | text_to_json /v/*"#,
    ),
    (
        r#"{"type":"array"}"#,
        "openai_non_strict",
        r#"{"type":"array","items":{}}"#,
    ),
    (r#"{"type":"array"}"#, "gemini_json", r#"{"type":"array"}"#),
    (
        r#"{"type":"array","items":true}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"string","description":"[a string of JSON]"}} | text_to_json /v/*"#,
    ),
    (
        r#"{"anyOf":[{"type":"object","properties":{"n":{"type":"string"}}},{"type":"object","properties":{"n":{"type":"integer"}}}]}"#,
        "openai_strict",
        r#"{"type":"string","description":"[a string of JSON: {\"anyOf\":[{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}},{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}]}]"} | text_to_json /v"#,
    ),
    (
        r#"{"anyOf":[{"type":"object","properties":{"n":{"type":"string"}}},{"type":"object","properties":{"n":{"type":"integer"}}}]}"#,
        "anthropic_strict",
        r#"{"anyOf":[{"type":"object","properties":{"n":{"type":"string"}},"required":[],"additionalProperties":false},{"type":"object","properties":{"n":{"type":"integer"}},"required":[],"additionalProperties":false}]}"#,
    ),
    (
        r#"{"anyOf":[{"type":"object","properties":{"n":{"type":"string"}}},{"type":"object","properties":{"n":{"type":"integer"}}}]}"#,
        "deepseek_strict",
        r#"{"anyOf":[{"type":"object","properties":{"n":{"type":["string","null"]}},"required":["n"],"additionalProperties":false},{"type":"object","properties":{"n":{"type":["integer","null"]}},"required":["n"],"additionalProperties":false}]} | null_is_absent /v/?0/n | null_is_absent /v/?1/n"#,
    ),
    (
        r#"{"type":"object","properties":{"k":{"type":"integer"}},"oneOf":[{"type":"object","properties":{"A":{"type":"string"}}},{"type":"object","properties":{"B":{"type":"string"}}}]}"#,
        "openai_strict",
        r#"{"type":"object","description":"[one of these forms: {A?} or {B?}]","properties":{"k":{"type":["integer","null"]},"A":{"type":["string","null"]},"B":{"type":["string","null"]}},"required":["k","A","B"],"additionalProperties":false} | null_is_absent /v/k | null_is_absent /v/A | null_is_absent /v/B"#,
    ),
    (
        r#"{"type":"object","properties":{"k":{"type":"integer"}},"oneOf":[{"type":"object","properties":{"A":{"type":"string"}}},{"type":"object","properties":{"B":{"type":"string"}}}]}"#,
        "anthropic",
        r#"{"anyOf":[{"type":"object","properties":{"A":{"type":"string"}}},{"type":"object","properties":{"B":{"type":"string"}}}],"type":"object","properties":{"k":{"type":"integer"}}}"#,
    ),
    (
        r#"{"type":"object","properties":{"k":{"type":"integer"}},"oneOf":[{"type":"object","properties":{"A":{"type":"string"}}},{"type":"object","properties":{"B":{"type":"string"}}}]}"#,
        "ollama",
        r#"{"anyOf":[{"type":"object","properties":{"A":{"type":"string"}}},{"type":"object","properties":{"B":{"type":"string"}}}],"type":"object","properties":{"k":{"type":"integer"}}}"#,
    ),
    (
        r#"{"allOf":[{"type":"string","minLength":1},{"type":"string","pattern":"a"}]}"#,
        "openai_strict",
        r#"{"type":"string","pattern":"a","description":"[minLength 1]"}"#,
    ),
    (
        r#"{"allOf":[{"type":"string","minLength":1},{"type":"string","pattern":"a"}]}"#,
        "anthropic",
        r#"{"type":"string","minLength":1,"pattern":"a"}"#,
    ),
    (
        r#"{"allOf":[{"type":"string","minLength":1},{"type":"string","pattern":"a"}]}"#,
        "anthropic_strict",
        r#"{"type":"string","description":"[minLength 1; pattern a]"}"#,
    ),
    (
        r#"{"type":"string","format":"uri"}"#,
        "openai_strict",
        r#"{"type":"string","description":"[format uri]"}"#,
    ),
    (
        r#"{"type":"string","format":"uri"}"#,
        "anthropic_strict",
        r#"{"type":"string","format":"uri"}"#,
    ),
    (
        r#"{"type":"string","format":"ip"}"#,
        "openai_strict",
        r#"{"type":"string","description":"[IPv4 or IPv6 address]"}"#,
    ),
    (
        r#"{"type":"integer","enum":[1,2]}"#,
        "gemini_openapi",
        r#"{"type":"integer","description":"[enum [1,2]]"}"#,
    ),
    (
        r#"{"type":"integer","enum":[1,2]}"#,
        "gemini_json",
        r#"{"type":"integer","enum":[1,2]}"#,
    ),
    (
        r#"{"type":"boolean","default":true}"#,
        "openai_strict",
        r#"{"type":"boolean","description":"[default true]"}"#,
    ),
    (
        r#"{"type":"boolean","default":true}"#,
        "anthropic",
        r#"{"type":"boolean","default":true}"#,
    ),
    ("false", "openai_strict", "/v false_schema"),
    ("false", "mcp_2026_07_28", "false"),
    (
        r#"{"type":"object","propertyNames":{"enum":["a","b"]},"additionalProperties":{"type":"string"},"minProperties":1}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string","enum":["a","b"]},"value":{"type":"string"}},"required":["key","value"],"additionalProperties":false},"minItems":1} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"enum":["a","b"]},"additionalProperties":{"type":"string"},"minProperties":1}"#,
        "gemini_json",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string","enum":["a","b"]},"value":{"type":"string"}},"required":["key","value"]},"minItems":1} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"enum":["a","b"]},"additionalProperties":{"type":"string"},"minProperties":1}"#,
        "mcp_2026_07_28",
        r#"{"type":"object","propertyNames":{"type":"string","enum":["a","b"]},"additionalProperties":{"type":"string"},"minProperties":1}"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"pattern":"^([1-9][0-9]*|0)$"},"additionalProperties":{"type":"string"}}"#,
        "openai_strict",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"integer","minimum":0},"value":{"type":"string"}},"required":["key","value"],"additionalProperties":false}} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"pattern":"^([1-9][0-9]*|0)$"},"additionalProperties":{"type":"string"}}"#,
        "gemini_json",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"integer","minimum":0},"value":{"type":"string"}},"required":["key","value"]}} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"integer","maximum":18446744073709551615,"multipleOf":3}"#,
        "gemini_json",
        r#"{"type":"integer","maximum":18446744073709551615,"description":"[multipleOf 3]"}"#,
    ),
    (
        r#"{"type":"integer","maximum":18446744073709551615,"multipleOf":3}"#,
        "vllm_xgrammar",
        r#"{"type":"integer","description":"[multipleOf 3; maximum 18446744073709551615]"}"#,
    ),
    (
        r#"{"type":"object","additionalProperties":false,"properties":{"x":{"type":"string","pattern":"(?=a)b"}}}"#,
        "openai_strict",
        r#"{"type":"object","properties":{"x":{"type":["string","null"],"description":"[pattern (?=a)b]"}},"required":["x"],"additionalProperties":false} | null_is_absent /v/x"#,
    ),
    (
        r#"{"type":"object","additionalProperties":false,"properties":{"x":{"type":"string","pattern":"(?=a)b"}}}"#,
        "gemini_openapi",
        r#"{"type":"object","properties":{"x":{"type":"string","pattern":"(?=a)b"}}}"#,
    ),
    (
        r#"{"type":"object","additionalProperties":false,"properties":{"x":{"type":"string","pattern":"(?=a)b"}}}"#,
        "llguidance",
        r#"{"type":"object","properties":{"x":{"type":"string","description":"[pattern (?=a)b]"}},"additionalProperties":false}"#,
    ),
    (
        r#"{"type":"object","propertyNames":{"pattern":"^a"},"additionalProperties":{"type":"string"}}"#,
        "vllm_xgrammar",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string","pattern":"^a"},"value":{"type":"string"}},"required":["key","value"]}} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"object","patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}"#,
        "llguidance",
        r#"{"type":"array","items":{"type":"object","properties":{"key":{"type":"string","pattern":"^a"},"value":{"type":"string"}},"required":["key","value"]}} | entries_to_map /v"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"null"}},"patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}"#,
        "llguidance",
        r#"{"type":"object","patternProperties":{"^a":{"type":"string"}},"properties":{"b":{"type":"null"}},"additionalProperties":false}"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"null"}},"patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}"#,
        "vllm_xgrammar",
        r#"{"type":"object","description":"[patternProperties {\"^a\":{\"type\":\"string\"}}; additionalProperties false]","properties":{"b":{"type":"null"}},"additionalProperties":true}"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"null"}},"patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}"#,
        "gemini_json",
        r#"{"type":"object","description":"[patternProperties {\"^a\":{\"type\":\"string\"}}; additionalProperties false]","properties":{"b":{"type":"null"}},"additionalProperties":true}"#,
    ),
    (
        r#"{"type":"object","properties":{"b":{"type":"null"}},"patternProperties":{"^a":{"type":"string"}}}"#,
        "gemini_json",
        r#"{"type":"object","description":"[patternProperties {\"^a\":{\"type\":\"string\"}}]","properties":{"b":{"type":"null"}}}"#,
    ),
    (
        r#"{"type":"string","pattern":"a","minLength":3,"maxLength":9}"#,
        "vllm_xgrammar",
        r#"{"type":"string","pattern":"a","description":"[minLength 3; maxLength 9]"}"#,
    ),
    (
        r#"{"type":"string","format":"uuid","maxLength":36}"#,
        "vllm_xgrammar",
        r#"{"type":"string","format":"uuid","description":"[maxLength 36]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"(?=a)b","format":"own","maxLength":36}"#,
        "vllm_xgrammar",
        r#"{"type":"string","maxLength":36,"description":"[pattern (?=a)b; format own]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"a","minLength":3}"#,
        "llguidance",
        r#"{"type":"string","pattern":"a","description":"[minLength 3]"}"#,
    ),
    (
        r#"{"type":"string","pattern":"^a+$","minLength":3}"#,
        "llguidance",
        r#"{"type":"string","minLength":3,"pattern":"^a+$"}"#,
    ),
    (
        r#"{"type":"array","items":{"type":"string","pattern":"\\bfoo"}}"#,
        "vllm_xgrammar",
        r#"{"type":"array","items":{"type":"string","description":"[pattern \\bfoo]"}}"#,
    ),
    (
        r#"{"type":"array","items":{"type":"string","pattern":"(a)\\1"}}"#,
        "llguidance",
        r#"{"type":"array","items":{"type":"string","description":"[pattern (a)\\1]"}}"#,
    ),
    (
        r#"{"type":"string","pattern":"\\\\b[\\d]"}"#,
        "llguidance",
        r#"{"type":"string","pattern":"\\\\b[\\d]"}"#,
    ),
    (
        r#"{"type":"integer","minimum":-9223372036854775808,"maximum":9007199254740992}"#,
        "llguidance",
        r#"{"type":"integer","maximum":9007199254740992,"description":"[minimum -9223372036854775808]"}"#,
    ),
    (
        r#"{"type":"number","minimum":-3.4028235e38,"maximum":0.5}"#,
        "llguidance",
        r#"{"type":"number","maximum":0.5,"description":"[minimum -3.4028235e38]"}"#,
    ),
    (
        r#"{"type":"integer","minimum":-9007199254740992,"maximum":9007199254740993}"#,
        "vllm_xgrammar",
        r#"{"type":"integer","minimum":-9007199254740992,"description":"[maximum 9007199254740993]"}"#,
    ),
    (
        r#"{"type":"integer","maximum":340282366920938463463374607431768211455}"#,
        "vllm_xgrammar",
        r#"{"type":"integer","description":"[maximum 3.402823669209385e38]"}"#,
    ),
    (
        r#"{"type":"integer","not":{"const":0}}"#,
        "vllm_xgrammar",
        r#"{"type":"integer","description":"[not 0]"}"#,
    ),
    (
        r#"{"if":{"type":"string"},"then":{"minLength":1},"type":"string"}"#,
        "llguidance",
        r#"{"type":"string","description":"[if {\"type\":\"string\"}; then {\"minLength\":1}]"}"#,
    ),
    (
        r#"{"type":"object","dependentRequired":{"a":["b"]},"unevaluatedProperties":false}"#,
        "vllm_xgrammar",
        r#"{"type":"object","description":"[dependentRequired {\"a\":[\"b\"]}]","properties":{},"additionalProperties":false}"#,
    ),
    (
        r#"{"type":"array","contains":{"type":"integer"},"items":{"type":"integer"}}"#,
        "llguidance",
        r#"{"type":"array","items":{"type":"integer"},"description":"[contains {\"type\":\"integer\"}]"}"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"null"}},"required":["a"],"minProperties":2}"#,
        "llguidance",
        r#"{"type":"object","properties":{"a":{"type":"null"}},"required":["a"],"minProperties":2}"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"null"}},"maxProperties":2}"#,
        "llguidance",
        r#"{"type":"object","description":"[maxProperties 2]","properties":{"a":{"type":"null"}}}"#,
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"null"},"maxProperties":2}"#,
        "vllm_xgrammar",
        r#"{"type":"object","additionalProperties":{"type":"null"},"maxProperties":2}"#,
    ),
    (
        r#"{"const":5}"#,
        "gemini_openapi",
        r#"{"type":"integer","description":"[enum [5]]"}"#,
    ),
    (
        r#"{"if":{"type":"string"},"then":{"minLength":1},"type":"string"}"#,
        "openai_strict",
        r#"{"type":"string","description":"[if {\"type\":\"string\"}; then {\"minLength\":1}]"}"#,
    ),
];

#[test]
fn every_rule_holds() {
    holds(TABLE, argument);
}

fn holds(table: &[(&str, &str, &str)], told: fn(&str, &str) -> String) {
    let mut wrong = Vec::new();
    for (schema, dialect, expected) in table {
        let got = told(schema, dialect);
        if got != *expected {
            wrong.push(format!(
                "{schema} in {dialect}:\n  {got}, not\n  {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const REFUSE_ROOT_UNIONS: [&str; 17] = [
    "openai_non_strict",
    "openai_strict",
    "azure_strict",
    "anthropic",
    "anthropic_strict",
    "gemini_openapi",
    "gemini_json",
    "bedrock",
    "deepseek_strict",
    "ollama",
    "mistral",
    "groq",
    "xai",
    "mcp_2025_11_25",
    "mcp_2025_06_18",
    "mcp_2025_03_26",
    "mcp_2026_07_28",
];
const TAKE_ROOT_UNIONS: [&str; 2] = ["vllm_xgrammar", "llguidance"];

/// A union beside the keys of the root: the rule of each dialect, as `tool-provider/src/dialect/table.rs` cites it.
#[test]
fn a_union_at_the_root_is_taken_where_the_source_says_so() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],
        "additionalProperties":false,"anyOf":[{"required":["a"]},{"required":["b"]}]}"#;
    for name in REFUSE_ROOT_UNIONS {
        let sent = whole(schema, name);
        assert!(
            sent.starts_with(r#"{"type":"object""#) && !sent.contains("anyOf"),
            "{name}: {sent}"
        );
    }
    for name in TAKE_ROOT_UNIONS {
        let sent = whole(schema, name);
        assert!(sent.contains("anyOf"), "{name}: {sent}");
    }
    let all = REFUSE_ROOT_UNIONS.len() + TAKE_ROOT_UNIONS.len();
    assert_eq!(all, Dialect::ALL.len());
}

/// Schemas as a whole.
const WHOLE: &[(&str, &str, &str)] = &[
    // "'required' present but 'properties' is missing".
    (
        r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        "groq",
        r#"{"type":"object","properties":{},"additionalProperties":false}"#,
    ),
    (
        r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        "openai_strict",
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#,
    ),
    // Keys that only another key brings cannot be sent in a closed object.
    (
        r#"{"type":"object","properties":{"kind":{"enum":["a","b"]}},"if":{"properties":{"kind":{"const":"a"}}},"then":{"properties":{"size":{"type":"integer"}},"required":["size"]}}"#,
        "openai_strict",
        "/ open_object",
    ),
    (
        r#"{"type":"object","properties":{"card":{"type":"string"}},"dependentSchemas":{"card":{"properties":{"address":{"type":"string"}}}},"unevaluatedProperties":false}"#,
        "anthropic_strict",
        "/ open_object",
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"dependentSchemas":{"a":{"required":["b"]}}}"#,
        "xai",
        r#"{"type":"object","description":"[dependentSchemas {\"a\":{\"required\":[\"b\"]}}]","properties":{"a":{"type":["string","null"]},"b":{"type":["string","null"]}},"required":["a","b"]} | null_is_absent /a | null_is_absent /b"#,
    ),
    // "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level".
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"enum":[{"a":"x"},{"a":"y"}]}"#,
        "openai_strict",
        r#"{"type":"object","description":"[enum [{\"a\":\"x\"},{\"a\":\"y\"}]]","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false} | null_is_absent /a"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"const":{"a":"x"}}"#,
        "openai_non_strict",
        r#"{"type":"object","description":"[enum [{\"a\":\"x\"}]]","properties":{"a":{"type":"string"}}}"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"enum":[{"a":"x"},{"a":"y"}]}"#,
        "anthropic",
        r#"{"type":"object","enum":[{"a":"x"},{"a":"y"}],"properties":{"a":{"type":"string"}}}"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"not":{"required":["a","b"]}}"#,
        "openai_non_strict",
        r#"{"type":"object","description":"[not {\"required\":[\"a\",\"b\"]}]","properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#,
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"minProperties":1},{"maxProperties":3,"minProperties":2}]}"#,
        "openai_non_strict",
        r#"{"type":"object","properties":{"a":{"type":"string"}},"minProperties":2,"maxProperties":3}"#,
    ),
    (
        r#"{"type":["object","null"]}"#,
        "anthropic",
        r#"{"type":"object","properties":{},"additionalProperties":true}"#,
    ),
    ("true", "openai_strict", "/ open_object"),
    (r#"{"type":"array"}"#, "anthropic", "/ root_not_object"),
    (
        r#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
        "anthropic",
        r#"{"type":"object","description":"[one of these forms: {a} or {b}]","additionalProperties":true}"#,
    ),
    (
        r#"{"type":"object","properties":{"$x":{"type":"string"}}}"#,
        "anthropic",
        r#"{"type":"object","properties":{"_x":{"type":"string","description":"[named `$x`]"}}} | key_is_renamed /_x"#,
    ),
    (
        r#"{"type":"object","properties":{"a.b":{"type":"string"}}}"#,
        "gemini_openapi",
        r#"{"type":"object","properties":{"a_b":{"type":"string","description":"[named `a.b`]"}}} | key_is_renamed /a_b"#,
    ),
    (
        r#"{"type":"object","properties":{"a.b":{"type":"string"}}}"#,
        "anthropic",
        r#"{"type":"object","properties":{"a.b":{"type":"string"}}}"#,
    ),
    (
        r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"required":["t"],"$defs":{"T":{"type":"object","properties":{"c":{"type":"array","items":{"$ref":"#/$defs/T"}}},"required":["c"]}}}"##,
        "gemini_json",
        r##"{"type":"object","properties":{"t":{"type":"string","description":"[a string of JSON: {\"$ref\":\"#/$defs/T\",\"$defs\":{\"T\":{\"type\":\"object\",\"properties\":{\"c\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/T\"}}},\"required\":[\"c\"]}}}]"}},"required":["t"]} | text_to_json /t"##,
    ),
    (
        r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/Gone"}}}"##,
        "mcp_2026_07_28",
        "/ unresolved_ref",
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        "openai_strict",
        "/ open_object",
    ),
    // A cycle without a value in between.
    (
        r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"$ref":"#/$defs/T"}}}"##,
        "ollama",
        r##"{"type":"object","properties":{"t":{"type":"string","description":"[a string of JSON: {\"$ref\":\"#/$defs/T\",\"$defs\":{\"T\":{\"$ref\":\"#/$defs/T\"}}}]"}}} | text_to_json /t"##,
    ),
    // The root itself, and words beside a reference.
    (
        r##"{"type":"object","properties":{"next":{"description":"More","anyOf":[{"$ref":"#"},{"type":"null"}]}}}"##,
        "openai_strict",
        r##"{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}],"description":"More"}},"required":["next"],"additionalProperties":false}"##,
    ),
    (
        r##"{"type":"object","properties":{"next":{"description":"More","$ref":"#"}},"required":["next"]}"##,
        "openai_strict",
        r##"{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"}],"description":"More"}},"required":["next"],"additionalProperties":false}"##,
    ),
    // A tag beside the reference to the variant's content.
    (
        r##"{"type":"object","properties":{"v":{"oneOf":[{"$ref":"#/$defs/A","properties":{"kind":{"const":"a"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]}]}},"required":["v"],"$defs":{"A":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}"##,
        "deepseek_strict",
        r#"{"anyOf":[{"type":"object","properties":{"kind":{"type":"string","enum":["a"]},"n":{"type":"integer"}},"required":["kind","n"],"additionalProperties":false},{"type":"object","properties":{"kind":{"type":"string","enum":["b"]}},"required":["kind"],"additionalProperties":false}]}"#,
    ),
];

#[test]
fn every_rule_of_a_whole_schema_holds() {
    holds(WHOLE, whole);
}

#[test]
fn what_is_too_large_is_refused_and_ends() {
    // Each definition holds the next one twice.
    let defs: Vec<_> = (0..40)
        .map(|at| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, at + 1);
            format!(r#""d{at}":{{"type":"object","properties":{{"a":{next},"b":{next}}}}}"#)
        })
        .collect();
    let bomb = format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{},"d40":{{"type":"string"}}}}}}"##,
        defs.join(",")
    );
    let keys = |count| {
        let keys: Vec<_> = (0..count)
            .map(|at| format!(r#""k{at}":{{"type":"null"}}"#))
            .collect();
        format!(r#"{{"type":"object","properties":{{{}}}}}"#, keys.join(","))
    };
    let nested = |levels| {
        let mut schema = r#"{"type":"string"}"#.to_owned();
        for _ in 0..levels {
            schema =
                format!(r#"{{"type":"object","properties":{{"a":{schema}}},"required":["a"]}}"#);
        }
        schema
    };
    for (schema, dialect, fits) in [
        (bomb, Dialect::Mcp20260728, false),
        (keys(100), Dialect::AzureStrict, true),
        (keys(101), Dialect::AzureStrict, false),
        (keys(101), Dialect::OpenAiStrict, true),
        (nested(10), Dialect::OpenAiStrict, true),
        (nested(11), Dialect::OpenAiStrict, false),
        (nested(11), Dialect::Anthropic, true),
    ] {
        let code = lowered(&schema, dialect)
            .map(drop)
            .map_err(|reject| reject.code);
        assert_eq!(code.is_ok(), fits, "{dialect}");
        assert!(fits || code == Err(LowerErrorCode::TooLarge), "{code:?}");
    }
}

#[test]
fn all_that_does_not_stand_in_the_schema_is_a_note() {
    let schema = r#"{"title":"Args","type":"object","properties":{
        "n":{"type":"integer","format":"uint8","minimum":1,"maximum":9,"x-own":true},
        "s":{"type":"array","items":{"type":"string","title":"T"},"uniqueItems":true,"default":[]}
    },"required":["n"]}"#;
    let notes = |name| {
        let notes = lowered(schema, dialect(name)).unwrap().notes;
        notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let dropped = [
        "/: dropped title \"Args\"",
        "/n: dropped format \"uint8\"",
        "/s/*: dropped title \"T\"",
    ];
    assert_eq!(notes("mcp_2026_07_28"), dropped);
    let own = [
        "/n: dropped x-own true",
        "/n: demoted minimum 1",
        "/n: demoted maximum 9",
        "/s: demoted uniqueItems true",
        "/s: demoted default []",
    ];
    assert_eq!(notes("anthropic_strict"), [&dropped[..], &own].concat());
}

#[test]
fn renames_lead_back_and_never_meet() {
    let long = "n".repeat(70);
    let names = [
        "a.b",
        "a/b",
        "a_b",
        "x.y",
        "größe",
        "",
        "2fa",
        "search",
        long.as_str(),
        "long.name",
    ];
    for dialect in Dialect::ALL {
        let renames = Renames::new(dialect, names);
        let backwards = Renames::new(dialect, names.into_iter().rev());
        let mut told = Vec::new();
        for name in names {
            let provided = renames.to_provider(name).unwrap();
            assert!(dialect.accepts_name(provided), "{provided:?} in {dialect}");
            assert_eq!(renames.from_provider(provided), Some(name), "{dialect}");
            assert_eq!(backwards.to_provider(name), Some(provided), "{dialect}");
            assert!(!dialect.accepts_name(name) || name == provided);
            told.push(provided.to_owned());
        }
        told.sort();
        told.dedup();
        assert_eq!(told.len(), names.len(), "{dialect}");
    }
    let renames = Renames::new(Dialect::OpenAiStrict, names);
    assert_eq!(renames.to_provider("x.y"), Some("x_y"));
    assert_ne!(
        renames.to_provider("a.b"),
        Some("a_b"),
        "another tool has the name"
    );
    assert_eq!(renames.to_provider("none"), None);
}

#[test]
fn what_a_request_limits_is_counted() {
    let schema = r#"{"type":"object","properties":{
        "a":{"type":["string","null"]},
        "b":{"anyOf":[{"type":"string"},{"type":"object","properties":{"c":{"type":"integer"}}}]}
    },"required":["b"]}"#;
    let count = |name| {
        let lowered = lowered(schema, dialect(name)).unwrap();
        (lowered.optional_keys, lowered.unions)
    };
    assert_eq!(count("anthropic_strict"), (2, 1));
    assert_eq!(count("openai_strict"), (0, 3));
    assert_eq!(Dialect::AnthropicStrict.request_limits().unions, Some(16));
    assert_eq!(Dialect::Mistral.request_limits().tools, Some(128));
}
