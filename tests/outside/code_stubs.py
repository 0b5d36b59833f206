"""Type-checks the stubs of a folder and calls of their functions with mypy: the stubs have no errors, and so many percent of the calls
that pass decode when a program makes them. Most of the others are beyond a bound, which stands in the docstring, since Python has no type for it.
Calls are valid ones, and such as have one argument of another type, one too many or one too few."""

import pathlib
import re
import subprocess
import sys

folder, percent = pathlib.Path(sys.argv[1]), int(sys.argv[2])
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
BOUND = r"expected an? (string|integer|number|array) (in the format|that matches|of|from|below|above)\b"
passed = decoded = both = bounds = 0
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
            if re.search(BOUND, verdict):
                bounds += 1
            else:
                print("does not decode:", verdict[:300], calls[4 + at].strip()[:160])
share = lambda part, whole: f"{100 * part / whole:.1f} %"
print(f"{passed} calls type-check, {share(both, passed)} of them decode; {share(both, decoded)} of those that decode type-check")
print(f"  not decoded: {bounds} beyond a bound of the docstring, {passed - both - bounds} others")
if both * 100 < passed * percent:
    sys.exit(f"less than {percent} %")
