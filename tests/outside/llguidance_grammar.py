"""llguidance makes a grammar of what we send, and the grammar takes what the types' samples become."""

import functools
import json
import os
import re

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from lowered import Known, judge

RANGE = (
    "Bounds of a stored definition that say how wide a number is. It makes no regular expression "
    "of bounds from 10^18 on; the provider's documents know no such limit."
)
PATTERN = "No assertions, no back references. The provider's documents refuse look-around alone."
OTHERS = ["openai_strict", "deepseek_strict", "mistral", "groq", "xai", "gemini_json"]
PATTERNS = [name for name in OTHERS if name != "gemini_json"]

KNOWN = [
    *(Known(name, "Failed to generate regex for integer range", RANGE) for name in OTHERS),
    *(Known(name, "Failed to generate regex for float range", RANGE) for name in OTHERS),
    *(Known(name, "lookarounds not supported yet; WordUnicode in regex", PATTERN) for name in PATTERNS),
    *(Known(name, "regex parse error", PATTERN) for name in PATTERNS),
    Known("gemini_json", "Unknown format", "Google's documents take any format."),
]


class Bytes:
    """A token for each byte."""

    bos_token_id = None
    eos_token_id = 256
    tokens = [bytes([byte]) for byte in range(256)] + [b"<end>"]
    special_token_ids = [256]

    def __call__(self, text):
        return list(text if isinstance(text, bytes) else text.encode())


TOKENIZER = LLTokenizer(TokenizerWrapper(Bytes()))
taken = 0


def takes(matcher, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    is_taken = matcher.try_consume_tokens(list(text)) == len(text) and matcher.is_accepting()
    matcher.reset()
    return is_taken


@functools.cache
def of_text(schema, samples):
    """The same for dialects that send the same."""
    global taken
    grammar = LLMatcher.grammar_from_json_schema(schema)
    is_error, said = LLMatcher.validate_grammar_with_warnings(grammar)
    kinds = [(re.split(r"[:/]", words)[0].strip(), words) for words in said]
    if is_error:
        return kinds
    matcher = LLMatcher(TOKENIZER, grammar)
    for sample in json.loads(samples):
        taken += 1
        if not takes(matcher, sample):
            kinds.append(("does not take a sample", sample))
    # A grammar that takes everything would not be found otherwise.
    if json.loads(schema).get("required") and takes(matcher, {}):
        kinds.append(("takes an object without what is needed", {}))
    return kinds


def found(line):
    for kind, theirs in of_text(json.dumps(line["schema"]), json.dumps(line["sent"])):
        yield kind, line["schema"], theirs


# Azure, Anthropic and Ollama are sent no bounds.
DIALECTS = ["llguidance", "vllm_xgrammar", "azure_strict", "anthropic_strict", "ollama", *OTHERS]
judge("llguidance", DIALECTS, found, KNOWN)
# Lines of other people's schemas have none.
assert taken > 1000 or "TOOLWRIGHT_CORPUS" in os.environ, f"{taken} samples"
print(f"llguidance: {taken} samples")
