//! Doc comments: the description for the model, and the descriptions of parameters.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::mentions::{self, unmark};
use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::model::{Description, Doc, ParamDoc, TextLit};
use crate::span::{literal, parse_quote};
use crate::ty;

/// One line of a doc comment.
struct DocLine {
    text: String,
    span: Span,
    /// A macro in the place of text: `include_str!`, `concat!`.
    value: Option<Expr>,
}

/// Reads the doc comment of a function.
pub(crate) fn function(cx: &Ctxt, attrs: &[Attribute]) -> Doc {
    let mut lines = lines(cx, attrs);
    remove_developer_sections(&mut lines);
    let mut params = Vec::new();
    let mut rest = Vec::new();
    let mut in_arguments = false;
    for line in lines {
        let trimmed = line.text.trim_start();
        if let Some(heading) = heading(trimmed) {
            in_arguments = matches!(
                heading.to_ascii_lowercase().as_str(),
                "arguments" | "args" | "parameters" | "params"
            );
            if in_arguments {
                continue;
            }
        }
        if !in_arguments || line.value.is_some() {
            rest.push(line);
        } else if let Some((name, text)) = list_item(trimmed) {
            params.push(ParamDoc {
                name,
                text,
                span: line.span,
            });
        } else if trimmed.is_empty() {
        } else if let Some(last) = params.last_mut().filter(|_| line.text.starts_with(' ')) {
            last.text.push(' ');
            last.text.push_str(trimmed.trim_end());
        } else {
            rest.push(line);
        }
    }
    for param in &mut params {
        param.text = unmark(&clean_links(&param.text));
    }
    Doc {
        text: clean(rest),
        params,
    }
}

/// Reads the doc comment of a parameter, a type, a field or a variant.
pub(crate) fn plain(cx: &Ctxt, attrs: &[Attribute]) -> Description {
    let mut lines = lines(cx, attrs);
    remove_developer_sections(&mut lines);
    mentions::of(clean(lines)).0
}

/// Removes code blocks, and the sections about panics, safety and examples.
fn remove_developer_sections(lines: &mut Vec<DocLine>) {
    let mut in_code = false;
    let mut left_out = None;
    lines.retain(|line| {
        let trimmed = line.text.trim_start();
        if trimmed.starts_with("```") {
            in_code = !in_code;
            return false;
        }
        if in_code {
            return false;
        }
        if let Some(heading) = heading(trimmed) {
            let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
            let is_for_people = matches!(
                heading.to_ascii_lowercase().as_str(),
                "panics" | "safety" | "example" | "examples"
            );
            if left_out.is_none_or(|above| level <= above) {
                left_out = is_for_people.then_some(level);
            }
        }
        left_out.is_none()
    });
}

/// The lines of a doc comment.
fn lines(cx: &Ctxt, attrs: &[Attribute]) -> Vec<DocLine> {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attr.meta else {
            continue;
        };
        let Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) = ty::ungrouped_expr(&pair.value)
        else {
            lines.push(DocLine {
                text: String::new(),
                span: pair.value.span(),
                value: Some(pair.value.clone()),
            });
            continue;
        };
        let text = literal.value();
        invisible_chars::check(cx, literal.span(), &text);
        let is_block = text.contains('\n');
        for line in text.split('\n') {
            let line = if is_block {
                let line = line.trim_start();
                line.strip_prefix('*').unwrap_or(line)
            } else {
                line
            };
            lines.push(DocLine {
                text: line.trim_end().to_owned(),
                span: literal.span(),
                value: None,
            });
        }
    }
    let indent = lines
        .iter()
        .filter(|line| !line.text.is_empty())
        .map(|line| line.text.len() - line.text.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    for line in &mut lines {
        line.text.drain(..indent.min(line.text.len()));
    }
    lines
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len() && rest.starts_with(' ')).then(|| rest.trim().trim_end_matches(':'))
}

/// `` - `name`: text ``, in the ways in which people write it.
fn list_item(line: &str) -> Option<(String, String)> {
    let item = line
        .strip_prefix(['-', '*', '+'])?
        .strip_prefix(' ')?
        .trim();
    let (name, rest) = if let Some(quoted) = item.strip_prefix('`') {
        quoted.split_once('`')?
    } else {
        let bold = item.strip_prefix("**").unwrap_or(item);
        let end = bold
            .find(|char: char| !char.is_alphanumeric() && char != '_')
            .unwrap_or(bold.len());
        bold.split_at(end)
    };
    let rest = rest.trim_start_matches("**").trim_start();
    let text = [":", "--", "-", "—", "–"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    let name = name.strip_prefix("r#").unwrap_or(name);
    Some((name.to_owned(), text.trim().to_owned()))
}

/// The text for a model, with the macros in it joined at compile time.
fn clean(lines: Vec<DocLine>) -> Description {
    let mut parts: Vec<TokenStream> = Vec::new();
    let mut text = Vec::new();
    let mention = lines.iter().find(|line| line.text.contains("fn@"));
    let span = mention.map_or_else(Span::call_site, |line| line.span);
    let push = |text: &mut Vec<String>, parts: &mut Vec<TokenStream>| {
        let text = unmark(&clean_text(std::mem::take(text)));
        if !text.is_empty() {
            parts.push(literal(text.as_str()).to_token_stream());
        }
    };
    for line in lines {
        match line.value {
            None => text.push(line.text),
            Some(value) => {
                push(&mut text, &mut parts);
                parts.push(value.into_token_stream());
            }
        }
    }
    if parts.is_empty() {
        let value = clean_text(text);
        return Description::Text(TextLit { value, span });
    }
    push(&mut text, &mut parts);
    Description::Const(Box::new(parse_quote!(::core::concat!(#(#parts, "\n"),*))))
}

/// Text for a model: no links into Rust's documentation, one line a paragraph.
fn clean_text(lines: Vec<String>) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut joins = false;
    for text in lines {
        let trimmed = text.trim_start();
        if is_reference_definition(trimmed) {
            continue;
        }
        let is_structure = trimmed.is_empty()
            || heading(trimmed).is_some()
            || trimmed.starts_with(['|', '>'])
            || starts_item(trimmed);
        let text = clean_links(&text);
        match out.last_mut() {
            Some(last) if joins && !is_structure => {
                last.push(' ');
                last.push_str(text.trim_start());
            }
            _ => out.push(text),
        }
        joins = !trimmed.is_empty() && heading(trimmed).is_none() && !trimmed.starts_with('|');
    }
    let mut text = out.join("\n");
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.trim().to_owned()
}

fn starts_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0
        && line
            .get(digits..)
            .is_some_and(|rest| rest.starts_with(". "));
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// `[name]: crate::path`, which rustdoc takes for the target of a link.
fn is_reference_definition(line: &str) -> bool {
    let Some((_, target)) = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]:"))
    else {
        return false;
    };
    !is_url(target.trim())
}

fn is_url(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// Replaces links into Rust's documentation by their text; links to the web stay.
fn clean_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let taken = if from.starts_with('`') {
            code_span(from).map(|end| (end, from.get(..end).unwrap_or_default().to_owned()))
        } else {
            link(from)
        };
        let (end, shown) = taken.unwrap_or_else(|| (1, from.chars().take(1).collect()));
        out.push_str(&shown);
        rest = from.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The end of the code span that starts here.
fn code_span(text: &str) -> Option<usize> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let close = text.get(ticks..)?.find(text.get(..ticks)?)?;
    Some(ticks + close + ticks)
}

/// The end of the link that starts here, and the text to show for it.
fn link(text: &str) -> Option<(usize, String)> {
    let close = closing(text, '[', ']')?;
    let label = text.get(1..close)?;
    let after = text.get(close + 1..)?;
    if after.starts_with('(') {
        let end = closing(after, '(', ')')?;
        let target = after.get(1..end)?;
        if is_url(target) {
            return Some((
                close + 1 + end + 1,
                text.get(..close + 1 + end + 1)?.to_owned(),
            ));
        }
        return Some((close + 1 + end + 1, label.to_owned()));
    }
    if after.starts_with('[') {
        let end = closing(after, '[', ']')?;
        return Some((close + 1 + end + 1, label.to_owned()));
    }
    // `[Name]` alone is a link only if Rust knows the name, which a macro cannot see. People link quoted names and
    // paths.
    if let Some(tool) = mentions::mark(label) {
        return Some((close + 1, tool));
    }
    let quoted = label.len() > 2 && label.starts_with('`') && label.ends_with('`');
    if quoted || (label.contains("::") && !label.contains(' ')) {
        return Some((close + 1, label.to_owned()));
    }
    None
}

/// Returns the position of the bracket that closes the one that opens here.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, char) in text.char_indices() {
        if char == open {
            depth += 1;
        } else if char == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
