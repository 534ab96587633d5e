/* $NodeData of a .msh file: a field. Nodes without a value get 0. */
#include "geometry/msh.h"

#include <string.h>

/* The rest of the line without the quotes round it. */
static Word read_quoted(TextFile *file) {
    Word first = {"", 0};
    if (!textfile_word(file, &first))
        return first;
    size_t end = file->at;
    while (end < file->size && file->bytes[end] != '\n' && file->bytes[end] != '\r')
        ++end;
    Word text = {first.text, (size_t)((const char *)&file->bytes[end - 1] + 1 - first.text)};
    while (text.length && (text.text[text.length - 1] == ' ' || text.text[text.length - 1] == '\t'))
        --text.length;
    if (text.length && text.text[0] == '"')
        ++text.text, --text.length;
    if (text.length && text.text[text.length - 1] == '"')
        --text.length;
    return text;
}

/* The head of $NodeData, text in both kinds of file: name, time, time step, components, values. */
static JnStatus read_data_head(Msh *msh, Word *name, int64_t *component_count, uint32_t *value_count,
                               JnMessage *message) {
    TextFile *file = msh->file;
    uint32_t count = 0;
    int64_t whole;
    double ignored;
    JnStatus status = textfile_count(file, 2, "text tags", &count, message);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        Word text = read_quoted(file);
        *name = i ? *name : text;
        textfile_next_line(file);
    }
    if (status == JN_OK)
        status = textfile_count(file, 2, "real tags", &count, message);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i)
        status = textfile_number(file, "a real tag", &ignored, message);
    if (status == JN_OK)
        status = textfile_count(file, 2, "whole tags", &count, message);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        status = textfile_integer(file, "a whole tag", &whole, message);
        if (status == JN_OK && i == 2)
            status = textfile_check_count(file, whole, 4, "values", message);
        if (status == JN_OK && i == 1)
            *component_count = whole;
        if (status == JN_OK && i == 2)
            *value_count = (uint32_t)whole;
    }
    if (status == JN_OK && (count < 3 || *component_count < 1 || *component_count > 9))
        return textfile_fail(file, message, "node data with %lld components: between 1 and 9 are possible",
                             (long long)*component_count);
    if (msh->file->binary)
        textfile_next_line(file);
    return status;
}

JnStatus msh_read_node_data(Msh *msh, JnMessage *message) {
    Word name = {"field", 5};
    int64_t component_count = 0, tag;
    uint32_t value_count = 0, vertex = 0;
    double *values;
    JnStatus status = read_data_head(msh, &name, &component_count, &value_count, message);
    if (status != JN_OK)
        return status;
    if (!msh->tags)
        return textfile_fail(msh->file, message, "$Nodes must come before $NodeData");
    if (memchr(name.text, '\0', name.length))
        return textfile_fail(msh->file, message, "the name of node data holds a zero byte");
    status = mesh_add_field(msh->mesh, name.text, name.length, (uint32_t)component_count, &values, message);
    for (uint32_t i = 0; status == JN_OK && i < value_count; ++i) {
        status = msh_int(msh, "the tag of a node", &tag, message);
        if (status == JN_OK)
            status = msh_find_vertex(msh, tag, &vertex, message);
        for (int64_t c = 0; status == JN_OK && c < component_count; ++c)
            status = msh_real(msh, "a value", &values[vertex * component_count + c], message);
    }
    return status;
}
