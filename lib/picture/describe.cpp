#include <fmt/format.h>

#include "base/text.h"
#include "picture/draw.h"
#include "picture/text.h"

namespace sparsecfg::picture {

std::string caption(const Scene& scene) {
  std::string out = fmt::format("{:.6g} epochs of {}, {} in total", scene.epochs,
                                base::counted(scene.steps_per_epoch, "step"), base::counted(scene.steps, "step"));
  if (!scene.has_rates) out += "; this format has no learning rate";
  if (scene.drawn_until) out += fmt::format("; drawn only up to epoch {:.6g} (too many changes)", *scene.drawn_until);
  if (scene.sampled && !scene.drawn_until) out += "; only a sample of the changes is drawn";
  return out;
}

static std::string range_of(const Series& series) {
  std::string out = series.label + (series.selects.empty() ? "" : " (" + series.selects + ")");
  for (const Point& point : series.points) {
    if (point.value) {
      out += fmt::format(": from {}", number_text(*point.value));
      break;
    }
  }
  return out + (series.last() ? fmt::format(" to {}. ", number_text(*series.last())) : ". ");
}

std::string describe(const Scene& scene) {
  constexpr std::size_t kMaxCount = 12;
  std::string out = caption(scene) + ". ";
  for (std::size_t at = 0; at < std::min(scene.sparsities.size(), kMaxCount); ++at) {
    out += "Sparsity, " + range_of(scene.sparsities[at]);
  }
  if (scene.overall) out += "Sparsity, " + range_of(*scene.overall);
  if (scene.rate) out += (scene.factors ? "Factor of the initial " : "") + range_of(*scene.rate);
  for (std::size_t at = 0; at < std::min(scene.bands.size(), kMaxCount); ++at) {
    const Band& band = scene.bands[at];
    out += fmt::format("{} ({}) from epoch {:.6g} to {:.6g}. ", band.label, band.who, band.begin, band.end);
  }
  out.pop_back();
  return out;
}

}  // namespace sparsecfg::picture
