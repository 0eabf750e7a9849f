// A schema that two libraries hold: protobuf C++ (the judge) as descriptors and dynamic messages,
// and yaff as tables loaded at run time.
#ifndef YAFF_TESTS_JUDGE_SCHEMA_H
#define YAFF_TESTS_JUDGE_SCHEMA_H

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include <yaff/type.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

struct yaff_schema;

namespace judge {

namespace pb = google::protobuf;

class Schema {
  public:
    // Stops the program with a message when either library refuses the files.
    explicit Schema(const pb::FileDescriptorSet &files);
    ~Schema();
    Schema(const Schema &) = delete;
    Schema &operator=(const Schema &) = delete;

    // From .proto text, by protoc. The files are called "m0.proto", "m1.proto", ...; a later one
    // may import the earlier ones and "yaff/options.proto".
    static pb::FileDescriptorSet parse(const std::vector<std::string> &texts);

    const pb::FileDescriptorSet &files() const
    {
        return files_;
    }
    std::string text() const;

    // Full names without a leading dot.
    const pb::Descriptor *descriptor(const std::string &name) const;
    const yaff_type *type(const std::string &name) const;
    const yaff_type *type(const pb::Descriptor *descriptor) const;

    std::unique_ptr<pb::Message> make(const pb::Descriptor *descriptor);

    bool fixed(const pb::Descriptor *descriptor) const;

    // In the judge's own copy, the value of a map is int32 where yaff has a closed enum: protobuf's
    // generated code moves the whole entry of an unlisted value to the unknown fields, but its
    // dynamic messages keep the entry with another value. This is the enum, or NULL for any other
    // value field.
    const pb::EnumDescriptor *closed_value(const pb::FieldDescriptor *value) const;

  private:
    pb::FileDescriptorSet files_;
    pb::DescriptorPool pool_;
    pb::DynamicMessageFactory factory_;
    std::map<std::string, std::string> closed_values_; // of the value field -> of the enum
    yaff_schema *tables_;
};

// Whether an unlisted value of this field is an unknown field.
bool closed_enum(const pb::FieldDescriptor *field);

} // namespace judge

#endif
