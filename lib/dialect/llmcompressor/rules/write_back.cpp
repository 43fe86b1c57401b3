#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"

// Reports values that llm-compressor can't read back from the recipe.yaml that it writes next to a model.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

DIAGNOSTIC(LC601, unreadable_write_back, fact, (Text), "the recipe.yaml of this run cannot be read back: {}",
           "llm-compressor saves its recipe next to the model. It writes some values as Python objects, which its "
           "loader rejects. A later run on the saved model then fails when it saves the model.",
           "write the value as a plain string, number, list or mapping")

namespace {

// Finds quantization arguments without fields that llm-compressor then writes as Python objects.
class Unwritten {
 public:
  void look_at(const Value* arguments) {
    const auto* map = arguments == nullptr ? nullptr : arguments->get<source::Map>();
    if (map == nullptr || map->empty()) {
      found_ = found_ || (map != nullptr);
      place_ = place_.empty() && map != nullptr ? arguments->span : place_;
      fixable_ = fixable_ && map == nullptr;
      return;
    }
    const QuantizationArgs args = read_args(*arguments);
    add(*arguments, *map, "type", args.is_float ? "float" : "int");
    add(*arguments, *map, "strategy", to_string(args.strategy));
  }

  void report(const Context& context) {
    if (found_) {
      context.sink
          .report(diag::unreadable_write_back, place_, "arguments without `type` and `strategy` become Python objects")
          .with_help("write `type` and `strategy` in all arguments")
          .with_fix(fixable_ ? std::move(fix_) : diag::Fix());
    }
  }

 private:
  void add(const Value& arguments, const source::Map& map, std::string_view name, std::string_view value) {
    const Value* given = arguments.find(name);
    if (given != nullptr && !given->is_null()) {
      return;
    }
    place_ = place_.empty() ? map.front().first.span : place_;
    found_ = true;
    if (given != nullptr) {
      fix_.replace(given->span, std::string(value));
    } else {
      fix_.add_entry(map.back().first.span, fmt::format("{}: {}", name, value));
    }
  }

  bool found_ = false;
  bool fixable_ = true;
  source::Span place_;
  diag::Fix fix_ = diag::Fix::safe();
};

}  // namespace

static void check_arguments(const Context& context, const Quantization& quantization) {
  Unwritten unwritten;
  for (const source::Entry& group : quantization.config_groups.value_or({})) {
    for (const std::string_view part : {"weights", "input_activations", "output_activations"}) {
      unwritten.look_at(group.second.find(part));
    }
  }
  unwritten.look_at(quantization.kv_cache_scheme.given());
  unwritten.report(context);
}

// Reports a device that is written as a Python object: the default, or a torch device. Another device changes the time
// and memory of the run, so there is no fix.
static void check_device_back(const Context& context, const Setting<std::string>& setting) {
  const Field* device = setting.field();
  const auto* text = device == nullptr ? nullptr : device->value.get<std::string>();
  const bool absent = device == nullptr && !setting.rejected();
  if (absent || (text != nullptr && *text != "cpu")) {
    context.sink
        .report(diag::unreadable_write_back, setting.place(), "the device of `AWQModifier` becomes a Python object")
        .with_help("write `offload_device: cpu`");
  }
}

void check_write_back(const Context& context, const Modifier& modifier) {
  if (const auto* quantization = modifier.valid ? modifier.as<Quantization>() : nullptr) {
    check_arguments(context, *quantization);
  } else if (const auto* awq = modifier.as<Awq>()) {
    check_device_back(context, awq->offload_device);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
