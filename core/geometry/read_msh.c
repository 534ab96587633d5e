/* Gmsh .msh, versions 2.2 and 4.1, in text and binary: numbers and sections.
   https://gmsh.info/doc/texinfo/gmsh.html, File formats. */
#include "geometry/msh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A whole number of `width` bytes, or a word of the text. */
static JnStatus read_whole(Msh *msh, size_t width, const char *what, int64_t *value, JnMessage *message) {
    TextFile *file = msh->file;
    if (!file->binary)
        return textfile_integer(file, what, value, message);
    const unsigned char *bytes = textfile_bytes(file, width);
    if (!bytes)
        return textfile_fail(file, message, "the file ends where %s is expected", what);
    *value = width == 8 ? (int64_t)textfile_u64(bytes, file->big) : (int32_t)textfile_u32(bytes, file->big);
    return JN_OK;
}

JnStatus msh_int(Msh *msh, const char *what, int64_t *value, JnMessage *message) {
    return read_whole(msh, 4, what, value, message);
}

JnStatus msh_tag(Msh *msh, const char *what, int64_t *value, JnMessage *message) {
    return read_whole(msh, msh->version4 ? 8 : 4, what, value, message);
}

JnStatus msh_real(Msh *msh, const char *what, double *value, JnMessage *message) {
    TextFile *file = msh->file;
    if (!file->binary)
        return textfile_number(file, what, value, message);
    const unsigned char *bytes = textfile_bytes(file, 8);
    if (!bytes)
        return textfile_fail(file, message, "the file ends where %s is expected", what);
    *value = textfile_f64(bytes, file->big);
    if (!isfinite(*value))
        return textfile_fail(file, message, "%s is %g, not a finite number", what, *value);
    return JN_OK;
}

JnStatus msh_count(Msh *msh, size_t least_bytes, const char *what, uint32_t *count, JnMessage *message) {
    int64_t value;
    JnStatus status =
        msh->version4 ? read_whole(msh, 8, what, &value, message) : textfile_integer(msh->file, what, &value, message);
    if (status == JN_OK && !msh->version4 && msh->file->binary)
        textfile_next_line(msh->file);
    if (status == JN_OK)
        status = textfile_check_count(msh->file, value, least_bytes, what, message);
    *count = status == JN_OK ? (uint32_t)value : 0;
    return status;
}

/* "2.2 1 8": version, binary or not, bytes of a number; in binary files the number 1 shows the byte order. */
static JnStatus read_format(Msh *msh, JnMessage *message) {
    TextFile *file = msh->file;
    double version = 0;
    int64_t binary = 0, number_size = 0;
    JnStatus status = textfile_number(file, "the version", &version, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the kind of file", &binary, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the size of a number", &number_size, message);
    if (status != JN_OK)
        return status;
    msh->version4 = version == 4.1;
    if (!msh->version4 && version != 2 && version != 2.1 && version != 2.2)
        return textfile_fail(file, message, "version %g cannot be read: save it as version 2.2 or 4.1", version);
    if (binary != 0 && (binary != 1 || number_size != 8))
        return textfile_fail(file, message, "a file of kind %lld with numbers of %lld bytes cannot be read",
                             (long long)binary, (long long)number_size);
    file->binary = binary == 1;
    if (!file->binary)
        return JN_OK;
    textfile_next_line(file);
    const unsigned char *one = textfile_bytes(file, 4);
    file->big = one && textfile_u32(one, true) == 1;
    if (!one || (!file->big && textfile_u32(one, false) != 1))
        return textfile_fail(file, message, "the byte order is unknown: the number 1 must follow the format");
    return JN_OK;
}

/* Skips to the end of a section that is not used: "$End" and its name. */
static JnStatus skip_section(TextFile *file, Word name, JnMessage *message) {
    for (; file->size - file->at >= name.length + 3; ++file->at) {
        const unsigned char *here = &file->bytes[file->at];
        file->line += *here == '\n';
        if (*here == '$' && memcmp(here, "$End", 4) == 0 && memcmp(here + 4, name.text + 1, name.length - 1) == 0) {
            file->at += name.length + 3;
            return JN_OK;
        }
    }
    return textfile_fail(file, message, "the file ends inside the section %.*s",
                         name.length < 40 ? (int)name.length : 40, name.text);
}

static JnStatus read_section(Msh *msh, Word name, JnMessage *message) {
    TextFile *file = msh->file;
    textfile_next_line(file);
    JnStatus status = JN_OK;
    if (textfile_is(name, "$MeshFormat"))
        status = read_format(msh, message);
    else if (textfile_is(name, "$Nodes"))
        status = msh_read_nodes(msh, message);
    else if (textfile_is(name, "$Elements"))
        status = msh_read_elements(msh, message);
    else if (textfile_is(name, "$NodeData"))
        status = msh_read_node_data(msh, message);
    return status == JN_OK ? skip_section(file, name, message) : status;
}

JnStatus read_msh(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Msh msh = {.file = file, .mesh = mesh};
    Word word;
    JnStatus status = JN_OK;
    bool first = true;
    while (status == JN_OK && textfile_word(file, &word)) {
        if (first && !textfile_is(word, "$MeshFormat"))
            status =
                textfile_fail(file, message, "the file does not begin with $MeshFormat: it is not a .msh file of Gmsh");
        else if (word.text[0] != '$' || word.length < 2)
            status = textfile_fail(file, message, "a section is expected, and its name begins with $");
        else
            status = read_section(&msh, word, message);
        first = false;
    }
    free(msh.tags);
    return status;
}
