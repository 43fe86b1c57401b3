#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "dialect/options.h"

namespace sparsecfg::dialect {

// An option that one dialect's reader has of its own, on the command line (`--nni 2.x`) and in settings (`nni: 2.x`).
struct ReaderOption {
  std::string_view name;
  std::string_view doc;
  std::span<const std::string_view> values;  // the first one is the default
  void (*set)(ReadOptions&, std::size_t value);
};

[[nodiscard]] std::span<const ReaderOption> reader_options();
// Returns nullptr if there is no such option.
[[nodiscard]] const ReaderOption* find_reader_option(std::string_view name);
// Returns false if the option has no such value.
bool set_reader_option(const ReaderOption& option, std::string_view value, ReadOptions& options);

}  // namespace sparsecfg::dialect
