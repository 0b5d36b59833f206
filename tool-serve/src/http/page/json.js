// JSON whose numbers keep their digits: `9223372036854775807` is more than a number of JavaScript holds.

/** A number, as it was written. */
class Digits {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
  valueOf() {
    return Number(this.text);
  }
}

/** Reads a JSON text; throws where it is none. */
export function parse(text) {
  // From here on the text is known to be JSON.
  JSON.parse(text);
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|[^\s,:{}[\]"]+/g);
  const next = () => tokens.next().value[0];
  return value(next(), next);
}

function value(token, next) {
  if (token === "[") {
    const items = [];
    for (let one = next(); one !== "]"; one = next()) items.push(value(one, next));
    return items;
  }
  if (token === "{") {
    const entries = [];
    for (let key = next(); key !== "}"; key = next()) entries.push([JSON.parse(key), value(next(), next)]);
    return Object.fromEntries(entries);
  }
  return /^[-0-9]/.test(token) ? new Digits(token) : JSON.parse(token);
}

/** Writes what `parse` read; with a `step`, on lines that are indented by it. */
export function stringify(of, step = "", indent = "") {
  const inner = indent + step;
  const list = (open, parts, close) => {
    if (!parts.length || !step) return open + parts.join(",") + close;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
  };
  if (of instanceof Digits) return of.text;
  if (Array.isArray(of)) return list("[", of.map((one) => stringify(one, step, inner)), "]");
  if (typeof of !== "object" || of === null) return JSON.stringify(of);
  const colon = step ? ": " : ":";
  const parts = Object.entries(of).map(([key, one]) => JSON.stringify(key) + colon + stringify(one, step, inner));
  return list("{", parts, "}");
}
