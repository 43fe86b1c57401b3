#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "regex/pattern.h"
#include "source/names.h"

// Which modules of a model llm-compressor selects.
namespace sparsecfg::dialect::llmcompressor {

// An entry of `targets`, `ignore` or a mapping, made ready for many modules.
class Matcher {
 public:
  explicit Matcher(std::string entry);

  // Whether it takes a module: by a pattern, by the full name or by its class.
  [[nodiscard]] bool takes(const source::Module& module) const;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::optional<regex::Pattern> pattern_;  // nothing for a name, and for a pattern that Python refuses
};

[[nodiscard]] std::vector<Matcher> matchers_of(const std::vector<Entry>& entries);
[[nodiscard]] bool any_takes(const std::vector<Matcher>& matchers, const source::Module& module);

// Whether schemes for weights are attached to modules of the class.
[[nodiscard]] bool takes_scheme(const source::Module& module);
// Whether it is one whose cache and inputs can be quantized.
[[nodiscard]] bool is_attention(const source::Module& module);

// The first layer that can have a scheme and is taken by both entries.
[[nodiscard]] std::optional<std::string> layer_of_both(const std::vector<source::Module>& modules,
                                                       const std::string& one, const std::string& other);

// For each module the place in `groups` of the one whose scheme it gets, as compressed-tensors decides it; nothing
// where none does.
[[nodiscard]] std::vector<std::optional<std::size_t>> schemes_in(const std::vector<source::Module>& modules,
                                                                 const std::vector<Group>& groups,
                                                                 const std::vector<Entry>& ignore);

// The modules that the patterns of a mapping take together, set by set, or why they can't be put together.
struct Sets {
  std::vector<std::vector<std::vector<const source::Module*>>> sets;  // for each set and each pattern its modules
  std::string fault;                                                  // empty: none
};

[[nodiscard]] Sets sets_in(const std::vector<source::Module>& modules, const std::vector<std::string>& patterns);

}  // namespace sparsecfg::dialect::llmcompressor
