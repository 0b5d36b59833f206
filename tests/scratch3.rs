use serde::{Deserialize, Serialize};
use toolwright::{Schema, SchemaDoc};
use std::collections::HashMap;
macro_rules! show { ($($t:ty),*) => {$( println!("{}: {}\n   out {}", stringify!($t), SchemaDoc::of::<$t>().as_json(), SchemaDoc::of_output::<$t>().as_json()); )*} }

#[derive(Deserialize, Serialize, Schema)]
struct Tree { value: i64, #[serde(default, skip_serializing_if = "Vec::is_empty")] children: Vec<Tree>, left: Option<Box<Self>> }
#[derive(Deserialize, Serialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape { /// round
 Circle { r: f64 }, Square(Sq), Empty }
#[derive(Deserialize, Serialize, Schema)]
struct Sq { side: f32 }
#[derive(Deserialize, Serialize, Schema)]
enum Ext { A, B(i32), C { x: Option<u8> }, D(u8, String), E }
#[derive(Deserialize, Serialize, Schema)]
#[serde(tag = "t", content = "c")]
enum Adj { A, B(i32), C { x: u8 } }
#[derive(Deserialize, Serialize, Schema)]
#[serde(untagged)]
enum Unt { I(i64), S(String), N }
#[derive(Deserialize, Serialize, Schema)]
struct Bounded { #[schema(range(1..=50))] limit: u32, #[schema(len(1..), pattern = "^a")] q: String, #[schema(range(0.0..1.0))] f: Option<f64>, #[schema(len(1..4), unique)] v: Vec<u8>,
  #[serde(flatten)] sq: Sq, #[serde(rename(serialize = "out", deserialize = "in"))] io: bool, #[serde(skip)] #[allow(dead_code)] s: u8, #[serde(flatten)] rest: HashMap<String, i32> }
#[derive(Deserialize, Serialize, Schema)]
struct New(#[schema(range(1..))] u8);
#[derive(Deserialize, Serialize, Schema)]
struct Gen<T> { x: T, y: Option<T> }
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct Theirs { /// words
 a: Option<u64>, b: Vec<Inner> }
/// inner words
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
enum Inner { /// first
 X, Y }
#[derive(Deserialize, Serialize, Schema)]
struct Mixed { /// here
 t: Theirs, o: Option<Theirs>, v: Vec<Inner> }
#[derive(Deserialize, Serialize, Schema)]
struct MA { #[schema(recursive)] b: Option<Box<MB>> }
#[derive(Deserialize, Serialize, Schema)]
struct MB { a: Option<Box<MA>> }
#[test] fn show() { show!(Tree, Shape, Ext, Adj, Unt, Bounded, New, Gen<i32>, Mixed, MA, MB, std::num::NonZeroI8, std::net::IpAddr, std::time::Duration, (u8, String)); }
