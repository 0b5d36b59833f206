"""Judges requests of `openapi_requests`, one a line of the file: `openapi-core` reads each against its document.

`openapi_requests.py FILE`: fails unless 98 % of the requests that a path tells apart are accepted, and unless 95 % of those are
refused that lack one part which the document requires.

`openapi_requests.py FILE URL DOCUMENT`: sends the requests of one document to a mock server of it, and fails if one violates it.
"""

import base64
import collections
import copy
import http.client
import json
import sys
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
            if not parameter.get("required") or name.lower() in ("accept", "content-type", "authorization"):
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
            figures["accepted" if error is None else "refused"] += 1
            if error is not None:
                kind = f"{type(error).__name__} {type(error.__cause__).__name__}"
                reasons[kind] += 1
                cause = str(getattr(error.__cause__, "schema_errors", error.__cause__))[:600]
                examples.setdefault(kind, []).append(f"{file} {line['method']} {line['template']} {line['url']} {request.body} {cause}"[:1500])
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


def send(lines, url, document):
    server = urllib.parse.urlsplit(url)
    sent = bad = 0
    for line in lines:
        if line["document"] != document:
            continue
        request = Request(line)
        path = line["url"].removeprefix(BASE)
        connection = http.client.HTTPConnection(server.hostname, server.port, timeout=60)
        connection.request(request.method.upper(), path, body=request.body, headers=request.headers)
        answer = connection.getresponse()
        words = answer.read().decode(errors="replace")
        connection.close()
        violations = answer.headers.get("sl-violations")
        sent += 1
        is_bad = bool(violations and '"request"' in violations) or answer.status == 422
        bad += is_bad
        if is_bad:
            print(f"{line['method']} {line['template']}: {path} {request.body} {answer.status} {violations} {words[:500]}")
    print(f"{document}: {sent} requests, {bad} with violations")
    return sent > 0 and bad == 0


def main():
    with open(sys.argv[1]) as text:
        lines = [json.loads(line) for line in text]
    is_good = judge(lines) if len(sys.argv) == 2 else send(lines, *sys.argv[2:4])
    sys.exit(0 if is_good else 1)


main()
