//! `instructions!("Look with {forecast}.")`: words in which tools are named by their paths.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path, Token};

use crate::ctxt::Ctxt;
use crate::handle::{Handle, this_function, type_of_method};
use crate::invisible_chars;
use crate::span::{SpanEnds, literal, quote, quote_call_site, set_item_span_to_start};

struct InstructionsInput {
    krate: TokenTree,
    text: LitStr,
}

/// A part of the words.
enum TextPart {
    Text(String),
    /// `{path.argument}`
    Name {
        path: Path,
        arguments: Vec<String>,
    },
}

impl Parse for InstructionsInput {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.parse()?;
        input.parse::<Token![;]>()?;
        let wanted = "`instructions!` takes one text\nhelp: write `instructions!(\"Look with {forecast}.\")`";
        if input.is_empty() {
            return Err(syn::Error::new(Span::call_site(), wanted));
        }
        let text = input
            .parse()
            .map_err(|error| syn::Error::new(error.span(), wanted))?;
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(input.error(wanted));
        }
        Ok(Self { krate, text })
    }
}

/// The value of instructions.
pub(crate) fn instructions(tokens: TokenStream) -> TokenStream {
    let krate = tokens.clone().into_iter().next();
    let read = syn::parse2::<InstructionsInput>(tokens).and_then(|input| {
        let parts = parts(&input.text)?;
        Ok((input, parts))
    });
    match read {
        Ok((input, parts)) => {
            set_item_span_to_start(&input.text);
            let cx = Ctxt::new();
            invisible_chars::check(&cx, input.text.span(), &input.text.value());
            let errors = cx.finish().err().map(|error| error.to_compile_error());
            expand(&input, &parts, errors.as_ref())
        }
        Err(error) => {
            let error = error.to_compile_error();
            // It has a type, so that its uses do not echo the error.
            quote!({ #error #krate::__private::Instructions::of_parts(&[]) })
        }
    }
}

fn parts(text: &LitStr) -> syn::Result<Vec<TextPart>> {
    let value = text.value();
    let refused = |message: String| syn::Error::new(text.span(), message);
    let (mut parts, mut words, mut rest) = (Vec::new(), String::new(), value.as_str());
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        words.push_str(before);
        if let Some(behind) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
            words.push_str(&from[..1]);
            rest = behind;
            continue;
        }
        let Some(inside) = from.strip_prefix('{') else {
            return Err(refused(
                "a `}` stands alone\nhelp: write `}}` for one in the text".to_owned(),
            ));
        };
        let Some((name, behind)) = inside.split_once('}') else {
            return Err(refused(
                "a `{` is never closed\nhelp: write `{tool}`, or `{{` for one in the text"
                    .to_owned(),
            ));
        };
        parts.push(TextPart::Text(std::mem::take(&mut words)));
        parts.push(name_of(text, name)?);
        rest = behind;
    }
    words.push_str(rest);
    parts.push(TextPart::Text(words));
    Ok(parts)
}

/// Reads `path::to::tool.argument.key`.
fn name_of(text: &LitStr, name: &str) -> syn::Result<TextPart> {
    let refused = |message: String| syn::Error::new(text.span(), message);
    let mut steps = name.split('.');
    let tool = steps.next().unwrap_or_default();
    if tool.trim().is_empty() {
        return Err(refused(format!(
            "`{{{name}}}` names no tool\nhelp: write `{{tool}}` or `{{tool.argument}}`, or `{{{{` for a brace in the text"
        )));
    }
    let path: Path = LitStr::new(tool, text.span()).parse().map_err(|_| {
        refused(format!(
            "`{tool}` is not the path of a tool\nhelp: write `{{tool}}` or `{{module::tool.argument}}`, or `{{{{` for a brace in the text"
        ))
    })?;
    let arguments: Vec<_> = steps.map(str::to_owned).collect();
    if arguments.iter().any(|argument| argument.trim().is_empty()) {
        return Err(refused(format!(
            "`{{{name}}}` names no argument\nhelp: write `{{{tool}.argument}}`"
        )));
    }
    Ok(TextPart::Name { path, arguments })
}

fn expand(
    input: &InstructionsInput,
    parts: &[TextPart],
    errors: Option<&TokenStream>,
) -> TokenStream {
    let krate = &input.krate;
    let parts = parts.iter().filter_map(|part| match part {
        TextPart::Text(text) if text.is_empty() => None,
        TextPart::Text(text) => {
            let text = literal(text);
            Some(quote!(__tool::InstructionsPart::Text(#text)))
        }
        TextPart::Name { path, arguments } => Some(mention(path, arguments)),
    });
    let this_function = this_function(input.text.span());
    let items = quote_call_site! {
        use #krate::__private as __tool;
        #this_function
    };
    quote! {{
        #errors
        #items
        const PARTS: &[__tool::InstructionsPart] = &[#(#parts),*];
        __tool::Instructions::of_parts(PARTS)
    }}
}

/// The tool at a path, of a function or of a type's method, or a key of its arguments.
fn mention(path: &Path, keys: &[String]) -> TokenStream {
    let place = SpanEnds::of(path);
    let keys = keys.iter().map(literal);
    let keys = quote!(&[#(#keys),*]);
    if type_of_method(path).is_some() {
        let mut ty = path.clone();
        let method = ty.segments.pop().map(|last| last.ident);
        ty.segments.pop_punct();
        let method = method.map(|method| method.unraw().to_string());
        let method = literal(method.unwrap_or_default());
        let (start, end) = (
            place.start(quote!(__tool::mention_of::)),
            place.end(quote!((#method, #keys))),
        );
        return quote!(#start <#ty> #end);
    }
    let handle = Handle::of(path);
    let ty = handle.ty();
    let (start, end) = (
        place.start(quote!(__tool::mention::)),
        place.end(quote!((#keys))),
    );
    handle.scope(&quote!(#start <#ty> #end))
}
