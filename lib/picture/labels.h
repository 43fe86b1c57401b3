#pragma once

#include <string>
#include <vector>

// Places labels beside the ends of curves.
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
};

// Returns the middles of blocks of these heights, near the wanted middles, in the same order. Blocks neither overlap
// nor leave the range from `top` to `bottom` if there is room for all of them.
[[nodiscard]] std::vector<double> spread(const std::vector<double>& wanted, double height, double top, double bottom);

}  // namespace sparsecfg::picture
