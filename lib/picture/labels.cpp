#include "picture/labels.h"

#include <algorithm>
#include <numeric>

namespace sparsecfg::picture {

std::vector<double> spread(const std::vector<double>& wanted, double height, double top, double bottom) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return wanted[at]; });
  std::vector<double> out(wanted.size());
  double free = top + height / 2;
  for (const std::size_t at : order) {
    out[at] = std::max(wanted[at], free);
    free = out[at] + height;
  }
  free = bottom - height / 2;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    out[*at] = std::min(out[*at], free);
    free = out[*at] - height;
  }
  return out;
}

}  // namespace sparsecfg::picture
