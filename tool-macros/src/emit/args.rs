//! The struct of a tool's arguments: `#[tool(args = Name)]`.
//!
//! The struct takes the place of the variables that arguments are decoded into, so a tool that asks for it is decoded by the
//! same code, once.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, GenericParam, Generics, Path, Type};

use super::run;
use super::table::{HiddenItems, state_trait};
use crate::model::{Description, ModelParam, Param, Tool};
use crate::span::{
    call_site_at, generated, ident, item_span, literal, local, quote, quote_call_site,
};
use crate::ty::PassBy;
use crate::ty::{self, name_lifetimes, static_lifetimes};

/// Lifetime of the data that the arguments borrow. A user's bound is unlikely to bind that name.
const LIFETIME: &str = "'call";

/// Everything needed to write the struct of a tool's arguments.
pub(crate) struct Args<'t> {
    tool: &'t Tool,
    name: &'t Ident,
    /// The type of a method.
    owner: Option<&'t Type>,
    /// The type of each field.
    fields: Vec<TokenStream>,
    borrows: bool,
}

impl<'t> Args<'t> {
    /// Returns nothing if the tool does not ask for the struct.
    pub(crate) fn of(tool: &'t Tool, owner: Option<&'t Type>, krate: &Path) -> Option<Self> {
        let name = tool.options.args.as_ref()?;
        let fields: Vec<_> = tool
            .model_params()
            .map(|param| field_type(tool, param, krate))
            .collect();
        let borrows = fields.iter().any(|ty| ty::lifetime(ty.clone()).is_some());
        Some(Self {
            tool,
            name,
            owner,
            fields,
            borrows,
        })
    }

    /// The struct's own generics: those of the function, behind a lifetime if it borrows.
    fn generics(&self) -> Generics {
        let mut generics = self.tool.generics.clone();
        if self.borrows {
            let lifetime = lifetime();
            let first: GenericParam = syn::parse_quote!(#lifetime);
            generics.params.insert(0, first);
        }
        generics
    }

    /// The struct's type, for the lifetime of a call.
    fn ty(&self) -> TokenStream {
        let (name, generics) = (self.name, self.generics());
        let (_, ty_generics, _) = generics.split_for_impl();
        quote!(#name #ty_generics)
    }

    /// The type parameters that no argument mentions.
    fn unused(&self) -> Vec<&Ident> {
        let is_used = |param: &&Ident| {
            let name = param.to_string();
            let words = [name.as_str()];
            self.fields
                .iter()
                .any(|ty| ty::find(ty.clone(), &words).is_some())
        };
        let all = self.tool.generics.type_params().map(|param| &param.ident);
        all.filter(|param| !is_used(param)).collect()
    }

    /// The struct, beside the function.
    pub(crate) fn item(&self) -> TokenStream {
        let (tool, name) = (self.tool, self.name);
        let generics = self.generics();
        let (params, where_clause) = (&generics.params, &generics.where_clause);
        let params = (!params.is_empty()).then(|| quote!(<#params>));
        let fields = tool.model_params().zip(&self.fields).map(|(param, ty)| {
            let (name, doc) = (field(param), doc(&param.description));
            quote!(#doc pub #name: #ty)
        });
        let unused = self.unused();
        let phantom = (!unused.is_empty()).then(|| {
            quote!(#[doc(hidden)] pub __tool: ::core::marker::PhantomData<(#(fn() -> *const #unused,)*)>)
        });
        let fields = fields.chain(phantom);
        let words = literal(format!("Arguments of the tool `{}`.", tool.name.value));
        let cfg = &tool.cfg;
        // The macro does not know how public the block's type is.
        let vis = if tool.receiver {
            quote!(pub)
        } else {
            tool.vis.to_token_stream()
        };
        let attributes = generated(quote! {
            #[doc = #words]
            #[allow(missing_docs, private_interfaces, unreachable_pub, dead_code, clippy::struct_excessive_bools)]
        });
        quote!(#(#cfg)* #attributes #vis struct #name #params #where_clause { #(#fields),* })
    }

    /// The impls that decode into the struct, and run the tool from it.
    pub(super) fn impls(
        &self,
        names: &HiddenItems,
        handle: &ArgsImpl,
        callee: &TokenStream,
    ) -> TokenStream {
        let Self { tool, name, .. } = self;
        let ty = self.ty();
        let generics = self.generics();
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let implement = quote_call_site!(impl);
        let lifetime = lifetime();
        let (call, about) = (local("call"), local("about"));
        let (decoded, values) = if run::is_read(tool) {
            let values = (0..self.fields.len()).map(|index| local(&format!("p{index}")));
            (None, values.collect())
        } else {
            let (decoded, values) = run::decoded(tool, names);
            (Some(decoded), values)
        };
        let fields = tool.model_params().zip(&values).map(|(param, value)| {
            let name = field(param);
            quote!(#name: #value)
        });
        let phantom =
            (!self.unused().is_empty()).then(|| quote!(__tool: ::core::marker::PhantomData));
        let fields = fields.chain(phantom);
        let made = quote!(#name { #(#fields),* });
        let decoded = match decoded {
            Some(decoded) => quote!(#decoded __tool::Ok(#made)),
            None => {
                let function = ident(&format!("read{}", values.len()));
                quote!(__tool::#function(#call, #about, |#(#values),*| #made))
            }
        };
        let (trait_, of) = (&handle.trait_, &handle.of);
        let (of_generics, _, of_where) = tool.generics.split_for_impl();
        let read = self.read(&handle.ty);
        let run = self.run(callee);
        let debug = self.debug();
        quote! {
            #[automatically_derived]
            #implement #of_generics #trait_ for #of #of_where {
                type Args<#lifetime> = #ty;
                fn read<#lifetime>(
                    #call: __tool::Call<#lifetime>,
                    #about: __tool::DescriptorRef,
                ) -> __tool::Result<#ty, __tool::EarlyExit> {
                    #decoded
                }
            }
            #[allow(private_interfaces, unreachable_pub, dead_code, clippy::unnecessary_wraps)]
            #implement #impl_generics #ty #where_clause {
                /// Decodes and validates the arguments of a call of this tool.
                ///
                /// # Errors
                /// The error that the tool would answer the call with.
                #read
                #run
            }
            #debug
        }
    }

    /// The function that reads the arguments of a call into the struct.
    fn read(&self, handle: &TokenStream) -> TokenStream {
        let (call, cx, lifetime) = (local("call"), local("cx"), lifetime());
        if self.borrows {
            quote! {
                pub fn read(
                    #call: &#lifetime __tool::ToolCall,
                    #cx: &#lifetime __tool::Reading,
                ) -> __tool::Result<Self, __tool::ToolError> {
                    __tool::read::<#handle>(#call, #cx)
                }
            }
        } else {
            quote! {
                pub fn read(
                    #call: &__tool::ToolCall,
                    #cx: &__tool::Context,
                ) -> __tool::Result<Self, __tool::ToolError> {
                    __tool::read_owned(
                        #call,
                        #cx,
                        <#handle as __tool::Handle>::DESCRIPTOR,
                        <#handle as __tool::ToolArgs>::read,
                    )
                }
            }
        }
    }

    /// `Debug` for arguments whose types the macro knows. Other types may hold secrets.
    pub(crate) fn debug(&self) -> TokenStream {
        let Self { tool, name, .. } = self;
        let ty = self.ty();
        let generics = self.generics();
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let implement = quote_call_site!(impl);
        let shown = tool
            .model_params()
            .filter(|param| param.is_basic && param.secret.is_none())
            .map(|param| {
                let (name, text) = (field(param), literal(param.ident.as_str()));
                quote!((#text, &self.#name))
            });
        let text = literal(name.unraw().to_string());
        let f = local("f");
        quote! {
            #[automatically_derived]
            #implement #impl_generics ::core::fmt::Debug for #ty #where_clause {
                fn fmt(&self, #f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    __tool::debug(#f, #text, &[#(#shown),*])
                }
            }
        }
    }

    /// The method that runs the tool. A tool that requires approval takes it as an argument.
    fn run(&self, callee: &TokenStream) -> TokenStream {
        let tool = self.tool;
        let (state, cx) = (local("state"), local("cx"));
        let arguments = run::arguments(
            tool,
            |_, param| {
                let name = field(param);
                quote!(self.#name)
            },
            |place| {
                let (given, cx) = (
                    place.start(quote!(__tool::context_of)),
                    place.end(quote!((#cx))),
                );
                quote!(#given #cx)
            },
        );
        let outcome = run::outcome(tool, callee, &arguments);
        let is_async = tool.is_async.then(|| quote!(async));
        let bounds = states(tool);
        let (generics, state) = match self.owner {
            Some(ty) => (None, quote!(#state: &__tool::Arc<#ty>)),
            None if bounds.is_empty() => {
                (Some(quote!(<__S: ?::core::marker::Sized>)), quote!(_: &__S))
            }
            None => (
                Some(quote!(<__S: 'static #(#bounds)*>)),
                quote!(#state: &__tool::Arc<__S>),
            ),
        };
        let cx = if has_context(tool) { cx } else { ident("_cx") };
        let yes = run::approved(tool).map(|(name, _)| quote!(, #name: __tool::Approved<'_>));
        quote! {
            /// Runs the tool with the application's state.
            ///
            /// # Errors
            /// The error that the tool returns.
            pub #is_async fn run #generics(self, #state, #cx: &__tool::Context #yes)
                -> __tool::Result<__tool::Outcome, __tool::ToolError>
            {
                #outcome
            }
        }
    }
}

/// The impl that decodes into the struct: of a trait, for a type, and the type that lists the tool.
pub(super) struct ArgsImpl {
    pub(super) trait_: TokenStream,
    pub(super) of: TokenStream,
    pub(super) ty: TokenStream,
}

/// The body of the function that answers a call of a tool that has the struct.
pub(super) fn answer(tool: &Tool, names: &HiddenItems) -> TokenStream {
    let (state, call, about, args) = (local("state"), local("call"), local("about"), local("args"));
    let trait_ = if tool.receiver {
        let method = &names.method;
        quote!(__tool::MethodArgs<#method>)
    } else {
        quote!(__tool::ToolArgs)
    };
    let state = if tool.receiver || !states(tool).is_empty() {
        state.to_token_stream()
    } else {
        quote!(&())
    };
    let read = quote!(<Self as #trait_>::read(#call, #about)?);
    let (name, yes) = run::approved(tool).unzip();
    // The call's own context is made only for a tool that takes it.
    match (tool.is_async, has_context(tool)) {
        (false, true) => {
            let yes = yes.map(|yes| quote!(, #yes));
            quote!(__tool::answered(#read.run(#state, &#call.context() #yes)))
        }
        (false, false) => {
            let yes = yes.map(|yes| quote!(, #yes));
            quote!(__tool::answered(#read.run(#state, #call.__given_context() #yes)))
        }
        (true, true) => {
            let context = local("context");
            let given = name.as_ref().map(|name| quote!(let #name = #yes;));
            let name = name.map(|name| quote!(, #name));
            quote! {
                let (#args, #context) = (#read, #call.context());
                #given
                __tool::pending(async move { #args.run(#state, &#context #name).await })
            }
        }
        (true, false) => {
            let yes = yes.map(|yes| quote!(, #yes));
            quote! {
                let #args = #read;
                __tool::pending(#args.run(#state, #call.__given_context() #yes))
            }
        }
    }
}

/// The structs of a block that was rejected.
pub(crate) fn rejected_block(tools: &[Tool], ty: &Type, krate: &Path) -> TokenStream {
    let args: Vec<_> = tools
        .iter()
        .filter_map(|tool| Args::of(tool, Some(ty), krate))
        .collect();
    if args.is_empty() {
        return TokenStream::new();
    }
    let items = args.iter().map(Args::item);
    let debug = args.iter().map(Args::debug);
    quote! {
        #(#items)*
        const _: () = {
            use #krate::__private as __tool;
            #(#debug)*
        };
    }
}

/// The structs of a block's tools, for the module that the block is in, and their impls.
pub(super) fn of_block(tools: &[Tool], ty: &Type, krate: &Path) -> (TokenStream, TokenStream) {
    let (mut items, mut impls) = (TokenStream::new(), TokenStream::new());
    for tool in tools {
        let Some(args) = Args::of(tool, Some(ty), krate) else {
            continue;
        };
        items.extend(args.item());
        let names = HiddenItems::of(tool);
        let (method, ident, cfg) = (&names.method, &tool.ident, &tool.cfg);
        let listed = ArgsImpl {
            trait_: quote!(__tool::MethodArgs<#method>),
            of: ty.to_token_stream(),
            ty: quote!(__tool::MethodOf<#ty, #method>),
        };
        let own = args.impls(&names, &listed, &quote!(<#ty>::#ident));
        // An attribute applies to one item.
        impls.extend(quote!(#(#cfg)* const _: () = { #own };));
    }
    (items, impls)
}

/// The bounds on the state that the tool's parameters ask for.
pub(super) fn states(tool: &Tool) -> Vec<TokenStream> {
    // Notes about an impl point at its trait, its type and its bounds: at one place.
    let at_name = call_site_at(&tool.ident);
    let states = tool.params.iter().filter_map(|param| match param {
        Param::State(ty) => {
            let (provide, ty) = state_trait(ty, tool);
            Some(quote_spanned!(at_name=> + __tool::#provide<#ty>))
        }
        Param::Model(_) | Param::Context(_) | Param::Approved(_) => None,
    });
    states.collect()
}

fn has_context(tool: &Tool) -> bool {
    let is_context = |param: &Param| matches!(param, Param::Context(_));
    tool.params.iter().any(is_context)
}

fn lifetime() -> syn::Lifetime {
    syn::Lifetime::new(LIFETIME, item_span())
}

/// The type of a parameter's field: the decoded value, which is lent to a function that borrows.
fn field_type(tool: &Tool, param: &ModelParam, krate: &Path) -> TokenStream {
    let ty = match param.pass {
        PassBy::Value => param.ty.to_token_stream(),
        PassBy::Cow => quote!(::std::borrow::Cow<'_, str>),
        PassBy::OptionCow => quote!(__tool::Option<::std::borrow::Cow<'_, str>>),
        PassBy::Ref | PassBy::OptionRef | PassBy::OptionDeref if param.default.is_some() => {
            let (given, default) = (&param.slot, static_lifetimes(param.ty.to_token_stream()));
            quote!(__tool::MaybeOwned<#given, #default>)
        }
        PassBy::Ref | PassBy::OptionRef | PassBy::OptionDeref => param.slot.clone(),
    };
    let ty = name_lifetimes(ty, &tool.lifetimes, LIFETIME);
    with_crate(ty, krate)
}

/// Names the runtime by its path, outside the block that imports it.
fn with_crate(tokens: TokenStream, krate: &Path) -> TokenStream {
    let named = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) if name == "__tool" => {
            quote!(#krate::__private)
        }
        TokenTree::Group(group) => {
            let inner = with_crate(group.stream(), krate);
            let mut named = proc_macro2::Group::new(group.delimiter(), inner);
            named.set_span(group.span());
            TokenTree::from(named).into()
        }
        other => other.into(),
    });
    named.collect()
}

/// The field of a parameter, by its name in Rust.
fn field(param: &ModelParam) -> Ident {
    let span = param.name.span;
    // `gen` is a keyword of some editions alone.
    if param.ident == "gen" || syn::parse_str::<Ident>(&param.ident).is_err() {
        Ident::new_raw(&param.ident, span)
    } else {
        Ident::new(&param.ident, span)
    }
}

/// The documentation of a field, as far as an attribute can have it.
fn doc(words: &Description) -> Option<TokenStream> {
    match words {
        Description::Text(text) if text.value.is_empty() => None,
        Description::Text(text) => {
            let text = literal(text.value.as_str());
            Some(quote!(#[doc = #text]))
        }
        Description::Const(text) => match text.as_ref() {
            Expr::Macro(_) => Some(quote!(#[doc = #text])),
            _ => None,
        },
    }
}
