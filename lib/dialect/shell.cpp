#include "dialect/shell.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/text.h"
#include "dialect/checkpoint/serving.h"
#include "dialect/distiller/training_command.h"
#include "dialect/gguf/read.h"
#include "dialect/quantized_dialects.h"
#include "dialect/quantizers.h"

namespace sparsecfg::dialect {

const Dialect* detect_in_shell(std::string_view name, std::string_view text) {
  return gguf::is_script(name, text) || gguf::is_list_of_types(name, text) ? &gguf::kDialect : nullptr;
}

const Dialect* find_shell_dialect(std::string_view name) {
  return name == gguf::kDialect.name ? &gguf::kDialect : nullptr;
}

std::string programs_in_shell() {
  std::set<std::string> names{"`llama-quantize`"};
  for (const CommandNames& row : command_names()) names.insert(fmt::format("`{}`", row.names.front()));
  for (const std::string& server : checkpoint::server_commands()) names.insert(fmt::format("`{}`", server));
  for (const std::string_view program : distiller::training_programs()) names.insert(fmt::format("`{}`", program));
  return base::join_and({names.begin(), names.end()});
}

}  // namespace sparsecfg::dialect
