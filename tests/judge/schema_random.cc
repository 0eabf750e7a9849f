// See schema_random.h.
#include "judge/schema_random.h"

#include <set>

namespace judge {

namespace {

typedef pb::FieldDescriptorProto Field;

enum { OPTION_MESSAGE = 73101, OPTION_LAYOUT = 1, OPTION_REMOVED = 2 };

const std::vector<Field::Type> SCALARS = {
    Field::TYPE_DOUBLE,   Field::TYPE_FLOAT,   Field::TYPE_INT64,   Field::TYPE_UINT64,
    Field::TYPE_INT32,    Field::TYPE_FIXED64, Field::TYPE_FIXED32, Field::TYPE_BOOL,
    Field::TYPE_STRING,   Field::TYPE_BYTES,   Field::TYPE_UINT32,  Field::TYPE_SFIXED32,
    Field::TYPE_SFIXED64, Field::TYPE_SINT32,  Field::TYPE_SINT64,  Field::TYPE_BOOL,
    Field::TYPE_STRING,   Field::TYPE_INT32};

const std::vector<Field::Type> KEYS = {
    Field::TYPE_INT64,    Field::TYPE_UINT64,   Field::TYPE_INT32,  Field::TYPE_FIXED64,
    Field::TYPE_FIXED32,  Field::TYPE_BOOL,     Field::TYPE_STRING, Field::TYPE_UINT32,
    Field::TYPE_SFIXED32, Field::TYPE_SFIXED64, Field::TYPE_SINT32, Field::TYPE_SINT64};

struct Message {
    std::string full_name; // with a leading dot
    bool proto3;
    int layout;
    size_t order;    // required and inline fields refer to lower ones only
    size_t size = 0; // about so many bytes inline, of a Fixed one
};

struct Enum {
    std::string full_name;
    bool proto3;
    int first;        // value
    std::string last; // name
};

class Maker {
  public:
    Maker(Random &random, const SchemaOptions &options) : random_(random), options_(options)
    {
    }

    pb::FileDescriptorSet make()
    {
        pb::FileDescriptorSet files;
        size_t count = random_.chance(30) ? 2 : 1;
        for (size_t i = 0; i < count; i++) file(files.add_file(), i);
        return files;
    }

  private:
    void file(pb::FileDescriptorProto *f, size_t index);
    void enumeration(pb::EnumDescriptorProto *e, const std::string &scope);
    void message(pb::DescriptorProto *m, const Message &self);
    std::vector<int> numbers(const Message &self);
    bool field(pb::DescriptorProto *m, const Message &self, Field *f, bool oneof_member);
    bool map(pb::DescriptorProto *m, const Message &self, Field *f);
    void group(pb::DescriptorProto *m, Field *f);
    void set_default(Field *f);
    const Enum *pick_enum(bool for_map);
    const Message *pick_message(const Message &self, bool lower, bool fixed);
    std::string name(const char *stem);

    Random &random_;
    const SchemaOptions &options_;
    bool proto3_ = false;
    std::vector<Message> messages_;
    std::vector<Enum> enums_;
    int names_ = 0;
};

std::string Maker::name(const char *stem)
{
    return stem + std::to_string(names_++);
}

// In maps protobuf allows only enums whose first value is 0.
const Enum *Maker::pick_enum(bool for_map)
{
    std::vector<const Enum *> usable;
    for (const Enum &e : enums_)
        if ((e.proto3 || !proto3_) && (e.first == 0 || !for_map)) usable.push_back(&e);
    return usable.empty() ? nullptr : random_.pick(usable);
}

const Message *Maker::pick_message(const Message &self, bool lower, bool fixed)
{
    std::vector<const Message *> usable;
    for (const Message &m : messages_)
        if ((!lower || m.order < self.order) &&
            (!fixed || (m.layout == YAFF_LAYOUT_FIXED && m.size < 2000)))
            usable.push_back(&m);
    return usable.empty() ? nullptr : random_.pick(usable);
}

void Maker::enumeration(pb::EnumDescriptorProto *e, const std::string &scope)
{
    e->set_name(name("E"));
    std::set<int> used;
    int count = static_cast<int>(random_.between(1, 6));
    for (int i = 0; i < count; i++) {
        static const std::vector<int> special = {-1, INT32_MIN, INT32_MAX, 127, 128, 65536};
        int number =
            random_.chance(20) ? random_.pick(special) : static_cast<int>(random_.below(9));
        if (i == 0 && proto3_) number = 0;
        if (!used.insert(number).second) continue;
        pb::EnumValueDescriptorProto *value = e->add_value();
        value->set_name(name("V"));
        value->set_number(number);
    }
    if (random_.chance(20)) { // an alias
        e->mutable_options()->set_allow_alias(true);
        pb::EnumValueDescriptorProto *value = e->add_value();
        value->set_name(name("V"));
        value->set_number(e->value(0).number());
    }
    enums_.push_back({scope + "." + e->name(), proto3_, e->value(0).number(),
                      e->value(e->value_size() - 1).name()});
}

void Maker::file(pb::FileDescriptorProto *f, size_t index)
{
    f->set_name("f" + std::to_string(index) + ".proto");
    proto3_ = random_.chance(50);
    if (proto3_) f->set_syntax("proto3");
    if (random_.chance(80))
        f->set_package(random_.chance(50) ? "p" : "p.q" + std::to_string(index));
    if (index > 0) f->add_dependency("f" + std::to_string(index - 1) + ".proto");
    std::string scope = f->package().empty() ? "" : "." + f->package();
    for (size_t i = 0, n = random_.between(1, 2); i < n; i++)
        enumeration(f->add_enum_type(), scope);

    // Declare first, so that messages can refer to later ones and to themselves.
    size_t first = messages_.size(), count = random_.between(2, 6);
    std::vector<pb::DescriptorProto *> made;
    for (size_t i = 0; i < count; i++) {
        bool nested = i > 0 && random_.chance(20);
        pb::DescriptorProto *m = nested ? made[0]->add_nested_type() : f->add_message_type();
        m->set_name(name("M"));
        std::string full = scope + (nested ? "." + made[0]->name() : "") + "." + m->name();
        int layout = YAFF_LAYOUT_DYNAMIC;
        uint32_t dice = random_.below(100);
        if (dice < 15 && options_.fixed)
            layout = YAFF_LAYOUT_FIXED;
        else if (dice < 28 && options_.flat)
            layout = YAFF_LAYOUT_FLAT;
        else if (dice < 42)
            layout = YAFF_LAYOUT_SPARSE;
        messages_.push_back({full, proto3_, layout, messages_.size(), 0});
        made.push_back(m);
    }
    for (size_t i = 0; i < count; i++) {
        const Message self = messages_[first + i];
        if (self.layout != YAFF_LAYOUT_DYNAMIC || random_.chance(5))
            set_layout(made[i], self.layout);
        if (random_.chance(15)) enumeration(made[i]->add_enum_type(), self.full_name);
        message(made[i], self);
        for (const Field &made_field : made[i]->field()) {
            size_t inlined = 8;
            for (const Message &m : messages_)
                if (m.full_name == made_field.type_name() && m.layout == YAFF_LAYOUT_FIXED &&
                    made_field.label() != Field::LABEL_REPEATED)
                    inlined += m.size;
            messages_[first + i].size += inlined;
        }
    }
}

// The numbers of the fields, in the order in which they are declared.
std::vector<int> Maker::numbers(const Message &self)
{
    std::set<int> used;
    bool flat = self.layout == YAFF_LAYOUT_FLAT;
    size_t count = random_.below(12);
    if (random_.chance(8)) count = random_.between(20, 90);
    if (random_.chance(1)) count = random_.between(300, 700);
    uint32_t shape = random_.below(flat ? 3 : 5), at = 0;
    if (flat && random_.chance(3)) shape = 3;
    while (used.size() < count) {
        uint32_t number = 1;
        switch (shape) {
        case 0:
            number = ++at;
            break;
        case 1:
            number = at += random_.between(1, 4);
            break;
        case 2:
            number = random_.between(1, static_cast<uint32_t>(40 + 2 * count));
            break;
        case 3:
            number = random_.between(1, static_cast<uint32_t>(1100 + 2 * count));
            break;
        default:
            switch (random_.below(5)) {
            case 0:
                number = random_.between(1, static_cast<uint32_t>(16 + count));
                break;
            case 1:
                number = random_.between(17, 1008);
                break;
            case 2:
                number = random_.between(1009, 8191);
                break;
            case 3:
                number = random_.between(8185, 8210);
                break;
            default:
                number = random_.chance(10) ? 536870911 : random_.between(8192, 536870911);
            }
        }
        if (number >= 19000 && number <= 19999) continue;
        used.insert(static_cast<int>(number));
    }
    std::vector<int> order(used.begin(), used.end());
    if (random_.chance(30)) random_.shuffle(order);
    return order;
}

void Maker::set_default(Field *f)
{
    static const std::vector<std::string> integers = {"0", "1", "7", "127", "128", "2147483647"};
    static const std::vector<std::string> reals = {
        "0", "1.5", "-1.5", "1e-10", "3.141592653589793", "-inf", "nan", "inf", "-0", "1e300"};
    static const std::vector<std::string> texts = {"",     "x",       "abc", "a \"quoted\" one",
                                                   "l\nm", "\xc3\xa4"};
    switch (f->type()) {
    case Field::TYPE_DOUBLE:
        f->set_default_value(random_.pick(reals));
        break;
    case Field::TYPE_FLOAT:
        f->set_default_value(reals[random_.below(reals.size() - 1)]);
        break;
    case Field::TYPE_BOOL:
        f->set_default_value(random_.chance(70) ? "true" : "false");
        break;
    case Field::TYPE_STRING:
        f->set_default_value(random_.pick(texts));
        break;
    case Field::TYPE_BYTES:
        f->set_default_value(random_.chance(50) ? "\\000\\376a" : "plain");
        break;
    case Field::TYPE_ENUM:
        for (const Enum &e : enums_)
            if (e.full_name == f->type_name()) f->set_default_value(e.last);
        break;
    case Field::TYPE_INT64:
    case Field::TYPE_SINT64:
    case Field::TYPE_SFIXED64:
        f->set_default_value(random_.chance(20) ? "-9223372036854775808" : random_.pick(integers));
        break;
    case Field::TYPE_INT32:
    case Field::TYPE_SINT32:
    case Field::TYPE_SFIXED32:
        f->set_default_value(random_.chance(20) ? "-2147483648" : random_.pick(integers));
        break;
    default:
        f->set_default_value(random_.pick(integers));
    }
}

bool Maker::map(pb::DescriptorProto *m, const Message &self, Field *f)
{
    pb::DescriptorProto *entry = m->add_nested_type();
    entry->set_name("F" + std::to_string(f->number()) + "Entry");
    entry->mutable_options()->set_map_entry(true);
    Field *key = entry->add_field(), *value = entry->add_field();
    key->set_name("key");
    key->set_number(1);
    key->set_label(Field::LABEL_OPTIONAL);
    key->set_type(random_.pick(KEYS));
    value->set_name("value");
    value->set_number(2);
    value->set_label(Field::LABEL_OPTIONAL);
    const Enum *e = pick_enum(true);
    const Message *child = pick_message(self, false, false);
    if (e != nullptr && random_.chance(20)) {
        value->set_type(Field::TYPE_ENUM);
        value->set_type_name(e->full_name);
    } else if (child != nullptr && random_.chance(35)) {
        value->set_type(Field::TYPE_MESSAGE);
        value->set_type_name(child->full_name);
    } else {
        value->set_type(random_.pick(SCALARS));
    }
    f->set_label(Field::LABEL_REPEATED);
    f->set_type(Field::TYPE_MESSAGE);
    f->set_type_name(self.full_name + "." + entry->name());
    return true;
}

void Maker::group(pb::DescriptorProto *m, Field *f)
{
    pb::DescriptorProto *body = m->add_nested_type();
    body->set_name("G" + std::to_string(f->number()));
    for (int i = 0, n = static_cast<int>(random_.below(4)); i < n; i++)
        *body->add_field() = random_plain_field(random_, i * 9 + 1, false, {});
    f->set_name("g" + std::to_string(f->number()));
    f->set_type(Field::TYPE_GROUP);
}

// Fills in everything but the number; false when there is nothing that fits.
bool Maker::field(pb::DescriptorProto *m, const Message &self, Field *f, bool oneof_member)
{
    bool fixed = self.layout == YAFF_LAYOUT_FIXED;
    bool repeated = !oneof_member && random_.chance(30);
    if (!oneof_member && random_.chance(10)) return map(m, self, f);
    f->set_label(repeated ? Field::LABEL_REPEATED : Field::LABEL_OPTIONAL);
    if (!proto3_ && !repeated && !oneof_member &&
        (fixed || (options_.required && random_.chance(4))))
        f->set_label(Field::LABEL_REQUIRED);
    bool required = f->label() == Field::LABEL_REQUIRED;

    uint32_t dice = random_.below(100);
    const Enum *e = pick_enum(false);
    const Message *child = pick_message(self, required || (fixed && !repeated), fixed && !repeated);
    if (dice < 12 && e != nullptr) {
        f->set_type(Field::TYPE_ENUM);
        f->set_type_name(e->full_name);
    } else if (dice < 32 && child != nullptr) {
        f->set_type(Field::TYPE_MESSAGE);
        f->set_type_name(child->full_name);
    } else if (dice < 38 && !proto3_ && !(fixed && !repeated)) {
        group(m, f);
        f->set_type_name(self.full_name + ".G" + std::to_string(f->number()));
    } else {
        f->set_type(random_.pick(SCALARS));
    }
    bool scalar = f->type() != Field::TYPE_MESSAGE && f->type() != Field::TYPE_GROUP;
    bool text = f->type() == Field::TYPE_STRING || f->type() == Field::TYPE_BYTES;
    if (repeated && scalar && !text && random_.chance(50))
        f->mutable_options()->set_packed(random_.chance(70) != proto3_);
    if (!proto3_ && !repeated && scalar && !(fixed && text) && random_.chance(35)) set_default(f);
    if (random_.chance(5)) f->mutable_options()->set_deprecated(true);
    if (proto3_ && !repeated && !oneof_member && !fixed && random_.chance(25))
        f->set_proto3_optional(true);
    return true;
}

void Maker::message(pb::DescriptorProto *m, const Message &self)
{
    bool fixed = self.layout == YAFF_LAYOUT_FIXED;
    std::vector<int> order = numbers(self);
    int left = 0; // members that the current oneof still gets
    unsigned oneof_chance = random_.chance(50) ? 12 : 0;
    bool many_oneofs = random_.chance(2); // more than 64 in one message
    for (int number : order) {
        Field *f = m->add_field();
        f->set_name(field_name(number));
        f->set_number(number);
        if (left == 0 && !fixed && random_.chance(many_oneofs ? 90 : oneof_chance)) {
            m->add_oneof_decl()->set_name(name("o"));
            left = static_cast<int>(random_.between(1, many_oneofs ? 2 : 7));
        }
        field(m, self, f, left > 0);
        if (left > 0) {
            f->set_oneof_index(m->oneof_decl_size() - 1);
            left--;
        }
    }
    for (Field &f : *m->mutable_field()) { // synthetic oneofs come behind the real ones
        if (!f.proto3_optional()) continue;
        f.set_oneof_index(m->oneof_decl_size());
        m->add_oneof_decl()->set_name("_" + f.name());
    }
}

// The option is written as the bytes that protoc would leave there: no file has to be imported.
void read_option(const pb::DescriptorProto &message, pb::UnknownFieldSet *option)
{
    const pb::UnknownFieldSet &fields = message.options().unknown_fields();
    for (int i = 0; i < fields.field_count(); i++)
        if (fields.field(i).number() == OPTION_MESSAGE)
            option->ParseFromString(fields.field(i).length_delimited());
}

void set_option(pb::DescriptorProto *message, const pb::UnknownFieldSet &option)
{
    pb::UnknownFieldSet *fields = message->mutable_options()->mutable_unknown_fields();
    fields->DeleteByNumber(OPTION_MESSAGE);
    if (!option.empty()) option.SerializeToString(fields->AddLengthDelimited(OPTION_MESSAGE));
}

} // namespace

pb::FileDescriptorSet random_schema(Random &random, const SchemaOptions &options)
{
    return Maker(random, options).make();
}

std::string field_name(int number)
{
    return "f" + std::to_string(number);
}

void set_layout(pb::DescriptorProto *message, int layout)
{
    pb::UnknownFieldSet option;
    read_option(*message, &option);
    option.DeleteByNumber(OPTION_LAYOUT);
    option.AddVarint(OPTION_LAYOUT, static_cast<uint64_t>(layout));
    set_option(message, option);
}

int get_layout(const pb::DescriptorProto &message)
{
    pb::UnknownFieldSet option;
    read_option(message, &option);
    for (int i = 0; i < option.field_count(); i++)
        if (option.field(i).number() == OPTION_LAYOUT)
            return static_cast<int>(option.field(i).varint());
    return YAFF_LAYOUT_DYNAMIC;
}

void add_removed(pb::DescriptorProto *message, uint32_t number, uint32_t width)
{
    pb::UnknownFieldSet option, removed;
    read_option(*message, &option);
    removed.AddVarint(1, number);
    removed.AddVarint(2, width);
    removed.SerializeToString(option.AddLengthDelimited(OPTION_REMOVED));
    set_option(message, option);
}

pb::FieldDescriptorProto random_plain_field(Random &random, int number, bool proto3,
                                            const std::vector<std::string> &enums)
{
    Field f;
    f.set_name(field_name(number));
    f.set_number(number);
    f.set_label(random.chance(30) ? Field::LABEL_REPEATED : Field::LABEL_OPTIONAL);
    if (!enums.empty() && random.chance(15)) {
        f.set_type(Field::TYPE_ENUM);
        f.set_type_name(random.pick(enums));
    } else {
        f.set_type(random.pick(SCALARS));
    }
    if (f.label() == Field::LABEL_REPEATED && f.type() != Field::TYPE_STRING &&
        f.type() != Field::TYPE_BYTES && random.chance(50))
        f.mutable_options()->set_packed(!proto3);
    return f;
}

} // namespace judge
