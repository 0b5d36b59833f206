use syn::parse_quote;

use quote::ToTokens;

use super::{function, plain};
use crate::ctxt::Ctxt;
use crate::model::Description;

#[test]
fn text_for_a_model_is_clean() {
    let cx = Ctxt::new();
    let doc = function(
        &cx,
        &[
            parse_quote!(#[doc = " Looks up a [`Customer`](crate::Customer) or a"]),
            parse_quote!(#[doc = " [`std::string::String`], see [the docs](https://example.org)."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = " - `a[0]` stays"]),
            parse_quote!(#[doc = " - an [optional] word stays"]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = " [`Customer`]: crate::Customer"]),
        ],
    );
    assert!(cx.finish().is_ok());
    assert_eq!(
        text(&doc.text),
        "Looks up a `Customer` or a `std::string::String`, see [the docs](https://example.org).\n\n\
         - `a[0]` stays\n- an [optional] word stays"
    );
}

#[test]
fn an_arguments_list_is_distinguished_from_the_rest() {
    let cx = Ctxt::new();
    let doc = function(
        &cx,
        &[
            parse_quote!(#[doc = "* Adds numbers.\n *\n * # Arguments\n *\n * * `a` - the first,\n *   in two lines\n * - b: the second\n * - **c**: the third\n *\n * # Returns\n * The sum.\n "]),
        ],
    );
    assert!(cx.finish().is_ok());
    let params: Vec<_> = doc
        .params
        .iter()
        .map(|param| (param.name.as_str(), param.text.as_str()))
        .collect();
    assert_eq!(
        params,
        [
            ("a", "the first, in two lines"),
            ("b", "the second"),
            ("c", "the third")
        ]
    );
    assert_eq!(text(&doc.text), "Adds numbers.\n\n# Returns\nThe sum.");
}

/// The text, or the tokens of a constant.
fn text(words: &Description) -> String {
    match words {
        Description::Text(text) => text.value.clone(),
        Description::Const(value) => value.to_token_stream().to_string(),
    }
}

#[test]
fn code_and_sections_for_people_are_left_out() {
    let cx = Ctxt::new();
    let doc = plain(
        &cx,
        &[
            parse_quote!(#[doc = "Adds.\n\n```\nadd(1, 2);\n# hidden\n```\n\n# Errors\nNone.\n\n# Examples\n## One\n1 + 1\n\n# Notes\nIt is exact.\n# Panics\nNever."]),
        ],
    );
    assert!(cx.finish().is_ok());
    assert_eq!(
        text(&doc),
        "Adds.\n\n# Errors\nNone.\n\n# Notes\nIt is exact."
    );
}

#[test]
fn macros_in_a_doc_are_joined_with_its_text() {
    let cx = Ctxt::new();
    let doc = plain(
        &cx,
        &[
            parse_quote!(#[doc = " Finds"]),
            parse_quote!(#[doc = " it."]),
            parse_quote!(#[doc = include_str!("x.md")]),
        ],
    );
    assert!(cx.finish().is_ok());
    assert_eq!(
        text(&doc),
        r#":: core :: concat ! ("Finds it." , "\n" , include_str ! ("x.md") , "\n")"#
    );
}
