#include "architecture/stored_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/text.h"

namespace sparsecfg::architecture {

using Strings = std::vector<std::string>;

static std::string_view owner_of(std::string_view tensor) { return tensor.substr(0, tensor.rfind('.')); }

// Returns the derived tensors whose modules no file contains. Quantized layers have other tensors, and files may repeat
// shared tensors, so only the modules are compared.
static Strings lacking(const Strings& derived, const Strings& stored) {
  std::unordered_set<std::string_view> modules;
  for (const std::string& name : stored) modules.insert(owner_of(name));
  Strings out;
  for (const std::string& name : derived) {
    if (!modules.contains(owner_of(name))) out.push_back(name);
  }
  return out;
}

void add_omitted_prefix(const Strings& derived, Strings& stored) {
  if (derived.empty()) return;
  const std::string prefix = derived.front().substr(0, derived.front().find('.') + 1);
  const auto has_prefix = [&](const std::string& name) { return name.starts_with(prefix); };
  if (prefix.empty() || std::ranges::any_of(stored, has_prefix)) return;
  Strings base;
  for (const std::string& name : derived) {
    if (has_prefix(name)) base.push_back(name.substr(prefix.size()));
  }
  if (!lacking(base, stored).empty()) return;
  const std::unordered_set<std::string_view> heads(derived.begin(), derived.end());
  for (std::string& name : stored) {
    if (!heads.contains(name)) name.insert(0, prefix);
  }
}

std::string lacking_text(const Derived& facts, const Strings& derived, const Strings& stored) {
  const Strings missing = lacking(derived, stored);
  if (missing.empty()) {
    return {};
  }
  Renamer renamer(facts.other_renames);
  Strings others;
  for (const std::string& name : missing) others.push_back(renamer.tensor(name));
  if (lacking(others, stored).empty()) {
    return {};
  }
  return fmt::format("; the files lack {} of its {} tensors, such as {}{}", missing.size(), derived.size(),
                     base::printable(missing.front()), facts.remote ? " (its code is outside of transformers)" : "");
}

}  // namespace sparsecfg::architecture
