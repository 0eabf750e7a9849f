/* Decides every name in generated code. See names.h; the rule itself is in spec/generated.md.
 *
 * Each file is named on its own: first its types, then oneofs, then fields in number order, then
 * enum values. Whether a field's name gets an underscore follows from that name and the file's
 * types alone, so adding a field never renames another. Behind the rule stands a net for what
 * nobody writes: every symbol is claimed, and one that is taken already gets a further underscore.
 */
#include "names.h"

#include "reserved.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *symbol;
    const schema_file *file;
    const char *owner; /* full name of the element that claimed it */
    bool type;
    unsigned next; /* number to try first when another type wants the same name */
} claim;

typedef struct {
    yaff_schema *schema;
    yaff_pool *pool;
    const schema_file *file; /* the one being named */
    claim *claims;           /* open addressing, at most half full */
    size_t slots;
} naming;

/* Claims */

static claim *slot_of(const naming *n, const char *symbol, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)symbol[i]) * UINT64_C(0x100000001b3);
    size_t i = (size_t)(hash ^ hash >> 32) & (n->slots - 1);
    while (n->claims[i].symbol &&
           (strncmp(n->claims[i].symbol, symbol, size) != 0 || n->claims[i].symbol[size] != 0))
        i = (i + 1) & (n->slots - 1);
    return &n->claims[i];
}

static bool taken(const naming *n, const char *symbol)
{
    const claim *c = symbol ? slot_of(n, symbol, strlen(symbol)) : NULL;
    return c && c->symbol && c->file == n->file;
}

static void take(naming *n, const char *symbol, const char *owner, bool type)
{
    if (!symbol) return;
    claim *c = slot_of(n, symbol, strlen(symbol));
    if (c->symbol && c->file != n->file)
        yaff_pool_fail(n->pool, "%s: %s: its C name %s is also that of %s in %s", n->file->path,
                       owner, symbol, c->owner, c->file->path);
    c->symbol = symbol;
    c->file = n->file;
    if (!c->owner) c->owner = owner;
    c->type |= type;
}

/* Whether a symbol is, or begins with, the name of one of the file's types that is longer than the
 * first `least` bytes. */
static bool within_type(const naming *n, const char *symbol, size_t least)
{
    for (size_t i = least + 1; symbol[i - 1]; i++) {
        if (symbol[i] && symbol[i] != '_') continue;
        const claim *c = slot_of(n, symbol, i);
        if (c->symbol && c->type && c->file == n->file) return true;
    }
    return false;
}

/* Words */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, size_t size, const char *with)
{
    size_t tail = strlen(with);
    return size > tail && memcmp(text + size - tail, with, tail) == 0;
}

static size_t without_underscores(const char *word)
{
    size_t size = strlen(word);
    while (size && word[size - 1] == '_') size--;
    return size;
}

/* Whether the first `size` bytes of `word` are the whole of one of the words in the list. */
static bool is_one_of(const char *word, size_t size, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == size && memcmp(word, list[i], size) == 0) return true;
    return false;
}

/* Whether a field of this name needs an underscore, whatever else the message has: it could be
 * taken for something that is derived from another field, or is a function that every message has.
 */
static bool looks_derived(const char *name)
{
    static const char *const functions[] = {"view", "open", "fields", "from_wire", "to_wire"};
    static const char *const endings[] = {"_size", "_at",    "_find",  "_get",
                                          "_case", "_array", "_gather"};
    size_t size = without_underscores(name), has = 0;
    while (begins(name + 4 * has, "has_")) has++;
    if (has % 2 || begins(name, "yaff_") || strstr(name, "_case_")) return true;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends(name, size, endings[i])) return true;
    return is_one_of(name, size, functions, sizeof functions / sizeof *functions);
}

/* The name of a struct's member. */
static const char *member_name(naming *n, const char *name)
{
    char word[SCHEMA_MAX_NAME + 1];
    snprintf(word, sizeof word, "%.*s", (int)without_underscores(name), name);
    bool escape = yaff_reserved_word(word) || begins(name, "yaff_") ||
                  (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')));
    return escape ? yaff_pool_format(n->pool, "%s_", name) : name;
}

/* A whole symbol: with a package it is hardly ever a reserved word. */
static const char *whole(naming *n, const char *symbol)
{
    return yaff_reserved_global(symbol) ? yaff_pool_format(n->pool, "%s_", symbol) : symbol;
}

static const char *derive(naming *n, const char *prefix, const char *before, const char *stem,
                          const char *after)
{
    return whole(n, yaff_pool_format(n->pool, "%s_%s%s%s", prefix, before, stem, after));
}

char *yaff_names_numbered(yaff_schema *schema, const char *prefix, const char *word,
                          uint32_t number)
{
    return yaff_pool_format(&schema->pool, "%s_yaff_%s%lu", prefix, word, (unsigned long)number);
}

/* Files */

static void name_file(naming *n, schema_file *file)
{
    const char *path = file->path;
    size_t size = strlen(path);
    if (ends(path, size, ".proto")) size -= strlen(".proto");
    file->symbols.header = yaff_pool_format(n->pool, "%.*s.yaff.h", (int)size, path);
    file->symbols.source = yaff_pool_format(n->pool, "%.*s.yaff.c", (int)size, path);

    /* The guard is the path in capitals. Where that could be the guard of another path, too, a hash
     * of the path follows. */
    char *guard = yaff_pool_copy(n->pool, path, size);
    uint32_t hash = 0x811c9dc5u;
    bool plain = true;
    for (size_t i = 0; i < size; i++) {
        char c = path[i];
        bool lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
        hash = (hash ^ (unsigned char)c) * 0x01000193u;
        if (lower)
            guard[i] = (char)(c - 'a' + 'A');
        else if (!digit && !(c >= 'A' && c <= 'Z'))
            guard[i] = '_';
        if (!lower && !digit && c != '/') plain = false;
    }
    const char *letter = guard[0] >= 'A' && guard[0] <= 'Z' ? "" : "P_";
    file->symbols.guard =
        plain ? yaff_pool_format(n->pool, "%s%s_YAFF_H", letter, guard)
              : yaff_pool_format(n->pool, "%s%s_%08lX_YAFF_H", letter, guard, (unsigned long)hash);
}

/* Types */

/* The full name with underscores for dots. X comes before what would begin like a name of the
 * compiler or of yaff itself. */
static char *flatten(naming *n, const char *full_name)
{
    char *flat = yaff_pool_format(n->pool, "X%s", full_name);
    bool lower = true;
    for (char *p = flat + 1; *p; p++) {
        if (*p == '.') *p = '_';
        if (*p >= 'A' && *p <= 'Z') lower = false;
    }
    bool ours = (begins(flat, "Xyaff") && lower) || begins(flat, "XYAFF");
    if (ours && flat[5] && flat[5] != '_') ours = false;
    return flat[1] == '_' || ours ? flat : flat + 1;
}

/* How many an element has at most. */
enum { MESSAGE_SYMBOLS = 17, ENUM_SYMBOLS = 5, FIELD_SYMBOLS = 10 };

static void symbols_of_message(naming *n, schema_message *m, const char *prefix, bool numbered,
                               const char **list)
{
    const struct {
        const char *word;
        const char **symbol;
    } each[] = {
        {"view", &m->symbols.view},
        {"open", &m->symbols.open},
        {"from_wire", &m->symbols.from_wire},
        {"wire_size", &m->symbols.wire_size},
        {"to_wire", &m->symbols.to_wire},
        {"fields", &m->symbols.fields},
        {"yaff_type", &m->symbols.table},
        {"yaff_instance", &m->symbols.instance},
        {"yaff_unknown", &m->symbols.unknown},
        {"yaff_body", &m->symbols.body},
        {"yaff_array", &m->symbols.array},
        {"yaff_fields", &m->symbols.rows},
        {"yaff_blocks", &m->symbols.blocks},
        {"yaff_oneofs", &m->symbols.oneofs},
        {"yaff_index", &m->symbols.index},
        {"yaff_tags", &m->symbols.tags},
    };
    m->symbols.prefix = prefix;
    *list++ = m->symbols.type = whole(n, prefix);
    *list++ = prefix;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *list++ = *each[i].symbol = derive(n, prefix, "", each[i].word, "");
    for (uint32_t i = 0; numbered && i < m->table->block_count; i++) {
        *list++ = yaff_names_numbered(n->schema, prefix, "mask", m->table->blocks[i].k);
        *list++ = yaff_names_numbered(n->schema, prefix, "shape", m->table->blocks[i].k);
    }
}

static void symbols_of_enum(naming *n, schema_enum *e, const char *prefix, const char **list)
{
    e->symbols.prefix = prefix;
    list[0] = e->symbols.type = whole(n, prefix);
    list[1] = prefix;
    list[2] = e->symbols.name = derive(n, prefix, "", "name", "");
    list[3] = e->symbols.table = derive(n, prefix, "", "yaff_enum", "");
    list[4] = e->symbols.rows = derive(n, prefix, "", "yaff_values", "");
}

static bool any_taken(const naming *n, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (taken(n, list[i])) return true;
    return false;
}

/* One of `m` and `e` is NULL. The first free one of pkg_Type, pkg_Type2, pkg_Type3 … */
static void name_type(naming *n, schema_message *m, schema_enum *e)
{
    const char *owner = m ? m->full_name : e->full_name;
    const char *flat = flatten(n, owner), *prefix = flat;
    size_t count = m ? MESSAGE_SYMBOLS + 2 * (size_t)m->table->block_count : ENUM_SYMBOLS;
    const char **list = YAFF_NEW(n->pool, const char *, count);
    unsigned *next = NULL;
    for (;;) {
        if (m)
            symbols_of_message(n, m, prefix, false, list);
        else
            symbols_of_enum(n, e, prefix, list);
        if (!any_taken(n, list, m ? MESSAGE_SYMBOLS : ENUM_SYMBOLS)) break;
        if (!next) next = &slot_of(n, flat, strlen(flat))->next;
        if (*next < 2) *next = 2;
        prefix = yaff_pool_format(n->pool, "%s%u", flat, (*next)++);
    }
    if (m) symbols_of_message(n, m, prefix, true, list);
    take(n, list[0], owner, true);
    take(n, list[1], owner, true);
    for (size_t i = 2; i < count; i++) take(n, list[i], owner, false);
}

static unsigned depth_of(const schema_message *parent)
{
    unsigned depth = 0;
    for (; parent; parent = parent->parent) depth++;
    return depth;
}

/* Outer types before inner ones, so that of two types that want one name the outer one has it. */
static void name_types(naming *n, const schema_file *file)
{
    bool more = true;
    for (unsigned depth = 0; more; depth++) {
        more = false;
        for (size_t i = 0; i < file->all_message_count; i++) {
            unsigned d = depth_of(file->all_messages[i]->parent);
            if (d == depth) name_type(n, file->all_messages[i], NULL);
            if (d >= depth) more = true;
        }
        for (size_t i = 0; i < file->all_enum_count; i++)
            if (depth_of(file->all_enums[i]->parent) == depth)
                name_type(n, NULL, file->all_enums[i]);
    }
}

/* What messages and enums hold. */

/* Where a name with an underscore behind it goes; the rule does this at most once. */
static const char *escape(naming *n, const char *stem)
{
    return yaff_pool_format(n->pool, "%s_", stem);
}

static const char *stem_of(naming *n, const char *prefix, const char *name, bool derived)
{
    bool outer =
        derived || within_type(n, yaff_pool_format(n->pool, "%s_%s", prefix, name), strlen(prefix));
    return outer ? escape(n, name) : name;
}

static void name_oneof(naming *n, const schema_message *m, schema_oneof *o)
{
    const char *stem = stem_of(n, m->symbols.prefix, o->name, false);
    for (;; stem = escape(n, stem)) {
        o->symbols.stem = stem;
        o->symbols.which = derive(n, m->symbols.prefix, "", stem, "_case");
        o->symbols.none = derive(n, m->symbols.prefix, "", stem, "_case_none");
        if (!taken(n, o->symbols.which) && !taken(n, o->symbols.none)) break;
    }
    take(n, o->symbols.which, m->full_name, false);
    take(n, o->symbols.none, m->full_name, false);
}

static const char *choice_of(naming *n, const char *prefix, const schema_field *f, const char *stem)
{
    static const char *const none[] = {"none"};
    bool clash = is_one_of(stem, without_underscores(stem), none, 1);
    return whole(n, yaff_pool_format(n->pool, "%s_%s_case_%s%s", prefix, f->oneof->symbols.stem,
                                     stem, clash ? "_" : ""));
}

static void name_field(naming *n, const schema_message *m, schema_field *f)
{
    const char *prefix = m->symbols.prefix;
    const char *stem = stem_of(n, prefix, f->name, looks_derived(f->name));
    bool repeated = f->flags & YAFF_FIELD_REPEATED, map = f->flags & YAFF_FIELD_MAP;
    f->symbols.member = member_name(n, f->name);
    for (;; stem = escape(n, stem)) {
        const char **to[FIELD_SYMBOLS] = {
            &f->symbols.get,   &f->symbols.has,     &f->symbols.size, &f->symbols.at,
            &f->symbols.find,  &f->symbols.get_key, &f->symbols.span, &f->symbols.choice,
            &f->symbols.array, &f->symbols.gather};
        bool free = true;
        f->symbols.get = derive(n, prefix, "", stem, "");
        f->symbols.has =
            f->flags & YAFF_FIELD_PRESENCE ? derive(n, prefix, "has_", stem, "") : NULL;
        f->symbols.size = repeated ? derive(n, prefix, "", stem, "_size") : NULL;
        f->symbols.at = repeated ? derive(n, prefix, "", stem, "_at") : NULL;
        f->symbols.find = map ? derive(n, prefix, "", stem, "_find") : NULL;
        f->symbols.get_key = map ? derive(n, prefix, "", stem, "_get") : NULL;
        f->symbols.span = repeated ? derive(n, prefix, "yaff_span_", stem, "") : NULL;
        f->symbols.array = repeated && f->message ? derive(n, prefix, "", stem, "_array") : NULL;
        f->symbols.gather = repeated ? NULL : derive(n, prefix, "", stem, "_gather");
        f->symbols.choice = f->oneof ? choice_of(n, prefix, f, stem) : NULL;
        for (size_t i = 0; i < FIELD_SYMBOLS; i++)
            if (taken(n, *to[i])) free = false;
        if (!free) continue;
        for (size_t i = 0; i < FIELD_SYMBOLS; i++) take(n, *to[i], m->full_name, false);
        break;
    }
}

static void name_value(naming *n, const schema_enum *e, schema_value *v)
{
    static const char *const name[] = {"name"};
    bool clash =
        begins(v->name, "yaff_") || is_one_of(v->name, without_underscores(v->name), name, 1);
    const char *stem = stem_of(n, e->symbols.prefix, v->name, clash);
    for (;; stem = escape(n, stem)) {
        v->symbol = derive(n, e->symbols.prefix, "", stem, "");
        if (!taken(n, v->symbol)) break;
    }
    take(n, v->symbol, e->full_name, false);
}

static size_t count_claims(const yaff_schema *schema)
{
    size_t count = 1;
    for (size_t i = 0; i < schema->file_count; i++) {
        const schema_file *file = &schema->files[i];
        for (size_t j = 0; j < file->all_message_count; j++) {
            const schema_message *m = file->all_messages[j];
            count += MESSAGE_SYMBOLS + 2 * (size_t)m->table->block_count;
            count += FIELD_SYMBOLS * m->field_count + 2 * m->oneof_count;
        }
        for (size_t j = 0; j < file->all_enum_count; j++)
            count += ENUM_SYMBOLS + file->all_enums[j]->value_count;
    }
    return count;
}

void yaff_names(yaff_schema *schema)
{
    naming n = {schema, &schema->pool, NULL, NULL, 8};
    size_t count = count_claims(schema);
    while (n.slots < 2 * count) n.slots *= 2;
    n.claims = YAFF_NEW(n.pool, claim, n.slots);
    for (size_t i = 0; i < schema->file_count; i++) {
        schema_file *file = &schema->files[i];
        n.file = file;
        name_file(&n, file);
        name_types(&n, file);
        for (size_t j = 0; j < file->all_message_count; j++) {
            schema_message *m = file->all_messages[j];
            for (size_t k = 0; k < m->oneof_count; k++)
                if (m->oneofs[k].member_count) name_oneof(&n, m, &m->oneofs[k]);
            for (size_t k = 0; k < m->field_count; k++) name_field(&n, m, m->rows[k]);
        }
        for (size_t j = 0; j < file->all_enum_count; j++) {
            schema_enum *e = file->all_enums[j];
            for (size_t k = 0; k < e->value_count; k++) name_value(&n, e, &e->values[k]);
        }
    }
}
