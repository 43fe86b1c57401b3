#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reading.h"

// Checks that the widths of rotated layers allow the rotation.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

static bool is_power_of_two(std::uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

static void report_width(const Reading& reading, const Modifier& modifier, const Module& module, std::uint64_t block) {
  const std::uint64_t width = module.shape->back();
  const bool divides = block == 0 || width % block == 0;
  report_stop(reading, modifier.place(divides ? "transform_type" : "transform_block_size"),
              divides ? fmt::format("`{}` has {} columns, but a Hadamard rotation needs a power of two",
                                    base::printable(module.name), width)
                      : fmt::format("blocks of {} do not divide the {} columns of `{}`", block, width,
                                    base::printable(module.name)))
      .with_help("write a `transform_block_size` that divides all widths");
}

static bool by_rotation(const Modifier& modifier, std::string_view rotation) {
  return std::ranges::any_of(entries_of(modifier, "rotations"),
                             [&](const Entry& entry) { return base::to_upper(entry.text) == rotation; });
}

static bool only_last(const Modifier& modifier) {
  return modifier.find("rotations") != nullptr && !by_rotation(modifier, "R1") && !by_rotation(modifier, "R2");
}

// SpinQuant's rotations R1 and R2 have the width of the embedding, and R4 has the width of the layers after the
// feed-forward block.
void check_rotated_layers(const Reading& reading, const Modifier& modifier, const Modules& modules) {
  const auto given =
      modifier.given("transform_block_size") == nullptr ? std::nullopt : modifier.number("transform_block_size");
  const std::uint64_t block = given && *given > 0 ? static_cast<std::uint64_t>(*given) : 0;
  const bool quip = meaning_of(modifier) == Meaning::quip;
  const model::Matcher targets = matcher_of(entries_of(modifier, quip ? "targets" : "none"));
  const model::Matcher ignored = matcher_of(entries_of(modifier, quip ? "ignore" : "none"));
  const bool plain = modifier.text("transform_type") == "hadamard";
  for (const Module& module : modules) {
    const bool mine = quip ? takes_scheme(module) && targets.takes(module) && !ignored.takes(module)
                           : (module.type == "Embedding" && !only_last(modifier)) ||
                                 (by_rotation(modifier, "R4") && module.name.ends_with(".down_proj"));
    const bool known = mine && module.shape && module.shape->size() == 2;
    if (known && ((block != 0 && module.shape->back() % block != 0) ||
                  (block == 0 && plain && !is_power_of_two(module.shape->back())))) {
      report_width(reading, modifier, module, block);
      return;
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
