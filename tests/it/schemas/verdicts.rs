//! What a dialect says of a type when it compiles, and of its schema when it runs.

use toolwright::{
    Dialect, Schema,
    dialect::{Acceptance, LowerErrorCode, lower},
    schema::{Id, Kind, Refs, SchemaDoc, Shape, Variant},
    tool, tools,
    toolset::{Problem, ProblemCode},
};

use crate::schemas::{none, rows};

fn told(schema: &SchemaDoc, dialect: Dialect) -> Option<(String, String)> {
    let verdict = dialect.verdict(schema.shape()?, &Refs::NONE);
    let ran = lower(schema, dialect);
    let ran = match &ran {
        Ok(_) => "accepted".to_owned(),
        Err(reject) => reject.code.as_str().to_owned(),
    };
    let compiled = match verdict {
        Acceptance::Accepted => "accepted".to_owned(),
        Acceptance::Refused(code, _) => code.as_str().to_owned(),
        // What is opaque may be either.
        Acceptance::Opaque(_) => return None,
    };
    // A root is brought into one object when it runs, and a union is sent as a string of JSON. The
    // verdict refuses both, since their author can write them exactly.
    let is_authors = [
        "root_not_object",
        "root_union",
        "object_with_union",
        "union_first_key",
    ];
    if is_authors.contains(&compiled.as_str()) && ran == "accepted" {
        return None;
    }
    // Of several rules that stand against a type either may be told.
    let differ = (compiled == "accepted") != (ran == "accepted");
    differ.then_some((compiled, ran))
}

/// The report of a toolset says of a tool what lowering says of its arguments, and so what its
/// verdict said when it compiled.
#[test]
fn what_compiles_is_what_a_report_accepts() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in &rows() {
        let tools = (row.tools)();
        let Some(def) = tools.definitions().next() else {
            continue;
        };
        for dialect in Dialect::ALL {
            seen += 1;
            let report = tools.check(dialect);
            let first = lower(&def.input, dialect).err();
            // What a request may hold is a rule of toolsets; one tool of one argument is within it.
            let is_told = first.is_none_or(|reject| {
                let same = |problem: &Problem| {
                    problem.code == ProblemCode::Rejected(reject.code)
                        && problem.path.as_ref() == Some(&reject.path)
                };
                report.errors().any(same)
            });
            let verdict = def
                .input
                .shape()
                .map(|shape| dialect.verdict(shape, &Refs::NONE));
            let agrees = match verdict {
                Some(Acceptance::Accepted) => report.is_accepted(),
                // Its author can say it exactly.
                Some(Acceptance::Refused(LowerErrorCode::UnionFirstKey, _)) => true,
                Some(Acceptance::Refused(..)) => !report.is_accepted(),
                _ => true,
            };
            if !is_told || !agrees {
                wrong.push(format!(
                    "{}: {verdict:?} when it compiles: {report}",
                    row.name
                ));
            }
        }
    }
    assert!(seen > 1500, "{seen}");
    none(wrong);
}

/// As an argument of a tool, and as all of its arguments.
#[test]
fn what_compiles_is_what_the_provider_accepts() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in &rows() {
        let tools = (row.tools)();
        let argument = tools.definitions().next().map(|def| def.input.clone());
        for dialect in Dialect::ALL {
            for schema in argument.iter().chain([&row.schema]) {
                seen += 1;
                if let Some((compiled, ran)) = told(schema, dialect) {
                    let input = schema.as_json();
                    wrong.push(format!(
                        "{} {dialect}: {compiled} when it compiles, {ran} when it runs: {input:.300}",
                        row.name
                    ));
                }
            }
        }
    }
    assert!(seen > 3000, "{seen}");
    none(wrong);
}

/// A provider would refuse the request. An author hears of it when the list compiles; for others, lowering says it in words.
#[test]
fn a_verdict_refuses_what_lowering_says_in_words() {
    /// Looks up a name.
    #[tool]
    fn find(#[arg(pattern = r"^\p{L}+$")] name: String) -> String {
        name
    }
    /// Pays.
    #[tool]
    fn pay(#[arg(range(..=9_007_199_254_740_993))] micros: Option<u64>) -> bool {
        micros.is_some()
    }
    /// Pays less.
    #[tool]
    fn tip(#[arg(range(-9_007_199_254_740_992..))] micros: i64) -> bool {
        micros > 0
    }
    let pattern = ("/name", LowerErrorCode::Pattern);
    let bound = ("/micros", LowerErrorCode::WideBound);
    let expected = [
        (tools![find], Dialect::OpenAiStrict, Some(pattern)),
        (tools![find], Dialect::OpenAiNonStrict, Some(pattern)),
        (tools![find], Dialect::AzureStrict, None),
        (tools![find], Dialect::Anthropic, None),
        (tools![pay], Dialect::Anthropic, Some(bound)),
        (tools![pay], Dialect::Bedrock, Some(bound)),
        (tools![pay], Dialect::Vllm, Some(bound)),
        (tools![pay], Dialect::AnthropicStrict, None),
        (tools![pay], Dialect::OpenAiStrict, None),
        (tools![tip], Dialect::Anthropic, None),
    ];
    for (tools, dialect, refused) in expected {
        let def = tools.definitions().next().unwrap();
        let verdict = dialect.verdict(def.input.shape().unwrap(), &Refs::NONE);
        let found = match &verdict {
            Acceptance::Refused(code, steps) => {
                Some((format!("/{}", steps.names().join("/")), *code))
            }
            _ => None,
        };
        let refused = refused.map(|(path, code)| (path.to_owned(), code));
        assert_eq!(found, refused, "{} in {dialect}", def.name);
        let lowered = lower(&def.input, dialect).unwrap();
        let is_told = lowered
            .notes
            .iter()
            .any(|note| note.keyword == "pattern" || note.keyword == "maximum");
        assert!(is_told || refused.is_none(), "{} in {dialect}", def.name);
    }
}

/// What a list is told of a request's limits is what is counted when it is sent.
#[test]
fn a_demand_is_what_lowering_counts() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in &rows() {
        let tools = (row.tools)();
        let argument = tools.definitions().next().map(|def| def.input.clone());
        for schema in argument.iter().chain([&row.schema]) {
            let dialect = Dialect::AnthropicStrict;
            let (Some(shape), Ok(lowered)) = (schema.shape(), lower(schema, dialect)) else {
                continue;
            };
            if !matches!(dialect.verdict(shape, &Refs::NONE), Acceptance::Accepted) {
                continue;
            }
            seen += 1;
            let told = dialect.analyze(shape, &Refs::NONE).size;
            let (compiled, ran) = (
                (told.optional_keys, told.unions),
                (lowered.optional_keys, lowered.unions),
            );
            if compiled != ran {
                let text = lowered.schema.unwrap_or_default();
                wrong.push(format!(
                    "{}: {compiled:?} when it compiles, {ran:?} when it runs: {text:.600}",
                    row.name
                ));
            }
        }
    }
    assert!(seen > 150, "{seen}");
    none(wrong);
}

/// `COUNT` names of `LENGTH` characters, each of `BYTES` bytes.
struct Names<const COUNT: usize, const LENGTH: usize, const BYTES: usize>;

impl<const COUNT: usize, const LENGTH: usize, const BYTES: usize> Names<COUNT, LENGTH, BYTES> {
    const TEXT: [u8; 16 * 1024] = text(COUNT, LENGTH, BYTES);
    const VARIANTS: [Variant<'static>; COUNT] = {
        let mut variants = [Variant::new("", ""); COUNT];
        let mut index = 0;
        while index < COUNT {
            let (_, rest) = Self::TEXT.split_at(index * LENGTH * BYTES);
            let (name, _) = rest.split_at(LENGTH * BYTES);
            variants[index] = match std::str::from_utf8(name) {
                Ok(name) => Variant::new(name, ""),
                Err(_) => panic!("no text"),
            };
            index += 1;
        }
        variants
    };
}

/// Numbers one behind the other, in digits of one byte, or in letters of two.
const fn text(count: usize, length: usize, bytes: usize) -> [u8; 16 * 1024] {
    let mut text = [0; 16 * 1024];
    let mut number = 0;
    while number < count {
        let mut rest = number;
        let mut place = length;
        while place > 0 {
            place -= 1;
            let digit = b"0123456789"[rest % 10];
            let at = (number * length + place) * bytes;
            if bytes == 1 {
                text[at] = digit;
            } else {
                text[at] = 0xc3;
                text[at + 1] = 0x70 + digit;
            }
            rest /= 10;
        }
        number += 1;
    }
    text
}

impl<const COUNT: usize, const LENGTH: usize, const BYTES: usize> Schema
    for Names<COUNT, LENGTH, BYTES>
{
    const ID: Id = Id::NONE;
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Enum(&Self::VARIANTS));
    const REFS: &'static Refs = &Refs::NONE;
}

/// One argument of a type.
struct Only<T>(std::marker::PhantomData<T>);

impl<T: Schema> Schema for Only<T> {
    const ID: Id = Id::NONE;
    const SHAPE: &'static Shape<'static> =
        &Shape::object(&[toolwright::schema::Field::new("a", "", T::SHAPE)]);
    const REFS: &'static Refs = &Refs::NONE;
}

/// How large a schema may be: just as large, and one more.
#[test]
fn what_is_too_large_is_so_when_it_compiles() {
    type Deep5 = [[[[u8; 1]; 1]; 1]; 1];
    type Keys100 = ([[u8; 8]; 8], [u8; 8], [u8; 8], (u8, u8, u8, u8, u8, u8, u8));
    type Keys101 = (
        [[u8; 8]; 8],
        [u8; 8],
        [u8; 8],
        (u8, u8, u8, u8, u8, u8, u8, u8),
    );
    let schema = |dialect, schema: SchemaDoc, fits| (dialect, schema, fits);
    let azure = Dialect::AzureStrict;
    let openai = Dialect::OpenAiStrict;
    let table = [
        schema(azure, SchemaDoc::of::<Only<Deep5>>(), true),
        schema(azure, SchemaDoc::of::<Only<[Deep5; 1]>>(), false),
        schema(openai, SchemaDoc::of::<Only<[Deep5; 1]>>(), true),
        schema(azure, SchemaDoc::of::<Only<Keys100>>(), true),
        schema(azure, SchemaDoc::of::<Only<Keys101>>(), false),
        schema(azure, SchemaDoc::of::<Only<Names<500, 3, 1>>>(), true),
        schema(azure, SchemaDoc::of::<Only<Names<501, 3, 1>>>(), false),
        schema(
            azure,
            SchemaDoc::of::<Only<Option<Names<500, 3, 1>>>>(),
            true,
        ),
        schema(openai, SchemaDoc::of::<Only<Names<1000, 4, 1>>>(), true),
        schema(openai, SchemaDoc::of::<Only<Names<1001, 4, 1>>>(), false),
        // Characters of one enum, where it is a large one, and of all.
        schema(azure, SchemaDoc::of::<Only<Names<250, 31, 1>>>(), true),
        schema(azure, SchemaDoc::of::<Only<Names<251, 31, 1>>>(), false),
        schema(azure, SchemaDoc::of::<Only<Names<251, 20, 2>>>(), true),
        schema(azure, SchemaDoc::of::<Only<Names<240, 62, 1>>>(), true),
        schema(azure, SchemaDoc::of::<Only<Names<240, 63, 1>>>(), false),
        schema(azure, SchemaDoc::of::<Only<Names<240, 33, 2>>>(), true),
    ];
    let mut wrong = Vec::new();
    for (row, (dialect, schema, fits)) in table.iter().enumerate() {
        let compiled = schema
            .shape()
            .map(|shape| dialect.verdict(shape, &Refs::NONE));
        let compiled = match compiled {
            Some(Acceptance::Accepted) => true,
            Some(Acceptance::Refused(LowerErrorCode::TooLarge, _)) => false,
            other => panic!("row {row}: {other:?}"),
        };
        let ran = lower(schema, *dialect).map(|_| ());
        let is_large = ran
            .as_ref()
            .is_err_and(|reject| reject.code == LowerErrorCode::TooLarge);
        assert!(ran.is_ok() || is_large, "row {row}: {ran:?}");
        if compiled != *fits || ran.is_ok() != *fits {
            wrong.push(format!(
                "row {row} {dialect}: {compiled} when it compiles, {ran:?} when it runs"
            ));
        }
    }
    none(wrong);
}
