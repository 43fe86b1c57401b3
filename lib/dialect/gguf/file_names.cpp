#include "dialect/gguf/file_names.h"

#include "base/text.h"
#include "dialect/gguf/command.h"
#include "dialect/gguf/mix.h"

namespace sparsecfg::dialect::gguf {

TypedName typed_name(std::string_view path) {
  if (!path.ends_with(kFileEnding)) return {};
  const std::string_view stem = path.substr(0, path.size() - kFileEnding.size());
  const std::size_t end = stem.find_last_of("-./\\");
  const std::string_view type = stem.substr(end + 1);
  if (type.empty() || base::is_digit(type.front()) || !is_file_type(type)) return {};
  const bool has_model = end != stem.npos && (stem[end] == '-' || stem[end] == '.');
  return {has_model ? stem.substr(0, end) : std::string_view(), type};
}

}  // namespace sparsecfg::dialect::gguf
