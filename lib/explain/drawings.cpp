#include "explain/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sparsecfg::explain {

namespace {

// A bar between two of ten epochs, with a note. An empty `name` means no bar.
struct Bar {
  std::string_view name;
  int from = 0;
  int to = 0;
  char drawn = '=';
  std::string_view note;
};

struct Drawing {
  std::string_view code;
  std::array<Bar, 3> bars;
};

constexpr Drawing kDrawings[] = {
    {"SP201", {{{"range", 0, 6, '=', "requested length"}, {"pruning", 0, 10, '#', "training lasts until its end"}}}},
    {"SP202",
     {{{"training", 0, 10, '=', "the last step is before 10"}, {"pruning", 0, 10, '#', "an update at 10 never runs"}}}},
    {"SP204", {{{"ramp", 4, 4, '#', "no length"}}}},
    {"SP205", {{{"start", 7, 7, '>', ""}, {"end", 3, 3, '<', "before the start"}}}},
    {"SP206", {{{"training", 0, 10, '=', ""}, {"start", -1, -1, '?', "before epoch 0, but not -1"}}}},
    {"SP207", {{{"training", 0, 7, '=', ""}, {"modifier", 7, 10, '.', "starts after the training"}}}},
    {"SP208", {{{"ramp", 2, 10, '-', "no end: keeps its first value"}}}},
    {"SP213", {{{"stage b", 0, 4, '=', "runs first, written second"}, {"stage a", 4, 10, '#', "written first"}}}},
    {"SP217", {{{"range 1", 0, 6, '.', "changes nothing"}, {"range 2", 0, 10, '=', "training ends here"}}}},
    {"SP218", {{{"range", 3, 10, '=', "does not delay pruning"}, {"pruning", 0, 8, '#', "starts before it"}}}},
    {"SP219", {{{"stage a", 0, 6, '=', ""}, {"stage b", 4, 10, '#', "both act from 4 to 6"}}}},
    {"SP303", {{{"policy", 2, 3, '#', "active only in epoch 2"}}}},
    {"SP304", {{{"policy", 0, 10, '=', ""}, {"active", 8, 8, '#', "inactive in epoch 9, the last one"}}}},
    {"SP308", {{{"window", 2, 6, '=', ""}, {"frequency", 2, 10, '.', "the next update is after the end"}}}},
    {"SP311", {{{"listed", 5, 5, '#', "first in the list"}, {"listed", 1, 1, '#', "second, but earlier"}}}},
    {"SP314", {{{"run", 0, 10, '=', ""}, {"policy", 4, 10, '#', "inactive before 4: the second step fails"}}}},
    {"SP422", {{{"ramp 1", 0, 5, '=', "up to 0.8"}, {"ramp 2", 5, 10, '#', "starts again at 0.05"}}}},
    {"SP502", {{{"rate a", 0, 8, '=', ""}, {"rate b", 4, 10, '#', "both set the rate from 4 to 8"}}}},
    {"SP504", {{{"rate a", 0, 4, '=', ""}, {"rate b", 7, 10, '#', "the rate is constant from 4 to 7"}}}},
    {"SP505", {{{"training", 0, 10, '=', ""}, {"rate", 4, 10, '#', "the script sets it before 4"}}}},
    {"SP507", {{{"scheduler", 2, 8, '=', ""}, {"milestone", 9, 9, '#', "outside"}}}},
    {"SP529", {{{"training", 0, 10, '=', ""}, {"decay", 4, 10, '#', "drops by four decays at 4"}}}},
    {"SP530", {{{"rate", 0, 6, '#', "falls to 0"}, {"training", 0, 10, '=', "no learning after 6"}}}},
    {"SP702", {{{"pruner a", 0, 7, '=', ""}, {"pruner b", 4, 10, '#', "both prune from 4 to 7"}}}},
    {"SP703", {{{"pruning", 0, 8, '=', ""}, {"quantizing", 5, 10, '#', "starts before pruning has ended"}}}},
    {"SP704", {{{"mask", 0, 6, '#', "removed at 6"}, {"training", 0, 10, '=', "changes the zeros after 6"}}}},
    {"SP712", {{{"pruning", 0, 8, '#', ""}, {"frozen", 2, 6, '=', "pruned weights can't recover"}}}},
    {"SP714", {{{"frozen", 0, 6, '=', ""}, {"mask", 3, 10, '#', "stops at its start"}}}},
    {"SP715", {{{"training", 0, 10, '=', "changes the zeros before 4"}, {"mask", 4, 10, '#', "finds few zeros"}}}},
    {"SP802", {{{"quantizing", 5, 10, '=', ""}, {"freeze", 3, 3, '#', "before the start"}}}},
};

constexpr int kColumns = 3;  // per epoch
constexpr int kMargin = 11;  // width of names

std::string line_of(const Bar& bar) {
  const int from = std::max(bar.from, 0) * kColumns;
  const int length = std::max((bar.to - bar.from) * kColumns, 1);
  std::string line = fmt::format("{:<{}}", bar.name, bar.from < 0 ? kMargin - 1 : kMargin);
  line += std::string(static_cast<std::size_t>(from), ' ') + std::string(static_cast<std::size_t>(length), bar.drawn);
  const auto end = static_cast<std::size_t>(kMargin + 10 * kColumns + 1);
  line.resize(std::max(line.size(), end), ' ');
  line += bar.note;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string drawing_of(std::string_view code) {
  const auto* found = std::ranges::find(kDrawings, code, &Drawing::code);
  if (found == std::end(kDrawings)) {
    return {};
  }
  std::string out = fmt::format("{:<{}}0  1  2  3  4  5  6  7  8  9  10\n", "epoch", kMargin);
  for (const Bar& bar : found->bars) {
    if (!bar.name.empty()) out += line_of(bar);
  }
  return out;
}

}  // namespace sparsecfg::explain
