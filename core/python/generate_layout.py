"""Writes jounce/layout.py, the ctypes twin of the public header, from the header itself.

    python3 core/python/generate_layout.py            rewrites the file
    python3 core/python/generate_layout.py --check    exit code 1 if the file does not match the header

The parser knows exactly the C that core/include/jounce.h is written in: numeric #defines, integer typedefs, anonymous
enums, flat structs and JN_API functions. Anything else is an error with its line number, never skipped, so that a new
construct in the header cannot silently miss the bridge. Standard library only; Python 3.7 or later.
"""
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(HERE, "..", "include", "jounce.h")
OUTPUT = os.path.join(HERE, "jounce", "layout.py")

SCALARS = {
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
    "size_t": "c_size_t",
    "float": "c_float",
    "double": "c_double",
    "char": "c_char",
}
# Preprocessor lines that carry no declaration.
IGNORED_DIRECTIVES = re.compile(r"#\s*(ifndef|ifdef|if|elif|else|endif|include)\b|#\s*define\s+(JOUNCE_H|JN_API)\b")
NUMBER_DEFINE = re.compile(r"#\s*define\s+(JN_\w+)\s+(-?\d+)\s*$")
TOKEN = re.compile(r'\s+|([A-Za-z_]\w*)|(-?\d+)|("[^"]*")|([{}()\[\];,*=])')


class HeaderError(Exception):
    """The header holds something that the parser does not know."""


def without_comments(text):
    """Comments become blanks; line numbers stay."""
    return re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)


def split_directives(text):
    """The numeric constants of #define lines as a dict, and the remaining C with those lines blanked."""
    constants, lines = {}, []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith("#"):
            lines.append(line)
            continue
        define = NUMBER_DEFINE.match(line)
        if define:
            constants[define.group(1)] = int(define.group(2))
        elif not IGNORED_DIRECTIVES.match(line):
            raise HeaderError("line {}: unknown directive: {}".format(number, line.strip()))
        lines.append("")
    return constants, "\n".join(lines)


def tokenize(text):
    """(token, line number) pairs."""
    tokens, position, line = [], 0, 1
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            raise HeaderError("line {}: unexpected character {!r}".format(line, text[position]))
        if match.group().strip():
            tokens.append((match.group(), line))
        line += match.group().count("\n")
        position = match.end()
    return tokens


class Parser:
    """Reads declarations in order. `constants`, `structs` (name -> fields), `opaque` and `functions` are the result."""

    def __init__(self, text):
        self.constants, text = split_directives(without_comments(text))
        self.tokens = tokenize(text)
        self.position = 0
        self.aliases = {}    # typedef name -> ctypes expression of a scalar
        self.structs = {}    # name -> [(field name, ctypes expression)]
        self.opaque = []     # structs that callers only hold pointers to
        self.functions = {}  # name -> (result expression, [argument expressions])
        while self.position < len(self.tokens):
            self.declaration()

    def peek(self):
        return self.tokens[self.position][0] if self.position < len(self.tokens) else ""

    def take(self, expected=None):
        if self.position == len(self.tokens):
            raise HeaderError("the header ends in the middle of a declaration")
        token, line = self.tokens[self.position]
        if expected is not None and token != expected:
            raise HeaderError("line {}: expected {!r}, found {!r}".format(line, expected, token))
        self.position += 1
        return token

    def declaration(self):
        token = self.take()
        if token == "typedef" and self.peek() == "struct":
            self.struct()
        elif token == "typedef":
            target = self.take()
            self.aliases[self.take()] = self.scalar(target)
            self.take(";")
        elif token == "enum":
            self.enum()
        elif token == "JN_API":
            self.function()
        elif token == "extern":
            self.take('"C"')
            self.take("{")
        elif token != "}":  # closes extern "C"
            raise HeaderError("line {}: unknown declaration: {}".format(self.tokens[self.position - 1][1], token))

    def enum(self):
        self.take("{")
        while self.peek() != "}":
            name = self.take()
            self.take("=")
            self.constants[name] = int(self.take())
            if self.peek() == ",":
                self.take()
        self.take("}")
        self.take(";")

    def struct(self):
        self.take("struct")
        name = self.take()
        if self.peek() == name:
            self.take()
            self.take(";")
            self.opaque.append(name)
            return
        fields = []
        self.take("{")
        while self.peek() != "}":
            fields += self.fields()
        self.take("}")
        self.take(name)
        self.take(";")
        self.structs[name] = fields

    def fields(self):
        """One declaration inside a struct, which may declare several fields."""
        base, fields = self.base_type(), []
        while True:
            stars = self.stars()
            name = self.take()
            expression = self.pointer(base, stars)
            if self.peek() == "[":
                self.take()
                length = self.take()
                self.take("]")
                expression += " * {}".format(length)
                if not length.isdigit() and length not in self.constants:
                    raise HeaderError("field {}: unknown array length {}".format(name, length))
            fields.append((name, expression))
            if self.take() == ";":
                return fields

    def function(self):
        result = self.pointer(self.base_type(), self.stars())
        name = self.take()
        arguments = []
        self.take("(")
        while True:
            base, stars = self.base_type(), self.stars()
            if base != "None" or stars:
                arguments.append(self.pointer(base, stars))
                self.take()  # the argument's name
            if self.take() == ")":
                break
        self.take(";")
        self.functions[name] = (result, arguments)

    def base_type(self):
        if self.peek() == "const":
            self.take()
        name = self.take()
        if name == "void":
            return "None"
        if name in self.structs or name in self.opaque:
            return name
        return self.scalar(name)

    def stars(self):
        count = 0
        while self.peek() == "*":
            self.take()
            count += 1
        return count

    def scalar(self, name):
        if name in self.aliases:
            return self.aliases[name]
        if name in SCALARS:
            return SCALARS[name]
        raise HeaderError("line {}: unknown type {}".format(self.tokens[self.position - 1][1], name))

    @staticmethod
    def pointer(base, stars):
        if base == "c_char" and stars:
            base, stars = "c_char_p", stars - 1
        for _ in range(stars):
            base = "POINTER({})".format(base)
        return base


def wrapped(opening, items, closing):
    """A Python literal over as few lines of at most 120 columns as it needs."""
    text = textwrap.fill(", ".join(items) + closing, width=120, initial_indent=opening,
                         subsequent_indent=" " * len(opening), break_long_words=False, break_on_hyphens=False)
    return text.split("\n")


def render(parser):
    """The text of layout.py."""
    lines = [
        '"""The structs, constants and functions of core/include/jounce.h for ctypes.',
        "",
        "Generated by generate_layout.py; a test fails when the header and this file differ.",
        '"""',
        "from ctypes import (POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32,",
        "                    c_uint64)",
        "",
    ]
    lines += ["{} = {}".format(name, value) for name, value in parser.constants.items()]
    for name in parser.opaque:
        lines += ["", "", "class {}(Structure):".format(name), '    """Opaque: private to the library."""']
    for name, fields in parser.structs.items():
        items = ['("{}",\x00{})'.format(field, expression.replace(" ", "\x00")) for field, expression in fields]
        lines += ["", "", "class {}(Structure):".format(name)]
        lines += [line.replace("\x00", " ") for line in wrapped("    _fields_ = [", items, "]")]
    lines += ["", "", "# Name of each function: its result, its arguments.", "SIGNATURES = {"]
    for name, (result, arguments) in parser.functions.items():
        lines += wrapped('    "{}": ({}, ['.format(name, result), arguments, "]),")
    lines += ["}", "", "# Every struct that a caller can fill or read.", "STRUCTS = ["]
    lines += wrapped("    ", parser.structs, "")
    lines += ["]", ""]
    return "\n".join(lines)


def generate():
    with open(HEADER, encoding="utf-8") as file:
        return render(Parser(file.read()))


def main(arguments):
    text = generate()
    if arguments == ["--check"]:
        with open(OUTPUT, encoding="utf-8") as file:
            same = file.read() == text
        if not same:
            print("core/python/jounce/layout.py does not match the header: run core/python/generate_layout.py")
        return 0 if same else 1
    if arguments:
        print(__doc__)
        return 2
    with open(OUTPUT, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
