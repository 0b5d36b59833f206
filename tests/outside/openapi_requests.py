"""Judges requests of `openapi_requests`, one a line of the file: `openapi-core` reads each against its document.

`openapi_requests.py FILE`: fails unless 98 % of the requests that a path tells apart are accepted, and unless 95 % of those are
refused that lack one part which the document requires.

`openapi_requests.py FILE PRISM`: sends the requests of ten documents to mock servers by this program, and fails if one violates its
document.
"""

import base64
import collections
import copy
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse

BASE = "https://api.example.com/v1"


def stripped(value):
    """Returns a document whose requests need no server of their own and no credential."""
    value["servers"] = [{"url": BASE}]
    value.pop("security", None)
    for item in value.get("paths", {}).values():
        for holder in [item, *(it for it in item.values() if isinstance(it, dict))]:
            holder.pop("servers", None)
            holder.pop("security", None)
    return value


def follow(document, value):
    for _ in range(20):
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not reference:
            return value
        value = document
        for step in reference.removeprefix("#/").split("/"):
            step = urllib.parse.unquote(step).replace("~1", "/").replace("~0", "~")
            value = value[int(step)] if isinstance(value, list) else value[step]
    return {}


def required_names(document, schema):
    """Returns the names that the top of a schema requires."""
    schema = follow(document, schema)
    names = list(schema.get("required", []))
    for part in schema.get("allOf", []):
        names += required_names(document, part)
    return names


class Request:
    def __init__(self, line):
        self.method = line["method"]
        self.url = urllib.parse.urlsplit(line["url"])
        self.headers = dict(line["headers"])
        self.body = base64.b64decode(line["body"]) if line["body"] is not None else None
        self.query = urllib.parse.parse_qsl(self.url.query, keep_blank_values=True)

    def media(self):
        return self.headers.get("Content-Type", "")

    def mock(self):
        from openapi_core.testing.requests import MockRequest
        from werkzeug.datastructures import MultiDict

        cookies = self.headers.get("Cookie", "")
        pairs = [pair.partition("=") for pair in cookies.split("; ") if pair]
        cookies = MultiDict([(name, urllib.parse.unquote(value)) for name, _, value in pairs])
        host = f"{self.url.scheme}://{self.url.netloc}"
        return MockRequest(
            host, self.method, self.url.path, args=MultiDict(self.query), headers=self.headers, cookies=cookies,
            data=self.body, content_type=self.media(),
        )

    def without_a_part(self, document, item, operation):
        """Returns the request without one part that the document requires, and its name, if there is one."""
        other = copy.copy(self)
        for parameter in [*item.get("parameters", []), *operation.get("parameters", [])]:
            parameter = follow(document, parameter)
            name, place = parameter.get("name", ""), parameter.get("in")
            # A part with a default may be missing.
            has_default = "default" in follow(document, parameter.get("schema", {}))
            if not parameter.get("required") or has_default or name.lower() in ("accept", "content-type", "authorization"):
                continue
            if place == "query" and any(key == name for key, _ in self.query):
                other.query = [(key, value) for key, value in self.query if key != name]
                return other, name
            if place == "header" and any(key.lower() == name.lower() for key in self.headers):
                other.headers = {key: value for key, value in self.headers.items() if key.lower() != name.lower()}
                return other, name
        body = follow(document, operation.get("requestBody", {}))
        schemas = [media.get("schema", {}) for kind, media in body.get("content", {}).items() if "json" in kind]
        if self.body is None or "json" not in self.media() or not schemas:
            return None, None
        value = json.loads(self.body)
        for name in required_names(document, schemas[0]):
            if isinstance(value, dict) and name in value:
                del value[name]
                other.body = json.dumps(value).encode()
                return other, name
        return None, None


def judge(lines):
    from openapi_core import Config, OpenAPI
    from openapi_core.exceptions import OpenAPIError
    from openapi_core.templating.paths.finders import APICallPathFinder

    figures = collections.Counter()
    reasons = collections.Counter()
    examples = {}
    by_document = collections.defaultdict(list)
    for line in lines:
        by_document[line["document"]].append(line)
    for file, lines in by_document.items():
        with open(file) as text:
            document = stripped(json.load(text))
        api = OpenAPI.from_dict(document, config=Config(spec_validator_cls=None))
        for line in lines:
            request = Request(line)
            item = document["paths"][line["template"]]
            url = f"{request.url.scheme}://{request.url.netloc}{request.url.path}"
            try:
                found = APICallPathFinder(api.spec).find(request.method, url)
            except Exception:
                found = None
            if found is None or found.path_result.pattern != line["template"]:
                figures["not told apart by the path"] += 1
                continue
            error = refusal(api, request)
            schemes = document.get("components", {}).get("securitySchemes", {}).values()
            hosts = {name.lower() for name in line["hosts"] + [scheme.get("name", "") for scheme in schemes]}
            if error is not None and str(getattr(error, "name", None)).lower() in hosts:
                figures["lacks what the host sends"] += 1
                continue
            # It fails on some patterns and characters.
            if error is not None and not isinstance(error, OpenAPIError):
                figures["not read by the judge"] += 1
                continue
            figures["accepted" if error is None else "refused"] += 1
            if error is not None:
                kind = f"{type(error).__name__} {type(error.__cause__).__name__}"
                reasons[kind] += 1
                cause = str(getattr(error.__cause__, "schema_errors", error.__cause__))[:600]
                example = f"{file} {line['method']} {line['template']} {line['url']} {request.body} {cause}"
                examples.setdefault(kind, []).append(example[:1500])
                continue
            other, name = request.without_a_part(document, item, item[line["method"]])
            if other is not None:
                is_refused = refusal(api, other) is not None
                figures["refused without a part" if is_refused else "accepted without a part"] += 1
                if not is_refused:
                    examples.setdefault("accepted without a part", []).append(f"{file} {line['template']} {name}")
    print(dict(figures))
    for kind, count in reasons.most_common():
        print(f"  {count} {kind}")
    for kind, all_of_kind in examples.items():
        for example in all_of_kind[:4]:
            print(f"  {kind}: {example}")
    accepted = figures["accepted"] / max(1, figures["accepted"] + figures["refused"])
    without = figures["refused without a part"]
    lacking = without / max(1, without + figures["accepted without a part"])
    print(f"accepted {accepted:.2%} (asked 98 %); of requests that lack a required part, {lacking:.2%} are refused (asked 95 %)")
    return figures["accepted"] > 0 and accepted >= 0.98 and without > 0 and lacking >= 0.95


def refusal(api, request):
    try:
        api.validate_request(request.mock())
    except Exception as error:
        return error
    return None


def violations(request, port):
    """Sends a request to a mock server of its document, and returns what of it violates the document."""
    path = request.url.path.removeprefix(urllib.parse.urlsplit(BASE).path)
    query = f"?{request.url.query}" if request.url.query else ""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(request.method.upper(), path + query, body=request.body, headers=request.headers)
    answer = connection.getresponse()
    words = answer.read().decode(errors="replace")
    connection.close()
    header = answer.headers.get("sl-violations", "[]")
    # A long list is cut, with words in front.
    cut = re.findall(r'\{"location":\["request".*?\}', header)
    found = cut if header.startswith("Too many") else json.loads(header)
    found = [one for one in found if one in cut or one["location"][0] == "request"]
    return found or ([words] if "stoplight.io/prism/errors" in words and "request" in words else [])


def mocked(lines, prism):
    """Sends the requests of ten documents to mock servers of them."""
    by_document = collections.defaultdict(list)
    for line in lines:
        if "?" not in line["template"] and "#" not in line["template"]:
            by_document[line["document"]].append(line)
    # Small ones, with nothing to fetch.
    files = [
        file
        for file, lines in by_document.items()
        if len(lines) >= 4 and os.path.getsize(file) < 400_000 and '"$ref": "http' not in open(file).read()
    ]
    sent = bad = overlaps = noticed = lacking = 0
    for file in files[:: max(1, len(files) // 10)][:10]:
        with open(file) as text:
            document = stripped(json.load(text))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as copied:
            json.dump(document, copied)
            copied.flush()
            command = [prism, "mock", copied.name, "--host", "127.0.0.1", "--port", str(port)]
            server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                if not any("Prism is listening" in line for line in server.stdout):
                    sys.exit(f"{file}: no mock server")
                threading.Thread(target=server.stdout.read, daemon=True).start()
                for line in by_document[file]:
                    request = Request(line)
                    found = violations(request, port)
                    sent += 1
                    # The tools take a value that fits several alternatives, as APIs do.
                    fits_several = [one for one in found if "exactly one schema in oneOf" in str(one)]
                    overlaps += bool(fits_several)
                    found = [one for one in found if one not in fits_several]
                    bad += bool(found)
                    if found:
                        print(f"{file} {line['method']} {line['url']} {request.body}: {found}"[:1200])
                    item = document["paths"][line["template"]]
                    other, _ = request.without_a_part(document, item, item[line["method"]])
                    if other is not None:
                        query = urllib.parse.urlencode(other.query)
                        other.url = other.url._replace(query=query)
                        lacking += 1
                        noticed += bool(violations(other, port))
            finally:
                server.terminate()
                server.wait()
    print(f"mock servers: {sent} requests, {bad} with violations, {overlaps} that fit several alternatives of `oneOf`; of {lacking} that lack a required part, {noticed} violate")
    return sent >= 40 and bad == 0 and noticed > 0


def main():
    with open(sys.argv[1]) as text:
        lines = [json.loads(line) for line in text]
    is_good = judge(lines) if len(sys.argv) == 2 else mocked(lines, sys.argv[2])
    sys.exit(0 if is_good else 1)


main()
