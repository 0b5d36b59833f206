"""What we send is what openai's own strict helper makes of it, byte for byte."""

import copy
import json

from lowered import Known, differences, judge
from openai.lib._pydantic import _ensure_strict_json_schema

KNOWN = [
    Known(
        "xai",
        "adds additionalProperties",
        "xAI is sent its schemas without it, as vercel/ai does; all objects are closed there.",
        lambda ours, theirs: ours["type"] == "object" and theirs["additionalProperties"] is False,
    ),
    Known(
        "xai",
        "adds required",
        "A list of no keys says nothing.",
        lambda ours, theirs: ours["properties"] == {} and theirs["required"] == [],
    ),
    Known(
        "groq",
        "adds required",
        "Groq refuses a list of no keys beside no keys (livekit/agents#5082).",
        lambda ours, theirs: ours["properties"] == {} and theirs["required"] == [],
    ),
]


def found(line):
    ours = line["schema"]
    theirs = copy.deepcopy(ours)
    theirs = _ensure_strict_json_schema(theirs, path=(), root=theirs)
    kinds = list(differences(ours, theirs))
    if not kinds and json.dumps(ours) != json.dumps(theirs):
        kinds = [("another order", ours, theirs)]
    return kinds


DIALECTS = ["openai_strict", "azure_strict", "deepseek_strict", "mistral", "groq", "xai"]
judge("openai's strict helper", DIALECTS, found, KNOWN)
