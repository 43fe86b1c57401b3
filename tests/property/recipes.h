#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "source/load.h"

namespace sparsecfg {

// Calls `check` with the path and the text of every `nth` file of the tests' recipes that has one of these endings.
// Returns the number of files.
std::size_t for_each_recipe(std::initializer_list<std::string_view> endings, std::size_t nth, auto check) {
  std::size_t seen = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(SPARSECFG_TESTDATA)) {
    if (std::ranges::find(endings, each.path().extension().string()) == endings.end()) continue;
    const source::Loaded text = source::read_file(each.path().string(), std::size_t{1} << 20);
    const auto* loaded = std::get_if<std::string>(&text);
    if (loaded != nullptr && ++seen % nth == 0) check(each.path(), *loaded);
  }
  return seen;
}

}  // namespace sparsecfg
