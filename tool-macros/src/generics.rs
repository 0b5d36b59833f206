//! Generics of a tool's struct, from those of its function.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{
    BoundLifetimes, GenericParam, Generics, Lifetime, LifetimeParam, Token, TypeParamBound,
    WherePredicate,
};

type TypeBounds = Punctuated<TypeParamBound, Token![+]>;

/// Returns the generics without lifetimes. Each call has other lifetimes, so a bound that names one must hold for all.
pub(crate) fn without_lifetimes(generics: &Generics) -> Generics {
    let lifetimes = generics.lifetimes();
    let own: Vec<Ident> = lifetimes.map(|of| of.lifetime.ident.clone()).collect();
    let mut generics = generics.clone();
    if own.is_empty() {
        return generics;
    }
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params = params
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
    for param in generics.type_params_mut() {
        param.bounds = for_all(&param.bounds, &own);
    }
    if let Some(clause) = &mut generics.where_clause {
        let predicates = std::mem::take(&mut clause.predicates).into_iter();
        clause.predicates = predicates
            .filter_map(|predicate| type_predicate(predicate, &own))
            .collect();
    }
    generics
}

/// A predicate for all lifetimes, unless it asks nothing of a type.
fn type_predicate(predicate: WherePredicate, own: &[Ident]) -> Option<WherePredicate> {
    let WherePredicate::Type(mut predicate) = predicate else {
        return None;
    };
    let mut all = named(predicate.bounded_ty.to_token_stream(), own);
    if all.is_empty() && predicate.lifetimes.is_none() {
        predicate.bounds = for_all(&predicate.bounds, own);
    } else {
        predicate.bounds = without_own(&predicate.bounds, own);
        note(predicate.bounds.to_token_stream(), own, &mut all);
        bind(&mut predicate.lifetimes, all);
    }
    (!predicate.bounds.is_empty()).then_some(WherePredicate::Type(predicate))
}

/// Bounds on a type, each for all lifetimes that it names.
fn for_all(bounds: &TypeBounds, own: &[Ident]) -> TypeBounds {
    let mut bounds = bounds.clone();
    for bound in &mut bounds {
        match bound {
            TypeParamBound::Trait(bound) => {
                let named = named(bound.to_token_stream(), own);
                bind(&mut bound.lifetimes, named);
            }
            TypeParamBound::Lifetime(lifetime) if own.contains(&lifetime.ident) => {
                lifetime.ident = Ident::new("static", lifetime.ident.span());
            }
            _ => {}
        }
    }
    bounds
}

/// Drops the bounds by the function's own lifetimes from a type that names lifetimes itself: nothing borrows for all
/// of them.
fn without_own(bounds: &TypeBounds, own: &[Ident]) -> TypeBounds {
    let is_own = |bound: &&TypeParamBound| matches!(bound, TypeParamBound::Lifetime(lifetime) if own.contains(&lifetime.ident));
    let bounds = bounds.iter().filter(|bound| !is_own(bound));
    bounds.cloned().collect()
}

/// `for<'a, …>`, behind the lifetimes of the predicate.
fn bind(lifetimes: &mut Option<BoundLifetimes>, names: Vec<Ident>) {
    if names.is_empty() {
        return;
    }
    let bound = lifetimes.get_or_insert_default();
    bound.lifetimes.extend(names.into_iter().map(|ident| {
        let apostrophe = ident.span();
        GenericParam::Lifetime(LifetimeParam::new(Lifetime { apostrophe, ident }))
    }));
}

/// The function's own lifetimes in these tokens, each once.
fn named(tokens: TokenStream, own: &[Ident]) -> Vec<Ident> {
    let mut found = Vec::new();
    note(tokens, own, &mut found);
    found
}

fn note(tokens: TokenStream, own: &[Ident], found: &mut Vec<Ident>) {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                if let Some(TokenTree::Ident(name)) = tokens.next()
                    && own.contains(&name)
                    && !found.contains(&name)
                {
                    found.push(name);
                }
            }
            TokenTree::Group(group) => note(group.stream(), own, found),
            _ => {}
        }
    }
}
