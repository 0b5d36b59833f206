"""What is published. The packages' files and metadata, the order of publishing, and one oldest Rust everywhere."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).parents[2]
REQUIRED = {"Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "src/lib.rs"}
ALLOWED = re.compile(
    r"Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|(README|CHANGELOG)\.md|LICENSE-(APACHE|MIT)|docs/agents\.md"
    r"|src/.*\.(rs|html|css|js)|examples/.*\.(rs|json)|migrations/.*\.sql"
)
METADATA = ["description", "license", "readme", "repository", "keywords", "categories", "rust_version"]
errors = []


def expect(holds, words):
    if not holds:
        errors.append(words)


def cargo(*args):
    return subprocess.run(["cargo", *args], check=True, capture_output=True, text=True, cwd=ROOT).stdout


published = [package for package in json.loads(cargo("metadata", "--no-deps", "--format-version=1"))["packages"] if package["publish"] != []]
oldest = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"].removesuffix(".0")
for package in published:
    name = package["name"]
    files = set(cargo("package", "--list", "--allow-dirty", "-p", name).split("\n")) - {""}
    expect(REQUIRED <= files, f"{name}: without {sorted(REQUIRED - files)}")
    stray = sorted(file for file in files if not ALLOWED.fullmatch(file))
    expect(not stray, f"{name}: {stray[:5]} should not be published")
    for key in METADATA:
        expect(package[key], f"{name}: without {key}")
    expect("docs" in (package["metadata"] or {}), f"{name}: nothing for docs.rs")
    expect(package["rust_version"] == oldest, f"{name}: rust-version {package['rust_version']}, toolchain {oldest}")
for text in ["README.md", "docs/book/pages/features.md", "CONTRIBUTING.md"]:
    said = re.findall(r"(?:needs Rust|`rust-version` is) (\d+\.\d+)", (ROOT / text).read_text())
    expect(said == [oldest], f"{text} says that {said} is the oldest Rust, not {oldest}")

# "Release" in CONTRIBUTING.md.
release = (ROOT / "CONTRIBUTING.md").read_text().split("## Release")[1]
order = re.findall(r"`([a-z-]+)`", re.search(r"order of its dependencies: ([^.]*)", release)[1])
order = [name if name == "toolwright" else f"toolwright-{name}" for name in order]
expect(sorted(order) == sorted(package["name"] for package in published), f"CONTRIBUTING.md publishes {order}")
for package in published:
    for needed in package["dependencies"]:
        # A dependency of tests alone that has no version is left out of what is published.
        if needed["name"] in order and needed["req"] != "*":
            later = order.index(needed["name"]) >= order.index(package["name"])
            expect(not later, f"CONTRIBUTING.md publishes {package['name']} before {needed['name']}")

print(f"{len(published)} packages: {', '.join(order)}")
sys.exit("\n".join(errors) or None)
