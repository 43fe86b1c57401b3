#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/compressed_tensors/runtimes.h"
#include "dialect/record/record.h"
#include "dialect/schemes/schemes.h"
#include "dialect/schemes/targets.h"
#include "doc/document.h"
#include "source/source_file.h"

// The `quantization_config` of a model that compressed-tensors has written, and its readers.
namespace sparsecfg::dialect::compressed_tensors {

using schemes::Entry;
using schemes::Group;
using schemes::QuantizationArgs;
using schemes::Strategy;

using Modules = std::vector<model::Module>;

// A group of `config_groups`.
struct ConfigGroup : Group {
  const source::Value* value = nullptr;  // the mapping of the group, or the list of a preset
  std::string text_targets;              // `targets` that is a string instead of a list
  std::string format;                    // empty: absent
  bool preset = false;                   // true if the name is a preset and the value the list of its targets
  bool valid = true;                     // false if the library rejects the group
};

struct Config {
  Record record;  // its fields
  std::vector<ConfigGroup> groups;
  std::vector<Entry> ignore;
  std::string format;  // empty: absent or not a string
  const source::Value* cache = nullptr;

  // Returns the format of a group for the runtimes: its own format, or that of the file.
  [[nodiscard]] const std::string& format_of(const ConfigGroup& group) const {
    return group.format.empty() ? format : group.format;
  }

  [[nodiscard]] std::vector<Group> plain_groups() const { return {groups.begin(), groups.end()}; }
};

// Data that all checks need.
struct Context {
  const source::SourceFile& file;
  diag::Sink& sink;
  const Modules* modules;  // null: unknown
  RuntimeChoice choice{};
  bool of_recipe = false;               // true if the file does not exist yet, because a recipe describes it
  std::vector<Entry> written_ignore{};  // of the recipe; the file has the names that they match

  // Returns the severity of an error that only the library reports.
  [[nodiscard]] diag::Severity in_library() const {
    return choice.runtime == Runtime::library ? diag::Severity::error : diag::Severity::warning;
  }

  // Returns the severity of an error that only the given runtime reports.
  [[nodiscard]] diag::Severity in(Runtime other) const {
    return choice.runtime == other ? diag::Severity::error : diag::Severity::warning;
  }

  // Returns the severity of an error of vLLM that depends on its release, or nullopt if no such release is meant.
  [[nodiscard]] std::optional<diag::Severity> severity_of(const Fact& fact) const {
    if (!choice.may_have(fact)) return std::nullopt;
    return choice.surely_has(fact) ? in(Runtime::vllm) : diag::Severity::warning;
  }
};

// The rows of the file.
[[nodiscard]] const ClassSpec& config_table();

// The list of another method for layers that stay as they are, whose key compressed-tensors does not read.
struct UnreadList {
  const Field& field;
  std::vector<Entry> entries;  // as `ignore` would name the layers; empty: the list is empty
};

// Returns the list that is written in place of `ignore`, if there is one and the model has its layers.
[[nodiscard]] std::optional<UnreadList> unread_list(const Context& context, const Record& record);

// Reports such a list (CT102). `consequence`: what fails because the list is not read; empty if nothing does.
void report_unread_list(const Context& context, const UnreadList& unread, const std::string& consequence);

// Checks the fields against their rows, as pydantic does (SP103 to SP106), and reports ignored keys (CT102).
void check_keys(const Context& context, Record& record);

// Returns the place of an ignored key that was meant as `ignore` and names this layer, such as
// `modules_to_not_convert`.
[[nodiscard]] std::optional<source::Span> unread_ignore(const Record& record, std::string_view layer);

// Returns the groups and lists of a file. The record must outlive the result.
[[nodiscard]] Config config_of(Record record);

// Reports errors when the library loads the file: presets, arguments and types (LC202, LC208, LC209, LC212).
void check_loading(const Context& context, Config& config);

// Reports errors when the library applies the file to a model, and entries without effect (CT104 to CT106, LC212,
// LC213, LC803, MD902).
void check_applying(const Context& context, const Config& config);

// Reports errors of vLLM or SGLang, and layers that they read differently (CT2).
void check_serving(const Context& context, const Config& config);

// Reports a quantized output head that shares the weight of the embedding (CT218), for a file whose model is unknown.
void check_tied(const Context& context, const Config& config, const doc::Document& document);

// Returns the index of the group of each module, by the rules of the library.
[[nodiscard]] std::vector<std::optional<std::size_t>> groups_in(const Modules& modules, const Config& config);

// Returns the format in which the library stores the weights of a group.
[[nodiscard]] std::string_view inferred_format(const ConfigGroup& group);

// Returns the part of a name before its last dot. A name without a dot is its own parent.
[[nodiscard]] constexpr std::string_view parent_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

}  // namespace sparsecfg::dialect::compressed_tensors
