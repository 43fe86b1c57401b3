#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/layout.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/look_alikes.h"
#include "dialect/schemes/presets.h"
#include "dialect/stages/table.h"
#include "dialect/view.h"

namespace sparsecfg::dialect::llmcompressor {

// Fields and classes that only SparseML has ever had. The first releases of llm-compressor also read the key `stages`,
// but they are obsolete.
constexpr std::string_view kSparsemlKeys[] = {"LegacyQuantizationModifier", "scheme_overrides",
                                              "post_oneshot_calibration",   "freeze_bn_stats_epoch",
                                              "model_fuse_fn_name",         "model_fuse_fn_kwargs"};

// Returns the modifiers that SparseML never wrote as an item of a list.
static const std::vector<std::string_view>& listed_modifiers() {
  static const std::vector<std::string_view> kListed = [] {
    std::vector<std::string_view> names;
    for (const ClassSpec& spec : table().modifiers) {
      const bool also_sparseml =
          (spec.flags & kMasksTraining) != 0 || spec.kind == DialectEnum(ClassKind::quantization);
      if (!also_sparseml) names.push_back(spec.name);
    }
    return names;
  }();
  return kListed;
}

static bool is_modifier(std::string_view key) { return key.ends_with(stages::kModifierEnd); }

// Returns true if a key of any mapping passes the test.
static bool any_key(const doc::Document& document, auto test) {
  return std::ranges::any_of(document.nodes, [&](const doc::Node& node) {
    for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
      if (test(document[document.resolve(node.items[at])].text)) return true;
    }
    return false;
  });
}

static bool has_tagged_modifier(const doc::Document& document) {
  return std::ranges::any_of(document.nodes, [](const doc::Node& node) {
    return node.tag.starts_with('!') && node.tag.find(stages::kModifierEnd) != std::string_view::npos;
  });
}

// Returns true if a `scheme` is a preset, which only llm-compressor has.
static bool has_preset(const doc::Document& document) {
  return std::ranges::any_of(document.nodes, [&](const doc::Node& node) {
    for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
      const doc::Node& value = document[document.resolve(node.items[at + 1])];
      const bool scheme = document[document.resolve(node.items[at])].text == "scheme";
      if (scheme && value.kind == doc::Kind::scalar && schemes::find_preset(value.text) != nullptr) return true;
    }
    return false;
  });
}

static bool is_sparseml(const doc::Document& document) {
  if (has_tagged_modifier(document)) return true;
  if (has_preset(document)) return false;
  const auto is_evaluated = [](const doc::Node& node) {
    return node.kind == doc::Kind::scalar && node.text.find("eval(") != std::string_view::npos;
  };
  return std::ranges::any_of(document.nodes, is_evaluated) ||
         any_key(document, [](std::string_view key) { return base::contains(kSparsemlKeys, key); }) ||
         View(document).any_entry(
             [](std::string_view key, const View& stages) { return key == "stages" && stages.is(doc::Kind::mapping); });
}

// Returns true for a stage that contains a group, with any content.
static bool has_stage(const View& root) {
  return root.any_entry([](std::string_view key, const View& stage) {
    return (key.ends_with(stages::kStageEnd) || is_numbered_stage(key)) &&
           stage.any_entry([](std::string_view group, const View&) { return group.ends_with(stages::kGroupEnd); });
  });
}

// Returns true if a key down to the level of modifiers is a class name. A list of modifiers is a mistake that is
// reported.
static bool has_modifier(const View& view, int depth) {
  const bool listed = view.any_item([](const View& item) { return item.has_key(listed_modifiers()); });
  return listed || view.any_entry([&](std::string_view key, const View& value) {
    return is_modifier(key) || (depth > 0 && has_modifier(value, depth - 1));
  });
}

bool claims(const doc::Document& document) {
  const View root(document);
  return root.is(doc::Kind::mapping) && (has_stage(root) || has_modifier(root, 3)) && !is_sparseml(document);
}

DIAGNOSTIC(
    LC131, read_as_sparseml, fact, (), "llm-compressor rejects this recipe, so it is checked for SparseML",
    "A recipe in stages may be for SparseML or for llm-compressor. If nothing in it belongs to only one of them, "
    "sparsecfg assumes llm-compressor. It assumes SparseML if llm-compressor only rejects training masks, unknown "
    "classes or fields that it has removed, and SparseML reads the recipe without an error. `--llmc` and a requirement "
    "of the project select "
    "llm-compressor.",
    "pass `--from llm-compressor`, or set `from: llm-compressor` in `.sparsecfg.yaml`, to see all errors")

void report_sparseml(source::Span root, const diag::Diagnostic& error, diag::Sink& sink) {
  sink.report(diag::read_as_sparseml, root)
      .with_label(error.span, error.message)
      .with_help("pass `--from llm-compressor` if it is for llm-compressor");
}

bool may_be_sparseml(const doc::Document& document) {
  return !is_sparseml(document) && !has_preset(document) && !any_key(document, is_own_name);
}

}  // namespace sparsecfg::dialect::llmcompressor
