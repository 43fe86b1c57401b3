#pragma once

#include <span>
#include <string_view>

// Groups of rules, as `explain --list` and the documentation show them.
namespace sparsecfg::diag {

// The rules whose codes start with `prefix`.
struct Family {
  std::string_view prefix;  // "SP2"
  std::string_view name;    // "epochs"
  std::string_view scope;   // one sentence: what the rules check
};

// Every family, in the order in which they are listed.
[[nodiscard]] std::span<const Family> families();

// Returns null if no family has the code.
[[nodiscard]] const Family* family_of(std::string_view code);

}  // namespace sparsecfg::diag
