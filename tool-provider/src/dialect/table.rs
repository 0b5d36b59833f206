//! The dialects' rules. Each line names its source and date: a provider's contract or its error text, a transformer of
//! its SDK, or a copy of its documents.

use super::names::NameRule;
use super::rules::{
    Accepts, AllOf, Condition, Enums, Formats, Items, Limits, Maps, Null, Objects, Optional,
    Recursion, Rules,
};
use super::{Dialect, RequestLimits};
use toolwright_schema::keyword::Keyword;

/// Any JSON Schema (draft 2020-12); the base of the other tables.
const JSON_SCHEMA: Rules = Rules {
    name: "json_schema",
    strict: false,
    non_strict: None,
    description: None,
    tool_name: NameRule::new("_-", 64),
    argument_name: None,
    root_union: true,
    root_enum: true,
    object_with_union: true,
    optional: Optional::Kept,
    null: Null::Kept,
    objects: Objects::Kept,
    maps: Maps::Kept,
    tuples: true,
    untyped: true,
    items: Items::Any,
    all_of: AllOf::Kept,
    empty_objects: true,
    empty_required: true,
    recursion: Recursion::Kept,
    lone_ref: false,
    lone_union: false,
    first_keys: false,
    keywords: Accepts::All,
    formats: Formats::Any,
    enums: Enums::Any,
    vendor: false,
    ordering: false,
    omits_empty: false,
    limits: Limits::NONE,
};

/// 128 tools: openai-openapi `openapi.yaml` (2026-08-21).
const OPENAI_REQUEST: RequestLimits = RequestLimits {
    tools: Some(128),
    ..RequestLimits::NONE
};

pub(super) const OPENAI_STRICT: Rules = Rules {
    name: "openai_strict",
    strict: true,
    non_strict: Some(Dialect::OpenAiNonStrict),
    // Error text `string_above_max_length` (sentry-mcp#106, wcgw#51, open_deep_research#80, 2024-11
    // to 2025-04); no bound in `openapi.yaml` of 2026-08.
    description: Some(1024),
    // openai-openapi `openapi.yaml`, chat functions (2026-08-21).
    tool_name: NameRule::new("_-", 64),
    // openai-agents `strict_schema.py`, `_ensure_strict_root` and its tests (2026-08); the error text that stands with
    // `OPENAI_NON_STRICT`.
    root_union: false,
    root_enum: false,
    object_with_union: false,
    // Error texts "'required' is required … Missing" and "'additionalProperties' is required to be
    // supplied and to be false".
    optional: Optional::Null,
    objects: Objects::Closed,
    null: Null::List,
    maps: Maps::Entries,
    // In no document (2026-08).
    tuples: false,
    // openai-agents refuses `additionalProperties: true`; pydantic-ai `profiles/openai.py` (issue
    // 4425): an array must carry typed `items`.
    untyped: false,
    items: Items::Typed,
    // Copy of the documents, unitvectorylabs jsonschemaprofiles (2026-02).
    all_of: AllOf::Refused,
    // Documents: recursion through `$ref` is supported.
    recursion: Recursion::Kept,
    // Error text "$ref cannot have keywords {'description'}".
    lone_ref: true,
    // Error text "Consider adding a discriminator key", in 8 repositories, on o1.
    first_keys: true,
    // Copy of the documents (2026-02); pydantic-ai `_STRICT_INCOMPATIBLE_KEYS` and its tests. Error
    // texts: `default` and `oneOf` are not permitted (dotnet/extensions#6196, instructor#1074).
    // Python's `re`: see `OPENAI_NON_STRICT`.
    keywords: Accepts::Only(&[
        (Keyword::Pattern, Condition::PythonNoLookaround),
        (Keyword::Minimum, Condition::Always),
        (Keyword::Maximum, Condition::Always),
        (Keyword::ExclusiveMinimum, Condition::Always),
        (Keyword::ExclusiveMaximum, Condition::Always),
        (Keyword::MultipleOf, Condition::Always),
        (Keyword::MinItems, Condition::Always),
        (Keyword::MaxItems, Condition::Always),
    ]),
    // pydantic-ai's list; error text "'uri' is not a valid format" (can1357/oh-my-pi#206).
    formats: Formats::Only(&[
        "date",
        "date-time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "time",
        "uuid",
    ]),
    // Copy of the documents (2026-02); artifactize-core `limits.rs`.
    limits: Limits {
        request: OPENAI_REQUEST,
        properties: 5000,
        levels: 10,
        enum_values: 1000,
        characters: 120_000,
        enum_characters: 15_000,
    },
    ..JSON_SCHEMA
};

pub(super) const OPENAI_NON_STRICT: Rules = Rules {
    name: "openai_non_strict",
    tool_name: OPENAI_STRICT.tool_name,
    description: OPENAI_STRICT.description,
    // Error text "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"
    // (google-calendar-mcp#39, langchainjs#9804, cecli#281, home-generative-agent#545; 2025-06 to 2026-08). A report of
    // Responses that take a root `anyOf` stands alone.
    root_union: false,
    root_enum: false,
    // Error text "… is not a 'regex'": tools' patterns are compiled by Python's `re` (litellm#40485,
    // free-claude-code#1730; 2026-09).
    keywords: Accepts::AllBut(&[
        (Keyword::Pattern, Condition::Python),
        (Keyword::PatternProperties, Condition::Python),
    ]),
    // pydantic-ai issue 4425: wanted without `strict` too.
    items: Items::Filled,
    limits: Limits {
        request: OPENAI_REQUEST,
        ..Limits::NONE
    },
    ..JSON_SCHEMA
};

pub(super) const AZURE_STRICT: Rules = Rules {
    name: "azure_strict",
    // Microsoft's documents keep the limits and the keywords of 2024 (2026-08).
    keywords: Accepts::Only(&[]),
    formats: Formats::Only(&[]),
    limits: Limits {
        request: OPENAI_REQUEST,
        properties: 100,
        levels: 5,
        enum_values: 500,
        characters: 15_000,
        enum_characters: 7_500,
    },
    ..OPENAI_STRICT
};

pub(super) const ANTHROPIC: Rules = Rules {
    name: "anthropic",
    // Error text, and a published table of probes: 64, 65 and 128 characters are accepted.
    tool_name: NameRule::new("_-", 128),
    // Error text in about 10 issues; top level only (aws-solutions #709).
    argument_name: Some(NameRule::new("_.-", 64)),
    // claude-code #5319 and about 10 others: no oneOf, anyOf, allOf at the root.
    root_union: false,
    // Error text "input_schema: int too big to convert", of 9223372036854775807 after a client in JavaScript
    // (ai-toolkit#26, claude-code#48332; 2026-04 to 2026-06).
    keywords: Accepts::AllBut(&[
        (Keyword::Minimum, Condition::SafeInteger),
        (Keyword::Maximum, Condition::SafeInteger),
        (Keyword::ExclusiveMinimum, Condition::SafeInteger),
        (Keyword::ExclusiveMaximum, Condition::SafeInteger),
    ]),
    ..JSON_SCHEMA
};

pub(super) const ANTHROPIC_STRICT: Rules = Rules {
    name: "anthropic_strict",
    strict: true,
    non_strict: Some(Dialect::Anthropic),
    object_with_union: false,
    // The SDK keeps `required`; 24 optional keys a request (alphaXiv/agents#51), but only 16
    // parameters of union types (error text "… exceeds the limit: 16"): so absence, not null.
    optional: Optional::Absent,
    null: Null::AnyOf,
    // anthropic-sdk-python `lib/_parse/_transform.py` and its tests; vercel/ai
    // `sanitize-json-schema.ts` (2026-08).
    objects: Objects::Closed,
    maps: Maps::Entries,
    tuples: false,
    untyped: false,
    items: Items::Typed,
    all_of: AllOf::NoObjects,
    recursion: Recursion::Refused,
    keywords: Accepts::Only(&[(Keyword::MinItems, Condition::AtMost(1))]),
    formats: Formats::Only(&[
        "date",
        "date-time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "time",
        "uri",
        "uuid",
    ]),
    // 20 strict tools: pydantic-ai, Bedrock provider. The other two: see `optional`.
    limits: Limits {
        request: RequestLimits {
            tools: Some(20),
            optional_keys: Some(24),
            unions: Some(16),
        },
        ..Limits::NONE
    },
    ..ANTHROPIC
};

pub(super) const GEMINI_OPENAPI: Rules = Rules {
    name: "gemini_openapi",
    // googleapis `v1beta/content.proto`, `aiplatform/v1/tool.proto`; gemini-cli #6704, #7878.
    tool_name: NameRule::new("_.-", 64).with_first("_"),
    // `tool.proto`: the names of parameters.
    argument_name: Some(NameRule::new("_", 64).with_first("_")),
    root_union: false,
    object_with_union: false,
    // The protos' `nullable`; a list of types is unknown.
    null: Null::Nullable,
    // Error text "Unknown name … Cannot find field" (zed #44875, pizza-bot#62).
    objects: Objects::Unmarked,
    maps: Maps::Entries,
    tuples: false,
    // gemini-cli#4400: every node needs a type.
    untyped: false,
    items: Items::Typed,
    all_of: AllOf::Refused,
    // Error text "should be non-empty for OBJECT type".
    empty_objects: false,
    omits_empty: true,
    recursion: Recursion::Refused,
    // Vertex, error text "When using any_of, it must be the only field set" (opencode#14788 and #15795,
    // python-genai#625); litellm#11164 moves the words to the members, as is done here.
    lone_union: true,
    // The protos' fields.
    keywords: Accepts::Only(&[
        (Keyword::MinLength, Condition::Always),
        (Keyword::MaxLength, Condition::Always),
        (Keyword::Pattern, Condition::Always),
        (Keyword::Minimum, Condition::Always),
        (Keyword::Maximum, Condition::Always),
        (Keyword::MinItems, Condition::Always),
        (Keyword::MaxItems, Condition::Always),
        (Keyword::MinProperties, Condition::Always),
        (Keyword::MaxProperties, Condition::Always),
    ]),
    // gemini-cli#3178, error text.
    formats: Formats::Only(&["date-time"]),
    // Error text "enum only allowed for STRING type" (gemini-cli#4127, bifrost#25); "enum[0]: cannot be empty".
    enums: Enums::Strings,
    ordering: true,
    ..JSON_SCHEMA
};

pub(super) const GEMINI_JSON: Rules = Rules {
    name: "gemini_json",
    tool_name: GEMINI_OPENAPI.tool_name,
    root_union: false,
    // googleapis `generative_service.proto`, text of responseJsonSchema, which parametersJsonSchema
    // is taken to follow.
    null: Null::List,
    maps: Maps::AnyKey,
    // Its list of keywords has no allOf.
    all_of: AllOf::Refused,
    recursion: Recursion::Optional,
    lone_ref: true,
    keywords: Accepts::Only(&[
        (Keyword::Minimum, Condition::Always),
        (Keyword::Maximum, Condition::Always),
        (Keyword::MinItems, Condition::Always),
        (Keyword::MaxItems, Condition::Always),
    ]),
    enums: Enums::NoBooleans,
    ..JSON_SCHEMA
};

pub(super) const BEDROCK: Rules = Rules {
    name: "bedrock",
    // botocore `bedrock-runtime/service-2.json`.
    tool_name: NameRule::new("_-", 64),
    // Claude's rules, in the same words.
    ..ANTHROPIC
};

pub(super) const DEEPSEEK_STRICT: Rules = Rules {
    name: "deepseek_strict",
    description: None,
    // rig-core 0.46 `providers/deepseek.rs` and its 13 tests, some of which tell live results: no
    // list of types with object or array, no `$ref` inside `anyOf`, no empty object below the root.
    null: Null::ScalarList,
    empty_objects: false,
    recursion: Recursion::Refused,
    first_keys: false,
    keywords: Accepts::Only(&[
        (Keyword::Pattern, Condition::NoLookaround),
        (Keyword::Minimum, Condition::Always),
        (Keyword::Maximum, Condition::Always),
        (Keyword::ExclusiveMinimum, Condition::Always),
        (Keyword::ExclusiveMaximum, Condition::Always),
        (Keyword::MultipleOf, Condition::Always),
    ]),
    formats: Formats::Only(&["email", "hostname", "ipv4", "ipv6", "uuid"]),
    limits: Limits::NONE,
    ..OPENAI_STRICT
};

pub(super) const OLLAMA: Rules = Rules {
    name: "ollama",
    // No rule is known; the name of a tool reaches models through OpenAI's form as well.
    tool_name: OPENAI_STRICT.tool_name,
    root_union: false,
    // `api/types.go` (2026-08-21): all that its structs do not have is dropped and not told.
    objects: Objects::Narrowed,
    maps: Maps::Entries,
    tuples: false,
    all_of: AllOf::Refused,
    recursion: Recursion::Refused,
    keywords: Accepts::Only(&[]),
    formats: Formats::Only(&[]),
    ..JSON_SCHEMA
};

pub(super) const MISTRAL: Rules = Rules {
    name: "mistral",
    description: None,
    // witsy#164, error text: 64 characters. `strict` is accepted (vercel/ai).
    ..OPENAI_STRICT
};

pub(super) const GROQ: Rules = Rules {
    name: "groq",
    description: None,
    // Its documents: all keys required, objects closed. Error text "'required' present but 'properties' is missing", of
    // empty ones (livekit/agents#5082, strix#1088; 2026-03 to 2026-08).
    empty_required: false,
    ..OPENAI_STRICT
};

pub(super) const XAI: Rules = Rules {
    name: "xai",
    description: None,
    // vercel/ai strips `additionalProperties: false` before it sends.
    objects: Objects::Unmarked,
    ..OPENAI_STRICT
};

pub(super) const VLLM: Rules = Rules {
    name: "vllm_xgrammar",
    tool_name: OPENAI_STRICT.tool_name,
    // `backend_xgrammar.py` (2026-11): no `propertyNames` beside what the values are.
    maps: Maps::AnyKey,
    keywords: Accepts::AllBut(&[
        // `backend_xgrammar.py` (2026-08) refuses them.
        (Keyword::MultipleOf, Condition::Never),
        (Keyword::UniqueItems, Condition::Never),
        (Keyword::Contains, Condition::Never),
        (Keyword::MinContains, Condition::Never),
        (Keyword::MaxContains, Condition::Never),
        (Keyword::PropertyNames, Condition::Never),
        (Keyword::PatternProperties, Condition::Never),
        (Keyword::MinLength, Condition::NoPatternNorFormat),
        (Keyword::MaxLength, Condition::NoPatternNorFormat),
        // xgrammar 0.2.8 itself: an error beyond 64 bits; vLLM's other backend is llguidance.
        (Keyword::Minimum, Condition::SafeInteger),
        (Keyword::Maximum, Condition::SafeInteger),
        (Keyword::ExclusiveMinimum, Condition::SafeInteger),
        (Keyword::ExclusiveMaximum, Condition::SafeInteger),
        (Keyword::MinProperties, Condition::NoneOptional),
        (Keyword::MaxProperties, Condition::NoneOptional),
        // xgrammar 0.2.8: an error; of `\p{…}` a warning, and any character then.
        (Keyword::Pattern, Condition::RegularNoProperties),
        // The same: these change nothing in its grammar, and nothing says so.
        (Keyword::UnevaluatedItems, Condition::Never),
        (Keyword::UnevaluatedProperties, Condition::Never),
        (Keyword::DependentRequired, Condition::Never),
        (Keyword::DependentSchemas, Condition::Never),
        (Keyword::Not, Condition::Never),
        (Keyword::If, Condition::Never),
        (Keyword::Then, Condition::Never),
        (Keyword::Else, Condition::Never),
    ]),
    formats: Formats::Only(&[
        "date",
        "date-time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "time",
        "uri",
        "uuid",
    ]),
    ..JSON_SCHEMA
};

pub(super) const LLGUIDANCE: Rules = Rules {
    name: "llguidance",
    // `docs/json_schema.md`, and llguidance 1.9.1 itself: what it does not know is an error.
    keywords: Accepts::AllBut(&[
        (Keyword::UniqueItems, Condition::Never),
        (Keyword::Contains, Condition::Never),
        (Keyword::MinContains, Condition::Never),
        (Keyword::MaxContains, Condition::Never),
        (Keyword::UnevaluatedItems, Condition::Never),
        (Keyword::PropertyNames, Condition::Never),
        (Keyword::UnevaluatedProperties, Condition::Never),
        (Keyword::DependentRequired, Condition::Never),
        (Keyword::DependentSchemas, Condition::Never),
        (Keyword::Not, Condition::Never),
        (Keyword::If, Condition::Never),
        (Keyword::Then, Condition::Never),
        (Keyword::Else, Condition::Never),
        (Keyword::Pattern, Condition::Regular),
        // "Unable to determine if regex is empty", of lengths beside a pattern that matches inside a text.
        (Keyword::MinLength, Condition::NoInnerPattern),
        (Keyword::MaxLength, Condition::NoInnerPattern),
        // "Failed to generate regex for integer range" from 10^18 on, and "… for float range".
        (Keyword::Minimum, Condition::SafeInteger),
        (Keyword::Maximum, Condition::SafeInteger),
        (Keyword::ExclusiveMinimum, Condition::SafeInteger),
        (Keyword::ExclusiveMaximum, Condition::SafeInteger),
        // "min/maxProperties only supported when all keys listed in "properties" are required".
        (Keyword::MinProperties, Condition::NoneOptional),
        (Keyword::MaxProperties, Condition::NoneOptional),
    ]),
    ..VLLM
};

pub(super) const MCP_2026_07_28: Rules = Rules {
    name: "mcp_2026_07_28",
    // The specification: names SHOULD be these.
    tool_name: NameRule::new("_.-", 128),
    // SEP-2106 admits any keyword beside `type: "object"`; hosts hand the schema on to providers that refuse root unions.
    root_union: false,
    // SEP-2243: `x-mcp-header`.
    vendor: true,
    ..JSON_SCHEMA
};

pub(super) const MCP_2025_11_25: Rules = Rules {
    name: "mcp_2025_11_25",
    ..MCP_2026_07_28
};

pub(super) const MCP_2025_06_18: Rules = Rules {
    name: "mcp_2025_06_18",
    ..MCP_2025_11_25
};

pub(super) const MCP_2025_03_26: Rules = Rules {
    name: "mcp_2025_03_26",
    ..MCP_2025_11_25
};
