//! A recursive type's tree and the targets of its cut edges, walked by the compiler.

use serde::{Deserialize, Serialize};
use toolwright::{
    Schema,
    schema::{Kind, Refs, SchemaDoc, Shape},
};

#[derive(Serialize, Deserialize, Schema)]
struct Folder {
    name: String,
    files: Vec<File>,
}

#[derive(Serialize, Deserialize, Schema)]
struct File {
    size: u64,
    #[schema(recursive)]
    link_to: Option<Box<Folder>>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Tree {
    value: i64,
    children: Vec<Tree>,
}

/// How many cut edges a tree has.
const fn cuts(shape: &Shape<'_>) -> usize {
    match shape.kind {
        Kind::Back(_) => 1,
        Kind::Nullable(inner) | Kind::Narrow(inner, _) => cuts(inner),
        Kind::Array(array) => cuts(array.items),
        Kind::Object(object) => {
            let mut count = 0;
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                count += cuts(field.shape);
                fields = rest;
            }
            count
        }
        _ => 0,
    }
}

/// How many of the targets that a type knows are the type of this name.
const fn targets(refs: &Refs, name: &str) -> usize {
    let mut count = 0;
    let mut own = refs.targets;
    while let [target, rest @ ..] = own {
        // Names of one length are enough to tell these apart.
        if target.id.name.len() == name.len() {
            count += 1;
        }
        own = rest;
    }
    let mut inner = refs.of;
    while let [refs, rest @ ..] = inner {
        count += targets(refs, name);
        inner = rest;
    }
    count
}

const TREE: usize = cuts(Tree::SHAPE);
const FOLDER: usize = cuts(Folder::SHAPE);
const FILE: usize = cuts(File::SHAPE);
const FROM_FILE: usize = targets(File::REFS, "Folder");

#[test]
fn a_constant_walks_the_tree_and_what_it_leads_back_to() {
    assert_eq!((TREE, FOLDER, FILE), (1, 1, 1));
    // A file leads to a folder that its own tree does not hold.
    assert_eq!(FROM_FILE, 1);
}

#[test]
fn recursive_types_stand_in_definitions_and_others_inline() {
    let value = SchemaDoc::of::<File>().to_value();
    let defs = value.get("$defs").and_then(|defs| defs.as_object());
    let names: Vec<_> = defs.into_iter().flat_map(|defs| defs.keys()).collect();
    assert_eq!(names, ["Folder"]);
}
