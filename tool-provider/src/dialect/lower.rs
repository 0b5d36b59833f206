//! Lowering of a canonical schema to a dialect.

mod array;
mod cycles;
mod null;
mod object;
mod renamed;
mod root;
mod text;
mod union;
mod words;

use std::sync::Arc;

pub use self::root::object_root;
use super::Dialect;
use super::canonical::canonical;
use super::inverse::{Inverse, Step};
use super::report::{LowerError, LowerErrorCode, Note, NoteKind};
use super::rules::{Null, NullPresence, ObjectForm, Root, Rules};
use super::shared::shared;
use super::size::Size;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::canonical::Canonical;
use toolwright_schema::read::keywords::{Keywords, typed, union};
use toolwright_schema::read::{Ordered, Pair, Parts, Path, with_subtypes};
use toolwright_schema::render::SchemaDoc;

/// A schema as a dialect accepts it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Lowered {
    /// The schema's text; nothing where a tool without parameters is sent without one.
    pub schema: Option<String>,
    /// Restores a model's arguments.
    pub inverse: Inverse,
    /// Notes on keywords that are not in the schema, in order.
    pub notes: Vec<Note>,
    /// True if the provider is asked to enforce the schema.
    pub strict: bool,
    /// Keys that may be missing, which a request may limit: [`Dialect::request_limits`].
    pub optional_keys: usize,
    /// Values of one of several types, which a request may limit too.
    pub unions: usize,
}

impl Lowered {
    /// All of it as JSON: `{"ok":{…},"plan":[…],"notes":[…]}`; `"ok":null` where no schema is sent.
    pub fn to_json(&self) -> String {
        let steps: Vec<_> = self.inverse.steps().iter().map(Step::to_json).collect();
        let notes: Vec<_> = self.notes.iter().map(Note::to_json).collect();
        format!(
            "{{\"ok\":{},\"plan\":[{}],\"notes\":[{}]}}",
            self.schema.as_deref().unwrap_or("null"),
            steps.join(","),
            notes.join(",")
        )
    }
}

/// Converts the schema of a tool's arguments to a form that a dialect accepts.
///
/// A rule that the dialect cannot express becomes a part of a description if possible, and a [`Note`] in any case. So a
/// lowered schema guarantees the structure of the arguments, and the tool's decoder the rest.
///
/// An object that declares `properties` and is silent about others has no others. One that declares
/// none (`{"type": "object"}`), or requires or counts on more than it declares, takes any key: where
/// a dialect knows closed objects alone it is sent as a list of entries, or refused. Only a root
/// without keys is closed where the provider has no looser mode, and a [`Note`] says so.
///
/// A value below the root whose schema the dialect refuses (any type, an open or empty object, a type inside itself) is a
/// string of JSON, with a [`Note`].
///
/// A root that is a union, a reference or of any type is brought into one object where the dialect takes no other: the keys of all
/// alternatives, those required that all require, and the alternatives in words. It admits more than the schema does.
///
/// # Errors
/// When the dialect cannot say the schema.
pub fn lower(schema: &SchemaDoc, dialect: Dialect) -> Result<Lowered, LowerError> {
    let lowering = Lowering::of(schema, dialect.rules());
    lowering.of_document(schema).map_err(|mut rejects| {
        // There is one: the first ended it.
        let other = LowerError::new(LowerErrorCode::UntypedSchema, "/");
        rejects.pop().unwrap_or(other)
    })
}

/// Lowers a schema as `lower` does, and returns all rejections. A rejection hides those inside it.
pub fn lower_all(schema: &SchemaDoc, dialect: Dialect) -> Result<Lowered, Vec<LowerError>> {
    let lowering = Lowering {
        tells_all: true,
        ..Lowering::of(schema, dialect.rules())
    };
    lowering.of_document(schema)
}

/// Settings of a lowering.
struct Lowering {
    rules: &'static Rules,
    /// Rejections are collected and do not end the lowering.
    tells_all: bool,
    /// Keys may be renamed: the schema arrived at run time. The author of a type can rename its keys.
    renames_keys: bool,
}

impl Lowering {
    /// Returns the settings for the schema of a tool's arguments; the first rejection ends the lowering.
    fn of(schema: &SchemaDoc, rules: &'static Rules) -> Self {
        Self {
            rules,
            tells_all: false,
            renames_keys: schema.shape().is_none(),
        }
    }

    fn of_document(&self, schema: &SchemaDoc) -> Result<Lowered, Vec<LowerError>> {
        let schema = schema.to_provider();
        if self.renames_keys
            && let Some(united) = with_subtypes(&schema)
            && let Ok(lowered) = self.run(united)
        {
            return Ok(lowered);
        }
        self.run(schema)
    }

    fn run(&self, schema: Ordered) -> Result<Lowered, Vec<LowerError>> {
        let rules = self.rules;
        let mut notes = Vec::new();
        let mut canonical = canonical(schema, &mut notes).map_err(|reject| vec![reject])?;
        let mut partial = Vec::new();
        if rules.root(root(&canonical.root)).is_some() {
            partial = root::flatten(&mut canonical, &mut notes).map_err(|reject| vec![reject])?;
        }
        let endless = cycles::through_required(&canonical);
        let mut root = canonical.take_root();
        let mut pass = Lowerer {
            rules,
            canonical: &canonical,
            endless,
            partial,
            path: Path::default(),
            steps: Vec::new(),
            notes,
            tells_all: self.tells_all,
            rejects: Vec::new(),
        };
        if self.renames_keys {
            pass.rename_arguments(&mut root);
        }
        let lowered = pass.node(root, SchemaPath::ROOT);
        let mut lowered = match lowered {
            Ok(lowered) => lowered,
            Err(reject) => {
                self.refused(reject, &mut pass.rejects)?;
                typed(ANYTHING)
            }
        };
        // A value that is sent as a string of JSON may have been the only one to refer to a type.
        let mut named = Vec::new();
        referred(&lowered, &mut named);
        let mut defs: Vec<Pair> = Vec::new();
        while let Some((name, body)) = canonical.defs.iter().find(|(name, _)| {
            named.contains(&name.to_string()) && !defs.iter().any(|(known, _)| known == name)
        }) {
            pass.path = Path::of_definition(name);
            let mark = pass.path.as_str().len();
            let body = match pass.entered(mark, body.clone(), SchemaPath::INNER) {
                Ok(body) => body,
                Err(reject) => {
                    self.refused(reject, &mut pass.rejects)?;
                    typed(ANYTHING)
                }
            };
            referred(&body, &mut named);
            defs.push((name.clone(), body));
        }
        defs.sort_by(|(a, _), (b, _)| a.cmp(b));
        if let (Ordered::Object(entries), false) = (&mut lowered, defs.is_empty()) {
            entries.push((Keyword::Defs.into(), Ordered::Object(defs)));
        }
        let size = Size::of(&lowered);
        if let Some((what, is, most)) = size.beyond(&rules.limits) {
            let what = format!("{is}{what}, at most {most}");
            pass.rejects.push(LowerError::too_large("/", what));
        }
        if !pass.rejects.is_empty() {
            return Err(pass.rejects);
        }
        let is_empty = lowered.declared().is_some_and(<[_]>::is_empty);
        let schema = (!(rules.omits_empty && is_empty)).then(|| {
            let mut text = String::with_capacity(512);
            lowered.write(&mut text);
            let shared = shared(&text, || lowered.clone());
            shared.filter(|_| rules.has_references()).unwrap_or(text)
        });
        Ok(Lowered {
            schema,
            inverse: Inverse::new(pass.steps, Arc::new(lowered)),
            notes: pass.notes,
            strict: rules.strict,
            optional_keys: size.optional_keys,
            unions: size.unions,
        })
    }

    /// Records a rejection and continues, or ends with it.
    fn refused(
        &self,
        reject: LowerError,
        rejects: &mut Vec<LowerError>,
    ) -> Result<(), Vec<LowerError>> {
        rejects.push(reject);
        if self.tells_all {
            Ok(())
        } else {
            Err(std::mem::take(rejects))
        }
    }
}

/// Collects the names of the definitions that a schema refers to.
fn referred(schema: &Ordered, names: &mut Vec<String>) {
    let name = schema
        .reference()
        .and_then(|target| target.strip_prefix("#/$defs/"));
    names.extend(name.map(str::to_owned));
    schema.inside(&mut |member| referred(member, names));
}

/// The type that replaces a refused one, to find more rejections.
const ANYTHING: &str = "string";

/// Returns the kind of a schema of arguments.
fn root(schema: &Ordered) -> Root {
    match schema.text(Keyword::Type) {
        _ if schema.has(Keyword::Ref) => Root::Other,
        Some("object") if schema.has(Keyword::AnyOf) => Root::WithUnion,
        Some("object") if schema.has(Keyword::AllOf) => Root::WithAllOf,
        Some("object") => Root::Object,
        _ => Root::Other,
    }
}

/// Position of a schema.
#[derive(Clone, Copy)]
struct SchemaPath {
    is_root: bool,
    /// Presence of `null` that the position asks for.
    null: NullPresence,
}

impl SchemaPath {
    const ROOT: Self = Self {
        is_root: true,
        null: NullPresence::AsSaid,
    };
    const INNER: Self = Self {
        is_root: false,
        null: NullPresence::AsSaid,
    };
}

struct Lowerer<'c> {
    rules: &'static Rules,
    canonical: &'c Canonical,
    /// The references to types of which no value would end.
    endless: Vec<String>,
    /// Keys of the object that comes next that not every alternative of it has.
    partial: Vec<String>,
    path: Path,
    steps: Vec<Step>,
    notes: Vec<Note>,
    tells_all: bool,
    /// Rejections so far, if they do not end the lowering.
    rejects: Vec<LowerError>,
}

impl Lowerer<'_> {
    fn refuse<T>(&self, code: LowerErrorCode) -> Result<T, LowerError> {
        Err(LowerError::new(code, self.path.at()))
    }

    /// Refuses a schema that breaks a rule.
    fn ask(&self, refused: Option<LowerErrorCode>) -> Result<(), LowerError> {
        refused.map_or(Ok(()), |code| self.refuse(code))
    }

    fn note(&mut self, kind: NoteKind, keyword: &str, value: &Ordered) {
        self.notes.push(Note {
            kind,
            path: self.path.at(),
            keyword: keyword.to_owned(),
            value: value.to_json(),
        });
    }

    /// Leaves keywords out, with a note of each; whether there was one.
    fn leave_out(&mut self, keywords: &mut Keywords, out: &[Keyword]) -> bool {
        let before = keywords.0.len();
        for keyword in out {
            if let Some(value) = keywords.take(*keyword) {
                self.note(NoteKind::Dropped, keyword.as_str(), &value);
            }
        }
        keywords.0.len() < before
    }

    /// Lowers a part of the schema.
    fn inner(
        &mut self,
        part: &str,
        schema: Ordered,
        spot: SchemaPath,
    ) -> Result<Ordered, LowerError> {
        let mark = self.path.enter(part);
        self.entered(mark, schema, spot)
    }

    /// Lowers the part that the path has been led to, and goes back to `mark`.
    fn entered(
        &mut self,
        mark: usize,
        schema: Ordered,
        spot: SchemaPath,
    ) -> Result<Ordered, LowerError> {
        let original = self.rules.refuses_values().then(|| schema.clone());
        let (steps, notes) = (self.steps.len(), self.notes.len());
        let mut lowered = self.node(schema, spot);
        if let (Some(schema), Err(reject)) = (original, &lowered)
            && reject.code.is_sent_as_text()
        {
            self.steps.truncate(steps);
            self.notes.truncate(notes);
            lowered = Ok(self.text(&schema, spot, reject.code));
        }
        self.path.leave(mark);
        match lowered {
            Err(reject) if self.tells_all => {
                self.rejects.push(reject);
                Ok(typed(ANYTHING))
            }
            lowered => lowered,
        }
    }

    fn node(&mut self, schema: Ordered, spot: SchemaPath) -> Result<Ordered, LowerError> {
        let mut keywords = match schema {
            Ordered::Object(entries) => Keywords(entries),
            never => return self.ask(self.rules.no_value()).map(|()| never),
        };
        if !self.rules.vendor {
            self.drop_vendor(&mut keywords);
        }
        if self.rules.null == Null::Kept {
            return self.value(keywords, spot);
        }
        let said = self.take_null(&mut keywords);
        if said && spot.null == NullPresence::Never {
            self.drop_width(&mut keywords);
        }
        let is_nullable = spot.null.admits(said);
        let mark = self.steps.len();
        let value = self.value(keywords, spot)?;
        Ok(if is_nullable {
            self.or_null(value, mark)
        } else {
            value
        })
    }

    /// Keywords of no JSON Schema.
    fn drop_vendor(&mut self, keywords: &mut Keywords) {
        let is_vendor = |(key, _): &mut Pair| !Keyword::of(key).is_some_and(Keyword::is_lowered);
        for (key, value) in keywords.0.extract_if(.., is_vendor) {
            self.note(NoteKind::Dropped, &key, &value);
        }
    }

    /// A value other than `null`.
    fn value(&mut self, mut keywords: Keywords, spot: SchemaPath) -> Result<Ordered, LowerError> {
        if keywords.has(Keyword::AllOf) {
            self.all_of(&mut keywords)?;
        }
        if keywords.has(Keyword::Ref) {
            return self.reference(keywords);
        }
        if keywords.has(Keyword::AnyOf) {
            return self.union(keywords, spot);
        }
        if !keywords.has(Keyword::Type) && !keywords.has(Keyword::AllOf) {
            self.ask(self.rules.any_value())?;
            return Ok(self.finished(keywords));
        }
        let (is_object, is_array) = (keywords.is_of("object"), keywords.is_of("array"));
        let is_several = keywords.types().count() > 1;
        if is_several && self.rules.splits_types(is_object || is_array) {
            return self.split(keywords);
        }
        if spot.is_root {
            if !self.rules.root_enum {
                self.in_words(&mut keywords, &[Keyword::Enum, Keyword::Not]);
            }
            self.narrow_bare_root(&mut keywords);
        }
        if is_object {
            let form = self.form(&keywords, spot, !is_several)?;
            if form == ObjectForm::Entries {
                let entries = self.entries(keywords)?;
                // A list, however many entries there are: a tuple of them would be undone twice.
                return self.list(entries);
            }
            self.object(&mut keywords, spot)?;
        }
        if is_array {
            return self.array(keywords);
        }
        Ok(self.finished(keywords))
    }

    fn all_of(&mut self, keywords: &mut Keywords) -> Result<(), LowerError> {
        let members = keywords.take_list(Keyword::AllOf);
        let is_object = |member: &Ordered| {
            member.is_of("object") || member.has_any(&[Keyword::Properties, Keyword::Ref])
        };
        let members = match self.rules.all_of(members.iter().any(is_object)) {
            Ok(true) => members,
            Ok(false) => self.parts('?', members)?,
            Err(code) => return self.refuse(code),
        };
        keywords.set(Keyword::AllOf, Ordered::Array(members));
        Ok(())
    }

    /// Lowers the members of a list, each at its number.
    fn parts(&mut self, sign: char, members: Vec<Ordered>) -> Result<Vec<Ordered>, LowerError> {
        let members = members.into_iter().enumerate();
        members
            .map(|(index, member)| {
                let mark = self.path.enter_numbered(sign, index);
                self.entered(mark, member, SchemaPath::INNER)
            })
            .collect()
    }

    /// A type that contains itself.
    fn reference(&mut self, mut keywords: Keywords) -> Result<Ordered, LowerError> {
        let target = keywords.reference();
        let is_required = self.endless.iter().any(|known| target == Some(known));
        self.ask(self.rules.edge_back(is_required))?;
        if !self.rules.lone_ref || keywords.0.len() == 1 {
            return Ok(self.finished(keywords));
        }
        // Titles and descriptions are around a union of one.
        let reference = keywords.take(Keyword::Ref).into_iter();
        let alone = reference.map(|target| Keywords::of([(Keyword::Ref, target)]).into_schema());
        let mut out = union(alone.collect());
        let beside = [
            Keyword::Type,
            Keyword::Properties,
            Keyword::Required,
            Keyword::AdditionalProperties,
            Keyword::AnyOf,
        ];
        self.leave_out(&mut keywords, &beside);
        out.0.append(&mut keywords.0);
        Ok(self.finished(out))
    }
}
