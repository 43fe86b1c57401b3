#include <algorithm>

#include "dialect/dialect.h"
#include "dialect/dialects.h"

namespace sparsecfg::dialect {

constexpr const Dialect* kDialects[] = {&schedule::kDialect, &nni::kDialect,       &llmcompressor::kDialect,
                                        &sparseml::kDialect, &distiller::kDialect, &ai8x::kDialect,
                                        &pytorch::kDialect};

std::span<const Dialect* const> dialects() { return kDialects; }

const Dialect* find_dialect(std::string_view name) {
  const auto* const found = std::ranges::find(kDialects, name, &Dialect::name);
  return found == std::end(kDialects) ? nullptr : *found;
}

std::vector<ReaderOption> reader_options() {
  std::vector<ReaderOption> options;
  for (const Dialect* dialect : kDialects) {
    options.insert(options.end(), dialect->options.begin(), dialect->options.end());
  }
  std::ranges::sort(options, {}, &ReaderOption::name);
  return options;
}

bool set_reader_option(std::string_view name, std::string_view value, ReadOptions& options) {
  for (const ReaderOption& option : reader_options()) {
    if (option.name == name && option.accepts(value)) {
      options.reader_options.emplace_back(option.name, value);
      return true;
    }
  }
  return false;
}

}  // namespace sparsecfg::dialect
