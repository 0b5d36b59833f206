"""Type-checks the stubs of a folder and calls of their functions with mypy: the stubs have no errors, and the calls that pass decode, but
for two kinds that no type of Python can say: bounds, which stand in the docstring, and `True`, which is an `int` for Python and no
number in JSON. Calls are valid ones, and such as have one argument of another type, one too many or one too few."""

import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
scripts = sorted(folder.glob("*_calls.py"))
options = ["--no-error-summary", "--hide-error-context", "--no-incremental"]
mypy = [sys.executable, "-m", "mypy", *options, *[script.name for script in scripts]]
checked = subprocess.run(mypy, cwd=folder, capture_output=True, text=True)
wrong, of_stubs = set(), []
for line in checked.stdout.splitlines():
    if found := re.match(r"(\w+)_calls\.py:(\d+): error: ", line):
        wrong.add((found[1], int(found[2])))
    elif ".pyi:" in line and ": error: " in line:
        of_stubs.append(line)
if checked.stderr or of_stubs:
    sys.exit(f"{checked.stderr}\n" + "\n".join(of_stubs[:20]))
KINDS = {
    "`True` for a number": r"expected [^:]*\b(number|integer)\b[^:]*, got true",
    "beyond a bound of the docstring": r"expected an? (string|integer|number|array) (in the format|that matches|of|from|below|above)\b",
}


def kind(faults):
    """The kind of a call's only fault."""
    return next((name for name, words in KINDS.items() if re.search(words, faults)), "others")


kinds = dict.fromkeys([*KINDS, "others"], 0)
passed = decoded = both = 0
for script in scripts:
    module = script.stem.removesuffix("_calls")
    calls = script.read_text().split("\n")
    for at, verdict in enumerate(script.with_suffix(".txt").read_text().splitlines()):
        # The calls begin in line 5.
        decodes, passes = not verdict, (module, 5 + at) not in wrong
        passed += passes
        decoded += decodes
        both += decodes and passes
        if passes and not decodes:
            kinds[kind(verdict)] += 1
            if kind(verdict) == "others":
                print("does not decode:", verdict[:300], calls[4 + at].strip()[:160])
share = lambda part, whole: f"{100 * part / whole:.1f} %"
print(f"{passed} calls type-check, {share(both, passed)} of them decode; {share(both, decoded)} of those that decode type-check")
print("  not decoded:", ", ".join(f"{count} {name}" for name, count in kinds.items()))
within = passed - kinds["beyond a bound of the docstring"] - kinds["`True` for a number"]
print(f"  of those within the bounds of the docstring, with numbers for numbers, {share(both, within)} decode")
if both < within * 0.99:
    sys.exit("less than 99 %")
