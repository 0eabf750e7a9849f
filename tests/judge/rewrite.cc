// Other wire forms of the same message. See rewrite() in wire_tree.h.
#include "judge/message_random.h"
#include "judge/wire_tree.h"

#include <algorithm>
#include <map>
#include <set>

namespace judge {

namespace {

typedef pb::FieldDescriptor Field;

unsigned varint_size(uint64_t value)
{
    unsigned n = 1;
    while (value >>= 7) n++;
    return n;
}

// Whether the varint is an unlisted value of a closed enum.
bool unlisted(const pb::EnumDescriptor *e, uint64_t value)
{
    return e->FindValueByNumber(static_cast<int>(static_cast<uint32_t>(value))) == nullptr;
}

bool read_varint(const std::string &bytes, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < bytes.size() && shift < 70; shift += 7) {
        uint8_t byte = static_cast<uint8_t>(bytes[(*at)++]);
        if (shift < 64) *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

// The elements of a packed run, unpacked; false when it is malformed.
bool unpack(const WireField &packed, WireMessage *elements)
{
    unsigned wire = wire_of(packed.field);
    for (size_t at = 0; at < packed.bytes.size();) {
        WireField e;
        e.number = packed.number;
        e.field = packed.field;
        e.wire = wire;
        if (wire == VARINT) {
            if (!read_varint(packed.bytes, &at, &e.value)) return false;
        } else {
            size_t width = wire == FIXED32 ? 4 : 8;
            if (packed.bytes.size() - at < width) return false;
            for (size_t i = 0; i < width; i++)
                e.value |= static_cast<uint64_t>(static_cast<uint8_t>(packed.bytes[at + i]))
                           << 8 * i;
            at += width;
        }
        elements->push_back(e);
    }
    return true;
}

WireField pack(const WireMessage &elements, size_t first, size_t end, Random &random)
{
    WireField packed;
    packed.number = elements[first].number;
    packed.field = elements[first].field;
    packed.wire = LENGTH;
    for (size_t i = first; i < end; i++) {
        WireField e = elements[i];
        unsigned width = e.wire == FIXED32 ? 4 : 8;
        if (e.wire == VARINT)
            put_varint(&packed.bytes, e.value,
                       random.chance(5) ? random.below(11 - varint_size(e.value)) : 0);
        else
            for (unsigned b = 0; b < width; b++)
                packed.bytes += static_cast<char>(e.value >> (8 * b));
    }
    return packed;
}

class Rewriter {
  public:
    Rewriter(Random &random, const Schema &schema) : random_(random), schema_(schema)
    {
    }

    void level(const pb::Descriptor *d, WireMessage *m);

  private:
    void find_held(const WireMessage &m);
    bool held(const WireField &f) const
    {
        return f.field == nullptr || held_.count(f.number) != 0;
    }
    uint64_t order_key(const WireField &f) const;
    uint64_t same_value(const Field *f, uint64_t value);
    void padding(WireField *f);
    void losers(const WireField &f, WireMessage *out, std::set<const void *> *oneofs_seen);
    WireField some_value(const Field *f);
    void vary(const WireField &f, WireMessage *out);
    void absent(const pb::Descriptor *d, WireMessage *out);
    void shuffle_map(WireMessage *m, const Field *f);
    void interleave(WireMessage *m);

    Random &random_;
    const Schema &schema_;
    std::set<uint32_t> held_; // numbers of this level that have unlisted enum values
};

void Rewriter::find_held(const WireMessage &m)
{
    held_.clear();
    for (const WireField &f : m) {
        bool hold = false;
        if (f.field == nullptr) continue;
        if (closed_enum(f.field)) {
            WireMessage elements;
            if (f.wire == VARINT) {
                hold = unlisted(f.field->enum_type(), f.value);
            } else {
                hold = !unpack(f, &elements);
                for (const WireField &e : elements) hold |= unlisted(f.field->enum_type(), e.value);
            }
        } else if (f.field->is_map()) {
            const pb::EnumDescriptor *e =
                schema_.closed_value(f.field->message_type()->map_value());
            if (!f.message) hold = true;
            for (const WireField &v : f.inner)
                hold |= e != nullptr && v.field != nullptr && v.number == 2 && unlisted(e, v.value);
        }
        if (!hold) continue;
        held_.insert(f.number);
        const pb::OneofDescriptor *oneof = f.field->real_containing_oneof();
        for (int i = 0; oneof != nullptr && i < oneof->field_count(); i++)
            held_.insert(static_cast<uint32_t>(oneof->field(i)->number()));
    }
}

// Fields with the same key keep their order.
uint64_t Rewriter::order_key(const WireField &f) const
{
    if (held(f)) return 0;
    const pb::OneofDescriptor *oneof = f.field->real_containing_oneof();
    return oneof == nullptr ? f.number : UINT64_C(1) << 40 | static_cast<uint64_t>(oneof->index());
}

// Another varint that means the same to field f.
uint64_t Rewriter::same_value(const Field *f, uint64_t value)
{
    uint64_t junk = random_.next() << 32;
    switch (f->type()) {
    case Field::TYPE_BOOL:
        if (value == 0) return 0;
        return random_.chance(50) ? junk | UINT64_C(0x100000000) : random_.next() | 1;
    case Field::TYPE_INT32:
    case Field::TYPE_UINT32:
    case Field::TYPE_SINT32:
    case Field::TYPE_ENUM:
        if (random_.chance(50)) return static_cast<uint32_t>(value);
        return static_cast<uint32_t>(value) | junk;
    default:
        return value;
    }
}

void Rewriter::padding(WireField *f)
{
    if (random_.chance(6))
        f->tag_padding = random_.below(6 - varint_size(uint64_t{f->number} << 3));
    if (random_.chance(6) && f->wire == VARINT)
        f->value_padding = random_.below(11 - varint_size(f->value));
    if (random_.chance(6) && f->wire == LENGTH && !f->message)
        f->value_padding = random_.below(6 - varint_size(f->bytes.size()));
    if (random_.chance(6) && f->wire == LENGTH && f->message) f->value_padding = random_.below(2);
    if (random_.chance(6) && f->wire == GROUP)
        f->end_padding = random_.below(6 - varint_size(uint64_t{f->number} << 3));
}

// Any well-formed value that field f accepts.
WireField Rewriter::some_value(const Field *f)
{
    WireField v;
    v.number = static_cast<uint32_t>(f->number());
    v.field = f;
    v.wire = wire_of(f);
    v.message = f->message_type() != nullptr;
    v.value = f->enum_type() != nullptr
                  ? static_cast<uint64_t>(static_cast<int64_t>(f->enum_type()->value(0)->number()))
                  : random_integer(random_);
    if (v.wire == LENGTH && !v.message) v.bytes = random_text(random_, true);
    return v;
}

// Adds to `out`, in front of f, values that f overrides.
void Rewriter::losers(const WireField &f, WireMessage *out, std::set<const void *> *oneofs_seen)
{
    const Field *field = f.field;
    const pb::OneofDescriptor *oneof = field->real_containing_oneof();
    if (oneof != nullptr && oneofs_seen->insert(oneof).second && random_.chance(25)) {
        const Field *other = oneof->field(
            static_cast<int>(random_.below(static_cast<size_t>(oneof->field_count()))));
        if (other != field) {
            out->push_back(some_value(other));
            if (random_.chance(30)) out->push_back(some_value(other));
        }
    }
    if (!field->is_repeated() && field->message_type() == nullptr && random_.chance(15))
        out->push_back(some_value(field));
    if (field->is_map() && f.message && random_.chance(15)) {
        WireField entry = f; // the same key, no value
        entry.inner.erase(std::remove_if(entry.inner.begin(), entry.inner.end(),
                                         [](const WireField &v) { return v.number == 2; }),
                          entry.inner.end());
        const Field *value = field->message_type()->map_value();
        if (schema_.closed_value(value) == nullptr && random_.chance(70))
            entry.inner.push_back(some_value(value));
        out->push_back(entry);
    }
}

// Adds to `out` field f in one form or another.
void Rewriter::vary(const WireField &f, WireMessage *out)
{
    const Field *field = f.field;
    if (field->is_packable() && (f.wire == LENGTH || random_.chance(20))) {
        WireMessage elements;
        if (f.wire != LENGTH) {
            elements.push_back(f);
        } else if (!unpack(f, &elements)) {
            out->push_back(f);
            return;
        }
        for (WireField &e : elements)
            if (e.wire == VARINT && random_.chance(20)) e.value = same_value(field, e.value);
        bool keep = random_.chance(40);
        for (size_t i = 0; i < elements.size();) {
            size_t run = keep ? elements.size() : random_.between(1, 4);
            if (run > elements.size() - i) run = elements.size() - i;
            if (keep || random_.chance(50)) {
                out->push_back(pack(elements, i, i + run, random_));
                padding(&out->back());
            } else {
                for (size_t j = 0; j < run; j++) {
                    out->push_back(elements[i + j]);
                    padding(&out->back());
                }
            }
            i += run;
        }
        return;
    }
    out->push_back(f);
    WireField &last = out->back();
    if (last.wire == VARINT && random_.chance(20)) last.value = same_value(field, last.value);
    padding(&last);
    if (field->message_type() != nullptr && !field->is_repeated() && last.message &&
        random_.chance(25)) {
        WireField rest = last;
        size_t cut = random_.below(last.inner.size() + 1);
        ptrdiff_t at = static_cast<ptrdiff_t>(cut);
        last.inner.erase(last.inner.begin() + at, last.inner.end());
        rest.inner.erase(rest.inner.begin(), rest.inner.begin() + at);
        out->push_back(rest);
    }
}

// Adds what says nothing: packed runs of no elements, zeros of implicit fields.
void Rewriter::absent(const pb::Descriptor *d, WireMessage *out)
{
    for (int i = 0; i < d->field_count(); i++) {
        const Field *f = d->field(i);
        if (held_.count(static_cast<uint32_t>(f->number())) != 0 || !random_.chance(4)) continue;
        if (d->options().map_entry()) continue;
        WireField v;
        v.number = static_cast<uint32_t>(f->number());
        v.field = f;
        if (f->is_packable()) {
            v.wire = LENGTH;
        } else if (!f->is_repeated() && !f->has_presence()) {
            v.wire = wire_of(f);
        } else {
            continue;
        }
        out->push_back(v);
    }
}

// Puts map entries with different keys into another order.
void Rewriter::shuffle_map(WireMessage *m, const Field *f)
{
    std::vector<size_t> where;
    std::set<std::string> keys;
    for (size_t i = 0; i < m->size(); i++) {
        if ((*m)[i].field != f) continue;
        const WireMessage &entry = (*m)[i].inner;
        if (entry.empty() || entry[0].number != 1 || entry[0].field == nullptr) return;
        WireField key = entry[0];
        if (!keys.insert(print_wire({key})).second) return;
        where.push_back(i);
    }
    std::vector<size_t> to = where;
    random_.shuffle(to);
    WireMessage copy = *m;
    for (size_t i = 0; i < where.size(); i++) (*m)[to[i]] = copy[where[i]];
}

// Any order in which fields with one and the same key stay in theirs.
void Rewriter::interleave(WireMessage *m)
{
    std::map<uint64_t, std::vector<size_t>> queues;
    std::vector<uint64_t> slots;
    for (size_t i = 0; i < m->size(); i++) {
        queues[order_key((*m)[i])].push_back(i);
        slots.push_back(order_key((*m)[i]));
    }
    random_.shuffle(slots);
    std::map<uint64_t, size_t> at;
    WireMessage copy;
    for (uint64_t key : slots) copy.push_back((*m)[queues[key][at[key]++]]);
    m->swap(copy);
}

void Rewriter::level(const pb::Descriptor *d, WireMessage *m)
{
    find_held(*m);
    for (int i = 0; i < d->field_count(); i++)
        if (d->field(i)->is_map() && random_.chance(40) &&
            held_.count(static_cast<uint32_t>(d->field(i)->number())) == 0)
            shuffle_map(m, d->field(i));
    for (WireField &f : *m) {
        if (held(f) || !f.message) continue;
        Rewriter(random_, schema_).level(f.field->message_type(), &f.inner);
    }
    WireMessage out;
    std::set<const void *> oneofs_seen;
    absent(d, &out);
    for (const WireField &f : *m) {
        if (held(f)) {
            out.push_back(f);
            continue;
        }
        losers(f, &out, &oneofs_seen);
        vary(f, &out);
    }
    if (random_.chance(50)) interleave(&out);
    m->swap(out);
}

} // namespace

void rewrite(Random &random, const Schema &schema, const pb::Descriptor *descriptor,
             WireMessage *message)
{
    Rewriter(random, schema).level(descriptor, message);
}

} // namespace judge
