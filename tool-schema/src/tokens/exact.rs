//! `OpenAI`'s vocabularies, by `bpe-openai`, which takes time in proportion to the text, whatever the text is.

pub(super) fn o200k(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

pub(super) fn cl100k(text: &str) -> usize {
    bpe_openai::cl100k_base().count(text)
}
