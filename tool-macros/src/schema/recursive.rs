//! Cuts edges of a type's tree that lead back to it: a constant cannot contain itself.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type, TypePath};

use crate::span::quote;

/// The type of a field, in which the type `own` itself is a cut edge.
pub(super) fn direct(ty: &Type, own: &Ident) -> TokenStream {
    rewrite(ty, &|path| {
        path.path.get_ident().is_some_and(|ident| ident == "Self")
            || (path.path.segments.len() == 1
                && path
                    .path
                    .segments
                    .first()
                    .is_some_and(|first| first.ident == *own))
    })
}

/// The type of a field that somebody marked: every type in it that is not std's, nor holds others, is a cut edge.
pub(super) fn cut_edges(ty: &Type) -> TokenStream {
    rewrite(ty, &|path| {
        path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            let is_holder = HOLDERS.contains(&name.as_str()) && !last.arguments.is_none();
            !is_std(&name) && !is_holder
        })
    })
}

/// Types that hold others and are not std's, and that `#[schema(recursive)]` looks into: those of
/// `tool-schema/src/shape/extern_types.rs`, and ours.
const HOLDERS: [&str; 8] = [
    "Either",
    "IndexMap",
    "IndexSet",
    "NotNan",
    "OrderedFloat",
    "SecretBox",
    "SmallVec",
    "Valid",
];

fn rewrite(ty: &Type, cut: &dyn Fn(&TypePath) -> bool) -> TokenStream {
    match ty {
        Type::Path(path) if cut(path) => quote!(__tool::CutEdge<#path>),
        Type::Path(path) => {
            let mut path = path.clone();
            for segment in &mut path.path.segments {
                if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    for argument in &mut arguments.args {
                        if let GenericArgument::Type(inner) = argument {
                            *inner = Type::Verbatim(rewrite(inner, cut));
                        }
                    }
                }
            }
            path.into_token_stream()
        }
        Type::Reference(reference) => {
            let mut reference = reference.clone();
            *reference.elem = Type::Verbatim(rewrite(&reference.elem, cut));
            reference.into_token_stream()
        }
        Type::Slice(slice) => {
            let inner = rewrite(&slice.elem, cut);
            quote!([#inner])
        }
        Type::Array(array) => {
            let (inner, len) = (rewrite(&array.elem, cut), &array.len);
            quote!([#inner; #len])
        }
        Type::Tuple(tuple) => {
            let items = tuple.elems.iter().map(|item| rewrite(item, cut));
            quote!((#(#items,)*))
        }
        Type::Paren(paren) => rewrite(&paren.elem, cut),
        Type::Group(group) => rewrite(&group.elem, cut),
        other => other.to_token_stream(),
    }
}

/// Types of std that `#[schema(recursive)]` looks into, by their usual names. Each type of
/// `tool-schema/src/shape/std_types.rs` that holds others must be here; otherwise the edge back would lead to the type
/// of std.
#[rustfmt::skip]
const STD: [&str; 56] = [
    "bool", "char", "str", "String", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64", "Option", "Vec", "VecDeque", "LinkedList", "BinaryHeap", "Box", "Rc", "Arc", "Cow",
    "HashMap", "BTreeMap", "HashSet", "BTreeSet", "Path", "PathBuf", "Duration", "SystemTime", "Wrapping",
    "Saturating", "Reverse", "Cell", "RefCell", "Mutex", "RwLock", "PhantomData", "NonZero", "IpAddr", "Ipv4Addr",
    "Ipv6Addr", "SocketAddr", "SocketAddrV4", "SocketAddrV6", "Range", "RangeInclusive", "RangeFrom", "RangeTo",
    "Bound", "Result",
];

/// The last word of a type that is a path.
pub(super) fn last_segment(ty: &Type) -> Option<&Ident> {
    match crate::ty::ungrouped(ty) {
        Type::Path(path) => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

fn is_std(name: &str) -> bool {
    STD.contains(&name)
}

/// Returns true if a path is one of std's, or a single name.
fn leads_to_std(path: &TypePath) -> bool {
    let mut segments = path.path.segments.iter();
    let first = segments.next();
    segments.next().is_none()
        || first.is_some_and(|first| ["std", "core", "alloc"].iter().any(|of| first.ident == of))
}

/// Returns true if a type consists of std types alone, as far as its spelling shows. Such a type has one of our
/// schemas, so no lookup is needed. If a user's type has such a name, the bound reports it.
pub(crate) fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            path.qself.is_none()
                && leads_to_std(path)
                && path.path.segments.last().is_some_and(|last| {
                    is_std(&last.ident.to_string())
                        && match &last.arguments {
                            PathArguments::None => true,
                            PathArguments::AngleBracketed(arguments) => {
                                arguments.args.iter().all(|argument| match argument {
                                    GenericArgument::Type(inner) => is_plain(inner),
                                    _ => true,
                                })
                            }
                            PathArguments::Parenthesized(_) => false,
                        }
                })
        }
        Type::Reference(reference) => is_plain(&reference.elem),
        Type::Slice(slice) => is_plain(&slice.elem),
        Type::Array(array) => is_plain(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        Type::Paren(paren) => is_plain(&paren.elem),
        Type::Group(group) => is_plain(&group.elem),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_std;

    #[test]
    fn std_types_that_hold_others_are_looked_into() {
        let source = include_str!("../../../tool-schema/src/shape/std_types.rs");
        let is_word = |char: char| char.is_alphanumeric();
        let mut holders: Vec<&str> = Vec::new();
        // Such as `Vec<T>`.
        for (at, _) in source.match_indices('<') {
            let (before, behind) = source.split_at(at);
            let name = before
                .rsplit(|char| !is_word(char))
                .next()
                .unwrap_or_default();
            if ["<T", "<K", "<'_, T"]
                .iter()
                .any(|inner| behind.starts_with(inner))
            {
                holders.push(name);
            }
        }
        // Those that a macro puts `<T>` behind.
        for head in ["transparent! {", "transparent_sized! {", "ranges! {"] {
            let body = source.split(head).nth(1).unwrap_or_default();
            let body = body.split('}').next().unwrap_or_default();
            holders.extend(body.split(|char| !is_word(char)));
        }
        holders.retain(|name| name.starts_with(char::is_uppercase));
        assert!(holders.len() > 20, "{holders:?}");
        holders.retain(|name| !is_std(name));
        assert!(holders.is_empty(), "{holders:?}");
    }
}
