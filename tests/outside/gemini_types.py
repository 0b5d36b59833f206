"""Google's own types read what we send, and write it again as it was."""

from lowered import Known, differences, judge
from google.genai import types
from pydantic import ValidationError

DOUBLES = "Google's types hold bounds as doubles, as its protocol does. The decoder knows the bound itself."


def are_equal_doubles(ours, theirs):
    return float(ours["maximum"]) == theirs["maximum"]


KNOWN = [
    Known("gemini_openapi", "changes maximum", DOUBLES, are_equal_doubles),
    Known("gemini_json", "changes maximum", DOUBLES, are_equal_doubles),
    Known(
        "gemini_json",
        "refuses prefixItems",
        "The class that the SDK converts JSON Schema with has no such member. What is sent as "
        "parametersJsonSchema does not pass through it, and the protocol's text names the keyword.",
    ),
]


def written(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def with_types_in_capitals(schema):
    """As Google writes the types' names."""
    capital = {}
    for keyword, value in schema.items():
        if keyword == "type":
            value = value.upper()
        elif keyword == "properties":
            value = {name: with_types_in_capitals(inner) for name, inner in value.items()}
        elif keyword == "anyOf":
            value = [with_types_in_capitals(inner) for inner in value]
        elif keyword == "items":
            value = with_types_in_capitals(value)
        capital[keyword] = value
    return capital


def read(kind, value):
    """What the type has of a value, or the keywords that it does not know."""
    try:
        return written(kind.model_validate(value)), []
    except ValidationError as error:
        faults = error.errors()
        names = {fault["loc"][-1] for fault in faults if fault["type"] == "extra_forbidden"}
        assert len(names) and all(fault["type"] == "extra_forbidden" for fault in faults), error
        return None, sorted(names)


def of_form(kind, ours, expected):
    theirs, refused = read(kind, ours)
    for name in refused:
        yield f"refuses {name}", ours, None
    if theirs is not None:
        yield from differences(expected, theirs)


def found(line):
    ours = line["schema"]
    member = "parameters" if line["dialect"] == "gemini_openapi" else "parametersJsonSchema"
    declaration = {"name": "hold", "description": "Holds a value.", member: ours}
    tool, refused = read(types.Tool, {"functionDeclarations": [declaration]})
    if tool is None:
        for name in refused:
            yield f"refuses {name}", ours, None
        return
    theirs = tool["functionDeclarations"][0][member]
    if member == "parameters":
        yield from differences(with_types_in_capitals(ours), theirs)
        return
    yield from differences(ours, theirs)
    yield from of_form(types.JSONSchema, ours, ours)


judge("google-genai's types", ["gemini_openapi", "gemini_json"], found, KNOWN)
