// See reader.h.
#include "judge/reader.h"

#include <yaff/lanes.h>
#include <yaff/value.h>
extern "C" {
#include "layout/walk.h"
}

#include <stdexcept>

namespace judge {

namespace {

typedef pb::FieldDescriptor Field;

uint64_t load(const void *cell, unsigned width)
{
    if (width == 8) return yaff_load64(cell);
    return width == 4 ? yaff_load32(cell) : *static_cast<const uint8_t *>(cell);
}

class Reader {
  public:
    explicit Reader(bool walk) : walk_(walk)
    {
    }

    void message(const yaff_type *type, const void *p, pb::Message *out);

  private:
    void field(const yaff_field *f, const void *owner, const void *cell, pb::Message *out);
    void array(const yaff_field *f, const void *owner, uint64_t span, pb::Message *out);
    void scalar(const Field *f, uint64_t bits, bool add, pb::Message *out);

    bool walk_;
};

void Reader::scalar(const Field *f, uint64_t bits, bool add, pb::Message *m)
{
    const pb::Reflection *r = m->GetReflection();
    uint32_t low = static_cast<uint32_t>(bits);
    int32_t i32 = static_cast<int32_t>(low);
    int64_t i64 = static_cast<int64_t>(bits);
    switch (f->cpp_type()) {
    case Field::CPPTYPE_INT32:
        add ? r->AddInt32(m, f, i32) : r->SetInt32(m, f, i32);
        break;
    case Field::CPPTYPE_INT64:
        add ? r->AddInt64(m, f, i64) : r->SetInt64(m, f, i64);
        break;
    case Field::CPPTYPE_UINT32:
        add ? r->AddUInt32(m, f, low) : r->SetUInt32(m, f, low);
        break;
    case Field::CPPTYPE_UINT64:
        add ? r->AddUInt64(m, f, bits) : r->SetUInt64(m, f, bits);
        break;
    case Field::CPPTYPE_DOUBLE:
        add ? r->AddDouble(m, f, yaff_double_of(bits)) : r->SetDouble(m, f, yaff_double_of(bits));
        break;
    case Field::CPPTYPE_FLOAT:
        add ? r->AddFloat(m, f, yaff_float_of(low)) : r->SetFloat(m, f, yaff_float_of(low));
        break;
    case Field::CPPTYPE_BOOL:
        add ? r->AddBool(m, f, bits != 0) : r->SetBool(m, f, bits != 0);
        break;
    default: // an unlisted value of a closed enum goes to the unknown fields by itself
        add ? r->AddEnumValue(m, f, i32) : r->SetEnumValue(m, f, i32);
    }
}

void Reader::array(const yaff_field *f, const void *owner, uint64_t span, pb::Message *out)
{
    const Field *to = out->GetDescriptor()->FindFieldByNumber(static_cast<int>(f->number));
    const pb::Reflection *r = out->GetReflection();
    for (size_t i = 0, n = yaff_span_count(span); i < n; i++) {
        if (f->type != nullptr && f->type->layout == YAFF_LAYOUT_FIXED) {
            message(f->type,
                    yaff_array_fixed(owner, span, i, f->type->body_size, f->type->instance),
                    r->AddMessage(out, to));
        } else if (f->type != nullptr) {
            message(f->type, yaff_array_message(owner, span, i, f->type->instance),
                    r->AddMessage(out, to));
        } else if (to->cpp_type() == Field::CPPTYPE_STRING) {
            yaff_str s = yaff_array_str(owner, span, i);
            r->AddString(out, to, std::string(s.data, s.size));
        } else {
            unsigned width = yaff_kind_width(f->kind);
            uint64_t bits = width == 8   ? yaff_array_at8(owner, span, i)
                            : width == 4 ? yaff_array_at4(owner, span, i)
                                         : yaff_array_at1(owner, span, i);
            scalar(to, bits, true, out);
        }
    }
}

void Reader::field(const yaff_field *f, const void *owner, const void *cell, pb::Message *out)
{
    const Field *to = out->GetDescriptor()->FindFieldByNumber(static_cast<int>(f->number));
    const pb::Reflection *r = out->GetReflection();
    const pb::OneofDescriptor *oneof = to->real_containing_oneof();
    if (oneof != nullptr && r->HasOneof(*out, oneof))
        throw std::logic_error("two members of a oneof are present");
    if (f->width == 0) {
        message(f->type, cell, r->MutableMessage(out, to));
        return;
    }
    uint64_t bits = load(cell, f->width);
    if (f->flags & YAFF_FIELD_REPEATED) {
        array(f, owner, bits, out);
    } else if (f->type != nullptr) {
        message(f->type, yaff_ref_message(owner, static_cast<uint32_t>(bits), f->type->instance),
                r->MutableMessage(out, to));
    } else if (to->cpp_type() == Field::CPPTYPE_STRING) {
        yaff_str s = yaff_span_str(owner, bits);
        r->SetString(out, to, std::string(s.data, s.size));
    } else {
        scalar(to, bits, false, out);
    }
}

void Reader::message(const yaff_type *type, const void *p, pb::Message *out)
{
    if (walk_) {
        yaff_walk w;
        yaff_walk_begin(&w, type, p);
        while (yaff_walk_next(&w)) field(w.field, p, w.cell, out);
    } else if (type->layout == YAFF_LAYOUT_FIXED) {
        for (uint32_t i = 0; i < type->field_count; i++)
            field(&type->fields[i], p, static_cast<const char *>(p) + type->fields[i].place, out);
    } else {
        for (uint32_t i = 0; i < type->field_count; i++) {
            const void *cell = yaff_find(p, type, i);
            if (cell != nullptr) field(&type->fields[i], p, cell, out);
            if (yaff_find_has(p, type, i) != (cell != nullptr))
                throw std::logic_error("yaff_find_has() contradicts yaff_find()");
        }
        for (uint32_t i = 0; i < type->oneof_count; i++) {
            const yaff_oneof *oneof = &type->oneofs[i];
            uint32_t number = 0;
            for (uint32_t j = 0; j < oneof->member_count; j++)
                if (yaff_find(p, type, oneof->members[j]) != nullptr)
                    number = type->fields[oneof->members[j]].number;
            if (yaff_find_case(p, type, i) != number)
                throw std::logic_error("yaff_find_case() contradicts yaff_find()");
        }
    }
    if (type->layout == YAFF_LAYOUT_FIXED) return;
    yaff_str unknown = yaff_unknown(p);
    pb::UnknownFieldSet kept;
    if (!kept.ParseFromArray(unknown.data, static_cast<int>(unknown.size)))
        throw std::logic_error("yaff_unknown() is malformed");
    out->GetReflection()->MutableUnknownFields(out)->MergeFrom(kept);
}

} // namespace

void read_message(const yaff_type *type, const void *p, bool walk, pb::Message *out)
{
    Reader(walk).message(type, p, out);
}

} // namespace judge
