#pragma once

#include <string_view>
#include <vector>

#include "cmd/command_line.h"

// Groups of options in the help.
namespace sparsecfg::cmd {

// The options of a command under one heading.
struct OptionGroup {
  std::string_view heading;  // "Findings"
  std::vector<const Option*> options{};
};

// Returns the groups that have options, in the order of the help. Options keep their order. Options that belong to no
// group are in the first group, "Options".
[[nodiscard]] std::vector<OptionGroup> groups_of(const std::vector<Option>& options);

// Returns true if the help omits the option: limits, and options of rarely used dialects. `dialect` is the dialect that
// the command line names, whose options are not omitted.
[[nodiscard]] bool is_rare(const Option& option, std::string_view dialect);

}  // namespace sparsecfg::cmd
