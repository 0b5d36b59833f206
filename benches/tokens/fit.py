"""Costs of pairs of characters, by their classes, so that no text takes more tokens than their sum.

    fit.py TEXTS VOCABULARIES

TEXTS has TOOLS.jsonl and the unpacked packages, VOCABULARIES the files of OpenAI's vocabularies. It prints the table of
`tool-schema/src/tokens.rs`, and for each kind of text how many times its tokens the bound is and how many counts are too low.

A linear program: the costs are the variables, each text is a constraint, and the sum over the definitions, as a multiple of their
tokens, is the least. Half of the definitions, all of Sphinx's translations and all emoji are held back.
"""
import base64, collections, glob, gzip, hashlib, json, os, random, re, string, sys, uuid

import numpy
import tiktoken
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

TEXTS, VOCABULARIES = sys.argv[1], sys.argv[2]

# As in tool-schema/src/tokens.rs: the classes, then other characters of ASCII, then bytes outside of it.
CLASSES = [" ", "\t\n\r\x0b\x0c", string.digits, "ae", "iou", "nrst", "cdlmp", "bfghvwy", "kjqxz", "AEIOUNRSTCDLMP",
           "BFGHVWYKJQXZ", '"', "{}[],:", "_-", "./'()"]
OTHER, BYTE = len(CLASSES), len(CLASSES) + 1
SIZE = BYTE + 1
OF = [next((at for at, of in enumerate(CLASSES) if chr(byte) in of), OTHER) if byte < 128 else BYTE for byte in range(256)]

TOKEN = 60        # parts of a token
ANY = 3           # tokens of any text
FITTED_ANY = 2    # the same when the table is made: one is to spare
MARGIN = 1.05     # for long texts
LONG = 60         # tokens of a long text
LEAST = 0.1       # tokens of a pair
SEEN = 30         # a pair that is rarer costs a token

PATTERNS = {
    "o200k_base": "|".join([
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""", r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""", r"""\s*[\r\n]+""", r"""\s+(?!\S)""", r"""\s+"""]),
    "cl100k_base": r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
}


def vocabulary(name):
    with gzip.open(f"{VOCABULARIES}/{name}.tiktoken.gz") as lines:
        ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    return tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens={})


ENCODINGS = [vocabulary(name) for name in PATTERNS]


def tokens(text):
    return max(len(encoding.encode_ordinary(text)) for encoding in ENCODINGS)


def pieces(text, size):
    return [text[at:at + size] for at in range(0, len(text), size)]


def translations(package):
    """Texts by language: long ones, and messages."""
    for path in sorted(glob.glob(f"{TEXTS}/unpacked/{package}/**/*.po", recursive=True)):
        found = re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', open(path, encoding="utf-8").read(), re.M)
        said = ["".join(json.loads(line) for line in re.findall(r'^".*"$', one, re.M)) for one in found[1:]]
        said = [one for one in said if one]
        yield from pieces(" ".join(said), 300)
        yield from said[:40]


def made(pick):
    """Texts of kinds that no collection has enough of."""
    some, low, up, digits = pick.choice, string.ascii_lowercase, string.ascii_uppercase, string.digits
    word = lambda signs, size: "".join(some(signs) for _ in range(size))
    syllable = lambda: some("ba ko ni tre sha lu mo vi qu zen ar el ist un gra pho my dex or ip".split())
    pseudo = lambda size: "".join(syllable() for _ in range(size))
    many = lambda size, each, between="": between.join(each() for _ in range(size))
    number = lambda most: str(pick.randrange(most))
    code = lambda: some([word(low, 2) + "-" + word(low, 2), word(up, 2), word(up, 3), word(low, 2) + "_" + word(up, 2),
                         word(low, pick.randint(1, 4)) + number(100), word(low + up, pick.randint(1, 3)) + "/" + some(low),
                         word(low, pick.randint(1, 5))])
    separator = lambda: some([" ", ", ", ",", ";", "\n", "-", "/", "_", ".", " - ", " | ", '","', '", "', " and ", "=", ":"])
    decimal = lambda: str(round(pick.uniform(-99, 9999), some([0, 1, 2, 6])))
    return {
        "hex": lambda size: word("0123456789abcdef", 5 * size),
        "HEX": lambda size: word("0123456789ABCDEF", 5 * size),
        "base64": lambda size: base64.b64encode(pick.randbytes(4 * size)).decode(),
        "base32": lambda size: base64.b32encode(pick.randbytes(size)).decode(),
        "base58": lambda size: word("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 2 * size),
        "random lower": lambda size: word(low, 3 * size),
        "random letters": lambda size: word(low + up, 3 * size),
        "random ASCII": lambda size: word([chr(one) for one in range(32, 127)], 3 * size),
        "short": lambda size: word(low + "_ ", pick.randint(1, 6)),
        "digits": lambda size: word(digits, 3 * size),
        "uuid": lambda size: str(uuid.UUID(int=pick.getrandbits(128))),
        "codes": lambda size: json.dumps([code() for _ in range(size)], separators=(",", ":")),
        "a list of codes": lambda size: many(size, code, ", "),
        "codes in quotes": lambda size: many(size, lambda: f"'{code()}'", some([", ", ",  ", ",", "\n"])),
        "letters": lambda size: many(size, lambda: some(low + up), separator()),
        "an alphabet": lambda size: separator().join(some([low, up])[pick.randrange(10):][:size]),
        "numbers": lambda size: many(size, lambda: number(some([10, 100, 1000, 10**4, 10**6])), separator()),
        "two letters": lambda size: many(size, lambda: word(some([low, up]), 2), separator()),
        "few letters": lambda size: many(size, lambda: word(some([low, up]), some([2, 3, 4])), separator()),
        "math": lambda size: many(size, lambda: some("xyzabcnkij") + some([" + ", "*", "^2", "-", " = ", "/", "(", ")", " <= ", "_1"])),
        "JSON": lambda size: json.dumps({word(low, some([1, 2])): some([pick.randrange(100), word(low, 2), None, True, [1, 2], 0.125])
                                         for _ in range(size)}, separators=(",", ":")),
        "CSV": lambda size: many(max(1, size // 4), lambda: many(4, decimal, ","), "\n"),
        "DNA": lambda size: word(some(["ACGT", "acgt"]), 2 * size),
        "protein": lambda size: word("ACDEFGHIKLMNPQRSTVWY", 2 * size),
        "SMILES": lambda size: many(size, lambda: some(["C", "c1", "O", "N", "(=O)", "(", "C)", "1", "=", "S", "[NH+]", "@@", "Cl", "Br", "/", "\\"])),
        "a pattern": lambda size: many(size, lambda: some([r"\d", "[a-z]", "+", "*", "?", "(?:", "|", ")", r"\w+", "{2,4}", "^", "$", r"\.", "[^/]"])),
        "LaTeX": lambda size: many(size, lambda: some([r"\frac{", "}", "{", r"\alpha", "_", "^", "x", "y", r"\sum", r"\left(", r"\right)", "2", "+"])),
        "made-up words": lambda size: many(size, lambda: pseudo(pick.randint(1, 4)), some([" ", "_", ", ", "-"])),
        "camel case": lambda size: many(size, lambda: pseudo(pick.randint(1, 3)).capitalize()),
        "capitals": lambda size: many(size, lambda: pseudo(pick.randint(1, 3)).upper(), some([" ", "_"])),
        "IP addresses": lambda size: many(max(1, size // 4), lambda: many(4, lambda: number(256), "."), ", "),
        "times": lambda size: many(max(1, size // 6), lambda: f"20{pick.randint(10, 30)}-{pick.randint(10, 12)}-{pick.randint(10, 28)}T{pick.randint(10, 23)}:00:00Z", ", "),
        "a URL": lambda size: f"https://{pseudo(2)}.com/" + many(max(1, size // 5), lambda: word(low + digits, some([2, 6, 10])), "/") + f"?{some(low)}={word(low, 3)}&x=%20",
        "a table": lambda size: many(max(1, size // 4), lambda: "| " + many(4, lambda: word(low, some([1, 3, 5])), " | ") + " |", "\n"),
        "versions": lambda size: many(max(1, size // 3), lambda: f"{syllable()}-{number(10)}.{number(100)}.{number(10)}-rc{number(10)}", ", "),
        "vowels": lambda size: many(size, lambda: word("aeiou", some([1, 2, 3, 5])), " "),
        "consonants": lambda size: many(size, lambda: word("bcdfghjklmnpqrstvwxyz", some([1, 2, 3, 5])), " "),
        "signs": lambda size: word("!@#$%^&*()_+-=[]{}|;:,.<>?/~`'\"\\", size),
    }


def texts():
    """Each text with its kind, and whether it is held back."""
    pick = random.Random(7)
    for line in open(f"{TEXTS}/TOOLS.jsonl", encoding="utf-8"):
        tool = json.loads(line)
        held = hashlib.md5(tool["name"].encode()).digest()[0] % 2 == 1
        text = json.dumps(tool, separators=(",", ":"), ensure_ascii=False)
        yield "definitions", held, text
        yield "names", held, tool["name"]
        yield "descriptions", held, tool["description"]
        for size in (60, 150):
            at = pick.randrange(max(1, len(text) - size))
            yield "parts", held, text[at:at + size]
    for text in translations("django"):
        yield "translations", False, text
        at = pick.randrange(max(1, len(text) - 60))
        yield "translations", False, text[at:at + 60]
    for text in translations("sphinx"):
        yield "translations", True, text
    for kind in ("py", "js", "css", "html"):
        for path in sorted(glob.glob(f"{TEXTS}/unpacked/**/*.{kind}", recursive=True))[:400]:
            held = hashlib.md5(os.path.basename(path).encode()).digest()[0] % 2 == 1
            for text in pieces(open(path, encoding="utf-8", errors="replace").read()[:8000], 400):
                yield "code", held, text
    for kind, make in made(pick).items():
        for at in range(250):
            yield kind, at % 5 == 4, make(pick.choice([3, 8, 15, 30, 60]))
    emoji = [chr(one) for start, end in ((0x1F300, 0x1F650), (0x1F680, 0x1F6FF), (0x2600, 0x27BF)) for one in range(start, end)]
    for _ in range(200):
        yield "emoji", True, "".join(pick.choice(emoji) for _ in range(pick.randint(1, 60)))


kinds, held, all_texts = zip(*((kind, is_held, text) for kind, is_held, text in texts() if text))
kinds, held = numpy.array(kinds), numpy.array(held)
needed = numpy.array([tokens(text) for text in all_texts])
size = numpy.array([len(text.encode()) for text in all_texts])

counts, rows, columns = [], [], []
for row, text in enumerate(all_texts):
    encoded = text.encode()
    pairs = collections.Counter(OF[before] * SIZE + OF[byte] for before, byte in zip(b" " + encoded, encoded))
    rows += [row] * len(pairs)
    columns += pairs.keys()
    counts += pairs.values()
pairs = csr_matrix((counts, (rows, columns)), shape=(len(all_texts), SIZE * SIZE))

# Where much is outside of ASCII, nothing is left for a margin.
outside = numpy.array([sum(byte > 127 for byte in text.encode()) for text in all_texts]) / size
margin = 1 + (MARGIN - 1) * numpy.minimum(1, needed / LONG) * (outside < 0.2)
target = numpy.maximum(numpy.minimum(needed * margin, size) - FITTED_ANY, 0)
weight = 1 / needed
for kind in set(kinds):
    weight[kinds == kind] *= {"definitions": 1, "descriptions": 0.3}.get(kind, 0.003) / (kinds == kind).sum()
fitted = ~held
seen = numpy.asarray(pairs[fitted].sum(axis=0)).ravel()
free = [seen[pair] >= SEEN and BYTE not in divmod(pair, SIZE) for pair in range(SIZE * SIZE)]
solved = linprog(
    numpy.asarray(pairs[fitted].T @ weight[fitted]).ravel() + 1e-9,
    A_ub=-pairs[fitted], b_ub=-target[fitted],
    bounds=[(LEAST if one else 1, 1) for one in free], method="highs")
assert solved.success, solved.message
costs = numpy.minimum(numpy.ceil(solved.x * TOKEN - 1e-6), TOKEN)

for row in costs.reshape(SIZE, SIZE)[:-1]:
    print("    [" + ", ".join(str(int(one)) for one in row) + "],")
print(f"    [{TOKEN}; {SIZE}],")

bound = numpy.minimum(numpy.ceil(pairs @ costs / TOKEN) + ANY, size)
for kind in dict.fromkeys(kinds):
    for is_held in (False, True):
        of = (kinds == kind) & (held == is_held)
        if of.any():
            ratio, low = bound[of] / needed[of], (bound < needed)[of].sum()
            print(f"{kind}{', held back' if is_held else ''}: {of.sum()} texts, {low} too low, {ratio.mean():.2f} times the tokens", file=sys.stderr)
for at in numpy.flatnonzero(bound < needed)[:20]:
    print(f"too low: {bound[at]:.0f} of {needed[at]}, {kinds[at]}: {all_texts[at][:100]!r}", file=sys.stderr)
