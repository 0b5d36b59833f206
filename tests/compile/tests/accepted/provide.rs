//! A struct with type parameters provides its fields where no two of them may be one type.
use std::marker::PhantomData;
use toolwright::Provide;

trait Store {}

struct Settings;

/// Known by its trait, which `Settings` does not have.
#[derive(Provide)]
struct ByTrait<S: Store> {
    settings: Settings,
    store: S,
}

#[derive(Provide)]
struct ByClause<S>
where
    S: Store,
{
    store: S,
    settings: Settings,
}

/// No type is inside of itself.
#[derive(Provide)]
struct Parts<S> {
    store: S,
    stores: Vec<S>,
}

#[derive(Provide)]
struct Alone<S: ?Sized> {
    store: Box<S>,
    #[provide(skip)]
    _phantom: PhantomData<S>,
}

struct Memory;

impl Store for Memory {}

fn store(state: &impl Provide<Memory>) -> &Memory {
    state.provide()
}

#[test]
fn runs() {
    let (store_of, settings) = (|| Memory, || Settings);
    store(&ByTrait {
        store: store_of(),
        settings: settings(),
    });
    store(&ByClause {
        store: store_of(),
        settings: settings(),
    });
    store(&Parts {
        store: store_of(),
        stores: vec![],
    });
    let alone = Alone {
        store: Box::new(Memory),
        _phantom: PhantomData,
    };
    let _: &Box<Memory> = alone.provide();
}
