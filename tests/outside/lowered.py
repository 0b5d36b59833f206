"""The lines that `schemas::lowered::what_is_lowered_is_json` writes, and the differences that are known.

With `TOOLWRIGHT_CORPUS` the lines are those of other people's schemas, which need not have every known difference."""

import json
import os
import sys
from typing import Callable, NamedTuple


class Known(NamedTuple):
    """A difference that may be, and must be somewhere."""

    dialect: str
    kind: str
    """As `differences` names it."""
    why: str
    is_meant: Callable[[object, object], bool] = lambda ours, theirs: True
    """Whether the two schemas around it are of the kind that the reason speaks of."""


def lines(dialect):
    """The schemas of a dialect; there are many."""
    with open(sys.argv[1], encoding="utf-8") as file:
        read = [line for line in map(json.loads, file) if line["dialect"] == dialect]
    assert len(read) > 300, f"{dialect}: {len(read)} schemas"
    return read


def differences(ours, theirs):
    """What is not the same in two schemas: `(kind, ours, theirs)`, of the innermost ones around it."""
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        if ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
            yield "another schema", ours, theirs
        return
    for keyword in sorted(ours.keys() | theirs.keys()):
        if keyword not in theirs:
            yield f"drops {keyword}", ours, theirs
        elif keyword not in ours:
            yield f"adds {keyword}", ours, theirs
        else:
            yield from keyword_differences(keyword, ours, theirs)


def keyword_differences(keyword, ours, theirs):
    own, other = ours[keyword], theirs[keyword]
    if keyword in ("properties", "$defs"):
        if list(own) != list(other):
            yield f"changes the names of {keyword}", ours, theirs
        else:
            for name in own:
                yield from differences(own[name], other[name])
    elif keyword in ("anyOf", "allOf", "prefixItems") and len(own) == len(other):
        for member, its in zip(own, other):
            yield from differences(member, its)
    elif keyword in ("items", "additionalProperties"):
        yield from differences(own, other)
    elif own != other:
        yield f"changes {keyword}", ours, theirs


def judge(title, dialects, found, known):
    """Holds what `found` says of each line against the list; ends the program where they differ."""
    unknown, needed, count = [], set(), 0
    for dialect in dialects:
        for line in lines(dialect):
            count += 1
            for kind, ours, theirs in found(line):
                rows = [
                    row
                    for row in known
                    if row.dialect == dialect and row.kind == kind and row.is_meant(ours, theirs)
                ]
                needed.update(rows)
                if not rows:
                    unknown.append(f"{dialect}: {line['name']}: {kind}\n  ours   {ours}\n  theirs {theirs}")
    known = [] if "TOOLWRIGHT_CORPUS" in os.environ else known
    gone = [f"{row.dialect}: {row.kind} is no more; take the row out" for row in known if row not in needed]
    print(f"{title}: {count} schemas, {len(needed)} known differences")
    if unknown or gone:
        sys.exit("\n".join(gone + unknown[:20] + [f"{len(unknown)} unknown differences"]))
