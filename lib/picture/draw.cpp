#include "picture/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "picture/drawing.h"
#include "picture/text.h"

namespace sparsecfg::picture {

// Lines have a contrast of at least 3 with their background, texts of at least 4.5. Colors also differ for people
// with protanopia, deuteranopia and tritanopia.
std::string_view style() {
  return ".pic{background:#ffffff}.pic text{font:12px sans-serif;fill:#1f2328}"
         ".pic .title{font-size:15px;font-weight:bold}.pic .muted,.pic .tick{fill:#57606a}"
         ".pic .y{text-anchor:end}.pic .x{text-anchor:middle}"
         ".pic .grid{stroke:#d0d7de;fill:none}.pic .ground{fill:#ffffff}"
         ".pic .strong{font-weight:bold}.pic .arrow,.pic .outline{fill:none;stroke:#6e7781}"
         ".pic .stored{fill:#6e7781}.pic .bar{fill:#dde2e8;stroke:#6e7781;stroke-width:1}.pic "
         ".earlier{stroke-dasharray:2 3}"
         ".pic .line{fill:none;stroke-width:1.8;vector-effect:non-scaling-stroke}.pic .all{stroke-width:3.2}"
         ".pic .d1{stroke-dasharray:9 4}.pic .d2{stroke-dasharray:2 3}"
         ".pic .before{stroke-dasharray:2 4;stroke-width:1.4}.pic a:hover text{text-decoration:underline}"
         ".pic .c0{stroke:#1f6fc4}.pic .c1{stroke:#d55e00}.pic .c2{stroke:#581069}.pic .c3{stroke:#b47b93}"
         ".pic .c4{stroke:#843b20}.pic .c5{stroke:#5600c5}.pic .rate{stroke:#0f7b6c}.pic .all{stroke:#1f2328}"
         "@media(prefers-color-scheme:dark){.pic{background:#0d1117}.pic text{fill:#e6edf3}"
         ".pic .muted,.pic .tick{fill:#9aa4af}.pic .grid{stroke:#343b44}.pic .ground{fill:#0d1117}"
         ".pic .bar{fill:#2b323b;stroke:#8b949e}.pic .arrow,.pic .outline{stroke:#8b949e}.pic .stored{fill:#8b949e}"
         ".pic .c0{stroke:#6fb7ff}.pic .c1{stroke:#ff9d5c}"
         ".pic .c2{stroke:#e9d300}.pic .c3{stroke:#f600b0}.pic .c4{stroke:#ad42ff}.pic .c5{stroke:#788467}.pic "
         ".rate{stroke:#4fd1b5}"
         ".pic .all{stroke:#e6edf3}}";
}

static std::string begin_svg(const std::string& id, double width, double height, std::string_view role,
                             const std::string& title, const std::string& description, const std::string& more) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pic\" id=\"{0}\" viewBox=\"0 0 {1} {2:.0f}\" role=\"{3}\" "
      "aria-labelledby=\"{0}-title\" aria-describedby=\"{0}-desc\"{6}>\n<title id=\"{0}-title\">{4}</title>\n"
      "<desc id=\"{0}-desc\">{5}</desc>\n",
      id, width, height, role, escaped(title), escaped(description), more);
}

std::string wrap_layout(const Drawn& drawn, const std::string& title, const std::string& description,
                        const Layout& layout) {
  return begin_svg(layout.id, layout.width, drawn.height, layout.links ? "group" : "img", title, description, "") +
         fmt::format("<style>{}</style>\n<rect class=\"ground\" width=\"{}\" height=\"{:.0f}\"/>\n", style(),
                     layout.width, drawn.height) +
         drawn.body + "</svg>\n";
}

std::string draw(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout) {
  return wrap_layout(draw_body(scenes, title, layout), title, describe(scenes.back()), layout);
}

// The narrow layout is shown only if it fits in the window, because a viewer does not scroll an SVG file.
std::string join_layouts(const Drawn& wide, const Drawn& narrow, const std::string& title,
                         const std::string& description) {
  std::string out = begin_svg("picture", kWideWidth, wide.height, "img", title, description,
                              " preserveAspectRatio=\"xMidYMin meet\" overflow=\"visible\"");
  out += fmt::format(
      "<style>{}#picture .narrow{{display:none}}@media(max-width:560px) and (max-aspect-ratio:{:.0f}/{:.0f}){{"
      "#picture .wide{{display:none}}#picture .narrow{{display:inline}}}}</style>\n",
      style(), kNarrowWidth, std::ceil(narrow.height));
  out += fmt::format("<g class=\"wide\">\n<rect class=\"ground\" width=\"{}\" height=\"{:.0f}\"/>\n{}</g>\n",
                     kWideWidth, wide.height, wide.body);
  out += fmt::format(
      "<g class=\"narrow\" transform=\"scale({:.6g})\">\n<rect class=\"ground\" width=\"{}\" height=\"{:.0f}\"/>\n"
      "{}</g>\n",
      kWideWidth / kNarrowWidth, kNarrowWidth, narrow.height, narrow.body);
  return out + "</svg>\n";
}

std::string draw_file(const std::vector<Scene>& scenes, const std::string& title) {
  return join_layouts(draw_body(scenes, title, {}), draw_body(scenes, title, {kNarrowWidth, "picture", true, false}),
                      title, describe(scenes.back()));
}

}  // namespace sparsecfg::picture
