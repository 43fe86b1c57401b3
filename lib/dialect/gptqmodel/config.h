#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "ir/operation.h"
#include "source/source_file.h"
#include "source/value.h"

// The configuration of GPTQModel, as its constructor computes it (docs/semantics/gptqmodel.md#a1-1).
namespace sparsecfg::dialect::gptqmodel {

enum class Method : std::uint8_t { gptq, awq, fp8, bitsandbytes, exl3, gguf, qqq, paroquant };

// The values that decide how a layer is stored.
struct Layer {
  std::int64_t bits = 4;
  std::int64_t group_size = 128;  // -1: one group for each output channel
  bool symmetric = true;
  bool desc_act = false;
  bool group_aware = false;  // act_group_aware; without effect if `desc_act` is true
};

// The values of `lm_head` if `dynamic` is absent (docs/semantics/gptqmodel.md#c1-2).
inline constexpr Layer kHeadLayer{.bits = 8, .group_size = 32};

// An entry of `dynamic`.
struct Entry {
  std::string pattern;  // with its prefix
  source::Span span;
  source::Value values;
  bool unknown = false;  // true if a value is known only after running the script

  [[nodiscard]] bool is_negative() const { return pattern.starts_with("-:"); }
};

struct Config {
  Method method = Method::gptq;
  std::string format = "gptq";  // in lower case
  Layer base;
  std::vector<Entry> dynamic;     // in the order of the object: keys that start with `-` first
  std::vector<Entry> as_written;  // in the order of the file
  bool has_dynamic = false;       // true if `dynamic` has entries
  bool lm_head = false;
  bool unknown = false;   // true if a value of the base is known only after running the script
  bool saved = false;     // true for a file
  bool protocol = false;  // true for the form with `version: 2`
  source::Span span;
  source::Value values;  // the mapping, as written
};

// How a configuration is written.
enum class Form : std::uint8_t { call, saved };

// The parts of a reading.
struct Context {
  const source::SourceFile& file;
  const std::set<source::Span>& unknown;  // places of unknown values
  diag::Sink& sink;

  [[nodiscard]] bool is_unknown(const source::Value& value) const;
};

// Returns the configuration of a call or of a saved file. Reports values that GPTQModel rejects. Returns nullopt if it
// rejects the whole configuration.
[[nodiscard]] std::optional<Config> construct(const Context& context, const source::Value& config, Form form,
                                              source::Span name);

// Reports a threshold below one token, which was meant as a share.
void check_threshold(double threshold, source::Span place, diag::Sink& sink);

// Returns the configuration that the form with `version: 2` compiles to, or nullopt after a report.
[[nodiscard]] std::optional<Config> compile_protocol(const Context& context, const source::Value& config);

// Returns the values of an entry of `dynamic`, which starts from the base.
[[nodiscard]] Layer layer_of(const Entry& entry, const Layer& base);

// Returns the scheme of a layer.
[[nodiscard]] ir::Scheme scheme_of(const Config& config, const Layer& layer);

// Returns the display name of a method: "GPTQ".
[[nodiscard]] std::string_view name_of(Method method);
// Returns the word for a method in files: "gptq".
[[nodiscard]] std::string_view word_of(Method method);

}  // namespace sparsecfg::dialect::gptqmodel
