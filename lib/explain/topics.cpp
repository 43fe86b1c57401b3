#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diag/catalog.h"
#include "explain/explain.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

// Returns the names of the dialects that have a reference.
static std::vector<std::string_view> documented_dialects() {
  std::vector<std::string_view> out;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (dialect->pages != nullptr) out.push_back(dialect->name);
  }
  return out;
}

Page list_of_topics() {
  Page out{{Kind::title, "Topics of `sparsecfg explain`"}};
  const auto add = [&](std::string topic, std::string text) {
    out.push_back({Kind::item, std::move(text), std::move(topic)});
  };
  add("CODE or NAME of a rule", "Its meaning, with an example. Such as `LC102`.");
  add("a class, field, key or scheme", "What it means in each dialect. Such as `GPTQModifier`, `ignore` or `W4A16`.");
  add("a dialect", fmt::format("All its classes, fields and keys: {}.", fmt::join(documented_dialects(), ", ")));
  add("a variable of `create`", "What it sets. `create` lists all of them.");
  add("codes", "The codes and names of all rules. `--list` also prints their messages, by family.");
  add("modifiers", "The classes of all dialects.");
  add("models", "The ids and families of models that `--model` knows.");
  add("diagnostics", "The pages of all rules.");
  return out;
}

}  // namespace sparsecfg::explain
