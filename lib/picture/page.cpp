#include "picture/page.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/version.h"
#include "picture/draw.h"
#include "picture/drawing.h"
#include "picture/picture.h"
#include "picture/text.h"

namespace sparsecfg::picture {

constexpr std::size_t kPageDots = 1440;
constexpr double kMaxName = 500;            // of a series; only names of very many parameters are longer
constexpr std::size_t kMaxPoints = 12'000;  // for all series together; with more points the resolution is reduced

// --- data for the script ----------------------------------------------------------------------------

// Returns a JSON string that is safe in a script element.
static std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : base::printable(text)) {
    out += c == '<' ? "\\u003c" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + "\"";
}

// `id` is that of the label, `type` the CSS classes of the curve.
static std::string json_series(const Series& series, std::string_view id, std::string_view type) {
  std::string epochs;
  std::string values;
  for (const Point& point : series.points) {
    epochs += fmt::format("{}{:.7g}", epochs.empty() ? "" : ",", point.epoch);
    values += values.empty() ? "" : ",";
    values += point.value ? fmt::format("{:.5g}", *point.value) : "null";
  }
  std::string name = series.selects.empty() ? series.label : series.label + ": " + series.selects;
  if (!series.set_by.empty()) name += ": " + series.set_by;
  return fmt::format("{{\"name\":{},\"id\":\"{}\",\"type\":\"{}\",\"e\":[{}],\"v\":[{}]}}",
                     json_text(shortened(name, 1, kMaxName)), id, type, epochs, values);
}

static std::string data_of(const Scene& scene) {
  std::vector<std::string> series;
  if (scene.rate) series.push_back(json_series(*scene.rate, "rate", "rate"));
  if (scene.overall) series.push_back(json_series(*scene.overall, "all", "all"));
  for (std::size_t at = 0; at < scene.sparsities.size(); ++at) {
    series.push_back(json_series(scene.sparsities[at], fmt::format("s{}", at), color_of(at)));
  }
  std::vector<std::string> bands;
  for (const Band& band : scene.bands) {
    bands.push_back(fmt::format("{{\"name\":{},\"b\":{:.7g},\"e\":{:.7g}}}", json_text(band.label + ": " + band.who),
                                band.begin, band.end));
  }
  return fmt::format("{{\"epochs\":{:.17g},\"steps_per_epoch\":{},\"steps\":{},\"series\":[{}],\"bands\":[{}]}}",
                     scene.epochs, scene.steps_per_epoch, scene.steps, fmt::join(series, ","), fmt::join(bands, ","));
}

static std::size_t points_of(const Scene& scene) {
  std::size_t count = scene.rate ? scene.rate->points.size() : 0;
  for (const Series& series : scene.sparsities) count += series.points.size();
  return count;
}

// Returns the scene with the highest resolution that keeps the page small enough.
static Scene scene_of(const ir::Recipe& recipe, const timeline::Run& run) {
  Scene scene = follow(recipe, run, kPageDots);
  for (std::size_t dots = kPageDots / 2; points_of(scene) > kMaxPoints && dots >= 90; dots /= 2) {
    scene = follow(recipe, run, dots);
  }
  return scene;
}

// --- the page ---------------------------------------------------------------------------------------

static std::string head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"sparsecfg {}\">\n<title>{}</title>\n<style>\n{}{}</style>\n</head>\n",
      base::version(), escaped(title), kPageStyle, style());
}

constexpr std::string_view kControls =
    "<div class=\"controls\" hidden><button value=\"in\">Zoom in</button><button value=\"out\">Zoom out</button>"
    "<button value=\"earlier\">Pan left</button><button value=\"later\">Pan right</button>"
    "<button value=\"all\">Reset zoom</button></div>\n";

constexpr std::string_view kKeys =
    "<p class=\"soft\">Hover for values. Drag to zoom, 0 to reset. Keys: arrows (Shift: next change), +, -.</p>\n";

// Layouts of a page. Its style shows the one for the width of the window.
static const Layout kLayouts[] = {
    {kWideWidth, "wide", false, true}, {kMediumWidth, "medium", false, true}, {kNarrowWidth, "narrow", false, true}};

static std::string picture_part(const Scene& scene, const std::string& title) {
  std::string out = "<section id=\"picture\">\n" + std::string(kControls);
  out += "<div id=\"box\" role=\"group\" aria-label=\"Chart of the run\">\n";
  for (const Layout& layout : kLayouts) {
    out += fmt::format("<div class=\"{}\">\n{}</div>\n", layout.id, draw({scene}, title, layout));
  }
  return out + "<div id=\"tip\" aria-live=\"polite\" hidden></div>\n</div>\n" + std::string(kKeys) + "</section>\n";
}

static std::string section(std::string_view id, std::string_view title, const std::string& content) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, title, content);
}

std::string draw_page(const ir::Recipe& recipe, const timeline::Run& run, const source::SourceFile& file,
                      const std::vector<diag::Diagnostic>& findings) {
  const Scene scene = scene_of(recipe, run);
  const std::string& title = file.name();
  std::string out = head(title);
  out +=
      fmt::format("<body>\n<main>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", escaped(title), escaped(caption(scene)));
  out += fmt::format(
      "<nav><a href=\"#picture\">Chart</a><a href=\"#course\">Schedule</a><a href=\"#findings\">Findings ({})</a>"
      "<a href=\"#source\">Source</a></nav>\n",
      findings.size());
  out += picture_part(scene, title);
  out += section("course", "Schedule", schedule_table(recipe, run));
  out += section("findings", "Findings", findings_list(file, findings));
  out += section("source", "Source", marked_source(file, recipe, findings));
  out += fmt::format("</main>\n<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n",
                     data_of(scene), kPageScript);
  return out + "</body>\n</html>\n";
}

std::string draw_one_shot_page(const ir::Recipe& recipe, const ir::OneShot& one_shot, const source::SourceFile& file,
                               const std::vector<diag::Diagnostic>& findings) {
  const std::string& title = file.name();
  const std::string description = describe_one_shot(recipe, one_shot);
  std::string out = head(title);
  out += fmt::format("<body>\n<main>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", escaped(title),
                     escaped(one_shot_caption(recipe)));
  out += fmt::format(
      "<nav><a href=\"#picture\">Chart</a><a href=\"#course\">Modifiers</a><a href=\"#findings\">Findings ({})</a>"
      "<a href=\"#source\">Source</a></nav>\n<section id=\"picture\">\n<div id=\"box\">\n",
      findings.size());
  for (const Layout& layout : kLayouts) {
    out += fmt::format("<div class=\"{}\">\n{}</div>\n", layout.id,
                       wrap_layout(draw_one_shot_body(recipe, one_shot, title, layout), title, description, layout));
  }
  out += "</div>\n</section>\n" + section("course", "Modifiers", one_shot_tables(recipe, one_shot, file));
  out += section("findings", "Findings", findings_list(file, findings));
  out += section("source", "Source", marked_source(file, recipe, findings));
  return out + "</main>\n</body>\n</html>\n";
}

constexpr std::size_t kDots = 720;

std::string draw_svg(const ir::Recipe& recipe, const timeline::Run& run, const std::string& title) {
  return draw_file({follow(recipe, run, kDots)}, title);
}

std::string draw_svg_of_two(const ir::Recipe& first, const timeline::Run& run, const ir::Recipe& second,
                            const timeline::Run& second_run, const std::string& title) {
  return draw_file({follow(first, run, kDots), follow(second, second_run, kDots)}, title);
}

std::string draw_one_shot(const ir::Recipe& recipe, const ir::OneShot& one_shot, const std::string& title) {
  return join_layouts(draw_one_shot_body(recipe, one_shot, title, {}),
                      draw_one_shot_body(recipe, one_shot, title, {kNarrowWidth, "picture", true, false}), title,
                      describe_one_shot(recipe, one_shot));
}

}  // namespace sparsecfg::picture
