#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"

// Keras selects whole layers and derives their names from the parameter names (docs/semantics/sparseml.md#b8-9).
namespace sparsecfg::dialect::sparseml {

using source::Value;

constexpr std::string_view kWeights[] = {"kernel", "bias"};

DIAGNOSTIC(SP624, keras_weight_unknown, error, (Text), "`{}` does not end with a parameter name that Keras supports",
           "For Keras, SparseML splits a parameter name into a layer and a parameter. The text between the last `/` "
           "and the `:` must be `kernel` or `bias`, as in `conv1/kernel:0`. The constructor rejects all other names.",
           "end the name with `/kernel:0` or `/bias:0`")

DIAGNOSTIC(SP625, keras_name_without_layer, warning, (Text, Text),
           "`{}` lacks a layer name, so Keras looks for a layer `{}`",
           "For Keras, SparseML uses the text before the last `/` as the name of a layer. Without a `/`, it drops the "
           "last character, usually finds no such layer, and does not report it.",
           "write the layer before the parameter: `conv1/kernel:0`")

class KerasSelectorReader {
 public:
  KerasSelectorReader(const Modifier& modifier, std::string_view field, diag::Sink& sink)
      : modifier_(modifier), field_(field), sink_(sink) {}

  model::Selector read(const Value& value) {
    if (const auto* text = value.get<std::string>()) {
      read_text(*text, value.span);
    } else if (value.get<source::List>() != nullptr) {
      read_list(value);
    } else {
      sink_.report(diag::wrong_type, value.span, field_, "a list of names, or `__ALL__`", source::describe(value));
    }
    return std::move(selector_);
  }

 private:
  // Keras reads a token as a list of one-letter names, which match no layer.
  void read_text(const std::string& text, source::Span span) {
    const std::string token = base::to_upper(text);
    const bool knows_prunable = modifier_.spec->kind != ClassKind::trainable;
    const bool known = token == "__ALL__" || (token == "__ALL_PRUNABLE__" && knows_prunable);
    if (!known) {
      report_string(text, span, field_, knows_prunable, sink_);
    } else {
      sink_.report(diag::token_not_known_here, span, token, modifier_.spec->name, "a list of one-letter names")
          .with_severity(later(modifier_))
          .with_help("write a list such as `['conv1/kernel:0']`: Keras selects no layers here");
    }
  }

  void read_list(const Value& list) {
    for (const Value& item : *list.get<source::List>()) {
      if (item.get<source::List>() != nullptr) {
        read_list(item);
      } else if (const auto* text = item.get<std::string>()) {
        read_name(*text, item.span);
      } else {
        sink_.report(diag::selector_not_text, item.span, source::describe(item), field_);
      }
    }
  }

  // Without a `/`, Keras drops the last letter and uses the rest as the layer name.
  void read_name(const std::string& name, source::Span span) {
    const std::size_t slash = name.rfind('/');
    const std::size_t length = slash != std::string::npos ? slash : name.size() - std::min<std::size_t>(name.size(), 1);
    const std::string layer = name.substr(0, length);
    const std::string shown = name;
    if (slash == std::string::npos) {
      sink_.report(diag::keras_name_without_layer, span, shown, layer)
          .with_help("write the layer before the parameter, such as `conv1/kernel:0`");
    } else if (!is_weight(std::string_view(name).substr(slash + 1))) {
      sink_.report(diag::keras_weight_unknown, span, shown).with_help(fmt::format("write `{}/kernel:0`", layer));
      return;
    } else if (name.starts_with("re:")) {
      sink_.report(diag::token_not_known_here, span, shown, modifier_.spec->name, "the name of a layer")
          .with_severity(later(modifier_))
          .with_help("list the layer names: Keras does not support patterns");
    }
    selector_.terms.push_back({model::Term::Kind::exact, layer, span});
  }

  // Returns true if the text before the last `:` names a weight. Without a `:`, the last letter is dropped.
  static bool is_weight(std::string_view suffix) {
    const std::size_t colon = suffix.rfind(':');
    const std::size_t end =
        colon != std::string_view::npos ? colon : suffix.size() - std::min<std::size_t>(suffix.size(), 1);
    return std::ranges::find(kWeights, suffix.substr(0, end)) != std::end(kWeights);
  }

  const Modifier& modifier_;
  std::string_view field_;
  diag::Sink& sink_;
  model::Selector selector_{{}, model::Selector::Over::layers, false};
};

model::Selector read_keras_selector(const Modifier& modifier, const Value& value, std::string_view field,
                                    diag::Sink& sink) {
  return KerasSelectorReader(modifier, field, sink).read(value);
}

}  // namespace sparsecfg::dialect::sparseml
