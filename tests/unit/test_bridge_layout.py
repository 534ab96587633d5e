"""The ctypes structs are what the C compiler makes of the header, and cannot drift from it."""
import ctypes
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, message_of, run  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
sys.path.insert(0, os.path.join(SOURCE, "core", "python"))
import generate_layout  # noqa: E402
from jounce import layout  # noqa: E402


def test_bridge_layout_regenerated_is_unchanged():
    with open(generate_layout.OUTPUT, encoding="utf-8") as file:
        assert file.read() == generate_layout.generate(), "run core/python/generate_layout.py"


def compiled_lines(lines):
    """What a C program with these statements in main prints, split into words per line."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write('#include "jounce.h"\n#include <stdio.h>\nint main(void) {\n' + "\n".join(lines) + "\n}\n")
        include = os.path.join(SOURCE, "core", "include")
        compiler = [environment("JN_TEST_CC"), "-std=c17", "-Werror", "-I", include]
        subprocess.run(compiler + [source, "-o", program], check=True)
        return [line.split() for line in subprocess.check_output([program], universal_newlines=True).splitlines()]


def test_bridge_layout_sizes_and_offsets_match_the_compiler():
    lines, expected = [], []
    for struct in layout.STRUCTS:
        name = struct.__name__
        lines.append('printf("{0} %zu\\n", sizeof({0}));'.format(name))
        expected.append([name, str(ctypes.sizeof(struct))])
        for field, _ in struct._fields_:
            place = getattr(struct, field)
            measured = "offsetof({0}, {1}), sizeof((({0} *)0)->{1})".format(name, field)
            lines.append('printf("{}.{} %zu %zu\\n", {});'.format(name, field, measured))
            expected.append(["{}.{}".format(name, field), str(place.offset), str(place.size)])
    assert len(expected) > 150, "the header has more fields than that"
    assert compiled_lines(lines) == expected


def test_bridge_layout_constants_match_the_compiler():
    names = [name for name in dir(layout) if name.startswith("JN_")]
    assert len(names) > 30
    printed = compiled_lines('printf("%d\\n", (int){});'.format(name) for name in names)
    assert printed == [[str(getattr(layout, name))] for name in names]


def test_bridge_layout_covers_every_declaration_of_the_header():
    with open(generate_layout.HEADER, encoding="utf-8") as file:
        text = generate_layout.without_comments(file.read())
    assert text.count("typedef struct") == len(layout.STRUCTS) + 6, "six structs are opaque"
    assert text.count("\nJN_API") == len(layout.SIGNATURES)


def test_bridge_layout_unknown_construct_is_refused():
    refused = ["typedef union JnU { int32_t a; } JnU;", "typedef struct JnS { long double a; } JnS;",
               "typedef struct JnS { uint32_t a : 3; } JnS;", "#pragma pack(1)", "JN_API int jn_f(void);",
               "typedef struct JnS { double a[JN_UNKNOWN]; } JnS;", "typedef struct JnS { double a;"]
    for text in refused:
        assert message_of(generate_layout.HeaderError, generate_layout.Parser, text), text


run(globals())
