#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "picture/scene.h"

// Labels beside the ends of curves.
namespace sparsecfg::picture {

inline constexpr double kLabelRow = 14;  // height of a line of a label in pixels

// A label at the right end of a curve.
struct EndLabel {
  double y = 0;                    // of the end of the curve
  std::string value;               // the last value; may be empty
  std::string name;                // "GMPruning#2"
  std::vector<std::string> notes;  // lines below the name
  std::string title;               // the whole text, for tooltips
  std::string type;                // CSS classes of the curve
  std::string series;              // id of the curve in the data of a page
  std::string link;                // fragment of a page; empty: none

  [[nodiscard]] bool is_note(const std::string& line) const;
};

// Returns the label of a curve, without its place. `before`: the curve belongs to the earlier of two recipes.
[[nodiscard]] EndLabel end_label(const Series& series, bool before);

// Returns at most `rows` lines of a label: a name is more important than a value, and both than notes. In a narrow
// picture, the name has its own line.
[[nodiscard]] std::vector<std::string> lines_of(const EndLabel& label, std::size_t rows, bool narrow);

// Returns the middles of blocks of these heights, near the wanted middles, in the same order. Blocks neither overlap
// nor leave the range from `top` to `bottom` if there is room for all of them.
[[nodiscard]] std::vector<double> spread(const std::vector<double>& wanted, double height, double top, double bottom);

}  // namespace sparsecfg::picture
