"""Definitions and questions of public benchmarks, as examples/catalogue.rs reads them.

    search.py WHEELS OUT

WHEELS has the unpacked packages bfcl-eval (the Berkeley Function Calling Leaderboard) and tooluniverse, both Apache-2.0; OUT gets
TOOLS.jsonl and QUESTIONS.jsonl. Names become portable, schemas plain JSON Schema. Definitions of one name with much the same words are
one tool, the variant that most questions ask for; others get a number.
"""
import collections, glob, json, os, re, sys

WHEELS, OUT = sys.argv[1] + "/", sys.argv[2]

TYPES = {
    "dict": "object", "object": "object", "hashmap": "object", "hashtable": "object", "map": "object",
    "str": "string", "string": "string", "char": "string", "date": "string", "enum": "string", "text": "string",
    "int": "integer", "integer": "integer", "long": "integer", "short": "integer", "byte": "integer", "bigint": "integer",
    "float": "number", "double": "number", "number": "number",
    "bool": "boolean", "boolean": "boolean",
    "list": "array", "array": "array", "arraylist": "array", "tuple": "array", "set": "array", "queue": "array", "stack": "array",
}
PY = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


def type_of(t):
    if isinstance(t, list):
        for x in t:
            if x != "null":
                return type_of(x)
        return "string"
    t = str(t or "").strip().lower()
    if t in TYPES:
        return TYPES[t]
    if t.startswith(("list", "array")):
        return "array"
    if t.startswith(("dict", "map")):
        return "object"
    return "string"


def fits(kind, v):
    if kind in ("integer", "number") and isinstance(v, bool):
        return False
    return isinstance(v, PY[kind])


def schema(s, depth=0):
    """Any benchmark's spelling of a schema as plain JSON Schema."""
    if not isinstance(s, dict):
        s = {"type": s}
    for k in ("anyOf", "oneOf"):
        if isinstance(s.get(k), list) and s[k]:
            some = [x for x in s[k] if isinstance(x, dict) and x.get("type") != "null"]
            base = dict(some[0]) if some else {}
            base.update({k2: v for k2, v in s.items() if k2 not in ("anyOf", "oneOf")})
            s = base
            break
    kind = type_of(s.get("type", "object" if "properties" in s else "array" if "items" in s else "string"))
    out = {"type": kind}
    if isinstance(s.get("description"), str) and s["description"].strip():
        out["description"] = " ".join(s["description"].split())
    if kind == "object" and isinstance(s.get("properties"), dict):
        props, required = {}, []
        for name, p in s["properties"].items():
            if name:
                props[name] = schema(p, depth + 1)
                if isinstance(p, dict) and p.get("required") is True:
                    required.append(name)
        if isinstance(s.get("required"), list):
            required = [r for r in s["required"] if r in props]
        out["properties"] = props
        required = list(dict.fromkeys(required))
        if required:
            out["required"] = required
    if kind == "array":
        out["items"] = schema(s["items"], depth + 1) if isinstance(s.get("items"), dict) else {"type": "string"}
    enum = s.get("enum")
    if isinstance(enum, list):
        values = [v for v in dict.fromkeys(map(json.dumps, enum)) if fits(kind, json.loads(v))]
        if values and kind in ("string", "integer", "number"):
            out["enum"] = [json.loads(v) for v in values]
    if "default" in s and fits(kind, s["default"]) and s["default"] not in ("", [], {}):
        if "enum" not in out or s["default"] in out["enum"]:
            out["default"] = s["default"]
    return out


def tool(name, description, parameters):
    p = schema(parameters or {"type": "object", "properties": {}})
    p["type"] = "object"
    p.setdefault("properties", {})
    p.pop("items", None), p.pop("enum", None), p.pop("default", None), p.pop("description", None)
    return {
        "name": re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "tool",
        "description": " ".join((description or "").split()),
        "parameters": p,
    }


def lines(path):
    return [json.loads(l) for l in open(path, encoding="utf-8") if l.strip()]


# Each source yields ("tool", Tool) and ("question", text, [Tool])

def bfcl():
    base = WHEELS + "bfcl_eval/data/"
    asked = ["simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple",
             "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"]
    for n in asked:
        answers = {r["id"]: r["ground_truth"] for r in lines(f"{base}possible_answer/BFCL_v4_{n}.json")}
        for r in lines(f"{base}BFCL_v4_{n}.json"):
            own = {f["name"]: tool(f["name"], f["description"], f["parameters"]) for f in r["function"]}
            for t in own.values():
                yield "tool", t
            want = list(dict.fromkeys(k for call in answers[r["id"]] for k in call))
            text = "\n".join(m["content"] for m in r["question"][0] if m["role"] == "user").strip()
            if text and want and all(w in own for w in want):
                yield "question", text, [own[w] for w in want]
    for n in ["irrelevance", "live_irrelevance", "live_relevance"]:
        for r in lines(f"{base}BFCL_v4_{n}.json"):
            for f in r["function"]:
                yield "tool", tool(f["name"], f["description"], f["parameters"])
    for f in sorted(glob.glob(base + "multi_turn_func_doc/*.json")):
        for t in lines(f):
            yield "tool", tool(t["name"], t["description"].split("Tool description: ")[-1], t["parameters"])


def tooluniverse():
    for f in sorted(glob.glob(WHEELS + "tooluniverse/**/*.json", recursive=True)):
        try:
            d = json.load(open(f, encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(d, dict):
            d = d.get("tools", [])
        for t in d:
            if isinstance(t, dict) and isinstance(t.get("name"), str) and isinstance(t.get("description"), str) and isinstance(t.get("parameter"), dict):
                yield "tool", tool(t["name"], t["description"], t["parameter"])


def words(t):
    text = t["description"] + " " + " ".join(t["parameters"]["properties"])
    return set(re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower()))


def main():
    variants, questions = collections.OrderedDict(), []
    for rows in (bfcl(), tooluniverse()):
        for row in rows:
            for t in [row[1]] if row[0] == "tool" else row[2]:
                key = json.dumps(t, ensure_ascii=False)
                v = variants.setdefault(t["name"], collections.OrderedDict()).setdefault(key, [t, 0])
                v[1] += row[0] == "question"
            if row[0] == "question":
                questions.append((row[1], [json.dumps(t, ensure_ascii=False) for t in row[2]]))
    tools, names, taken = [], {}, set(variants)
    for name, defs in variants.items():
        groups = []
        for key, v in sorted(defs.items(), key=lambda kv: -kv[1][1]):
            own = words(v[0])
            same = next((g for g in groups if len(own & g[1]) >= 0.3 * max(1, len(own | g[1]))), None)
            if same:
                names[key] = same[0]
                continue
            new, n = name, 1
            while groups and new in taken:
                n += 1
                new = f"{name[:60]}_{n}"
            taken.add(new)
            groups.append((new, own))
            names[key] = new
            tools.append(dict(v[0], name=new))
    os.makedirs(OUT, exist_ok=True)
    with open(OUT + "/TOOLS.jsonl", "w", encoding="utf-8") as f:
        for t in tools:
            f.write(json.dumps(t, ensure_ascii=False) + "\n")
    asked = dict.fromkeys((text, tuple(dict.fromkeys(names[k] for k in keys))) for text, keys in questions)
    with open(OUT + "/QUESTIONS.jsonl", "w", encoding="utf-8") as f:
        for text, want in asked:
            f.write(json.dumps({"question": text, "expected": want}, ensure_ascii=False) + "\n")


main()
