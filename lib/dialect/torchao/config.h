#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/torchao/table.h"
#include "ir/operation.h"
#include "ir/scheme.h"
#include "source/source_file.h"
#include "source/span.h"
#include "source/value.h"

// Configurations in the form in which torchao writes them: `{_type, _version, _data}` (docs/semantics/torchao.md#a1-1).
namespace sparsecfg::dialect::torchao {

struct Context {
  const source::SourceFile& file;
  const std::set<source::Span>& unknown;  // places of unknown values
  diag::Sink& sink;
  const ReadOptions& options;
  source::Located<std::string> type{};  // of the parameters of the model, if a script states it: "float16"

  [[nodiscard]] bool is_unknown(const source::Value& value) const;
};

// A step of a configuration that needs several calls of quantize_ (docs/semantics/torchao.md#a2-1).
enum class Step : std::uint8_t {
  none,     // one call quantizes
  prepare,  // replaces layers by others that observe or simulate the quantization
  convert,  // quantizes the layers that were prepared
};

// One configuration.
struct Config {
  const ClassSpec* spec = nullptr;  // null: not a configuration, so quantize_ fails at the first module that it reaches
  std::int64_t version = 1;
  source::Value data;
  source::Span span;
  bool unknown = false;
  // Of QATConfig and similar classes, whose base the other members describe. Without a base, `spec` is null.
  const ClassSpec* wrapper = nullptr;
  Step step = Step::none;
  source::Span base{};  // the place of the base
};

// An entry of a map.
struct MapEntry {
  std::string key;
  source::Span span;
  std::optional<Config> config;  // nullopt: the module stays unquantized
};

// A configuration for all layers, or a map of configurations.
struct Configuration {
  std::optional<Config> all;
  std::vector<MapEntry> entries;
  source::Span span;
  bool is_map = false;
  bool unknown = false;
};

// Reads a configuration. Reports what torchao rejects when it reads or constructs it; returns nullopt then.
[[nodiscard]] std::optional<Configuration> read_configuration(const Context& context, const source::Value& value);

// Returns the construction that replaces a class or function that current releases no longer have, such as
// `Int4WeightOnlyConfig(group_size=128)` for `int4_weight_only`; empty for other names.
[[nodiscard]] std::string_view current_form(std::string_view name);

// The construction of a configuration, as Python.
struct Construction {
  std::string text;                    // "Int4WeightOnlyConfig(group_size=64)"
  std::string name;                    // of the class
  std::vector<std::string> arguments;  // those of `given` that it has, in backticks
};

// Returns the construction that replaces a removed name, with the arguments of `given` that the current class has.
[[nodiscard]] Construction construction_of(std::string_view form, const source::Value& given,
                                           const source::SourceFile& file);

// Returns true for a class or function that current releases no longer have.
[[nodiscard]] bool is_removed(std::string_view name);

// Returns true for classes whose values share one scale for the tensor by default.
[[nodiscard]] bool is_by_tensor(const Config& config);

// Returns the scheme of a configuration.
[[nodiscard]] ir::Scheme scheme_of(const Config& config);

// Returns the operation of a configuration. Only one of the languages is used: that of all layers, or that of a map.
[[nodiscard]] ir::Assign lowered(const Configuration& config, const ir::Language& all, const ir::Language& map);

// Reports patterns that Python can't compile, and the key `_default`. Returns false if a pattern is wrong.
bool check_patterns(const Context& context, const Configuration& config);

}  // namespace sparsecfg::dialect::torchao
