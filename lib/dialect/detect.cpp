#include "dialect/detect.h"

#include <algorithm>
#include <array>
#include <span>

namespace sparsecfg::dialect {

using doc::Document;
using doc::Kind;
using doc::Node;
using doc::NodeId;
using Words = std::span<const std::string_view>;

// A look at one node for what tells the dialects apart; aliases are followed.
class View {
 public:
  View(const Document& document, NodeId id) : document_(document), node_(document[document.resolve(id)]) {}

  bool is(Kind kind) const { return node_.kind == kind; }

  // Whether the test holds for any item of a sequence.
  bool any_item(auto test) const {
    return is(Kind::sequence) &&
           std::ranges::any_of(node_.items, [&](NodeId item) { return test(View(document_, item)); });
  }

  // Whether the test holds for any key and value of a mapping.
  bool any_entry(auto test) const {
    for (std::size_t at = 0; is(Kind::mapping) && at + 1 < node_.items.size(); at += 2) {
      if (test(document_[document_.resolve(node_.items[at])].text, View(document_, node_.items[at + 1]))) {
        return true;
      }
    }
    return false;
  }

  bool has_key(Words names) const {
    return any_entry([&](std::string_view key, const View&) { return std::ranges::find(names, key) != names.end(); });
  }

 private:
  const Document& document_;
  const Node& node_;
};

// Keys of an NNI configuration that no other kind of file has. `exclude` alone tells nothing: the
// files of many tools are lists with that key.
constexpr std::string_view kNniKeys[] = {
    "op_types",         "op_names",         "op_names_re",         "op_partial_names",
    "exclude_op_types", "exclude_op_names", "exclude_op_names_re", "sparsity",
    "sparse_ratio",     "initial_sparsity", "total_sparsity",      "quant_types",
    "quant_bits",       "quant_dtype"};

static bool is_nni_list(const View& list) {
  return list.any_item([](const View& item) { return item.has_key(kNniKeys); });
}

// A list of configurations, alone or under `config_list`, at the top or one level below; several
// compressors; or, before 2.0, a class with its `config`.
static bool is_nni(const Document& document) {
  const auto names_list = [](std::string_view key, const View& value) {
    return key == "config_list" || (key == "config" && is_nni_list(value));
  };
  const View root(document, document.root);
  return is_nni_list(root) || root.any_entry([&](std::string_view key, const View& value) {
    return key == "config_list" || (key == "compressors" && value.is(Kind::sequence)) || value.any_entry(names_list);
  });
}

static bool is_modifier_tag(const Node& node) {
  return node.tag.starts_with('!') && (node.tag.ends_with("Modifier") || node.tag.ends_with("Modifier:"));
}

static bool has_groups(const View& stage) {
  return stage.any_entry(
      [](std::string_view key, const View&) { return key.find("modifiers") != std::string_view::npos; });
}

// A modifier's tag anywhere, or a key that contains `modifiers` at the top level, in a mapping there
// or in a mapping of `stages`, or a stage.
static bool is_sparseml(const Document& document) {
  return std::ranges::any_of(document.nodes, is_modifier_tag) ||
         View(document, document.root).any_entry([](std::string_view key, const View& value) {
           return key.find("modifiers") != std::string_view::npos ||
                  (key.ends_with("_stage") && value.is(Kind::mapping)) || has_groups(value) ||
                  (key == "stages" &&
                   value.any_entry([](std::string_view, const View& stage) { return has_groups(stage); }));
         });
}

constexpr std::string_view kDistillerSections[] = {"pruners", "regularizers", "quantizers", "lr_schedulers"};
constexpr std::string_view kDistillerInstances[] = {"pruner", "regularizer", "quantizer", "lr_scheduler", "extension"};
constexpr std::string_view kClass[] = {"class"};

// `policies` and `extensions` are sections of many other files too, so what is in them counts.
static bool is_distiller(const Document& document) {
  const View root(document, document.root);
  return root.has_key(kDistillerSections) || root.any_entry([](std::string_view key, const View& value) {
    return (key == "policies" &&
            value.any_item([](const View& policy) { return policy.has_key(kDistillerInstances); })) ||
           (key == "extensions" &&
            value.any_entry([](std::string_view, const View& one) { return one.has_key(kClass); }));
  });
}

struct Row {
  Dialect dialect;
  bool (*claims)(const Document&);
  Words words;  // that tell a text which can't be read
};

constexpr std::string_view kNniWords[] = {"config_list", "op_types", "op_names"};
constexpr std::string_view kSparsemlWords[] = {"Modifier", "modifiers:"};
constexpr std::string_view kDistillerWords[] = {
    "policies:", "pruners:", "regularizers:", "quantizers:", "lr_schedulers:"};

constexpr Row kNni{{"nni", "an NNI configuration", false}, is_nni, kNniWords};
constexpr Row kSparseml{{"sparseml", "a SparseML recipe", true}, is_sparseml, kSparsemlWords};
constexpr Row kDistiller{{"distiller", "a Distiller schedule", false}, is_distiller, kDistillerWords};

// The first that claims a file has it.
constexpr std::array kRows = {&kNni, &kSparseml, &kDistiller};

static bool mentions(std::string_view text, Words words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

static const Dialect* first_row(auto fits) {
  const auto found = std::ranges::find_if(kRows, fits);
  return found == kRows.end() ? nullptr : &(*found)->dialect;
}

const Dialect* detect(const Document& document) {
  return first_row([&](const Row* row) { return row->claims(document); });
}

const Dialect* detect(std::string_view unreadable) {
  return first_row([&](const Row* row) { return mentions(unreadable, row->words); });
}

const Dialect* detect_in_script(std::string_view script) {
  return mentions(script, kNniWords) ? &kNni.dialect : nullptr;
}

}  // namespace sparsecfg::dialect
