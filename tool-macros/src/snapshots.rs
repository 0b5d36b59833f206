//! What the macros make of tokens, to be read as code. The files are in `snapshots/`; bless them
//! with `INSTA_UPDATE=always cargo test -p toolwright-macros`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{item, list, provide, schema};

fn check(name: &str, tokens: TokenStream) {
    let text = match syn::parse2(tokens) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("`{name}` is no Rust: {error}"),
    };
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

/// Every option and every kind of parameter, in the crate `krate`.
fn full(krate: &TokenStream) -> TokenStream {
    item::tool(
        quote! {
            name = "create-order", title = "Create an order", read_only = false, destructive, idempotent,
            open_world, exclusive, return_direct, timeout = "10s", meta(risk = "high", level = -3),
            visible = rules::only_admins, validate = rules::is_small, ignore_unknown, handle = CreateOrder, crate = #krate
        },
        quote! {
            /// Place an order.
            ///
            /// # Arguments
            /// - `note`: words for the parcel
            #[must_use]
            pub(crate) async fn create_order<'a>(
                /// Who pays
                customer: Customer<'a>,
                lines: &[Line],
                first: &Line,
                text: &'a str,
                note: Option<&str>,
                maybe: Option<&Line>,
                more: Option<&[Line]>,
                word: Cow<'_, str>,
                #[arg(default = Speed::Normal)] mut speed: Speed,
                #[arg(default, rename = "limit", example = 3)] most: u32,
                #[arg(default = &[])] rest: &[Line],
                #[state] shop: &Shop,
                #[context] cx: &Context,
            ) -> Result<Receipt<'a>, OrderError> {
                todo!()
            }
        },
    )
}

#[test]
fn minimal() {
    let tokens = item::tool(
        TokenStream::new(),
        quote! {
            /// Add two numbers.
            fn add(a: i64, b: i64) -> i64 {
                a + b
            }
        },
    );
    check("minimal", tokens);
}

#[test]
fn every_option_and_parameter() {
    check("full", full(&quote!(::toolwright)));
}

#[test]
fn generic() {
    let tokens = item::tool(
        TokenStream::new(),
        quote! {
            /// Find it.
            pub fn find<T: Schema + DeserializeOwned, const N: usize>(
                what: [T; N],
                #[arg(default = N)] most: usize,
            ) -> Option<T>
            where
                T: Serialize,
            {
                todo!()
            }
        },
    );
    check("generic", tokens);
}

#[test]
fn flattened() {
    let tokens = item::tool(
        TokenStream::new(),
        quote! {
            /// Search.
            fn search(#[arg(flatten)] query: Query) {}
        },
    );
    check("flattened", tokens);
}

#[test]
fn methods() {
    let tokens = item::tool(
        TokenStream::new(),
        quote! {
            impl<T: Send + Sync + 'static> Crm<T> {
                const FIRST: u32 = 1;

                /// Find a customer.
                #[tool(read_only)]
                pub async fn find(&self, #[arg(default = Self::FIRST)] id: u32) -> Option<Customer> {
                    self.get(id)
                }

                /// Count the customers.
                #[tool]
                fn count(&self) -> usize {
                    0
                }

                fn get(&self, id: u32) -> Option<Customer> {
                    None
                }
            }
        },
    );
    check("methods", tokens);
}

#[test]
fn rejected() {
    let tokens = item::tool(
        quote!(colour = "blue"),
        quote! {
            fn add(a: i64, (b, c): (i64, i64)) -> i64 {
                a + b + c
            }
        },
    );
    check("rejected", tokens);
}

#[test]
fn derived() {
    let fields = schema::derive(quote! {
        /// An order
        struct Order {
            /// Who pays
            #[serde(alias = "client", alias = "buyer")]
            customer: String,
            #[schema(len(..=9), pattern = r"^\d+-[a-z&&]$")]
            code: String,
            #[serde(default, rename(serialize = "quantity", deserialize = "qty"))]
            count: u32,
        }
    });
    let variants = schema::derive(quote! {
        enum Speed {
            /// Within a week
            #[serde(alias = "lazy")]
            Slow,
            Fast,
            #[serde(alias = "by")]
            Until(u32),
        }
    });
    check("derived", quote!(#fields #variants));
}

#[test]
fn listed() {
    let tokens = list::list(quote! {
        toolwright;
        weather, shop::orders::place as "order", find::<Doc> as "find_doc", ..crm: Crm; state = app
    });
    check("list", quote!(fn main() { let tools = #tokens; }));
}

/// The default path stands nowhere once another is given.
#[test]
fn targeted() {
    let tool = item::tool(
        quote!(targets(openai_strict, gemini_json)),
        quote! {
            /// Add two numbers.
            fn add(a: i64, b: i64) -> i64 {
                a + b
            }
        },
    );
    let list = list::list(quote! {
        toolwright; targets: [openai_strict], unproven: [find], budget: 4_000;
        add, ..shelf: Shelf
    });
    check("targeted", quote!(#tool fn main() { let tools = #list; }));
}

#[test]
fn a_renamed_crate_is_the_only_one() {
    let krate = quote!(crate::vendor::wright);
    let function = full(&krate);
    let methods = item::tool(
        quote!(crate = #krate),
        quote! {
            impl Crm {
                /// Count.
                #[tool]
                fn count(&self, #[arg(default)] from: u32) -> usize {
                    0
                }
            }
        },
    );
    let refused = item::tool(
        quote!(crate = #krate, handle = 3),
        quote!(
            fn add() {}
        ),
    );
    let schema = schema::derive(quote! {
        #[schema(crate = #krate)]
        struct Line {
            #[serde(default)]
            count: u32,
        }
    });
    let provide = provide::derive(quote! {
        #[provide(crate = #krate)]
        struct App {
            shop: Shop,
        }
    });
    let renamed = quote!(#methods #refused #schema #provide);
    for tokens in [&function, &renamed] {
        assert!(!tokens.to_string().contains("toolwright"), "{tokens}");
    }
    check("renamed", renamed);
}
