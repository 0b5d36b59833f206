//! Types that serde reads as bytes: those that it can lend, and nothing else.

use syn::{GenericArgument, PathArguments, Type};

use super::recursive::last_segment;

/// Returns true if a type contains `&[u8]`.
pub(super) fn is_borrowed(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_slice(&reference.elem) || is_borrowed(&reference.elem),
        Type::Paren(inner) => is_borrowed(&inner.elem),
        Type::Group(inner) => is_borrowed(&inner.elem),
        Type::Array(array) => is_borrowed(&array.elem),
        Type::Slice(slice) => is_borrowed(&slice.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(is_borrowed),
        Type::Path(path) => path.path.segments.iter().any(|segment| {
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return false;
            };
            let mut arguments = arguments.args.iter();
            arguments
                .any(|argument| matches!(argument, GenericArgument::Type(ty) if is_borrowed(ty)))
        }),
        _ => false,
    }
}

/// Returns true if a type is `Cow<[u8]>`.
pub(super) fn is_in_cow(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    let Some(segment) = path.path.segments.last() else {
        return false;
    };
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return false;
    };
    let mut arguments = arguments.args.iter();
    segment.ident == "Cow"
        && arguments.any(|argument| matches!(argument, GenericArgument::Type(ty) if is_slice(ty)))
}

fn is_slice(ty: &Type) -> bool {
    matches!(ty, Type::Slice(slice) if last_segment(&slice.elem).is_some_and(|last| last == "u8"))
}
