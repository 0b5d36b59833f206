use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use crate::render::SchemaDoc;
use crate::shape::{Shape, Side};

/// Converts our tree to schemars' schema, for one side. Recursive types become definitions of the generator, with names
/// unique to this tree.
pub fn to_schemars(shape: &'static Shape<'static>, generator: &mut SchemaGenerator) -> Schema {
    let side = if generator.contract().is_serialize() {
        Side::Output
    } else {
        Side::Input
    };
    let mut value = SchemaDoc::from_shape(shape, side).to_value();
    let Some(Value::Object(defs)) = value.as_object_mut().and_then(|root| root.remove("$defs"))
    else {
        return Schema::try_from(value).unwrap_or_default();
    };
    let prefix = generator
        .settings()
        .definitions_path
        .trim_matches('/')
        .to_owned();
    let mut renamed = Vec::new();
    for (name, body) in &defs {
        let mut free = name.clone();
        let mut number = 1;
        while generator
            .definitions()
            .get(&free)
            .is_some_and(|known| known != body)
        {
            number += 1;
            free = format!("{name}{number}");
        }
        renamed.push((format!("#/$defs/{name}"), format!("#/{prefix}/{free}")));
        generator.definitions_mut().insert(free, body.clone());
    }
    let own = defs
        .iter()
        .zip(&renamed)
        .find(|((_, body), _)| **body == value);
    if let Some((_, (_, target))) = own {
        value = serde_json::json!({ "$ref": target });
    }
    refer(&mut value, &renamed);
    for (_, target) in &renamed {
        let name = target.rsplit('/').next().unwrap_or_default();
        if let Some(body) = generator.definitions_mut().get_mut(name) {
            refer(body, &renamed);
        }
    }
    Schema::try_from(value).unwrap_or_default()
}

fn refer(value: &mut Value, renamed: &[(String, String)]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, renamed)),
        Value::Object(entries) => {
            for (key, value) in entries {
                let target = renamed.iter().find(|(old, _)| value.as_str() == Some(old));
                match target {
                    Some((_, new)) if key == "$ref" => *value = Value::String(new.clone()),
                    _ => refer(value, renamed),
                }
            }
        }
        _ => {}
    }
}
