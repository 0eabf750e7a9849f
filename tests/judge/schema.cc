// See schema.h.
#include "judge/schema.h"

#include "generator/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace judge {

namespace {

[[noreturn]] void stop(const std::string &why)
{
    fprintf(stderr, "judge: %s\n", why.c_str());
    abort();
}

class Complain : public pb::DescriptorPool::ErrorCollector {
  public:
    void AddError(const std::string &file, const std::string &element, const pb::Message *,
                  ErrorLocation, const std::string &what) override
    {
        text += file + ": " + element + ": " + what + "\n";
    }
    std::string text;
};

const pb::FileDescriptor *build(pb::DescriptorPool &pool, const pb::FileDescriptorProto &file)
{
    Complain complain;
    const pb::FileDescriptor *built = pool.BuildFileCollectingErrors(file, &complain);
    if (built == nullptr)
        stop("protobuf refuses the schema:\n" + complain.text + file.DebugString());
    return built;
}

// Turns the value of maps from a closed enum into int32.
void open_map_values(pb::DescriptorProto *message, const std::string &scope,
                     std::map<std::string, std::string> &closed)
{
    std::string name = scope.empty() ? message->name() : scope + "." + message->name();
    if (message->options().map_entry()) {
        pb::FieldDescriptorProto *value = message->mutable_field(1);
        if (value->type() == pb::FieldDescriptorProto::TYPE_ENUM) {
            closed[name + "." + value->name()] = value->type_name().substr(1);
            value->set_type(pb::FieldDescriptorProto::TYPE_INT32);
            value->clear_type_name();
        }
    }
    for (pb::DescriptorProto &nested : *message->mutable_nested_type())
        open_map_values(&nested, name, closed);
}

} // namespace

Schema::Schema(const pb::FileDescriptorSet &files) : files_(files)
{
    pb::DescriptorPool real; // resolves names, so that type_name is complete
    for (const pb::FileDescriptorProto &file : files.file()) {
        pb::FileDescriptorProto copy;
        build(real, file)->CopyTo(&copy);
        if (copy.syntax() != "proto3")
            for (pb::DescriptorProto &message : *copy.mutable_message_type())
                open_map_values(&message, copy.package(), closed_values_);
        build(pool_, copy);
    }
    std::string bytes, error(500, '\0');
    files_.SerializeToString(&bytes);
    tables_ = yaff_schema_load(bytes.data(), bytes.size(), &error[0], error.size());
    if (tables_ == nullptr) stop("yaff refuses the schema: " + error + "\n" + text());
}

Schema::~Schema()
{
    yaff_schema_free(tables_);
}

pb::FileDescriptorSet Schema::parse(const std::vector<std::string> &texts)
{
    char directory[] = "/tmp/yaff_judge_XXXXXX";
    if (mkdtemp(directory) == nullptr) stop("cannot make a directory in /tmp");
    std::string set = directory + std::string("/set"), names;
    std::vector<std::string> made = {set};
    for (size_t i = 0; i < texts.size(); i++) {
        std::string name = "m" + std::to_string(i) + ".proto";
        made.push_back(directory + ("/" + name));
        std::ofstream(made.back()) << texts[i];
        names += " " + name;
    }
    std::string command = std::string(PROTOC) + " --include_imports --descriptor_set_out=" + set +
                          " -I" + directory + " -I" + YAFF_TEST_SRC_DIR + "/../layout -I" +
                          PROTOBUF_INCLUDE_DIR + names;
    pb::FileDescriptorSet files;
    bool ok = system(command.c_str()) == 0;
    std::ifstream in(set, std::ios::binary);
    ok = ok && files.ParseFromIstream(&in);
    for (const std::string &path : made) unlink(path.c_str());
    rmdir(directory);
    if (!ok) stop("protoc refuses a test's schema");
    return files;
}

std::string Schema::text() const
{
    std::string text;
    pb::DescriptorPool pool;
    for (const pb::FileDescriptorProto &file : files_.file()) {
        const pb::FileDescriptor *built = pool.BuildFile(file);
        if (built != nullptr && file.package() != "google.protobuf" && file.package() != "yaff")
            text += "// " + file.name() + "\n" + built->DebugString();
    }
    return text;
}

const pb::Descriptor *Schema::descriptor(const std::string &name) const
{
    const pb::Descriptor *found = pool_.FindMessageTypeByName(name);
    if (found == nullptr) stop("no message " + name);
    return found;
}

const yaff_type *Schema::type(const std::string &name) const
{
    const yaff_type *found = yaff_schema_type(tables_, name.c_str());
    if (found == nullptr) stop("no tables for " + name);
    return found;
}

const yaff_type *Schema::type(const pb::Descriptor *descriptor) const
{
    return type(descriptor->full_name());
}

std::unique_ptr<pb::Message> Schema::make(const pb::Descriptor *descriptor)
{
    return std::unique_ptr<pb::Message>(factory_.GetPrototype(descriptor)->New());
}

bool Schema::fixed(const pb::Descriptor *descriptor) const
{
    return !descriptor->options().map_entry() && type(descriptor)->layout == YAFF_LAYOUT_FIXED;
}

const pb::EnumDescriptor *Schema::closed_value(const pb::FieldDescriptor *value) const
{
    auto found = closed_values_.find(value->full_name());
    return found == closed_values_.end() ? nullptr : pool_.FindEnumTypeByName(found->second);
}

bool closed_enum(const pb::FieldDescriptor *field)
{
    return field->enum_type() != nullptr &&
           field->file()->syntax() != pb::FileDescriptor::SYNTAX_PROTO3;
}

} // namespace judge
