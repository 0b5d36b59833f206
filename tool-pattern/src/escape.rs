//! Escapes in patterns: the text behind a backslash.

use super::{NONE, Parsed, PatternParser, build, literal, unportable, wrong};

const DIGIT: &str = "0-9";
const WORD: &str = "A-Za-z0-9_";
/// The characters that a backslash stands before.
const SYNTAX: &str = r"^$\.*+?()[]{}|/";
/// White space and ends of lines, as ECMA-262 lists them; Unicode's own set has U+0085 and lacks
/// U+FEFF.
const SPACE: &str = r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";

/// Meaning of an escape.
pub(super) enum Escaped {
    /// One character, by its number: it may be a surrogate, which no text has.
    Char(u32),
    /// The characters that a class lists, or all others.
    Set { items: String, negated: bool },
}

impl Escaped {
    fn set(items: impl Into<String>, negated: bool) -> Self {
        let items = items.into();
        Self::Set { items, negated }
    }

    /// As it is written outside of a class.
    pub(super) fn outside(&self) -> String {
        match self {
            Self::Char(code) => char::from_u32(*code).map_or_else(|| NONE.to_owned(), literal),
            Self::Set { items, negated } => {
                format!("[{}{items}]", if *negated { "^" } else { "" })
            }
        }
    }

    /// As it is written in a class.
    pub(super) fn inside(&self) -> String {
        match self {
            Self::Char(code) => char::from_u32(*code).map(literal).unwrap_or_default(),
            Self::Set { items, negated } if !negated => items.clone(),
            Self::Set { .. } => self.outside(),
        }
    }
}

impl PatternParser<'_> {
    /// An escape, behind its backslash.
    pub(super) fn escape(&mut self, in_class: bool) -> Parsed<Escaped> {
        let Some(char) = self.next() else {
            return Err(wrong(
                "it ends in a backslash",
                r"write `\\` for the character",
            ));
        };
        let is_digit = |next: char| next.is_ascii_digit();
        Ok(match char {
            'd' | 'D' => Escaped::set(DIGIT, char == 'D'),
            'w' | 'W' => Escaped::set(WORD, char == 'W'),
            's' | 'S' => Escaped::set(SPACE, char == 'S'),
            'p' | 'P' => self.property(char == 'P')?,
            't' => Escaped::Char(0x09),
            'n' => Escaped::Char(0x0A),
            'v' => Escaped::Char(0x0B),
            'f' => Escaped::Char(0x0C),
            'r' => Escaped::Char(0x0D),
            'b' if in_class => Escaped::Char(0x08),
            '0' if !self.rest.starts_with(is_digit) => Escaped::Char(0),
            '1'..='9' | 'k' if !in_class => return Err(unportable("a back-reference")),
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    Escaped::Char(u32::from(letter) % 32)
                }
                _ => {
                    return Err(wrong(
                        r"`\c` is not an escape",
                        r"write a letter, as in `\cJ`",
                    ));
                }
            },
            'x' => Escaped::Char(self.hex(2).ok_or_else(|| {
                let help = r"write two hexadecimal digits, as in `\x41`";
                wrong(r"`\x` is not an escape", help)
            })?),
            'u' => Escaped::Char(self.unicode()?),
            '-' if in_class => Escaped::Char('-'.into()),
            sign if SYNTAX.contains(sign) || !self.is_ours && !sign.is_alphanumeric() => {
                Escaped::Char(sign.into())
            }
            other => {
                let help = match other {
                    'A' => "write `^` for the start of the text",
                    'z' | 'Z' => "write `$` for the end of the text",
                    '<' | '>' => {
                        r"write `\b` for the edge of a word, or the character without the backslash"
                    }
                    _ => r"write the character without the backslash, or as `\xHH` or `\u{…}`",
                };
                return Err(wrong(format_args!("`\\{other}` is not an escape"), help));
            }
        })
    }

    /// So many hexadecimal digits.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        let code = number(digits)?;
        self.rest = rest;
        Some(code)
    }

    /// `\u0041`, `\u{41}`, or two surrogates that are one character; behind the `u`.
    fn unicode(&mut self) -> Parsed<u32> {
        let in_braces = self.eat("{");
        let code = if in_braces {
            self.until('}').and_then(number)
        } else {
            self.hex(4)
        };
        let Some(code) = code.filter(|code| *code <= 0x10_FFFF) else {
            let help =
                r"write four hexadecimal digits, as in `\u0041`, or a number, as in `\u{1F600}`";
            return Err(wrong(r"`\u` is not an escape", help));
        };
        // Two halves in braces are not a pair.
        let start = self.rest;
        if !in_braces && (0xD800..=0xDBFF).contains(&code) && self.eat(r"\u") {
            match self.hex(4) {
                Some(low) if (0xDC00..=0xDFFF).contains(&low) => {
                    return Ok(0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00));
                }
                _ => self.rest = start,
            }
        }
        Ok(code)
    }

    /// `\p{…}`, behind the `p`.
    fn property(&mut self, negated: bool) -> Parsed<Escaped> {
        let Some(name) = self.eat("{").then(|| self.until('}').unwrap_or_default()) else {
            let letter = self.rest.chars().next().unwrap_or('…');
            let help = format!(r"write `\p{{{letter}}}`");
            return Err(wrong(r"`\p` without braces is not a property", help));
        };
        if is_property(name) {
            return Ok(Escaped::set(format!(r"\p{{{name}}}"), negated));
        }
        let help = if is_known(&format!("Script={name}")) {
            format!(r"write `\p{{Script={name}}}`")
        } else {
            r"write a category or a property of Unicode, such as `\p{L}` or `\p{Emoji}`".into()
        };
        Err(wrong(
            format_args!(r"`\p{{{name}}}` is not a property"),
            help,
        ))
    }
}

fn number(digits: &str) -> Option<u32> {
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = is_hex.then(|| u32::from_str_radix(digits, 16).ok());
    code.flatten()
}

/// The properties of ECMA-262 that are true or false.
const BINARY: &str = "\
    ASCII AHex ASCII_Hex_Digit Alpha Alphabetic Any Assigned Bidi_C Bidi_Control Bidi_M Bidi_Mirrored CI CWCF CWCM \
    CWL CWT CWU Case_Ignorable Cased Changes_When_Casefolded Changes_When_Casemapped Changes_When_Lowercased \
    Changes_When_Titlecased Changes_When_Uppercased DI Dash Default_Ignorable_Code_Point Dep Deprecated Dia \
    Diacritic EBase EComp EMod EPres Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base Emoji_Presentation \
    Ext ExtPict Extended_Pictographic Extender Gr_Base Gr_Ext Grapheme_Base Grapheme_Extend Hex Hex_Digit IDC IDS \
    IDSB IDST IDS_Binary_Operator IDS_Trinary_Operator ID_Continue ID_Start Ideo Ideographic Join_C Join_Control \
    LOE Logical_Order_Exception Lower Lowercase Math NChar Noncharacter_Code_Point Pat_Syn Pat_WS Pattern_Syntax \
    Pattern_White_Space QMark Quotation_Mark RI Radical Regional_Indicator SD STerm Sentence_Terminal Soft_Dotted \
    Term Terminal_Punctuation UIdeo Unified_Ideograph Upper Uppercase VS Variation_Selector White_Space XIDC XIDS \
    XID_Continue XID_Start space";

/// Returns true if both dialects know the property. The crate `regex` accepts more properties, and more spellings
/// (`\p{greek}`, `\p{isGreek}`, `\p{LU}`), which other engines reject.
fn is_property(name: &str) -> bool {
    match name.split_once('=') {
        Some((
            "General_Category" | "gc" | "Script" | "sc" | "Script_Extensions" | "scx",
            value,
        )) => is_spelled(value) && is_known(name),
        Some(_) => false,
        None => {
            BINARY.split(' ').any(|known| known == name)
                || is_spelled(name) && is_known(&format!("gc={name}"))
        }
    }
}

/// Returns true if the value of a property is written as Unicode writes it: with one capital a word.
fn is_spelled(value: &str) -> bool {
    let is_word = |word: &str| {
        let rest = word.strip_prefix(|first: char| first.is_ascii_uppercase());
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    ["LC", "SignWriting", "cntrl", "digit", "punct"].contains(&value)
        || value.split('_').all(is_word)
}

/// Returns true if the crate `regex` knows the property.
fn is_known(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '=';
    name.chars().all(is_plain) && build(&format!(r"\p{{{name}}}")).is_ok()
}
