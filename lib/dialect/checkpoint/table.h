#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/few.h"
#include "ir/scheme.h"
#include "model/selectors/reader.h"
#include "source/value.h"

// Quantization methods of checkpoints and the programs that load them, as tables. A further method needs only rows.
namespace sparsecfg::dialect::checkpoint {

using source::Value;

enum class Program : std::uint8_t { transformers, vllm, sglang, quark };

// Returns "transformers", "vLLM", "SGLang" or "Quark".
[[nodiscard]] std::string_view title_of(Program program);

enum class ValueType : std::uint8_t { any, text, number, boolean, list, mapping };

// A key of a method.
struct Key {
  std::string_view name;
  ValueType type;
  std::string_view default_value;  // as YAML; empty: required
  std::string_view doc;
  bool nullable = false;
};

// A quantization method: the value of `quant_method`, and the keys beside it.
struct Method {
  std::string_view name;
  std::string_view doc;
  std::span<const Key> keys;  // in addition to `quant_method`
  // Returns the format that a value describes, or nullopt for "not quantized". The value is that of `whole`, or the
  // value of an entry.
  std::optional<ir::Scheme> (*scheme)(const Value& value) = nullptr;
  // Returns the value that describes modules without an entry; null: they are not quantized.
  const Value* (*whole)(const Value& config) = nullptr;
  bool module_experts = false;  // true if transformers 5 quantizes experts, which are one module
};

// Returns null if no method has the name.
[[nodiscard]] const Method* find_method(std::string_view name);
[[nodiscard]] std::span<const Method> methods();

// A rejected value and what it should be.
struct Correction {
  std::string_view problem;  // "a flat list, but a list of lists is expected"
  std::string text;          // the value, as Python or JSON
};

// A value that a program accepts.
struct ValueCheck {
  std::string_view key;       // a key of the value, for the place of a finding
  std::string_view accepted;  // in words: "`static` or `dynamic`"
  bool (*accepts)(const Value& config);
  // Returns the correction of a rejected value; nullopt if it is not known. Null: it never is.
  std::optional<Correction> (*correct)(const Value& value) = nullptr;
};

// The modules that become entries of an empty list, by their stored tensors.
enum class FromFile : std::uint8_t { none, packed, plain };

// How a program reads the config of a method. A module that one reader leaves unquantized is not passed to the next.
struct Loading {
  Program program;
  std::string_view method;
  base::Few<const selectors::Reader*, 2> readers;
  std::span<const ValueCheck> checks{};
  FromFile from_file = FromFile::none;
  bool (*supports)(const Value& value) = nullptr;        // returns true if the program has code for a format
  bool (*examines_head)(const Value& config) = nullptr;  // overrides `never` of the readers for the head
  // Returns the format of modules without an entry; null: that of the method.
  std::optional<ir::Scheme> (*whole_scheme)(const Value& config) = nullptr;
};

// Returns null if the loading is not known.
[[nodiscard]] const Loading* find_loading(Program program, std::string_view method);
[[nodiscard]] std::span<const Loading> loadings();

// Returns true if vLLM or SGLang knows a method, even if its loading is not known here; true for other programs.
[[nodiscard]] bool is_known_to_runtime(Program program, std::string_view method);

// Returns true if vLLM loads a method only with an option for deprecated methods.
[[nodiscard]] bool is_deprecated_in_vllm(std::string_view method);

}  // namespace sparsecfg::dialect::checkpoint
