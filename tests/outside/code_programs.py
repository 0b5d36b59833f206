"""Random programs of the subset of Python that programs over tools have, with what CPython makes of each: lines of JSON. They leave
out where monty 0.0.23 is known to differ: `str.center` with an odd number of fill characters, quotients of integers and formats with
`f` beyond 2**53, `//` and `%` of floats whose quotient is not exact, `casefold` and `title` of letters that become two, digits of
`round` where they lie in the middle (`round(0.45, 1)`), and `math` and `round` of integers beyond 64 bits.

    code_programs.py COUNT SEED
"""

import json
import math
import random
import sys

count, seed = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
WORDS = ["a", "Ada", "x y", "äö", "10", "", "A-b_c", "lorem ipsum", "\t", "é", "1.5", "日本"]

PATTERNS = ["r'[a-m]'", r"r'\d+'", r"r'\w+'", "r'(.).'"]
SEPARATORS = ["' '", "'a'", "'-'"]


def pick(*ways):
    return rng.choice(ways)()


def integer(depth=0):
    if depth > 2 or rng.random() < 0.35:
        return rng.choice([str(rng.randint(-20, 20)), str(rng.randint(-(10**18), 10**18)), "n", "len(words)"])
    a, b = integer(depth + 1), integer(depth + 1)
    return rng.choice(
        [
            f"({a} {rng.choice(['+', '-', '*', '//', '%', '&', '|', '^'])} {b})",
            f"abs({a})",
            f"max({a}, {b})",
            f"({a} if {boolean(depth + 1)} else {b})",
            f"sum(numbers)",
            f"numbers[{rng.randint(-4, 4)}]",
            f"len({string(depth + 1)})",
            f"({a} ** {rng.randint(0, 3)})",
            f"({a} << {rng.randint(0, 5)})",
            f"int({number(depth + 1)})",
            f"divmod({a}, {b})[{rng.randint(0, 1)}]",
            f"words.count({string(depth + 1)})",
            f"round(min({number(depth + 1)}, 1e9))",
        ]
    )


def number(depth=0):
    if depth > 2 or rng.random() < 0.4:
        return rng.choice([repr(round(rng.uniform(-100, 100), rng.randint(0, 6))), "f", "1e-7", "0.1", "1e22"])
    a, b = number(depth + 1), number(depth + 1)
    return rng.choice(
        [
            f"({a} {rng.choice(['+', '-', '*', '/'])} {b})",
            f"round({a}, {rng.randint(-1, 0)})",
            f"float({integer(depth + 1)} % 1000)",
            f"math.floor(max(min({a}, 1e12), -1e12))",
            f"math.sqrt(min(abs({a}), 1e9))",
            f"min({a}, {b})",
            f"({integer(depth + 1)} % 10**6 / ({integer(depth + 1)} % 10**6))",
        ]
    )


def string(depth=0):
    if depth > 2 or rng.random() < 0.35:
        return rng.choice([repr(rng.choice(WORDS)), "s", f"words[{rng.randint(-3, 3)}]"])
    a, b = string(depth + 1), string(depth + 1)
    at, to = rng.randint(-4, 4), rng.randint(-4, 6)
    return rng.choice(
        [
            f"({a} + {b})",
            f"({a} * {rng.randint(-1, 3)})",
            f"{a}[{at}:{to}]",
            f"{a}[::{rng.choice([-1, 2, -2])}]",
            f"{a}.{rng.choice(['upper', 'lower', 'strip', 'title', 'capitalize', 'swapcase', 'lstrip', 'casefold'])}()",
            f"{a}.replace({b}, {string(depth + 1)})",
            f"{a}.join({strings(depth + 1)})",
            f"f'{{{integer(depth + 1)}:{rng.choice(['>8', '05', 'x', ',', '+', 'b', '^9'])}}}'",
            f"f'{{min({number(depth + 1)}, 1e12):{rng.choice(['.2f', '8.3f', '.3e', 'g', '+.1f', '.0f', '%'])}}}'",
            f"str({pick(lambda: integer(depth + 1), lambda: number(depth + 1), lambda: anything(depth + 1))})",
            f"repr({anything(depth + 1)})",
            f"{a}.zfill({rng.randint(0, 8)})",
            f"'{{}}-{{:>4}}'.format({integer(depth + 1)}, {a})",
            f"json.dumps({anything(depth + 1)})",
            f"re.sub({rng.choice(PATTERNS)}, '_', {a})",
        ]
    )


def strings(depth=0):
    if depth > 2 or rng.random() < 0.4:
        return rng.choice(["words", f"[{', '.join(string(depth + 1) for _ in range(rng.randint(0, 3)))}]"])
    return rng.choice(
        [
            f"sorted({strings(depth + 1)})",
            f"{string(depth + 1)}.split()",
            f"{string(depth + 1)}.split({rng.choice(SEPARATORS)})",
            f"[w.upper() for w in {strings(depth + 1)} if {boolean(depth + 1)}]",
            f"list(reversed({strings(depth + 1)}))",
            f"sorted({strings(depth + 1)}, key=len)",
            f"sorted({strings(depth + 1)}, key=lambda w: (len(w), w), reverse=True)",
            f"re.findall({rng.choice(PATTERNS)}, {string(depth + 1)})",
            f"list({string(depth + 1)})",
            f"[str(k) for k, v in sorted(table.items())]",
        ]
    )


def integers(depth=0):
    if depth > 2 or rng.random() < 0.4:
        return rng.choice(["numbers", f"list(range({rng.randint(-5, 5)}, {rng.randint(-5, 15)}, {rng.choice([1, 2, -1, 3])}))"])
    return rng.choice(
        [
            f"[x * {integer(depth + 1)} for x in {integers(depth + 1)} if x % 2]",
            f"sorted({integers(depth + 1)}, reverse={boolean(depth + 1)})",
            f"{integers(depth + 1)}[{rng.randint(-3, 3)}:]",
            f"({integers(depth + 1)} + {integers(depth + 1)})",
            f"[a + b for a, b in zip({integers(depth + 1)}, {integers(depth + 1)})]",
            f"[i for i, x in enumerate({strings(depth + 1)})]",
            f"sorted(set({integers(depth + 1)}))",
            f"list(map(abs, {integers(depth + 1)}))",
            f"list(filter(lambda x: x > 2, {integers(depth + 1)}))",
            f"[{integer(depth + 1)}, *{integers(depth + 1)}]",
        ]
    )


def boolean(depth=0):
    if depth > 2 or rng.random() < 0.3:
        return rng.choice(["True", "False", "n > 3", "'a' in s"])
    return rng.choice(
        [
            f"({integer(depth + 1)} {rng.choice(['<', '<=', '==', '!=', '>'])} {integer(depth + 1)})",
            f"({string(depth + 1)} {rng.choice(['<', '==', 'in', 'not in'])} {string(depth + 1)})",
            f"(not {boolean(depth + 1)})",
            f"({boolean(depth + 1)} {rng.choice(['and', 'or'])} {boolean(depth + 1)})",
            f"any(x > 1 for x in {integers(depth + 1)})",
            f"all(len(w) for w in {strings(depth + 1)})",
            f"{string(depth + 1)}.{rng.choice(['isdigit', 'isalpha', 'isupper', 'isspace', 'isalnum'])}()",
            f"isinstance({anything(depth + 1)}, {rng.choice(['int', 'str', 'list', 'bool', 'float'])})",
            f"({integers(depth + 1)} == {integers(depth + 1)})",
        ]
    )


def anything(depth=0):
    ways = [integer, number, string, strings, integers, boolean, lambda d=0: "None"]
    if depth < 2:
        ways.append(lambda d=0: f"{{{string(d + 1)}: {anything(d + 1)}, {string(d + 1)}: {anything(d + 1)}}}")
        ways.append(lambda d=0: f"{{w: len(w) for w in {strings(d + 1)}}}")
        ways.append(lambda d=0: f"[{anything(d + 1)}, {anything(d + 1)}]")
    return rng.choice(ways)(depth)


def statement():
    name = rng.choice(["n", "f", "s", "words", "numbers"])
    make = {"n": integer, "f": number, "s": string, "words": strings, "numbers": integers}[name]
    return rng.choice(
        [
            f"{name} = {make()}",
            f"if {boolean()}:\n    {name} = {make()}\nelse:\n    n += 1",
            f"for x in {integers()}[:5]:\n    n += x\n    if n > 1000:\n        break\nelse:\n    s += '!'",
            f"try:\n    {name} = {make()}\nexcept (ZeroDivisionError, IndexError, ValueError, KeyError, OverflowError, TypeError) as e:\n    s = type(e).__name__",
            f"def g(x, y={integer()}, *rest, **named):\n    return [x, y, list(rest), sorted(named)]\nnumbers.append(len(g({integer()}, 1, 2, k=3)))",
            f"table[{string()}] = {integer()}",
            f"while n > {rng.randint(0, 9)}:\n    n //= 3\n    if n == 4:\n        continue",
            f"words.append({string()})",
            f"a, *b = {integers()} or [1]\nn += a + len(b)",
            f"class C:\n    def __init__(self, x):\n        self.x = x\n    def twice(self):\n        return self.x * 2\nn += C({integer()} % 100).twice()",
        ]
    )


START = "import json\nimport math\nimport re\nn = 7\nf = 2.5\ns = 'abc def'\nwords = ['b', 'Ada', 'c']\nnumbers = [3, 1, 2]\ntable = {'k': 1}\n"


def is_json(value, depth=0):
    if value is None or isinstance(value, (bool, str)):
        return not isinstance(value, str) or not any(0xD800 <= ord(c) < 0xE000 for c in value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**64
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(is_json(item) for item in value)
    return isinstance(value, dict) and all(isinstance(k, str) and is_json(v) for k, v in value.items())


made = 0
while made < count:
    code = START + "\n".join(statement() for _ in range(rng.randint(1, 6)))
    last = f"[{anything()}, n, f, s, words, numbers, table]"
    names = {}
    case = {"code": f"{code}\n{last}"}
    try:
        exec(compile(code, "p", "exec"), names)
        value = eval(last, names)
        text = json.dumps(value)
        if not is_json(value) or len(text) > 20000:
            continue
        case["value"] = value
    except Exception as error:
        # Nested quotes in an f-string are an error before 3.12.
        if type(error).__name__ in ("MemoryError", "RecursionError", "SyntaxError"):
            continue
        case["raises"] = type(error).__name__
    print(json.dumps(case))
    made += 1
