// See verdict.h.
#include "judge/verdict.h"

#include "judge/choice.h"
#include "judge/reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include <yaff/buffer.h>
#include <yaff/verify.h>

#include <algorithm>
#include <cmath>
#include <cstring>

// Reflection keeps its map functions to its friends. A dynamic message keeps the entries of a map
// as they came until one of them is called; this one makes the map of them.
namespace google {
namespace protobuf {
namespace python {
class MapReflectionFriend {
  public:
    static int size(const Message &message, const FieldDescriptor *field)
    {
        return message.GetReflection()->MapSize(message, field);
    }
};
} // namespace python
} // namespace protobuf
} // namespace google

namespace judge {

namespace {

typedef pb::FieldDescriptor Field;

uint64_t as_int32(uint64_t varint)
{
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(varint)));
}

// Unlisted values of a closed enum: dynamic messages keep 32 bits of some and 64 of others, and
// whole map entries, read from where yaff keeps them, may have any form.
void settle_unknown(const Schema &schema, pb::Message *m)
{
    const pb::Reflection *r = m->GetReflection();
    pb::UnknownFieldSet *set = r->MutableUnknownFields(m);
    for (int i = 0; i < set->field_count(); i++) {
        pb::UnknownField *u = set->mutable_field(i);
        const Field *f = m->GetDescriptor()->FindFieldByNumber(u->number());
        if (f == nullptr) continue;
        if (closed_enum(f) && u->type() == pb::UnknownField::TYPE_VARINT) {
            u->set_varint(as_int32(u->varint()));
        } else if (f->is_map() && u->type() == pb::UnknownField::TYPE_LENGTH_DELIMITED &&
                   schema.closed_value(f->message_type()->map_value()) != nullptr) {
            r->AddMessage(m, f)->ParsePartialFromString(u->length_delimited());
            set->DeleteSubrange(i--, 1);
        }
    }
}

void settle_closed_map(pb::Message *m, const Field *f, const pb::EnumDescriptor *e)
{
    const pb::Reflection *r = m->GetReflection();
    const Field *value = f->message_type()->map_value();
    int kept = 0, count = r->FieldSize(*m, f);
    for (int i = 0; i < count; i++) {
        pb::Message *entry = r->MutableRepeatedMessage(m, f, i);
        const pb::Reflection *er = entry->GetReflection();
        if (!er->HasField(*entry, value)) er->SetInt32(entry, value, e->value(0)->number());
        if (e->FindValueByNumber(er->GetInt32(*entry, value)) != nullptr) {
            if (kept != i) r->SwapElements(m, f, kept, i);
            kept++;
            continue;
        }
        er->MutableUnknownFields(entry)->Clear();
        *r->MutableUnknownFields(m)->AddLengthDelimited(f->number()) = serialize(*entry);
    }
    for (; count > kept; count--) r->RemoveLast(m, f);
}

// All but what Fixed messages need; afterwards protobuf's IsInitialized() tells what generated code
// would.
void settle_maps(const Schema &schema, pb::Message *m)
{
    const pb::Reflection *r = m->GetReflection();
    const pb::Descriptor *d = m->GetDescriptor();
    settle_unknown(schema, m);
    for (int i = 0; i < d->field_count(); i++) {
        const Field *f = d->field(i);
        if (f->message_type() == nullptr) continue;
        if (f->is_repeated()) {
            for (int j = 0, n = r->FieldSize(*m, f); j < n; j++)
                settle_maps(schema, r->MutableRepeatedMessage(m, f, j));
        } else if (r->HasField(*m, f)) {
            settle_maps(schema, r->MutableMessage(m, f));
        }
        if (!f->is_map()) continue;
        const pb::EnumDescriptor *e = schema.closed_value(f->message_type()->map_value());
        if (e != nullptr) settle_closed_map(m, f, e);
        pb::python::MapReflectionFriend::size(*m, f);
    }
}

void set_required(pb::Message *m, const Field *f)
{
    const pb::Reflection *r = m->GetReflection();
    switch (f->cpp_type()) {
    case Field::CPPTYPE_INT32:
        r->SetInt32(m, f, f->default_value_int32());
        break;
    case Field::CPPTYPE_INT64:
        r->SetInt64(m, f, f->default_value_int64());
        break;
    case Field::CPPTYPE_UINT32:
        r->SetUInt32(m, f, f->default_value_uint32());
        break;
    case Field::CPPTYPE_UINT64:
        r->SetUInt64(m, f, f->default_value_uint64());
        break;
    case Field::CPPTYPE_DOUBLE:
        r->SetDouble(m, f, f->default_value_double());
        break;
    case Field::CPPTYPE_FLOAT:
        r->SetFloat(m, f, f->default_value_float());
        break;
    case Field::CPPTYPE_BOOL:
        r->SetBool(m, f, f->default_value_bool());
        break;
    case Field::CPPTYPE_ENUM:
        r->SetEnumValue(m, f, f->default_value_enum()->number());
        break;
    case Field::CPPTYPE_STRING:
        r->SetString(m, f, f->default_value_string());
        break;
    case Field::CPPTYPE_MESSAGE:
        r->MutableMessage(m, f);
        break;
    }
}

void settle_fixed(const Schema &schema, pb::Message *m, bool *unknown);

// A Fixed message inline in another has no presence: it counts as absent when it says nothing.
void settle_inline(const Schema &schema, pb::Message *m, const Field *f)
{
    const pb::Reflection *r = m->GetReflection();
    bool ignored = false;
    if (!f->is_required() && r->HasField(*m, f)) {
        std::unique_ptr<pb::Message> nothing(r->GetMessage(*m, f).New());
        settle_fixed(schema, nothing.get(), &ignored);
        if (serialize(r->GetMessage(*m, f)) == serialize(*nothing)) r->ClearField(m, f);
    }
}

void settle_fixed(const Schema &schema, pb::Message *m, bool *unknown)
{
    const pb::Reflection *r = m->GetReflection();
    const pb::Descriptor *d = m->GetDescriptor();
    bool fixed = schema.fixed(d), entry = d->options().map_entry();
    if (fixed) {
        *unknown |= !r->GetUnknownFields(*m).empty();
        r->MutableUnknownFields(m)->Clear();
    }
    for (int i = 0; i < d->field_count(); i++) {
        const Field *f = d->field(i);
        bool single = f->message_type() != nullptr && !f->is_repeated();
        if (fixed && f->is_required() && !r->HasField(*m, f)) set_required(m, f);
        if (entry && single && !r->HasField(*m, f)) r->MutableMessage(m, f);
        if (f->message_type() == nullptr) continue;
        if (f->is_repeated()) {
            for (int j = 0, n = r->FieldSize(*m, f); j < n; j++)
                settle_fixed(schema, r->MutableRepeatedMessage(m, f, j), unknown);
        } else if (r->HasField(*m, f)) {
            settle_fixed(schema, r->MutableMessage(m, f), unknown);
        }
        if (f->is_map()) pb::python::MapReflectionFriend::size(*m, f);
        if (fixed && single) settle_inline(schema, m, f);
    }
}

template <typename Function> void for_each_child(const pb::Message &m, Function function)
{
    const pb::Reflection *r = m.GetReflection();
    std::vector<const Field *> fields;
    r->ListFields(m, &fields);
    for (const Field *f : fields) {
        if (f->message_type() == nullptr) continue;
        if (f->is_repeated()) {
            for (int i = 0, n = r->FieldSize(m, f); i < n; i++)
                function(r->GetRepeatedMessage(m, f, i));
        } else {
            function(r->GetMessage(m, f));
        }
    }
}

// Whether protobuf may have changed the message: on i386 reals go through registers that make every
// NaN a quiet one, so that it cannot tell what a message with a NaN was.
bool has_changed_nan(const pb::Message &m)
{
#ifndef __i386__
    (void)m;
    return false;
#else
    const pb::Reflection *r = m.GetReflection();
    std::vector<const Field *> fields;
    bool found = false;
    r->ListFields(m, &fields);
    for (const Field *f : fields) {
        if (f->cpp_type() != Field::CPPTYPE_FLOAT && f->cpp_type() != Field::CPPTYPE_DOUBLE)
            continue;
        bool single = f->cpp_type() == Field::CPPTYPE_FLOAT;
        if (!f->is_repeated())
            found = found || std::isnan(single ? r->GetFloat(m, f) : r->GetDouble(m, f));
        for (int i = 0, n = f->is_repeated() ? r->FieldSize(m, f) : 0; i < n; i++)
            found = found || std::isnan(single ? r->GetRepeatedFloat(m, f, i)
                                               : r->GetRepeatedDouble(m, f, i));
    }
    for_each_child(m, [&](const pb::Message &child) { found = found || has_changed_nan(child); });
    return found;
#endif
}

// The results of one conversion, compared with the verdict on the same wire bytes.
std::string compare_result(Schema &schema, const pb::Descriptor *d, const Verdict &judged,
                           const Conversion &c)
{
    const yaff_type *type = schema.type(d);
    yaff_error error;
    yaff_verify_options options = {};
    options.utf8 = true;
    yaff_status status = yaff_verify(type, c.buffer(), c.size, &options, &error);
    if (status != YAFF_OK)
        return std::string("verify refuses our own buffer: ") + yaff_status_name(status) + " at " +
               std::to_string(error.offset) + " " + error.path;

    std::string problem, out = to_wire(type, c.buffer(), &problem);
    if (!problem.empty()) {
        // A map entry without value at the lowest level: written with one it is a level too deep,
        // and protobuf cannot read what it then writes, either.
        bool too_deep = problem.find(yaff_status_name(YAFF_TOO_DEEP)) != std::string::npos;
        return too_deep && !parse(schema, d, judged.bytes).parsed ? "" : problem;
    }
    Verdict again = parse(schema, d, out);
    if (!again.parsed) return "protobuf cannot parse our wire bytes " + hex(out);
    if (again.unknown_in_fixed) return "unknown fields in a Fixed message came out: " + hex(out);
    if (again.bytes != judged.bytes)
        return "protobuf reads another message from our wire bytes " + hex(out) +
               "\n  ours: " + again.message->ShortDebugString() +
               "\n  was:  " + judged.message->ShortDebugString();
    if (!judged.unknown && out != judged.bytes)
        return "our wire bytes are not protobuf's\n  ours: " + hex(out) +
               "\n  its:  " + hex(judged.bytes);

    uint64_t head = yaff_load64(c.buffer());
    const void *root = yaff_buffer_root(c.buffer(), type->instance);
    problem = head >> 32 == 0 ? "" : wrong_choice(type, root);
    if (!problem.empty()) return problem;

    std::unique_ptr<pb::Message> read = schema.make(d);
    for (bool walk : {false, true}) {
        read->Clear();
        read_message(type, root, walk, read.get());
        settle(schema, read.get());
        if (serialize(*read) != judged.bytes)
            return std::string(walk ? "the iterator" : "yaff_find()") +
                   " reads another message\n  ours: " + read->ShortDebugString() +
                   "\n  was:  " + judged.message->ShortDebugString();
    }

    if (yaff_load32(c.buffer()) >> 24 & YAFF_BUFFER_BORROWED)
        return ""; // holds the wire as it came
    yaff_wire_options partial = {};
    partial.partial = true;
    Conversion second = from_wire(type, out, partial);
    if (!(second == c)) return "converting our own wire bytes gives another buffer: " + hex(out);
    if (!judged.unknown && !(from_wire(type, judged.bytes, partial) == c))
        return "converting protobuf's bytes gives another buffer: " + hex(judged.bytes);
    return "";
}

} // namespace

Verdict parse(Schema &schema, const pb::Descriptor *descriptor, const std::string &wire)
{
    Verdict v;
    v.message = schema.make(descriptor);
    v.parsed = v.message->ParsePartialFromArray(wire.data(), static_cast<int>(wire.size()));
    if (!v.parsed) return v;
    settle_maps(schema, v.message.get());
    v.initialized = v.message->IsInitialized();
    settle_fixed(schema, v.message.get(), &v.unknown_in_fixed);
    v.unknown = has_unknown(*v.message);
    v.bytes = serialize(*v.message);
    return v;
}

void settle(const Schema &schema, pb::Message *message, bool *unknown_in_fixed)
{
    bool unknown = false;
    settle_maps(schema, message);
    settle_fixed(schema, message, &unknown);
    if (unknown_in_fixed != nullptr) *unknown_in_fixed = unknown;
}

std::string serialize(const pb::Message &message)
{
    std::string bytes;
    {
        pb::io::StringOutputStream stream(&bytes);
        pb::io::CodedOutputStream out(&stream);
        out.SetSerializationDeterministic(true);
        message.SerializePartialToCodedStream(&out);
    }
    return bytes;
}

bool has_unknown(const pb::Message &message)
{
    bool found = !message.GetReflection()->GetUnknownFields(message).empty();
    for_each_child(message, [&](const pb::Message &child) { found = found || has_unknown(child); });
    return found;
}

void drop_unknown(pb::Message *message)
{
    message->DiscardUnknownFields();
}

bool Conversion::operator==(const Conversion &other) const
{
    return status == other.status && size == other.size &&
           (size == 0 || std::memcmp(words.get(), other.words.get(), size) == 0);
}

Conversion from_wire(const yaff_type *type, const std::string &wire,
                     const yaff_wire_options &options, size_t capacity)
{
    struct Free {
        void operator()(yaff_builder *b) const
        {
            yaff_builder_free(b);
        }
    };
    static const std::unique_ptr<yaff_builder, Free> builder(yaff_builder_new(nullptr));
    Conversion c;
    std::unique_ptr<uint64_t[]> room;
    if (capacity != OWN_MEMORY) room.reset(new uint64_t[capacity / 8]);
    yaff_builder_use(builder.get(), room.get(), room == nullptr ? 0 : capacity);
    // The input, too, in memory of exactly its size.
    std::unique_ptr<char[]> exact(new char[wire.size()]);
    if (!wire.empty()) std::memcpy(exact.get(), wire.data(), wire.size());
    const void *input = exact.get();
    if (options.borrow && capacity == OWN_MEMORY && wire.size() % 2 != 0) { // or where it belongs
        void *inside = yaff_builder_wire(builder.get(), wire.size());
        std::memcpy(inside, wire.data(), wire.size());
        input = inside;
    }
    c.status = yaff_from_wire(builder.get(), type, input, wire.size(), &options, &c.error);
    if (c.status != YAFF_OK) return c;
    c.size = yaff_builder_size(builder.get());
    c.words.reset(new uint64_t[c.size / 8]);
    std::memcpy(c.words.get(), yaff_builder_data(builder.get()), c.size);
    return c;
}

std::string to_wire(const yaff_type *type, const void *buffer, std::string *problem)
{
    const void *root = yaff_buffer_root(buffer, type->instance);
    size_t size = 0, written = 0;
    yaff_error error;
    yaff_status status = yaff_wire_size(type, root, &size, &error);
    if (status != YAFF_OK) {
        *problem = std::string("wire_size fails: ") + yaff_status_name(status);
        return "";
    }
    std::unique_ptr<char[]> out(new char[size]);
    status = yaff_to_wire(type, root, out.get(), size, &written, &error);
    if (status != YAFF_OK)
        *problem = std::string("to_wire fails: ") + yaff_status_name(status);
    else if (written != size)
        *problem =
            "wire_size says " + std::to_string(size) + ", to_wire wrote " + std::to_string(written);
    else if (size > 0 &&
             yaff_to_wire(type, root, out.get(), size - 1, &written, nullptr) != YAFF_TOO_SMALL)
        *problem = "to_wire does not notice that its room is one byte too small";
    else if (yaff_to_wire(type, root, out.get(), size, &written, nullptr) != YAFF_OK)
        *problem = "to_wire fails the second time";
    constexpr size_t MORE = 100; // room in front
    std::unique_ptr<char[]> wide(new char[size + MORE]);
    const void *first = nullptr;
    status = yaff_to_wire_back(type, root, wide.get(), size + MORE, &first, &written, &error);
    if (problem->empty() && (status != YAFF_OK || written != size || first != wide.get() + MORE ||
                             std::memcmp(first, out.get(), size) != 0))
        *problem = "to_wire_back writes something else";
    return std::string(out.get(), problem->empty() ? size : 0);
}

// The same wire bytes, which are accepted with `options`, lent to the buffer.
std::string compare_borrowing(Schema &schema, const pb::Descriptor *descriptor,
                              const std::string &wire, const Verdict &judged,
                              yaff_wire_options options)
{
    const yaff_type *type = schema.type(descriptor);
    options.borrow = true;
    Conversion c = from_wire(type, wire, options);
    if (c.status != YAFF_OK)
        return std::string("borrowing fails: ") + yaff_status_name(c.status) + " at " +
               std::to_string(c.error.offset);
    if (c.size < 8 + wire.size() || std::memcmp(reinterpret_cast<const char *>(c.words.get() + 1),
                                                wire.data(), wire.size()) != 0)
        return "the borrowed wire bytes are not in the buffer";
    std::string problem = compare_result(schema, descriptor, judged, c);
    if (!problem.empty()) return "borrowing: " + problem;
    if (!(from_wire(type, wire, options, c.size) == c))
        return "borrowing in exactly enough memory gives something else";
    if (from_wire(type, wire, options, c.size - 8).status != YAFF_TOO_SMALL)
        return "borrowing in too little memory is no error";
    return "";
}

std::string compare(Schema &schema, const pb::Descriptor *descriptor, const std::string &wire,
                    Conversion *converted)
{
    const yaff_type *type = schema.type(descriptor);
    Verdict judged = parse(schema, descriptor, wire);
    yaff_wire_options options = {};
    Conversion c = from_wire(type, wire, options);
    if (c.status == YAFF_UNKNOWN_IN_FIXED || (judged.parsed && judged.unknown_in_fixed)) {
        if (c.status == YAFF_OK) return "unknown fields in a Fixed message are accepted";
        options.drop_unknown_in_fixed = true;
        c = from_wire(type, wire, options);
    }
    if (c.status != YAFF_OK && c.error.offset > wire.size())
        return "the error's offset is too large";
    yaff_wire_options borrowing = options;
    borrowing.borrow = true;
    Conversion lent = from_wire(type, wire, borrowing);
    if (lent.status != c.status || (c.status != YAFF_OK && lent.error.offset != c.error.offset))
        return std::string("borrowing ends with ") + yaff_status_name(lent.status) + " at " +
               std::to_string(lent.error.offset) + ", copying with " + yaff_status_name(c.status) +
               " at " + std::to_string(c.error.offset);
    if (!judged.parsed) {
        // A missing required field may be told before the fault is seen.
        options.partial = true;
        if (c.status != YAFF_OK) c = from_wire(type, wire, options);
        return c.status == YAFF_OK ? "protobuf refuses this, yaff accepts it" : "";
    }
    if (!judged.initialized) {
        if (c.status != YAFF_MISSING_REQUIRED)
            return std::string("a required field is missing, yaff says ") +
                   yaff_status_name(c.status);
        options.partial = true;
        c = from_wire(type, wire, options);
    }
    if (c.status != YAFF_OK)
        return std::string("protobuf accepts this, yaff says ") + yaff_status_name(c.status) +
               " at " + std::to_string(c.error.offset);
    std::string problem;
    if (!has_changed_nan(*judged.message)) problem = compare_result(schema, descriptor, judged, c);
    if (!problem.empty()) return problem;
    if (!(from_wire(type, wire, options) == c)) return "converting twice gives different bytes";
    if (!(from_wire(type, wire, options, c.size) == c))
        return "converting into exactly enough memory gives something else";
    if (from_wire(type, wire, options, c.size - 8).status != YAFF_TOO_SMALL)
        return "converting into too little memory is no error";
    if (!has_changed_nan(*judged.message))
        problem = compare_borrowing(schema, descriptor, wire, judged, options);
    if (!problem.empty()) return problem;
    if (converted != nullptr) *converted = std::move(c);
    return "";
}

std::string hex(const std::string &bytes)
{
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (char c : bytes) {
        text += digits[static_cast<uint8_t>(c) >> 4];
        text += digits[static_cast<uint8_t>(c) & 15];
    }
    return text;
}

std::string unhex(const std::string &digits)
{
    std::string bytes;
    int half = -1;
    for (char c : digits) {
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) continue;
        if (half >= 0) bytes += static_cast<char>(half << 4 | digit);
        half = half >= 0 ? -1 : digit;
    }
    return bytes;
}

} // namespace judge
