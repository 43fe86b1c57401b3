#include "picture/labels.h"

#include <algorithm>
#include <numeric>

#include "picture/text.h"

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

EndLabel end_label(const Series& series, bool before) {
  EndLabel label;
  label.value = series.last() ? number_text(*series.last()) : "";
  if (before) label.value += label.value.empty() ? "before" : " before";
  label.name = short_names(series.label);
  if (!series.selects.empty()) label.notes.push_back(series.selects);
  if (!series.remark.empty()) label.notes.push_back(series.remark);
  label.title = series.label;
  for (const std::string& note : label.notes) label.title += ": " + note;
  return label;
}

bool EndLabel::is_note(const std::string& line) const { return std::ranges::find(notes, line) != notes.end(); }

std::vector<std::string> lines_of(const EndLabel& label, std::size_t rows, bool narrow) {
  std::vector<std::string> out = {label.value};
  if (narrow && rows > 1 && !label.value.empty()) {
    out.push_back(label.name);
  } else {
    out.front() += (label.value.empty() ? "" : " ") + label.name;
  }
  for (const std::string& note : label.notes) {
    if (out.size() < rows) out.push_back(note);
  }
  return out;
}

}  // namespace sparsecfg::picture
