# yaff_generate(): compiles .proto files to C with protoc-gen-yaff and adds the code to a target.
#
#     yaff_generate(TARGET app
#       [PROTOS feed.proto google/protobuf/timestamp.proto ...]
#       [IMPORT_DIRS dir ...]
#       [OUT_DIR dir])
#
# TARGET       An executable or library of this project. It gets the generated sources, OUT_DIR as an
#              include folder (public: whoever links it can include the generated headers), and
#              yaff::bridge.
# PROTOS       Files to generate for; a path counts from the current source folder or else from one of
#              the import folders. Without PROTOS: the .proto files among the target's sources.
#              A file that these import must be generated too, here or in a target that this one links.
# IMPORT_DIRS  Folders that imports count from (protoc -I), in order. Without it: the current source
#              folder. The folders of yaff/options.proto and of google/protobuf/*.proto are always
#              searched last. A file that lies in none of them is imported by its bare name, and its
#              own folder is searched.
# OUT_DIR      Where `x/y.proto` becomes `x/y.yaff.h` and `x/y.yaff.c`; counts from the current binary
#              folder. Without it: a folder of the target's own, so two targets may generate the same
#              file. Targets that name the same OUT_DIR share the files in it.
#
# The code is made again when the .proto file, anything it imports, or the plugin changes.
#
# When cross compiling, set YAFF_PROTOC_PLUGIN to a protoc-gen-yaff of the same version that runs on
# the machine that compiles.

cmake_policy(VERSION 3.25)

function(yaff_generate)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;OUT_DIR" "PROTOS;IMPORT_DIRS")
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "yaff_generate: what is `${arg_UNPARSED_ARGUMENTS}`?")
  elseif(NOT DEFINED arg_TARGET OR NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "yaff_generate: TARGET must name an existing target, not `${arg_TARGET}`")
  endif()
  get_target_property(type "${arg_TARGET}" TYPE)
  get_target_property(imported "${arg_TARGET}" IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "yaff_generate: `${arg_TARGET}` is not a target that compiles sources")
  endif()

  if(NOT DEFINED arg_PROTOS)
    get_target_property(arg_PROTOS "${arg_TARGET}" SOURCES)
    list(FILTER arg_PROTOS INCLUDE REGEX "\\.proto$")
    if(NOT arg_PROTOS)
      message(FATAL_ERROR "yaff_generate: no PROTOS, and no .proto among `${arg_TARGET}`'s sources")
    endif()
  endif()

  if(NOT DEFINED arg_OUT_DIR)
    set(arg_OUT_DIR "yaff_generated/${arg_TARGET}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUT_DIR BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE
    OUTPUT_VARIABLE out_dir
  )
  file(MAKE_DIRECTORY "${out_dir}")

  set(YAFF_PROTOC_PLUGIN "" CACHE FILEPATH
    "protoc-gen-yaff to generate code with; empty = the one of this build or package"
  )
  mark_as_advanced(YAFF_PROTOC_PLUGIN)
  find_program(YAFF_PROTOC protoc REQUIRED)
  find_path(YAFF_PROTOBUF_INCLUDE_DIR google/protobuf/descriptor.proto REQUIRED
    DOC "The folder that holds Protobuf's own google/protobuf/*.proto"
  )
  mark_as_advanced(YAFF_PROTOC YAFF_PROTOBUF_INCLUDE_DIR)

  set(import_dirs)
  if(NOT DEFINED arg_IMPORT_DIRS)
    set(arg_IMPORT_DIRS "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  get_property(yaff_import_dir GLOBAL PROPERTY YAFF_IMPORT_DIR)
  foreach(dir IN LISTS arg_IMPORT_DIRS yaff_import_dir YAFF_PROTOBUF_INCLUDE_DIR)
    cmake_path(ABSOLUTE_PATH dir BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    string(REGEX REPLACE "(.)/$" "\\1" dir "${dir}")
    list(APPEND import_dirs "${dir}")
  endforeach()
  list(REMOVE_DUPLICATES import_dirs)

  foreach(proto IN LISTS arg_PROTOS)
    yaff_priv_locate("${proto}" "${import_dirs}" source name dir)
    yaff_priv_rule("${source}" "${name}" "${import_dirs};${dir}" "${out_dir}" rule outputs)
    # The GENERATED property has the scope of a folder; the rule may stand in another one.
    set_source_files_properties(${outputs} PROPERTIES GENERATED ON)
    target_sources("${arg_TARGET}" PRIVATE ${outputs})
    add_dependencies("${arg_TARGET}" "${rule}")
  endforeach()

  target_include_directories("${arg_TARGET}" PUBLIC "$<BUILD_INTERFACE:${out_dir}>")
  target_link_libraries("${arg_TARGET}" PUBLIC yaff::bridge)
endfunction()

# The file that `proto` means, its name as imports write it, and the folder that name counts from.
function(yaff_priv_locate proto import_dirs source_var name_var dir_var)
  set(candidates "${CMAKE_CURRENT_SOURCE_DIR}" ${import_dirs})
  set(source "")
  foreach(base IN LISTS candidates)
    cmake_path(ABSOLUTE_PATH proto BASE_DIRECTORY "${base}" NORMALIZE OUTPUT_VARIABLE candidate)
    if(EXISTS "${candidate}")
      set(source "${candidate}")
      break()
    endif()
  endforeach()
  if(NOT source MATCHES "\\.proto$")
    message(FATAL_ERROR "yaff_generate: no file `${proto}` (a .proto) in the current source folder or "
      "in IMPORT_DIRS")
  endif()
  cmake_path(GET source PARENT_PATH home)
  foreach(candidate IN LISTS import_dirs home)
    cmake_path(IS_PREFIX candidate "${source}" inside)
    if(inside)
      set(dir "${candidate}")
      break()
    endif()
  endforeach()
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${dir}" OUTPUT_VARIABLE name)
  set(${source_var} "${source}" PARENT_SCOPE)
  set(${name_var} "${name}" PARENT_SCOPE)
  set(${dir_var} "${dir}" PARENT_SCOPE)
endfunction()

# The rule that makes name.yaff.{h,c} in out_dir: one per pair in the whole build, with a target of its
# own (whose name is returned) that everyone depends on who compiles the files. That is what keeps
# two targets from running it at the same time.
function(yaff_priv_rule source name import_dirs out_dir rule_var outputs_var)
  string(REGEX REPLACE "\\.proto$" "" stem "${out_dir}/${name}")
  set(outputs "${stem}.yaff.h" "${stem}.yaff.c")
  string(SHA256 hash "${stem}")
  string(SUBSTRING "${hash}" 0 12 hash)
  string(MAKE_C_IDENTIFIER "${name}" readable)
  set(rule "yaff_${readable}_${hash}")
  set(${rule_var} "${rule}" PARENT_SCOPE)
  set(${outputs_var} "${outputs}" PARENT_SCOPE)

  if(TARGET "${rule}")
    get_property(other TARGET "${rule}" PROPERTY YAFF_SOURCE)
    if(NOT other STREQUAL source)
      message(FATAL_ERROR "yaff_generate: ${other} and ${source} would both become ${stem}.yaff.h; "
        "give one another OUT_DIR")
    endif()
    return()
  endif()

  set(plugin "${YAFF_PROTOC_PLUGIN}")
  if(NOT plugin)
    set(plugin "$<TARGET_FILE:yaff::protoc_plugin>")
  endif()
  list(REMOVE_DUPLICATES import_dirs)
  list(TRANSFORM import_dirs PREPEND "-I" OUTPUT_VARIABLE import_options)
  cmake_path(GET stem PARENT_PATH stem_dir)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${stem_dir}"
    COMMAND "${YAFF_PROTOC}"
      "--plugin=protoc-gen-yaff=${plugin}"
      "--yaff_out=${out_dir}" "--dependency_out=${stem}.yaff.d" ${import_options} "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DDEPFILE=${stem}.yaff.d" "-DOUTPUT=${stem}.yaff.h"
      -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/yaff-depfile.cmake"
    DEPENDS "${source}" "${plugin}"
    DEPFILE "${stem}.yaff.d"
    COMMENT "Generating ${name} as yaff"
    VERBATIM
  )
  add_custom_target("${rule}" DEPENDS ${outputs})
  set_property(TARGET "${rule}" PROPERTY YAFF_SOURCE "${source}")
endfunction()
