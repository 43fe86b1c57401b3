#include <fmt/format.h>
#include <fmt/ranges.h>

#include "architecture/family.h"
#include "architecture/listing.h"
#include "architecture/user_model.h"
#include "explain/explain.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

Page list_of_models() {
  Page out{{Kind::title, "Models"},
           {Kind::section, "Well-known ids"},
           {Kind::text, "Values of `--model`, and ids in scripts, that need no `config.json`."}};
  for (const std::string_view id : architecture::UserModel::known_ids()) out.push_back({Kind::line, std::string(id)});
  out.push_back({Kind::section, "Networks"});
  out.push_back({Kind::text, "Values of `--model` for networks of torchvision."});
  for (const std::string_view name : architecture::listed_networks("torchvision"))
    out.push_back({Kind::line, std::string(name)});
  out.push_back({Kind::section, "Families"});
  out.push_back({Kind::text, "Each `model_type` of a `config.json`, with the classes of transformers."});
  for (const architecture::Family& family : architecture::all_families()) {
    out.push_back({Kind::item,
                   fmt::format("{}{}", fmt::join(family.architectures, ", "),
                               family.remote ? " (its code is outside of transformers)" : ""),
                   fmt::format("{}", fmt::join(family.types, ", "))});
  }
  return out;
}

}  // namespace sparsecfg::explain
