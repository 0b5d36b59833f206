//! Snapshots of expansions, to be read as code. The files are in `snapshots/`; bless them with `INSTA_UPDATE=always
//! cargo test -p toolwright-macros`.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use crate::{item, list, provide, schema};

fn check(name: &str, tokens: TokenStream) {
    let text = match syn::parse2(tokens) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("`{name}` is not Rust: {error}"),
    };
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

/// The list's code for a build: the last arm of its choice.
fn in_builds(list: TokenStream) -> TokenStream {
    let final_group = |tokens: TokenStream| match tokens.into_iter().last() {
        Some(TokenTree::Group(group)) => group.stream(),
        other => panic!("{other:?} is not a group"),
    };
    final_group(final_group(list))
}

/// The list's code for an editor: the first arm of the choice that ends the first arm.
fn in_editor(list: TokenStream) -> TokenStream {
    let groups = |tokens: TokenStream| {
        let groups = tokens.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        });
        groups.collect::<Vec<_>>().into_iter()
    };
    let arm = groups(list).next().and_then(|choice| groups(choice).next());
    let block = arm.and_then(|arm| groups(arm).next());
    let choice = block.and_then(|block| groups(block).last());
    choice
        .and_then(|choice| groups(choice).next())
        .unwrap_or_default()
}

/// Every option and every kind of parameter, in the crate `krate`.
fn full(krate: &TokenStream) -> TokenStream {
    item::tool(
        quote! {
            name = "create-order", title = "Create an order", read_only = false, destructive, idempotent,
            open_world, exclusive, return_direct, timeout = "10s", meta(risk = "high", level = -3),
            visible = rules::only_admins, validate = rules::is_small, ignore_unknown, crate = #krate
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
fn approved() {
    let tokens = item::tool(
        TokenStream::new(),
        quote! {
            /// Pay a bill.
            fn pay(bill: u32, yes: Approved<'_>) -> u32 {
                bill
            }
        },
    );
    check("approved", tokens);
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
                [T; N]: Schema,
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

                /// Asks for a report.
                #[prompt]
                fn report(&self) -> String {
                    String::new()
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
            #[schema(len(..=9), pattern = r"^\d+-[a-z&.]$")]
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
    let (editor, tokens) = (in_editor(tokens.clone()), in_builds(tokens));
    check(
        "list",
        quote!(fn main() { let tools = #tokens; let in_editor = #editor; }),
    );
}

/// The default path never occurs once another is given.
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
    let list = in_builds(list);
    check("targeted", quote!(#tool fn main() { let tools = #list; }));
}

#[test]
fn arguments_are_a_struct_where_they_are_asked_for() {
    let function = item::tool(
        quote!(args = FindOrders, crate = crate::vendor::wright),
        quote! {
            /// Find orders.
            pub async fn find_orders<'a, T: Schema>(
                /// Who pays.
                customer: Customer<'a>,
                lines: &[Line],
                text: &str,
                #[arg(default = &[])] marks: &[u8],
                #[arg(secret)] key: String,
                #[state] shop: &Shop,
            ) -> Vec<T> {
                todo!()
            }
        },
    );
    let methods = item::tool(
        quote!(crate = crate::vendor::wright),
        quote! {
            impl Crm {
                /// Count.
                #[tool(args = Count)]
                fn count(&self, from: u32) -> usize {
                    0
                }
            }
        },
    );
    for tokens in [&function, &methods] {
        assert!(!tokens.to_string().contains("toolwright"), "{tokens}");
    }
    check("args", quote!(#function #methods));
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
        quote!(crate = #krate, args = 3),
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

/// A token at the macro's call site is new to the compiler after each edit in front of it; see `span`.
#[test]
fn nothing_stands_at_the_call() {
    fn read(text: &str) -> TokenStream {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }
    fn look(tokens: TokenStream, around: &str) {
        let text = tokens.to_string();
        assert!(!text.contains("compile_error"), "{text}");
        for token in tokens {
            // `syn` writes these in the headers of impls, and compilers look at a header soon.
            let is_of_header =
                ["<", ">", ",", "+", ":", "where"].contains(&token.to_string().as_str());
            assert!(
                is_of_header || !token.span().byte_range().is_empty(),
                "`{token}` in `{text}`, in `{around}`"
            );
            if let TokenTree::Group(group) = token {
                look(group.stream(), &text);
            }
        }
    }
    let tool = item::tool(
        read(
            "title = \"Say\", read_only, timeout = \"10s\", meta(a = 1), targets(openai_strict), validate = is_short, visible = always",
        ),
        read(
            "/// Say.\nasync fn say(#[arg(default)] a: u32, #[arg(default = 3, example = 4)] b: u8, #[arg(range(1..=5), rename = \"d\")] c: i8, \
             cow: Cow<str>, list: &[Line], maybe: Option<&Line>, #[arg(secret, len(..9), pattern = \"^a\")] e: Option<String>, \
             #[state] app: &App, #[context] cx: &Context) -> Result<Line, String> { todo!() }",
        ),
    );
    look(tool, "a tool");
    let args = item::tool(
        read("args = Say"),
        read(
            "/// Say.\nasync fn say<T>(a: &[Line], #[arg(secret)] b: u8, cow: Cow<str>, #[state] app: &App) -> Vec<T> { todo!() }",
        ),
    );
    look(args, "a tool with a struct of arguments");
    let open = item::tool(
        read("ignore_unknown"),
        read("/// Say.\npub fn say<T: Schema>(a: T) {}"),
    );
    look(open, "an open tool");
    let flat = item::tool(
        read(""),
        read("/// Say.\nfn say(#[arg(flatten)] a: Line) -> String {}"),
    );
    look(flat, "a flattened tool");
    let methods = item::tool(
        read(""),
        read(
            "impl Crm { /// Find.\n#[tool] fn find(&self, #[arg(default)] a: u32) -> Line {} fn other() {} }",
        ),
    );
    look(methods, "methods");
    let calls = item::tool(
        read(""),
        read("impl Crm { /// Find.\n#[tool(args = Find)] fn find(&self, a: &str) -> Line {} }"),
    );
    look(calls, "methods with structs of arguments");
    for ty in [
        "#[schema(title = \"T\", json_schema)] #[serde(tag = \"t\")] struct A<T> { /// One\n#[serde(default, rename = \"b\")] a: u32, #[serde(alias = \"d\", rename(serialize = \"x\"))] \
         #[schema(example = 3, range(1..9), secret)] c: Vec<T>, #[serde(flatten)] e: Line, #[serde(with = \"m\")] #[schema(as = String)] f: Duration }",
        "#[serde(tag = \"t\", content = \"c\")] enum A { /// One\nOne, Two(u32, Vec<A>), #[serde(untagged)] Three { a: Option<Box<A>> } }",
        "enum A { One, #[serde(alias = \"two\")] Two { a: u32 } }",
    ] {
        look(schema::derive(read(ty)), ty);
    }
    look(
        provide::derive(read("struct App { db: Db, #[provide(skip)] b: u32 }")),
        "provide",
    );
    let list = list::list(read(
        "krate; targets: [openai_strict], unproven: [b], budget: 4_000; a::b, find::<Doc> as \"find_doc\", ..crm: Crm; state = app",
    ));
    // But the expression that it is: a block, and the call at its end.
    let Some(TokenTree::Group(block)) = in_builds(list).into_iter().next() else {
        panic!("a list is a block");
    };
    let inside: Vec<_> = block.stream().into_iter().collect();
    let (inside, call) = inside.split_at(inside.len() - 5);
    let call: TokenStream = call.iter().cloned().collect();
    assert_eq!(call.to_string(), "__tool :: toolset (__tools)");
    look(inside.iter().cloned().collect(), "a list");
}
