// A form made of a JSON Schema, and JSON text made of the form. Numbers are sent as they were typed:
// a number of JavaScript's would lose digits.

import { stringify } from "./json.js";
import { visible } from "./visible.js";

/** How deep forms nest by themselves; what lies deeper is written as JSON. */
const DEEPEST = 8;
const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

let lastId = 0;

/** An element with properties, attributes (with a dash) and children, whose texts hide nothing. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes("-") || name === "for" || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  const shown = children.filter((child) => child !== undefined && child !== null && child !== "");
  element.append(...shown.map((child) => (child instanceof Node ? child : visible(`${child}`))));
  return element;
}

/**
 * The form of a tool's arguments: `element`, `read()` for their JSON text, `tell(faults)` to put faults
 * beside their fields; what belongs to no field comes back.
 */
export function form(root) {
  const places = new Set();
  const cx = { root, places };
  const node = objectOf(cx, ways(cx, root)[0] ?? {}, () => "", 0, false);
  const clear = () => {
    for (const place of places) place.say("");
  };
  return {
    element: node.element,
    read: () => node.read() ?? "{}",
    clear,
    tell(faults) {
      clear();
      const left = [];
      // Where a field stands changes with what is added and taken away before it.
      const there = new Map();
      for (const place of places) {
        if (!place.element.isConnected) places.delete(place);
        else if (!there.has(place.path())) there.set(place.path(), place);
      }
      let first;
      for (const fault of faults) {
        const place = nearest(there, fault.path);
        if (!place) {
          left.push(fault);
          continue;
        }
        place.say(place.path() === fault.path ? fault.message : `${fault.path}: ${fault.message}`);
        first ??= place;
      }
      first?.focus();
      return left;
    },
  };
}

/** The place of a path, or of what it lies in. */
function nearest(there, path) {
  for (let at = path; at; at = at.replace(/((^|\.)[^.[]*|\[[^[]*)$/, "")) {
    if (there.has(at)) return there.get(at);
  }
  return undefined;
}

/** A key behind a path, spelled as faults spell it. */
function join(path, key) {
  const plain = /^[\p{L}\p{N}_$-]+$/u.test(key);
  if (!plain) return `${path}[${JSON.stringify(key)}]`;
  return path ? `${path}.${key}` : key;
}

function follow(cx, schema) {
  const own = {};
  for (let left = 32; left > 0 && schema && typeof schema.$ref === "string"; left -= 1) {
    for (const word of ["description", "default", "examples", "writeOnly", "title"]) {
      if (word in schema && !(word in own)) own[word] = schema[word];
    }
    let at = cx.root;
    for (const step of schema.$ref.replace(/^#/, "").split("/").slice(1)) {
      at = at?.[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    schema = at;
  }
  return schema === true || !schema ? own : { ...schema, ...own };
}

/** The ways in which a value may be: no references, no choices. */
function ways(cx, schema, depth = 0) {
  const at = follow(cx, schema);
  const choices = at.anyOf ?? at.oneOf ?? (at.allOf?.length === 1 ? at.allOf : undefined);
  if (!choices || depth > 16) {
    if (!Array.isArray(at.type)) return [at];
    return at.type.map((type) => ({ ...at, type }));
  }
  const own = at.properties ? [{ ...at, anyOf: undefined, oneOf: undefined, allOf: undefined }] : [];
  return [...own, ...choices.flatMap((one) => ways(cx, one, depth + 1))];
}

const isNull = (way) => way.type === "null" || way.const === null;

function fixed(way) {
  if (way.const !== undefined) return stringify(way.const);
  return way.enum?.length === 1 ? stringify(way.enum[0]) : undefined;
}

/** A field of any schema. `read()` is its JSON text, or nothing where it is left out. */
function field(cx, name, schema, path, depth, isRequired, isSecret = false) {
  const at = follow(cx, schema);
  const all = ways(cx, at);
  const some = all.filter((way) => !isNull(way));
  isSecret ||= at.writeOnly === true || some.some((way) => way.writeOnly === true);
  const words = { name, path, isRequired, isSecret, help: help(at, isSecret), example: at.examples?.[0] };
  const isNullable = some.length < all.length;
  const node = kind(cx, words, some, path, depth);
  if (!isNullable || !isRequired) return node;
  return { ...node, read: () => node.read() ?? "null" };
}

function help(at, isSecret) {
  const lines = [at.description];
  const bounds = [];
  const [least, most] = [at.minimum ?? at.exclusiveMinimum, at.maximum ?? at.exclusiveMaximum];
  if (least !== undefined && most !== undefined) bounds.push(`${least} to ${most}`);
  else if (least !== undefined) bounds.push(`at least ${least}`);
  else if (most !== undefined) bounds.push(`at most ${most}`);
  if (at.multipleOf !== undefined) bounds.push(`a multiple of ${at.multipleOf}`);
  if (at.maxLength !== undefined) bounds.push(`${at.minLength ?? 0} to ${at.maxLength} characters`);
  else if (at.minLength !== undefined) bounds.push(`at least ${at.minLength} characters`);
  if (at.pattern !== undefined) bounds.push(`like ${at.pattern}`);
  if (at.format !== undefined) bounds.push(at.format);
  if (at.maxItems !== undefined) bounds.push(`${at.minItems ?? 0} to ${at.maxItems} of them`);
  else if (at.minItems !== undefined) bounds.push(`at least ${at.minItems}`);
  if (at.uniqueItems) bounds.push("no two alike");
  if (at.default !== undefined && !isSecret) bounds.push(`default: ${stringify(at.default)}`);
  if (bounds.length) lines.push(bounds.join(" · "));
  return lines.filter(Boolean).join("\n");
}

function kind(cx, words, some, path, depth) {
  if (depth > DEEPEST) return json(cx, words);
  if (some.length > 1) {
    const strings = some.every((way) => way.enum?.every((one) => typeof one === "string"));
    if (strings) return choice(cx, words, some.flatMap((way) => way.enum));
    const numbers = some.every((way) => way.type === "integer" || way.type === "number");
    return numbers ? scalar(cx, words, "number") : union(cx, words, some, path, depth);
  }
  const way = some[0];
  if (!way) return { element: make("span", { hidden: true }), read: () => "null" };
  const value = fixed(way);
  if (value !== undefined && words.isRequired) {
    return { element: make("span", { hidden: true }), read: () => value };
  }
  if (way.enum) return choice(cx, words, way.enum);
  if (way.const !== undefined) return choice(cx, words, [way.const]);
  if (way.type === "object" || way.properties) {
    if (way.properties && Object.keys(way.properties).length) {
      return group(cx, words, () => objectOf(cx, way, path, depth + 1, words.isSecret));
    }
    if (way.additionalProperties === false) return group(cx, words, () => objectOf(cx, way, path, depth + 1));
    return group(cx, words, () => entries(cx, words, way, path, depth + 1));
  }
  if (way.type === "array") {
    return group(cx, words, () =>
      way.prefixItems ? tuple(cx, words, way, path, depth + 1) : list(cx, words, way, path, depth + 1),
    );
  }
  if (way.type === "boolean") return truth(cx, words);
  if (way.type === "integer" || way.type === "number") return scalar(cx, words, "number");
  if (way.type === "string") return scalar(cx, words, "string");
  return json(cx, words);
}

/** The slot for faults beside a field, known by its path. */
function place(cx, path, element, control) {
  const slot = make("p", { className: "fault", id: `fault-${(lastId += 1)}` });
  control.setAttribute("aria-describedby", [control.getAttribute("aria-describedby"), slot.id].filter(Boolean).join(" "));
  cx.places.add({
    path,
    element,
    say(message) {
      slot.textContent = message && slot.textContent ? `${slot.textContent}\n${message}` : message;
      if (control.matches("input, select, textarea")) {
        if (message) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
      }
    },
    focus: () => control.focus(),
  });
  return slot;
}

/** A label, a control, help and a slot for faults. */
function labelled(cx, words, control, read) {
  control.id = `field-${(lastId += 1)}`;
  const note = make("div", { className: "help", id: `${control.id}-help` }, words.help);
  if (words.help) control.setAttribute("aria-describedby", note.id);
  const mark = words.isRequired ? "required" : "optional";
  const label = make("label", { for: control.id }, words.name, make("small", {}, mark));
  const element = make("div", { className: "field" });
  if (words.isRequired) control.setAttribute("aria-required", "true");
  const slot = place(cx, words.path, element, control);
  if (control.type === "checkbox") element.append(make("div", { className: "check" }, control, label));
  else element.append(label, control);
  element.append(...(words.help ? [note] : []), slot);
  return { element, read };
}

function scalar(cx, words, type) {
  const example = words.example === undefined ? undefined : String(words.example);
  const properties = { placeholder: words.isSecret ? "" : visible(example ?? ""), autocomplete: "off" };
  let control;
  if (words.isSecret) control = make("input", { ...properties, type: "password", autocomplete: "new-password" });
  else if (type === "number") control = make("input", { ...properties, type: "text", inputMode: "decimal" });
  else control = make("textarea", { ...properties, rows: 1, spellcheck: false });
  let isTouched = false;
  control.addEventListener("input", () => {
    isTouched = true;
  });
  return labelled(cx, words, control, () => {
    const text = control.value;
    if (type === "number") {
      if (!text.trim()) return undefined;
      return NUMBER.test(text.trim()) ? text.trim() : JSON.stringify(text);
    }
    return text || (isTouched && words.isRequired) ? JSON.stringify(text) : undefined;
  });
}

function choice(cx, words, values) {
  const empty = make("option", { value: "" }, words.isRequired ? "Choose…" : "not set");
  const options = values.map((value, index) =>
    make("option", { value: String(index) }, typeof value === "string" ? value : stringify(value)),
  );
  const control = make("select", {}, empty, ...options);
  return labelled(cx, words, control, () =>
    control.value === "" ? undefined : stringify(values[Number(control.value)]),
  );
}

function truth(cx, words) {
  if (!words.isRequired) return choice(cx, words, [true, false]);
  const control = make("input", { type: "checkbox" });
  return labelled(cx, words, control, () => String(control.checked));
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function json(cx, words) {
  const control = words.isSecret
    ? make("input", { type: "password", autocomplete: "new-password" })
    : make("textarea", { className: "json", rows: 1, spellcheck: false, placeholder: "JSON, or text" });
  return labelled(cx, words, control, () => {
    const text = control.value.trim();
    if (!text) return undefined;
    return isJson(text) ? text : JSON.stringify(control.value);
  });
}

/** A fieldset; what may be left out has a box that puts it in. `inside` makes what is in it. */
function group(cx, words, inside) {
  const element = make("fieldset", { className: "field" });
  const legend = make("legend");
  const note = words.help ? make("div", { className: "help" }, words.help) : undefined;
  const slot = place(cx, words.path, element, element);
  let node;
  const open = () => {
    node = inside();
    element.append(node.element);
  };
  element.append(legend, ...(note ? [note] : []), slot);
  if (words.isRequired) {
    legend.append(make("span", {}, words.name));
    open();
    return { element, read: () => node.read() };
  }
  const box = make("input", { type: "checkbox", id: `field-${(lastId += 1)}` });
  box.addEventListener("change", () => {
    if (box.checked) open();
    else {
      node.element.remove();
      node = undefined;
    }
  });
  const label = make("label", { className: "check", for: box.id }, box, words.name, make("small", {}, "optional"));
  legend.append(label);
  return { element, read: () => node?.read() };
}

function objectOf(cx, way, path, depth, isSecret) {
  const required = new Set(way.required);
  const fields = Object.entries(way.properties ?? {}).map(([name, schema]) => {
    const at = () => join(path(), name);
    return [name, field(cx, name, schema, at, depth, required.has(name), isSecret)];
  });
  const element = make("div", { className: "fields" }, ...fields.map(([, node]) => node.element));
  if (!fields.length) element.append(make("p", { className: "help" }, "It takes no arguments."));
  const read = () => {
    const parts = [];
    for (const [name, node] of fields) {
      const value = node.read();
      if (value !== undefined) parts.push(`${JSON.stringify(name)}:${value}`);
    }
    return `{${parts.join(",")}}`;
  };
  return { element, read };
}

function tuple(cx, words, way, path, depth) {
  const fields = way.prefixItems.map((schema, index) =>
    field(cx, `${words.name.textContent ?? words.name} ${index + 1}`, schema, () => `${path()}[${index}]`, depth, true, words.isSecret),
  );
  const element = make("div", { className: "fields" }, ...fields.map((node) => node.element));
  return { element, read: () => `[${fields.map((node) => node.read() ?? "null").join(",")}]` };
}

/** Rows that can be added and taken away. */
function rows(name, add) {
  const all = [];
  const label = name.textContent ?? name;
  const items = make("div", { className: "items" });
  const more = make("button", { type: "button", className: "plain" }, `Add to ${label}`);
  const element = make("div", {}, items, make("div", { className: "actions" }, more));
  const push = (focus) => {
    const row = add(all.length);
    const gone = make("button", { type: "button", className: "plain", "aria-label": `Remove from ${label}` }, "✕");
    row.element.append(gone);
    gone.addEventListener("click", () => {
      all.splice(all.indexOf(row), 1);
      row.element.remove();
      all.forEach((other, place) => other.moved?.(place));
      more.focus();
    });
    all.push(row);
    items.append(row.element);
    if (focus) row.element.querySelector("input, select, textarea, button")?.focus();
  };
  more.addEventListener("click", () => push(true));
  return { element, all, push };
}

function list(cx, words, way, path, depth) {
  const made = rows(words.name, (index) => {
    // Shown where the element is named; it counts from 1, as people do.
    const title = document.createTextNode("");
    const row = {
      element: make("div", { className: "item" }),
      moved: (place) => {
        title.data = visible(`${words.name.textContent ?? words.name} ${place + 1}`);
      },
    };
    row.moved(index);
    const at = () => `${path()}[${made.all.indexOf(row)}]`;
    const node = field(cx, title, way.items ?? true, at, depth, true, words.isSecret);
    row.element.append(node.element);
    row.read = node.read;
    return row;
  });
  for (let count = way.minItems ?? 0; count > 0 && made.all.length < 5; count -= 1) made.push(false);
  return {
    element: made.element,
    read: () => `[${made.all.map((row) => row.read() ?? "null").join(",")}]`,
  };
}

function entries(cx, words, way, path, depth) {
  const schema = typeof way.additionalProperties === "object" ? way.additionalProperties : true;
  const made = rows(words.name, (index) => {
    const label = `Key ${index + 1} of ${words.name.textContent ?? words.name}`;
    const key = make("input", { type: "text", autocomplete: "off", placeholder: "key", "aria-label": label });
    const at = () => join(path(), key.value);
    const node = field(cx, `value ${index + 1}`, schema, at, depth, true, words.isSecret);
    return {
      element: make("div", { className: "item entry" }, key, node.element),
      read: () => `${JSON.stringify(key.value)}:${node.read() ?? "null"}`,
    };
  });
  return { element: made.element, read: () => `{${made.all.map((row) => row.read()).join(",")}}` };
}

/** What a way is called: its tag, its only key, its title, its type. */
function called(cx, way) {
  if (way.title) return way.title;
  for (const [name, schema] of Object.entries(way.properties ?? {})) {
    const tag = fixed(ways(cx, schema)[0] ?? {});
    if (tag !== undefined) return `${name}: ${JSON.parse(tag)}`;
  }
  const keys = Object.keys(way.properties ?? {});
  if (keys.length) return keys.length === 1 ? keys[0] : keys.join(", ");
  if (way.enum) return way.enum.map(String).join(" or ");
  return way.type ?? "anything";
}

function union(cx, words, some, path, depth) {
  const options = some.map((way, index) => make("option", { value: String(index) }, called(cx, way)));
  const empty = make("option", { value: "" }, words.isRequired ? "Choose…" : "not set");
  const control = make("select", {}, empty, ...options);
  let node;
  const chosen = labelled(cx, words, control, () => node?.read());
  control.addEventListener("change", () => {
    node?.element.remove();
    node = undefined;
    const way = some[Number(control.value)];
    if (control.value === "" || !way) return;
    const inner = { ...words, name: called(cx, way), isRequired: true, help: way.description ?? "" };
    // The choice's own place stands first, so faults of the value as a whole are told there.
    node = kind(cx, inner, [way], path, depth + 1);
    chosen.element.append(node.element);
  });
  return chosen;
}
