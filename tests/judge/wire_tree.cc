// Parsing and printing wire bytes. See wire_tree.h; rewrite.cc and damage.cc hold the changes.
#include "judge/wire_tree.h"

#include <google/protobuf/unknown_field_set.h>

namespace judge {

namespace {

WireMessage from_unknown(const pb::Descriptor *descriptor, const pb::UnknownFieldSet &set)
{
    WireMessage message;
    for (int i = 0; i < set.field_count(); i++) {
        const pb::UnknownField &from = set.field(i);
        WireField to;
        to.number = static_cast<uint32_t>(from.number());
        const pb::FieldDescriptor *f =
            descriptor == nullptr ? nullptr : descriptor->FindFieldByNumber(from.number());
        switch (from.type()) {
        case pb::UnknownField::TYPE_VARINT:
            to.value = from.varint();
            break;
        case pb::UnknownField::TYPE_FIXED32:
            to.wire = FIXED32;
            to.value = from.fixed32();
            break;
        case pb::UnknownField::TYPE_FIXED64:
            to.wire = FIXED64;
            to.value = from.fixed64();
            break;
        case pb::UnknownField::TYPE_LENGTH_DELIMITED:
            to.wire = LENGTH;
            to.bytes = from.length_delimited();
            if (f != nullptr && f->type() == pb::FieldDescriptor::TYPE_MESSAGE)
                to.message = parse_wire(f->message_type(), to.bytes, &to.inner);
            break;
        case pb::UnknownField::TYPE_GROUP: {
            bool mine = f != nullptr && f->type() == pb::FieldDescriptor::TYPE_GROUP;
            to.wire = GROUP;
            to.message = true;
            to.inner = from_unknown(mine ? f->message_type() : nullptr, from.group());
            break;
        }
        }
        if (f != nullptr && (to.wire == wire_of(f) || (f->is_packable() && to.wire == LENGTH)))
            to.field = f;
        message.push_back(to);
    }
    return message;
}

} // namespace

bool parse_wire(const pb::Descriptor *descriptor, const std::string &bytes, WireMessage *message)
{
    pb::UnknownFieldSet set;
    if (!set.ParseFromString(bytes)) return false;
    *message = from_unknown(descriptor, set);
    return true;
}

void put_varint(std::string *out, uint64_t value, unsigned padding)
{
    for (; value >= 0x80; value >>= 7) *out += static_cast<char>(value | 0x80);
    if (padding == 0) {
        *out += static_cast<char>(value);
        return;
    }
    *out += static_cast<char>(value | 0x80);
    out->append(padding - 1, '\x80');
    *out += '\0';
}

static void put_fixed(std::string *out, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) *out += static_cast<char>(value >> (8 * i));
}

static void print_field(const WireField &f, std::string *out)
{
    if (!f.instead.empty()) {
        *out += f.instead;
        return;
    }
    put_varint(out, static_cast<uint64_t>(f.number) << 3 | f.wire, f.tag_padding);
    switch (f.wire) {
    case VARINT:
        put_varint(out, f.value, f.value_padding);
        break;
    case FIXED64:
        put_fixed(out, f.value, 8);
        break;
    case FIXED32:
        put_fixed(out, f.value, 4);
        break;
    case LENGTH: {
        std::string bytes = f.message ? print_wire(f.inner) : f.bytes;
        put_varint(out, bytes.size() + static_cast<uint64_t>(f.length_error), f.value_padding);
        *out += bytes;
        break;
    }
    case GROUP:
        *out += print_wire(f.inner);
        if (!f.no_end)
            put_varint(out, static_cast<uint64_t>(f.number) << 3 | GROUP_END, f.end_padding);
        break;
    default: // a stray end tag, or a wire type that does not exist
        break;
    }
}

std::string print_wire(const WireMessage &message)
{
    std::string out;
    for (const WireField &f : message) print_field(f, &out);
    return out;
}

unsigned wire_of(const pb::FieldDescriptor *field)
{
    switch (field->type()) {
    case pb::FieldDescriptor::TYPE_DOUBLE:
    case pb::FieldDescriptor::TYPE_FIXED64:
    case pb::FieldDescriptor::TYPE_SFIXED64:
        return FIXED64;
    case pb::FieldDescriptor::TYPE_FLOAT:
    case pb::FieldDescriptor::TYPE_FIXED32:
    case pb::FieldDescriptor::TYPE_SFIXED32:
        return FIXED32;
    case pb::FieldDescriptor::TYPE_STRING:
    case pb::FieldDescriptor::TYPE_BYTES:
    case pb::FieldDescriptor::TYPE_MESSAGE:
        return LENGTH;
    case pb::FieldDescriptor::TYPE_GROUP:
        return GROUP;
    default:
        return VARINT;
    }
}

} // namespace judge
