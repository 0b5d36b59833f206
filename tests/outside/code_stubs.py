"""Type-checks the stubs of a folder and calls of their functions with mypy: the stubs have no errors, and of the calls that pass, most
decode. Calls are valid ones, and such as have one argument of another type, one too many or one too few."""

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
passed = decoded = both = 0
for script in scripts:
    module = script.stem.removesuffix("_calls")
    calls = script.read_text().split("\n")
    for at, verdict in enumerate(script.with_suffix(".txt").read_text().split()):
        # The calls begin in line 5.
        decodes, passes = verdict == "true", (module, 5 + at) not in wrong
        passed += passes
        decoded += decodes
        both += decodes and passes
        if passes and not decodes:
            print("does not decode:", calls[4 + at].strip()[:160])
print(f"{passed} calls type-check, {100 * both / passed:.1f} % of them decode; {100 * both / decoded:.1f} % of those that decode type-check")
if both < passed * 0.97:
    sys.exit("less than 97 %")
