// See evolve.h.
#include "judge/evolve.h"

#include "judge/schema_random.h"

#include <algorithm>

namespace judge {

namespace {

typedef pb::FieldDescriptorProto Field;

// Bytes of the field's cell outside of Fixed messages.
uint32_t width_of(const Field &f)
{
    if (f.label() == Field::LABEL_REPEATED) return 8;
    switch (f.type()) {
    case Field::TYPE_BOOL:
        return 1;
    case Field::TYPE_FLOAT:
    case Field::TYPE_INT32:
    case Field::TYPE_UINT32:
    case Field::TYPE_SINT32:
    case Field::TYPE_FIXED32:
    case Field::TYPE_SFIXED32:
    case Field::TYPE_ENUM:
    case Field::TYPE_MESSAGE:
    case Field::TYPE_GROUP:
        return 4;
    default:
        return 8;
    }
}

bool is_scalar(const Field &f)
{
    return f.type() != Field::TYPE_MESSAGE && f.type() != Field::TYPE_GROUP &&
           f.type() != Field::TYPE_STRING && f.type() != Field::TYPE_BYTES;
}

// How Evolution::broken calls a field.
std::string path(const pb::DescriptorProto &m, const Field &f, const std::string &scope)
{
    return (scope + "." + m.name()).substr(1) + ":" + std::to_string(f.number());
}

class Evolver {
  public:
    Evolver(Random &random, Evolution *result) : random_(random), result_(result)
    {
    }

    void freeze(const pb::FileDescriptorSet &files);
    void file(pb::FileDescriptorProto *f);

  private:
    void message(pb::DescriptorProto *m, const std::string &scope);
    int next_layout(int layout);
    void remove_fields(pb::DescriptorProto *m, int before, int after);
    void add_fields(pb::DescriptorProto *m, bool flat);
    void move_into_oneof(pb::DescriptorProto *m, const std::string &scope, bool flat);
    void change_field(pb::DescriptorProto *m, Field *f, const std::string &scope, bool fixed,
                      bool flat);
    void change_default(Field *f);
    void put_oneofs_in_order(pb::DescriptorProto *m);
    void enumeration(pb::EnumDescriptorProto *e, const std::string &scope);

    Random &random_;
    Evolution *result_;
    bool proto3_ = false;
    std::vector<std::string> messages_; // of the file, with a leading dot
    std::vector<std::string> enums_;
    // Fixed messages that lie inline in others, and the enums in them: absent ones are stored all
    // the same, with the writer's defaults, so these must not change.
    std::set<std::string> frozen_;
    std::set<int> used_;  // numbers of the message, now or before
    std::set<int> known_; // numbers that the new version knows, as fields or removed ones
    int names_ = 0;
};

void collect(const pb::DescriptorProto &m, const std::string &scope,
             std::vector<std::string> *messages, std::vector<std::string> *enums)
{
    std::string name = scope + "." + m.name();
    if (m.options().map_entry()) return;
    messages->push_back(name);
    for (const pb::EnumDescriptorProto &e : m.enum_type()) enums->push_back(name + "." + e.name());
    for (const pb::DescriptorProto &nested : m.nested_type()) {
        bool group = std::any_of(m.field().begin(), m.field().end(), [&](const Field &f) {
            return f.type() == Field::TYPE_GROUP && f.type_name() == name + "." + nested.name();
        });
        if (!group) collect(nested, name, messages, enums);
    }
}

void Evolver::file(pb::FileDescriptorProto *f)
{
    std::string scope = f->package().empty() ? "" : "." + f->package();
    proto3_ = f->syntax() == "proto3";
    messages_.clear();
    enums_.clear();
    for (const pb::EnumDescriptorProto &e : f->enum_type())
        enums_.push_back(scope + "." + e.name());
    for (const pb::DescriptorProto &m : f->message_type()) collect(m, scope, &messages_, &enums_);
    for (pb::EnumDescriptorProto &e : *f->mutable_enum_type()) enumeration(&e, scope);
    for (pb::DescriptorProto &m : *f->mutable_message_type()) message(&m, scope);
}

template <typename Function>
void for_each_fixed(const pb::DescriptorProto &m, const std::string &scope, Function function)
{
    std::string name = scope + "." + m.name();
    if (get_layout(m) == YAFF_LAYOUT_FIXED) function(m, name);
    for (const pb::DescriptorProto &nested : m.nested_type())
        for_each_fixed(nested, name, function);
}

void Evolver::freeze(const pb::FileDescriptorSet &files)
{
    auto each = [&](auto function) {
        for (const pb::FileDescriptorProto &f : files.file())
            for (const pb::DescriptorProto &m : f.message_type())
                for_each_fixed(m, f.package().empty() ? "" : "." + f.package(), function);
    };
    each([&](const pb::DescriptorProto &m, const std::string &) {
        for (const Field &f : m.field())
            if (f.label() != Field::LABEL_REPEATED && f.type() == Field::TYPE_MESSAGE)
                frozen_.insert(f.type_name());
    });
    each([&](const pb::DescriptorProto &m, const std::string &name) {
        for (const Field &f : m.field())
            if (frozen_.count(name) != 0 && f.type() == Field::TYPE_ENUM)
                frozen_.insert(f.type_name());
    });
}

// Values are added; where maps don't forbid it another value becomes the first, and so the default.
void Evolver::enumeration(pb::EnumDescriptorProto *e, const std::string &scope)
{
    if (random_.chance(40)) {
        int number = static_cast<int>(random_.between(20, 29));
        pb::EnumValueDescriptorProto *value = e->add_value();
        value->set_name("N" + std::to_string(names_++) + e->name());
        value->set_number(number);
    }
    if (random_.chance(40) && e->value(0).number() != 0 && e->value_size() > 1 &&
        frozen_.count(scope + "." + e->name()) == 0)
        e->mutable_value()->SwapElements(0, e->value_size() - 1);
}

int Evolver::next_layout(int layout)
{
    static const std::vector<int> others = {YAFF_LAYOUT_DYNAMIC, YAFF_LAYOUT_SPARSE,
                                            YAFF_LAYOUT_FLAT};
    if (layout == YAFF_LAYOUT_FIXED || !random_.chance(35)) return layout;
    int next = random_.pick(others);
    for (int number : used_)
        if (next == YAFF_LAYOUT_FLAT && number > 2000) return layout;
    return next;
}

void Evolver::remove_fields(pb::DescriptorProto *m, int before, int after)
{
    for (int i = m->field_size(); i-- > 0;) {
        const Field &f = m->field(i);
        if (!random_.chance(12)) continue;
        bool kept =
            after == YAFF_LAYOUT_FLAT || random_.chance(before == YAFF_LAYOUT_FLAT ? 60 : 40);
        if (kept) {
            add_removed(m, static_cast<uint32_t>(f.number()), width_of(f));
            known_.insert(f.number());
        }
        for (int j = m->nested_type_size(); j-- > 0;) // a map's entry goes with it
            if (m->nested_type(j).options().map_entry() &&
                m->nested_type(j).name() == "F" + std::to_string(f.number()) + "Entry")
                m->mutable_nested_type()->DeleteSubrange(j, 1);
        m->mutable_field()->DeleteSubrange(i, 1);
    }
}

void Evolver::add_fields(pb::DescriptorProto *m, bool flat)
{
    int highest = used_.empty() ? 0 : *used_.rbegin();
    for (size_t n = random_.below(5); n > 0; n--) {
        uint32_t number = 0;
        if (!flat && random_.chance(60)) // in a gap, when there is one
            number = random_.between(1, static_cast<uint32_t>(std::min(highest, 2000) + 3));
        else if (!flat && random_.chance(10))
            number = random_.between(900, 9000);
        else
            number =
                static_cast<uint32_t>(highest) + random_.between(1, random_.chance(20) ? 60 : 4);
        if (number > 536870911 || (flat && number > 8191) || (number >= 19000 && number <= 19999) ||
            !used_.insert(static_cast<int>(number)).second)
            continue;
        highest = *used_.rbegin();
        Field f = random_plain_field(random_, static_cast<int>(number), proto3_, enums_);
        if (!messages_.empty() && random_.chance(20)) {
            f.set_type(Field::TYPE_MESSAGE);
            f.set_type_name(random_.pick(messages_));
            f.clear_options();
        }
        *m->add_field() = f;
    }
}

// Moves one field into a new oneof, which new fields may join; and, where Protobuf's rule on fields
// that are both set can be kept (the one with the highest number counts), several.
void Evolver::move_into_oneof(pb::DescriptorProto *m, const std::string &scope, bool flat)
{
    size_t wanted = !flat && random_.chance(30) ? 3 : 1;
    int oneof = m->oneof_decl_size();
    for (Field &f : *m->mutable_field()) {
        bool closed_enum = f.type() == Field::TYPE_ENUM && !proto3_;
        if (wanted == 0 || !random_.chance(20)) continue;
        if (result_->broken.count(path(*m, f, scope)) != 0) continue; // absent, it cannot win
        if (f.label() != Field::LABEL_OPTIONAL || f.has_oneof_index() ||
            (closed_enum && wanted != 1))
            continue;
        if (oneof == m->oneof_decl_size())
            m->add_oneof_decl()->set_name("moved" + std::to_string(names_++));
        f.set_oneof_index(oneof);
        if (closed_enum) break;
        wanted--;
    }
}

void Evolver::change_default(Field *f)
{
    bool number = is_scalar(*f) && f->type() != Field::TYPE_BOOL && f->type() != Field::TYPE_ENUM;
    if (f->has_default_value() && random_.chance(50))
        f->clear_default_value();
    else if (number)
        f->set_default_value(std::to_string(random_.below(100)));
    else if (f->type() == Field::TYPE_STRING)
        f->set_default_value("changed");
    else if (f->type() == Field::TYPE_BOOL)
        f->set_default_value(random_.chance(50) ? "true" : "false");
}

void Evolver::change_field(pb::DescriptorProto *m, Field *f, const std::string &scope, bool fixed,
                           bool flat)
{
    bool repeated = f->label() == Field::LABEL_REPEATED;
    if (random_.chance(5) && f->type() != Field::TYPE_GROUP &&
        !(f->type() == Field::TYPE_MESSAGE && repeated)) // a map's name and its entry's go together
        f->set_name("renamed" + std::to_string(f->number()));
    if (repeated && is_scalar(*f) && random_.chance(20))
        f->mutable_options()->set_packed(random_.chance(50));
    bool inlined = frozen_.count(scope + "." + m->name()) != 0;
    if (!proto3_ && !repeated && random_.chance(20) && !(fixed && (inlined || !is_scalar(*f))))
        change_default(f);
    if (fixed) return;
    if (proto3_ && !repeated && f->type() != Field::TYPE_MESSAGE && !f->has_oneof_index() &&
        random_.chance(20))
        f->set_proto3_optional(true);
    else if (f->proto3_optional() && random_.chance(20)) {
        f->clear_proto3_optional();
        f->clear_oneof_index();
    }
    if (f->has_default_value()) return;
    static const std::pair<Field::Type, Field::Type> same[] = {
        {Field::TYPE_INT32, Field::TYPE_UINT32},
        {Field::TYPE_INT64, Field::TYPE_UINT64},
        {Field::TYPE_FIXED32, Field::TYPE_SFIXED32},
        {Field::TYPE_FIXED64, Field::TYPE_SFIXED64},
        {Field::TYPE_STRING, Field::TYPE_BYTES}};
    for (auto &pair : same) {
        if (!random_.chance(10)) continue;
        if (f->type() == pair.first)
            f->set_type(pair.second);
        else if (f->type() == pair.second)
            f->set_type(pair.first);
    }
    if (flat || repeated || f->has_oneof_index() || !random_.chance(3)) return;
    // A changed width; the wire type stays, so that the judge reads on. (A Sparse message cannot
    // tell a bool from a 4-byte zero, so bool and int32 is not among them: such data may be
    // refused.)
    Field::Type to = f->type() == Field::TYPE_INT32   ? Field::TYPE_INT64
                     : f->type() == Field::TYPE_INT64 ? Field::TYPE_INT32
                                                      : f->type();
    if (to == f->type()) return;
    f->set_type(to);
    result_->broken.insert(path(*m, *f, scope));
}

// protoc wants the members of a oneof together, a oneof to have members, and synthetic ones last.
void Evolver::put_oneofs_in_order(pb::DescriptorProto *m)
{
    pb::DescriptorProto copy = *m;
    m->clear_field();
    m->clear_oneof_decl();
    for (const Field &f : copy.field())
        if (!f.has_oneof_index() && !f.proto3_optional()) *m->add_field() = f;
    for (int i = 0; i < copy.oneof_decl_size(); i++) {
        int oneof = m->oneof_decl_size();
        for (const Field &f : copy.field()) {
            if (!f.has_oneof_index() || f.oneof_index() != i || f.proto3_optional()) continue;
            if (oneof == m->oneof_decl_size()) *m->add_oneof_decl() = copy.oneof_decl(i);
            Field *member = m->add_field();
            *member = f;
            member->set_oneof_index(oneof);
        }
    }
    for (const Field &f : copy.field()) {
        if (!f.proto3_optional()) continue;
        Field *optional = m->add_field();
        *optional = f;
        optional->set_oneof_index(m->oneof_decl_size());
        m->add_oneof_decl()->set_name("_" + f.name());
    }
}

// Whether all numbers below the highest of `fields` are there, among them or among `removed`.
bool without_gaps(const std::set<int> &fields, const std::set<int> &removed)
{
    for (int number = 1; !fields.empty() && number < *fields.rbegin(); number++)
        if (fields.count(number) == 0 && removed.count(number) == 0) return false;
    return true;
}

void Evolver::message(pb::DescriptorProto *m, const std::string &scope)
{
    if (m->options().map_entry()) return;
    std::string name = scope + "." + m->name();
    for (pb::EnumDescriptorProto &e : *m->mutable_enum_type()) enumeration(&e, name);
    for (pb::DescriptorProto &nested : *m->mutable_nested_type()) message(&nested, name);

    int before = get_layout(*m);
    bool fixed = before == YAFF_LAYOUT_FIXED;
    used_.clear();
    known_.clear();
    for (const Field &f : m->field()) used_.insert(f.number());
    std::set<int> old = used_, now;
    int after = next_layout(before);
    bool flat = before == YAFF_LAYOUT_FLAT || after == YAFF_LAYOUT_FLAT;
    if (after != before) set_layout(m, after);
    if (!fixed && random_.chance(50)) remove_fields(m, before, after);
    for (Field &f : *m->mutable_field()) change_field(m, &f, scope, fixed, flat);
    if (!fixed && random_.chance(70)) add_fields(m, flat);
    if (!fixed && random_.chance(40)) move_into_oneof(m, scope, flat);
    put_oneofs_in_order(m);
    // Who is not pinned Flat reads Flat data only as far as it knows every number.
    for (const Field &f : m->field()) now.insert(f.number());
    if (before == YAFF_LAYOUT_FLAT && after != before && !without_gaps(now, known_))
        result_->may_refuse = true;
    if (after == YAFF_LAYOUT_FLAT && after != before && !without_gaps(old, {}))
        result_->may_refuse = true;
}

} // namespace

Evolution evolve(Random &random, const pb::FileDescriptorSet &files)
{
    Evolution result;
    result.files = files;
    Evolver evolver(random, &result);
    evolver.freeze(files);
    for (pb::FileDescriptorProto &f : *result.files.mutable_file()) evolver.file(&f);
    return result;
}

} // namespace judge
