// See message_random.h.
#include "judge/message_random.h"

#include <cmath>
#include <limits>

namespace judge {

namespace {

typedef pb::FieldDescriptor Field;

double random_real(Random &random)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1.5,
                                     -1.5,
                                     1e-10,
                                     3.141592653589793,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::denorm_min(),
                                     std::numeric_limits<double>::max()};
    if (random.chance(70)) return special[random.below(sizeof special / sizeof *special)];
    return static_cast<double>(static_cast<int64_t>(random.next())) / 1000.0;
}

// A double beyond float's range must not be converted: that is undefined.
float random_float(Random &random)
{
    double d = random_real(random);
    if (std::isfinite(d) && std::fabs(d) > 3e38) return std::numeric_limits<float>::max();
    return static_cast<float>(d);
}

class Filler {
  public:
    Filler(Random &random, const Schema &schema, const MessageOptions &options)
        : random_(random), schema_(schema), options_(options), budget_(options.budget)
    {
    }

    void message(pb::Message *m, int depth);

  private:
    void field(pb::Message *m, const Field *f, int depth);
    void map(pb::Message *m, const Field *f, int depth);
    void value(pb::Message *m, const Field *f, bool add, int depth);
    int enum_value(const pb::EnumDescriptor *e);

    Random &random_;
    const Schema &schema_;
    const MessageOptions &options_;
    int budget_;
};

int Filler::enum_value(const pb::EnumDescriptor *e)
{
    return e->value(static_cast<int>(random_.below(static_cast<size_t>(e->value_count()))))
        ->number();
}

// Sets, or adds to, field f one random value.
void Filler::value(pb::Message *m, const Field *f, bool add, int depth)
{
    const pb::Reflection *r = m->GetReflection();
    budget_--;
    switch (f->cpp_type()) {
    case Field::CPPTYPE_INT32: {
        int32_t v = static_cast<int32_t>(random_integer(random_));
        const pb::EnumDescriptor *e = schema_.closed_value(f);
        if (e != nullptr && !random_.chance(options_.unlisted)) v = enum_value(e);
        add ? r->AddInt32(m, f, v) : r->SetInt32(m, f, v);
        break;
    }
    case Field::CPPTYPE_INT64: {
        int64_t v = static_cast<int64_t>(random_integer(random_));
        add ? r->AddInt64(m, f, v) : r->SetInt64(m, f, v);
        break;
    }
    case Field::CPPTYPE_UINT32: {
        uint32_t v = static_cast<uint32_t>(random_integer(random_));
        add ? r->AddUInt32(m, f, v) : r->SetUInt32(m, f, v);
        break;
    }
    case Field::CPPTYPE_UINT64: {
        uint64_t v = random_integer(random_);
        add ? r->AddUInt64(m, f, v) : r->SetUInt64(m, f, v);
        break;
    }
    case Field::CPPTYPE_DOUBLE: {
        double v = random_real(random_);
        add ? r->AddDouble(m, f, v) : r->SetDouble(m, f, v);
        break;
    }
    case Field::CPPTYPE_FLOAT: {
        float v = random_float(random_);
        add ? r->AddFloat(m, f, v) : r->SetFloat(m, f, v);
        break;
    }
    case Field::CPPTYPE_BOOL: {
        bool v = random_.chance(50);
        add ? r->AddBool(m, f, v) : r->SetBool(m, f, v);
        break;
    }
    case Field::CPPTYPE_ENUM: {
        int v = enum_value(f->enum_type());
        if (!closed_enum(f) && random_.chance(20)) v = static_cast<int>(random_integer(random_));
        add ? r->AddEnumValue(m, f, v) : r->SetEnumValue(m, f, v);
        break;
    }
    case Field::CPPTYPE_STRING: {
        bool checked = f->type() == Field::TYPE_STRING &&
                       f->file()->syntax() == pb::FileDescriptor::SYNTAX_PROTO3;
        std::string v = random_text(random_, checked && !random_.chance(options_.bad_utf8));
        add ? r->AddString(m, f, v) : r->SetString(m, f, v);
        break;
    }
    case Field::CPPTYPE_MESSAGE:
        message(add ? r->AddMessage(m, f) : r->MutableMessage(m, f), depth - 1);
        break;
    }
}

void Filler::map(pb::Message *m, const Field *f, int depth)
{
    size_t count = random_.chance(10) ? random_.below(40) : random_.below(4);
    for (size_t i = 0; i < count && budget_ > 0; i++) {
        pb::Message *entry = m->GetReflection()->AddMessage(m, f);
        const pb::Descriptor *d = entry->GetDescriptor();
        if (random_.chance(95)) value(entry, d->map_key(), false, depth - 1);
        if (random_.chance(95) && (d->map_value()->message_type() == nullptr || depth > 1))
            value(entry, d->map_value(), false, depth - 1);
    }
}

void Filler::field(pb::Message *m, const Field *f, int depth)
{
    if (f->is_required()) {
        value(m, f, false, depth);
        return;
    }
    if (!random_.chance(options_.density) || budget_ <= 0) return;
    if (f->message_type() != nullptr && depth <= 0) return;
    if (f->is_map()) {
        map(m, f, depth);
    } else if (f->is_repeated()) {
        size_t count = random_.chance(10) ? random_.below(60) : random_.between(1, 4);
        for (size_t i = 0; i < count && budget_ > 0; i++) value(m, f, true, depth);
    } else {
        value(m, f, false, depth);
    }
}

void Filler::message(pb::Message *m, int depth)
{
    const pb::Descriptor *d = m->GetDescriptor();
    for (int i = 0; i < d->field_count(); i++) field(m, d->field(i), depth);
    if (random_.chance(options_.unknown))
        add_unknown(random_, d, m->GetReflection()->MutableUnknownFields(m), 2);
}

} // namespace

void fill(Random &random, const Schema &schema, pb::Message *message, MessageOptions options)
{
    Filler(random, schema, options).message(message, options.depth);
}

uint64_t random_integer(Random &random)
{
    static const std::vector<uint64_t> special = {0,
                                                  1,
                                                  2,
                                                  127,
                                                  128,
                                                  16383,
                                                  16384,
                                                  UINT32_MAX,
                                                  INT32_MAX,
                                                  UINT64_C(0x80000000),
                                                  UINT64_MAX,
                                                  INT64_MAX,
                                                  UINT64_C(0x8000000000000000),
                                                  UINT64_C(0xffffffff80000000),
                                                  UINT64_C(0x100000000)};
    switch (random.below(4)) {
    case 0:
        return random.pick(special);
    case 1:
        return random.below(10);
    case 2:
        return random.next() >> random.below(64);
    default:
        return ~(random.next() >> random.below(64));
    }
}

std::string random_text(Random &random, bool utf8)
{
    static const std::vector<std::string> good = {"a",
                                                  "0",
                                                  " ",
                                                  std::string(1, '\0'),
                                                  "\x7f",
                                                  "\xc2\x80",
                                                  "\xdf\xbf",
                                                  "\xe0\xa0\x80",
                                                  "\xed\x9f\xbf",
                                                  "\xee\x80\x80",
                                                  "\xef\xbf\xbf",
                                                  "\xf0\x90\x80\x80",
                                                  "\xf4\x8f\xbf\xbf"};
    static const std::vector<std::string> bad = {
        "\xff",         "\x80",         "\xc0\x80",         "\xc1\xbf",
        "\xed\xa0\x80", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xc3",         "\xe2\x82",     "\xf0\x9f\x98"};
    size_t pieces = random.chance(10) ? random.below(80) : random.below(8);
    bool plain = random.chance(60);
    std::string text;
    for (size_t i = 0; i < pieces; i++) {
        if (plain)
            text += static_cast<char>('a' + random.below(26));
        else
            text += !utf8 && random.chance(30) ? random.pick(bad) : random.pick(good);
    }
    return text;
}

void add_unknown(Random &random, const pb::Descriptor *descriptor, pb::UnknownFieldSet *set,
                 int depth)
{
    for (size_t i = 0, count = random.between(1, 3); i < count; i++) {
        int number = static_cast<int>(random.chance(60) ? random.between(1, 60)
                                                        : random.between(1, 536870911));
        if (descriptor != nullptr && descriptor->FindFieldByNumber(number) != nullptr) continue;
        switch (random.below(5)) {
        case 0:
            set->AddVarint(number, random_integer(random));
            break;
        case 1:
            set->AddFixed32(number, static_cast<uint32_t>(random.next()));
            break;
        case 2:
            set->AddFixed64(number, random.next());
            break;
        case 3:
            set->AddLengthDelimited(number, random_text(random, false));
            break;
        default:
            pb::UnknownFieldSet *group = set->AddGroup(number);
            if (depth > 0) add_unknown(random, nullptr, group, depth - 1);
        }
    }
}

} // namespace judge
