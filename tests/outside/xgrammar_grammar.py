"""xgrammar makes a grammar of what we send to vLLM, and none of our bounds is lost on the way."""

import json
import sys
from types import ModuleType


class Stub(ModuleType):
    """Stands for PyTorch, which the package names when it is imported and grammars do not need."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        kind = type(name, (), {"__init__": lambda self, *args, **named: None})
        setattr(self, name, kind)
        return kind


import tvm_ffi  # Looks for PyTorch as well, and does without it.

for name in ("torch", "transformers"):
    sys.modules[name] = Stub(name)

import xgrammar
from lowered import Known, judge

# Said for who reads it, and not for the grammar.
WORDS = {"description", "default", "contentEncoding", "contentMediaType"}
# Without these, what stands beside them means something else.
FRAMES = {"type", "properties", "items", "$defs", "$ref", "anyOf", "allOf"}


def grammar(schema):
    """The grammar, and what is wrong with the schema."""
    try:
        return str(xgrammar.Grammar.from_json_schema(json.dumps(schema))), None
    except RuntimeError as error:
        return None, str(error).split(": ", 1)[-1].strip()


def parts(schema, put):
    """Each schema inside, with a function that puts another in its place."""
    yield schema, put
    for keyword, value in schema.items():
        if keyword in ("properties", "$defs"):
            for name, inner in value.items():
                yield from parts(inner, lambda it, k=keyword, n=name: put({**schema, k: {**schema[k], n: it}}))
        elif keyword in ("anyOf", "prefixItems"):
            for at, inner in enumerate(value):
                yield from parts(
                    inner,
                    lambda it, k=keyword, a=at: put({**schema, k: [*schema[k][:a], it, *schema[k][a + 1 :]]}),
                )
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            yield from parts(value, lambda it, k=keyword: put({**schema, k: it}))


def found(line):
    schema = line["schema"]
    whole, fault = grammar(schema)
    if fault:
        yield fault, schema, None
        return
    for part, put in parts(schema, lambda it: it):
        for keyword in part.keys() - WORDS - FRAMES:
            if part[keyword] is False:  # Objects and arrays are closed unless something is said.
                continue
            without = {key: value for key, value in part.items() if key != keyword}
            if grammar(put(without))[0] == whole:
                yield f"ignores {keyword}", part, keyword


KNOWN = [
    Known(
        "vllm_xgrammar",
        "ignores maxItems",
        "An array is closed behind its places in any case.",
        lambda ours, keyword: ours["maxItems"] == len(ours["prefixItems"]),
    ),
]
judge("xgrammar", ["vllm_xgrammar"], found, KNOWN)
