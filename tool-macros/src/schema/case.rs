/// Rule for names of fields and variants: `#[serde(rename_all = "…")]`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RenameRule {
    #[default]
    None,
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl RenameRule {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// This rule, or `other` if there is none.
    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::None { other } else { self }
    }

    /// A field, which Rust spells in `snake_case`.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::None | Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => lower_first(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// A variant, which Rust spells in `PascalCase`.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::None | Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for char in name.chars() {
        if char == '_' {
            upper = true;
        } else if upper {
            out.push(char.to_ascii_uppercase());
            upper = false;
        } else {
            out.push(char);
        }
    }
    out
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|char| char.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, char) in name.char_indices() {
        if at > 0 && char.is_uppercase() {
            out.push('_');
        }
        out.push(char.to_ascii_lowercase());
    }
    out
}
