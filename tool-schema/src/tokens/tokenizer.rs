use std::fmt;
use std::str::FromStr;

/// Counts the tokens of a text: exactly if a provider publishes its vocabulary, else by the provider's documentation.
///
/// ```
/// use toolwright::tokens::Tokenizer;
///
/// let text = "Returns the weather in a city.";
/// assert_eq!(Tokenizer::Bound.count(text), 14);
/// assert_eq!(Tokenizer::Claude.count(text), 9);
/// assert_eq!("gemini".parse(), Ok(Tokenizer::Gemini));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tokenizer {
    /// The [bound](super::bound) that the compiler uses. It is made not to be too low for any of the others.
    Bound,
    /// The vocabulary `o200k_base` of `OpenAI`'s models since GPT-4o. The first count loads 200,000 entries.
    #[cfg(feature = "tokens")]
    O200k,
    /// The vocabulary `cl100k_base` of GPT-4 and GPT-3.5. The first count loads 100,000 entries.
    #[cfg(feature = "tokens")]
    Cl100k,
    /// An estimate for Claude: a token for 3.5 characters, as Anthropic's glossary says of English, and one for each
    /// character outside of ASCII. Its vocabulary is not public; its API counts exactly.
    Claude,
    /// An estimate for Gemini: a token for 4 characters, as Google's documentation says of English, and one for each character
    /// outside of ASCII. Its API counts exactly.
    Gemini,
}

impl Tokenizer {
    /// All tokenizers.
    pub const ALL: &'static [Self] = &[
        Self::Bound,
        #[cfg(feature = "tokens")]
        Self::O200k,
        #[cfg(feature = "tokens")]
        Self::Cl100k,
        Self::Claude,
        Self::Gemini,
    ];

    /// Returns the tokens of a text. Special tokens in it count as text.
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Bound => super::bound(text),
            #[cfg(feature = "tokens")]
            Self::O200k => super::exact::o200k(text),
            #[cfg(feature = "tokens")]
            Self::Cl100k => super::exact::cl100k(text),
            Self::Claude => estimated(text, |ascii| (ascii * 2).div_ceil(7)),
            Self::Gemini => estimated(text, |ascii| ascii.div_ceil(4)),
        }
    }

    /// Returns the name: `bound`, `o200k`, `cl100k`, `claude`, `gemini`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            #[cfg(feature = "tokens")]
            Self::O200k => "o200k",
            #[cfg(feature = "tokens")]
            Self::Cl100k => "cl100k",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
        }
    }
}

/// Returns the tokens of a text, with these for its ASCII characters.
fn estimated(text: &str, ascii: impl Fn(usize) -> usize) -> usize {
    let english = text.bytes().filter(u8::is_ascii).count();
    ascii(english) + text.chars().count() - english
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = UnknownTokenizer;

    fn from_str(name: &str) -> Result<Self, UnknownTokenizer> {
        let named = Self::ALL.iter().find(|one| one.name() == name);
        named
            .copied()
            .ok_or_else(|| UnknownTokenizer(name.to_owned()))
    }
}

/// Name of no tokenizer. `Display` lists those that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTokenizer(String);

impl fmt::Display for UnknownTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Tokenizer::ALL.iter().map(|one| one.name()).collect();
        write!(
            f,
            "no tokenizer is called `{}`; there are {}",
            self.0,
            names.join(", ")
        )?;
        if !cfg!(feature = "tokens") && ["o200k", "cl100k"].contains(&self.0.as_str()) {
            f.write_str("\nhelp: switch on the feature `tokens`")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownTokenizer {}
