"""What we send to Anthropic is what its own SDK makes of it."""

import copy

from anthropic import transform_schema
from lowered import Known, differences, judge

KNOWN = [
    Known(
        "anthropic_strict",
        "drops type",
        "Values say of which type they are. Other providers want the type said, and the rules that "
        "Anthropic publishes take both; a schema without types would be refused by our other dialects.",
        lambda ours, theirs: "enum" in ours and ours["enum"] == theirs["enum"],
    ),
]


def found(line):
    ours = line["schema"]
    return differences(ours, transform_schema(copy.deepcopy(ours)))


judge("anthropic's transform_schema", ["anthropic_strict"], found, KNOWN)
