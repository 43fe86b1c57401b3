#include "explain/drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sparsecfg::explain {

namespace {

// A bar from one epoch to another of ten, drawn with a character, and what is said behind it. `name` is empty for none.
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
    {"SP201", {{{"range", 0, 6, '=', "what is asked for"}, {"pruning", 0, 10, '#', "training goes on to its end"}}}},
    {"SP202",
     {{{"training", 0, 10, '=', "the last step comes before 10"}, {"pruning", 0, 10, '#', "due at 10: never"}}}},
    {"SP204", {{{"ramp", 4, 4, '#', "no length"}}}},
    {"SP205", {{{"start", 7, 7, '>', ""}, {"end", 3, 3, '<', "before the start"}}}},
    {"SP206", {{{"training", 0, 10, '=', ""}, {"start", -1, -1, '?', "before the first epoch, and not -1"}}}},
    {"SP207", {{{"training", 0, 7, '=', ""}, {"modifier", 7, 10, '.', "starts when training has ended"}}}},
    {"SP208", {{{"ramp", 2, 10, '-', "no end: stays at the first value"}}}},
    {"SP213", {{{"stage b", 0, 4, '=', "runs first, stands second"}, {"stage a", 4, 10, '#', "stands first"}}}},
    {"SP217", {{{"range 1", 0, 6, '.', "changes nothing"}, {"range 2", 0, 10, '=', "training runs to here"}}}},
    {"SP218", {{{"range", 3, 10, '=', "delays nothing"}, {"pruning", 0, 8, '#', "starts before it"}}}},
    {"SP219", {{{"stage a", 0, 6, '=', ""}, {"stage b", 4, 10, '#', "both act from 4 to 6"}}}},
    {"SP303", {{{"policy", 2, 3, '#', "active in epoch 2 alone"}}}},
    {"SP304", {{{"policy", 0, 10, '=', ""}, {"active", 8, 8, '#', "the epoch before the end, 9, is not"}}}},
    {"SP308", {{{"window", 2, 6, '=', ""}, {"frequency", 2, 10, '.', "the next update comes after the end"}}}},
    {"SP311", {{{"listed", 5, 5, '#', "first in the list"}, {"listed", 1, 1, '#', "second, but earlier"}}}},
    {"SP314", {{{"run", 0, 10, '=', ""}, {"policy", 4, 10, '#', "inactive before 4: the second step fails"}}}},
    {"SP422", {{{"ramp 1", 0, 5, '=', "up to 0.8"}, {"ramp 2", 5, 10, '#', "begins again at 0.05"}}}},
    {"SP502", {{{"rate a", 0, 8, '=', ""}, {"rate b", 4, 10, '#', "both set the rate from 4 to 8"}}}},
    {"SP504", {{{"rate a", 0, 4, '=', ""}, {"rate b", 7, 10, '#', "from 4 to 7 the rate stays"}}}},
    {"SP505", {{{"training", 0, 10, '=', ""}, {"rate", 4, 10, '#', "before 4 it is the script's"}}}},
    {"SP507", {{{"scheduler", 2, 8, '=', ""}, {"milestone", 9, 9, '#', "not within it"}}}},
    {"SP529", {{{"training", 0, 10, '=', ""}, {"decay", 4, 10, '#', "at 4 it falls by four steps at once"}}}},
    {"SP530", {{{"rate", 0, 6, '#', "falls to 0"}, {"training", 0, 10, '=', "learns nothing from 6 on"}}}},
    {"SP702", {{{"pruner a", 0, 7, '=', ""}, {"pruner b", 4, 10, '#', "both prune from 4 to 7"}}}},
    {"SP703", {{{"pruning", 0, 8, '=', ""}, {"quantizing", 5, 10, '#', "starts before pruning has ended"}}}},
    {"SP704", {{{"mask", 0, 6, '#', "taken away at 6"}, {"training", 0, 10, '=', "moves the zeros from 6 on"}}}},
    {"SP712", {{{"pruning", 0, 8, '#', ""}, {"frozen", 2, 6, '=', "these weights can't recover"}}}},
    {"SP714", {{{"frozen", 0, 6, '=', ""}, {"mask", 3, 10, '#', "stops at its start"}}}},
    {"SP715", {{{"training", 0, 10, '=', "moves the zeros until 4"}, {"mask", 4, 10, '#', "finds few zeros"}}}},
    {"SP802", {{{"quantizing", 5, 10, '=', ""}, {"freeze", 3, 3, '#', "before the start"}}}},
};

constexpr int kColumns = 3;  // for an epoch
constexpr int kMargin = 11;  // for names

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
