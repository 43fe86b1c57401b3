#include "picture/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "ir/describe.h"
#include "picture/text.h"

namespace sparsecfg::picture {

constexpr std::size_t kMaxLinesOfBox = 8;
constexpr double kLine = 17;
constexpr double kGapOfBoxes = 16;
constexpr double kSizeBar = 14;

static bool needs_dataset(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, &ir::Action::needs_data);
}

std::string one_shot_caption(const ir::Recipe& recipe) {
  return fmt::format("one-shot, {} in this order; {}", base::counted(recipe.actions.size(), "modifier"),
                     needs_dataset(recipe) ? "requires a dataset" : "no dataset required");
}

static std::string_view data_text(const ir::Action& action) {
  return action.needs_data ? "requires data" : "data-free";
}

// Returns what an action does, one line for each scheme, mapping, list of settings and list of ignored layers.
static std::vector<std::string> lines_of_step(const ir::OneShotStep& step, const ir::Action& action) {
  std::vector<std::string> out;
  for (const ir::SchemeOfLayers& each : step.schemes) out.push_back(each.layers + ": " + each.scheme);
  const auto selectors = ir::selectors_of(action.effect);
  for (const model::Selector* selector : selectors) {
    if (step.schemes.empty()) out.push_back("layers " + ir::selector_text(*selector));
  }
  for (const std::string& mapping : step.mappings) out.push_back("mapping " + mapping);
  if (!step.settings.empty()) out.push_back(fmt::format("{}", fmt::join(step.settings, ", ")));
  if (!step.ignored.empty()) out.push_back(fmt::format("ignores {}", fmt::join(step.ignored, ", ")));
  return out;
}

std::string describe_one_shot(const ir::Recipe& recipe, const ir::OneShot& one_shot) {
  std::string out = one_shot_caption(recipe) + ". ";
  for (std::size_t at = 0; at < one_shot.steps.size(); ++at) {
    const ir::Action& action = recipe.actions[at];
    out += fmt::format("{}, {}: {}. ", ir::printable_name(action.origin), data_text(action),
                       fmt::join(lines_of_step(one_shot.steps[at], action), "; "));
  }
  return out + "Size of the weights: " + ir::size_text(one_shot) + ".";
}

static std::string bits_text(const ir::StoredLayers& row) {
  const bool known = row.weights && *row.weights > 0;
  return known ? fmt::format("{:.2f} bits per weight", row.bits / static_cast<double>(*row.weights)) : "size unknown";
}

static std::string scheme_of(const ir::StoredLayers& row) { return row.scheme.empty() ? "not quantized" : row.scheme; }

namespace {

class OneShotDrawing {
 public:
  OneShotDrawing(const ir::Recipe& recipe, const ir::OneShot& one_shot, const Layout& layout)
      : recipe_(recipe), one_shot_(one_shot), layout_(layout), room_(layout.width - 2 * kMargin) {}

  Drawn draw(const std::string& title) {
    if (layout_.heading) {
      body_ += text_at(kMargin, 24, "title", shortened(title, kTitleSize * 1.1, room_));
      body_ += text_at(kMargin, 42, "muted", shortened(one_shot_caption(recipe_), kTextSize, room_));
      top_ = 46;
    }
    std::string stage;
    for (std::size_t at = 0; at < one_shot_.steps.size(); ++at) {
      const std::string& now = recipe_.actions[at].origin.stage;
      if (now != stage) {
        body_ += text_at(kMargin, top_ += 24, "muted", shortened(now, kTextSize, room_));
        top_ += 6;
      } else if (at > 0) {
        add_arrow();
      }
      stage = now;
      add_box(at);
    }
    add_sizes();
    return {std::move(body_), top_ + 16};
  }

 private:
  // Joins two boxes.
  void add_arrow() {
    body_ += fmt::format("<path class=\"arrow\" d=\"M{0} {1:.1f}v{2}m-4 -5l4 5l4 -5\"/>\n", kMargin + 20, top_,
                         kGapOfBoxes - 1);
    top_ += kGapOfBoxes;
  }

  void add_box(std::size_t at) {
    const ir::Action& action = recipe_.actions[at];
    std::vector<std::string> lines = lines_of_step(one_shot_.steps[at], action);
    if (lines.size() > kMaxLinesOfBox) {
      const std::size_t more = lines.size() - kMaxLinesOfBox + 1;
      lines.resize(kMaxLinesOfBox - 1);
      lines.push_back(fmt::format("and {} more", more));
    }
    const double height = 26 + kLine * static_cast<double>(lines.size());
    const double inner = room_ - 20;
    body_ += fmt::format("<rect class=\"bar\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" rx=\"4\"/>\n",
                         kMargin, top_, room_, height);
    const std::string data(data_text(action));
    const std::string name = fmt::format("{}. {}", at + 1, base::printable(action.origin.class_name));
    if (layout_.links) body_ += fmt::format("<a href=\"#a{}\">", at);
    body_ += text_at(kMargin + 10, top_ + 17, "strong",
                     shortened(name, kTextSize * 1.1, inner - width_of(data, kTextSize) - 10));
    if (layout_.links) body_ += "</a>\n";
    body_ += text_at(layout_.width - kMargin - 10, top_ + 17, "y", data);
    for (std::size_t line = 0; line < lines.size(); ++line) {
      body_ += text_at(kMargin + 10, top_ + 17 + kLine * static_cast<double>(line + 1), "",
                       shortened(lines[line], kTextSize, inner));
    }
    top_ += height;
  }

  // Draws the size of each kind of layers: an outline for 16 bits per weight, and a bar for the recipe.
  void add_sizes() {
    double largest = 0;
    for (const ir::StoredLayers& row : one_shot_.stored) {
      largest = std::max(largest, static_cast<double>(row.weights.value_or(0)) * 16);
    }
    body_ += text_at(kMargin, top_ += 30, "strong", "size of the weights");
    add_total();
    for (const ir::StoredLayers& row : one_shot_.stored) add_size(row, largest);
    if (largest > 0) {
      body_ +=
          text_at(kMargin, top_ += 24, "muted", shortened("outline: size at 16 bits per weight", kTextSize, room_));
    }
  }

  // Writes each figure on a separate line if they do not fit on one line.
  void add_total() {
    std::string text = ir::size_text(one_shot_);
    while (width_of(text, kTextSize) > room_ && text.find(", ") != std::string::npos) {
      body_ += text_at(kMargin, top_ += kLine, "muted", text.substr(0, text.find(", ")));
      text.erase(0, text.find(", ") + 2);
    }
    body_ += text_at(kMargin, top_ += kLine, "muted", shortened(text, kTextSize, room_));
  }

  void add_size(const ir::StoredLayers& row, double largest) {
    top_ += 24;
    const std::string layers = base::counted(row.layers, "layer");
    body_ += text_at(kMargin, top_, "",
                     shortened(fmt::format("{}: {}, {}", row.type, scheme_of(row), layers), kTextSize, room_));
    if (!row.weights || *row.weights == 0) {
      body_ += text_at(kMargin, top_ += kLine, "muted", "size unknown");
      return;
    }
    const double before = static_cast<double>(*row.weights) * 16;
    body_ +=
        text_at(kMargin, top_ += kLine, "muted",
                shortened(fmt::format("{} of {}, {}", ir::bytes_text(row.bits), ir::bytes_text(before), bits_text(row)),
                          kTextSize, room_));
    top_ += 6;
    for (const auto& [type, bits] : {std::pair("outline", before), std::pair("stored", row.bits)}) {
      body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n", type, kMargin,
                           top_, std::max(1.0, room_ * bits / largest), kSizeBar);
    }
    top_ += kSizeBar;
  }

  const ir::Recipe& recipe_;
  const ir::OneShot& one_shot_;
  const Layout& layout_;
  double room_;
  double top_ = 0;
  std::string body_;
};

}  // namespace

Drawn draw_one_shot_body(const ir::Recipe& recipe, const ir::OneShot& one_shot, const std::string& title,
                         const Layout& layout) {
  return OneShotDrawing(recipe, one_shot, layout).draw(title);
}

// --- tables -----------------------------------------------------------------------------------------

static std::string head_of_table(std::string_view label, const std::vector<std::string_view>& columns) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"text\">\n<thead><tr>",
      label);
  for (const std::string_view column : columns) out += fmt::format("<th scope=\"col\">{}</th>", column);
  return out + "</tr></thead>\n<tbody>\n";
}

static std::string row_of_table(const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<td>{}</td>", cell);
  return out + "</tr>\n";
}

std::string one_shot_tables(const ir::Recipe& recipe, const ir::OneShot& one_shot, const source::SourceFile& file) {
  std::string out = head_of_table("Modifiers", {"no.", "modifier", "line", "data", "what it does"});
  for (std::size_t at = 0; at < one_shot.steps.size(); ++at) {
    const ir::Action& action = recipe.actions[at];
    std::vector<std::string> lines;
    for (const std::string& line : lines_of_step(one_shot.steps[at], action)) lines.push_back(escaped(line));
    const std::uint32_t line = file.position(action.origin.span.begin).line;
    out += row_of_table({fmt::format("{}", at + 1), escaped(action.origin.class_name),
                         fmt::format("<a href=\"#L{0}\">{0}</a>", line), std::string(data_text(action)),
                         fmt::format("{}", fmt::join(lines, "<br>"))});
  }
  out += "</tbody>\n</table></div>\n";
  if (one_shot.stored.empty()) {
    return out;
  }
  out += "<h3>Layers</h3>\n" + head_of_table("Layers", {"layer type", "scheme", "layers", "weights", "size"});
  for (const ir::StoredLayers& row : one_shot.stored) {
    out += row_of_table({escaped(row.type), escaped(scheme_of(row)), fmt::format("{}", row.layers),
                         row.weights ? fmt::format("{}", *row.weights) : "unknown",
                         fmt::format("{}, {}", row.weights ? ir::bytes_text(row.bits) : "unknown", bits_text(row))});
  }
  return out + "</tbody>\n</table></div>\n";
}

}  // namespace sparsecfg::picture
