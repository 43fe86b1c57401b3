#include "cmd/option_groups.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "dialect/dialect.h"

namespace sparsecfg::cmd {

namespace {

struct GroupRow {
  std::string_view heading;
  std::initializer_list<std::string_view> names;
};

const GroupRow kGroups[] = {
    {"Findings",
     {"--select", "--ignore", "--severity", "--fail-on", "--exit-zero", "--baseline", "--write-baseline",
      "--statistics", "--show-files"}},
    {"Fixes", {"--fix", "--unsafe-fixes", "--diff", "--exit-non-zero-on-fix", "--show-fixes", "--no-show-fixes"}},
    {"Input", {"--from", "--recipe", "--set", "--stdin-filename", "--skip-unknown", "--no-ignore", "--variables"}},
    {"Model", {"--model", "--params", "--modules", "--skip-first-last", "--skip-depthwise", "--sensitivity"}},
    {"Training run", {"--epochs", "--steps-per-epoch", "--parameter-groups", "--initial-lr"}},
    {"Framework releases",
     {"--llmc", "--nni", "--framework", "--runtime", "--tensor-parallel", "--ai8x", "--distiller", "--modelopt",
      "--library", "--autoround", "--gptqmodel", "--torchao"}},
    {"Options of one dialect", {"--stage", "--pruner", "--dr", "--nas-levels", "--qat-policy"}},
    {"Limits", {"--max-size", "--max-depth", "--max-nodes", "--max-scalar"}},
    {"Output",
     {"--format", "--output", "--force", "--report", "--plot", "--color", "--verbose", "--quiet", "--help",
      "--help-all"}},
};

// Dialects whose options the help always lists.
constexpr std::string_view kCommonDialects[] = {"llm-compressor", "nni", "sparseml", "compressed-tensors"};

// Options that only one dialect reads although they are not reader options.
constexpr std::pair<std::string_view, std::string_view> kOwners[] = {{"--qat-policy", "ai8x"}};

}  // namespace

static std::string_view heading_of(const Option& option) {
  const auto found = std::ranges::find_if(
      kGroups, [&](const GroupRow& row) { return std::ranges::find(row.names, option.name) != row.names.end(); });
  return found == std::end(kGroups) ? "Options" : found->heading;
}

std::vector<OptionGroup> groups_of(const std::vector<Option>& options) {
  std::vector<OptionGroup> out = {{"Options"}};
  for (const GroupRow& row : kGroups) out.push_back({row.heading});
  for (const Option& option : options) {
    std::ranges::find(out, heading_of(option), &OptionGroup::heading)->options.push_back(&option);
  }
  std::erase_if(out, [](const OptionGroup& group) { return group.options.empty(); });
  return out;
}

// Returns the dialect whose reader has the option, or an empty string.
static std::string_view owner_of(std::string_view name) {
  for (const auto& [option, dialect] : kOwners) {
    if (option == name) return dialect;
  }
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (std::ranges::find(dialect->options, name.substr(2), &dialect::ReaderOption::name) != dialect->options.end()) {
      return dialect->name;
    }
  }
  return {};
}

bool is_rare(const Option& option, std::string_view dialect) {
  if (heading_of(option) == "Limits") return true;
  const std::string_view owner = owner_of(option.name);
  if (owner.empty() || owner == dialect) return false;
  return heading_of(option) == "Options of one dialect" || !base::contains(kCommonDialects, owner);
}

}  // namespace sparsecfg::cmd
