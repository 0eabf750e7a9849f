// Wire bytes that say something else, or nothing valid. See damage() and nest() in wire_tree.h.
#include "judge/message_random.h"
#include "judge/wire_tree.h"

#include <algorithm>

namespace judge {

namespace {

typedef pb::FieldDescriptor Field;

// A field of any kind, known or not, perhaps with a wire type that does not fit.
WireField any_field(Random &random, const pb::Descriptor *d)
{
    WireField f;
    f.number = random.between(1, 40);
    if (d != nullptr && d->field_count() > 0 && random.chance(70)) {
        int i = static_cast<int>(random.below(static_cast<size_t>(d->field_count())));
        f.field = d->field(i);
        f.number = static_cast<uint32_t>(f.field->number());
    }
    static const unsigned wires[] = {VARINT, FIXED64, LENGTH, GROUP, FIXED32};
    f.wire = f.field != nullptr && random.chance(50) ? wire_of(f.field) : wires[random.below(5)];
    f.value = random_integer(random);
    f.message = f.wire == GROUP || (f.wire == LENGTH && random.chance(30));
    if (f.wire == LENGTH && !f.message) f.bytes = random_text(random, random.chance(70));
    if (f.message && random.chance(70)) f.inner.push_back(any_field(random, nullptr));
    return f;
}

std::string bad_tag(Random &random)
{
    std::string tag;
    switch (random.below(6)) {
    case 0: // number 0
        put_varint(&tag, random.below(8));
        tag += '\0';
        break;
    case 1: // wire type 6 or 7
        put_varint(&tag, (uint64_t{random.between(1, 100)} << 3) | random.between(6, 7));
        tag += '\1';
        break;
    case 2: // six bytes or more
        put_varint(&tag, 8, random.between(5, 8));
        tag += '\1';
        break;
    case 3: // bits above the 32nd
        put_varint(&tag, UINT64_C(0x700000000) | 8);
        tag += '\1';
        break;
    case 4: // an end without a start
        put_varint(&tag, (uint64_t{random.between(1, 100)} << 3) | GROUP_END);
        break;
    default: // a varint of eleven bytes
        put_varint(&tag, 8);
        put_varint(&tag, 1, 10);
    }
    return tag;
}

void damage_field(Random &random, const Schema &schema, const pb::Descriptor *d, WireMessage *m,
                  size_t i)
{
    WireField &f = (*m)[i];
    ptrdiff_t at = static_cast<ptrdiff_t>(i);
    switch (random.below(13)) {
    case 0:
        m->erase(m->begin() + at);
        break;
    case 1: {
        WireField copy = f;
        m->insert(m->begin() + static_cast<ptrdiff_t>(random.below(m->size() + 1)), copy);
        break;
    }
    case 2:
        std::swap(f, (*m)[random.below(m->size())]);
        break;
    case 3:
        f.value = random_integer(random);
        if (f.wire == LENGTH && !f.message) f.bytes = random_text(random, false);
        break;
    case 4:
        f.number = random.chance(50) ? random.between(1, 40) : any_field(random, d).number;
        break;
    case 5: {
        static const unsigned wires[] = {VARINT, FIXED64, LENGTH, GROUP, FIXED32};
        f.wire = wires[random.below(5)];
        f.message = f.wire == GROUP;
        if (f.wire == LENGTH) put_varint(&f.bytes, f.value);
        break;
    }
    case 6:
        f.value_padding = random.below(11);
        break;
    case 7:
        f.tag_padding = random.below(7);
        break;
    case 8: {
        static const std::vector<int64_t> errors = {-1,
                                                    1,
                                                    2,
                                                    127,
                                                    65536,
                                                    INT32_MAX,
                                                    INT64_C(0x80000000),
                                                    INT64_C(0xffffffff),
                                                    INT64_C(0x7fffffffffff)};
        if (f.wire == LENGTH) f.length_error = random.pick(errors);
        break;
    }
    case 9:
        f.no_end = random.chance(50);
        if (!f.no_end) f.end_padding = random.below(6);
        break;
    case 10:
        if (f.wire == LENGTH && !f.message && !f.bytes.empty()) f.bytes.pop_back();
        break;
    case 11:
        if (f.wire == LENGTH && !f.message && f.field != nullptr && f.field->is_packable())
            put_varint(&f.bytes, random_integer(random), random.chance(10) ? random.below(11) : 0);
        break;
    default:
        if (f.message && f.field != nullptr)
            damage(random, schema, f.field->message_type(), &f.inner);
    }
}

} // namespace

void damage(Random &random, const Schema &schema, const pb::Descriptor *descriptor,
            WireMessage *message)
{
    for (size_t n = random.between(1, 3); n > 0; n--) {
        size_t i = random.below(message->size() + 1);
        if (i < message->size() && random.chance(30) && (*message)[i].message &&
            (*message)[i].field != nullptr) {
            damage(random, schema, (*message)[i].field->message_type(), &(*message)[i].inner);
        } else if (i < message->size() && random.chance(65)) {
            damage_field(random, schema, descriptor, message, i);
        } else {
            WireField f = any_field(random, descriptor);
            if (random.chance(15)) f.instead = bad_tag(random);
            message->insert(message->begin() + static_cast<ptrdiff_t>(i), f);
        }
    }
}

void damage_bytes(Random &random, std::string *bytes)
{
    for (size_t n = random.between(1, 2); n > 0 && !bytes->empty(); n--) {
        size_t at = random.below(bytes->size());
        switch (random.below(4)) {
        case 0:
            bytes->resize(at);
            break;
        case 1:
            (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << random.below(8)));
            break;
        case 2:
            bytes->insert(at, 1, static_cast<char>(random.next()));
            break;
        default:
            bytes->erase(at, 1);
        }
    }
}

// Builds the levels as a list first, from the root down, then prints them from the innermost up.
std::string nest(Random &random, const pb::Descriptor *descriptor, int depth)
{
    struct Level {
        uint32_t number;
        bool group;
    };
    std::vector<Level> levels;
    const pb::Descriptor *d = descriptor;
    while (static_cast<int>(levels.size()) < depth) {
        std::vector<const Field *> ways;
        for (int i = 0; d != nullptr && i < d->field_count(); i++)
            if (d->field(i)->message_type() != nullptr) ways.push_back(d->field(i));
        if (ways.empty() || random.chance(2)) {
            levels.push_back({d == nullptr ? 1u : 20001u, true}); // an unknown group
            d = nullptr;
            continue;
        }
        const Field *f = random.pick(ways);
        levels.push_back({static_cast<uint32_t>(f->number()), f->type() == Field::TYPE_GROUP});
        d = f->message_type();
    }
    std::string inner;
    for (size_t i = levels.size(); i-- > 0;) {
        std::string outer;
        if (levels[i].group) {
            put_varint(&outer, uint64_t{levels[i].number} << 3 | GROUP);
            outer += inner;
            put_varint(&outer, uint64_t{levels[i].number} << 3 | GROUP_END);
        } else {
            put_varint(&outer, uint64_t{levels[i].number} << 3 | LENGTH);
            put_varint(&outer, inner.size());
            outer += inner;
        }
        inner.swap(outer);
    }
    return inner;
}

} // namespace judge
