#include "dialect/shell.h"

#include "dialect/gguf/read.h"
#include "dialect/quantized_dialects.h"

namespace sparsecfg::dialect {

const Dialect* detect_in_shell(std::string_view name, std::string_view text) {
  return gguf::is_script(name, text) || gguf::is_list_of_types(name, text) ? &gguf::kDialect : nullptr;
}

const Dialect* find_shell_dialect(std::string_view name) {
  return name == gguf::kDialect.name ? &gguf::kDialect : nullptr;
}

}  // namespace sparsecfg::dialect
