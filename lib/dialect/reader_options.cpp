#include "dialect/reader_options.h"

#include <algorithm>
#include <array>

namespace sparsecfg::dialect {

constexpr std::string_view kFrameworks[] = {"pytorch", "keras", "tensorflow"};
constexpr std::array kFrameworkValues = {Framework::pytorch, Framework::keras, Framework::tensorflow};

constexpr std::string_view kReleases[] = {"3.0", "2.x", "1.x"};
constexpr std::array kReleaseValues = {NniRelease::v3_0, NniRelease::v2, NniRelease::v1};

constexpr ReaderOption kReaderOptions[] = {
    {"framework", "Which of SparseML's readers loads the recipe", kFrameworks,
     [](ReadOptions& options, std::size_t value) { options.framework = kFrameworkValues[value]; }},
    {"nni", "Which release of NNI reads the list", kReleases,
     [](ReadOptions& options, std::size_t value) { options.nni = kReleaseValues[value]; }},
};

std::span<const ReaderOption> reader_options() { return kReaderOptions; }

const ReaderOption* find_reader_option(std::string_view name) {
  const auto* found = std::ranges::find(kReaderOptions, name, &ReaderOption::name);
  return found == std::end(kReaderOptions) ? nullptr : found;
}

bool set_reader_option(const ReaderOption& option, std::string_view value, ReadOptions& options) {
  const auto found = std::ranges::find(option.values, value);
  if (found == option.values.end()) {
    return false;
  }
  option.set(options, static_cast<std::size_t>(found - option.values.begin()));
  return true;
}

}  // namespace sparsecfg::dialect
