#include "dialect/modelopt/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace sparsecfg::dialect::modelopt {

using script::Ref;
using Form = script::Value::Kind;

constexpr int kMaxCalls = 16;  // calls that pass a model on, and whose entries add up

Call call_of(const script::Value& object) {
  if (object.kind != Form::object) return Call::none;
  const std::string_view name = base::last_part(object.path);
  const std::string_view owner =
      base::last_part(std::string_view(object.path)
                          .substr(0, object.path.size() - name.size() - (object.path.size() > name.size() ? 1 : 0)));
  if (!owner.empty() && owner.front() >= 'A' && owner.front() <= 'Z') return Call::none;  // a method of a class
  const bool quantization =
      object.imported ? object.path.starts_with(kQuantization) : object.path == fmt::format("mtq.{}", name);
  const bool sparsity =
      object.imported ? object.path.starts_with(kSparsity) : object.path == fmt::format("mts.{}", name);
  if (sparsity) return name == "sparsify" ? Call::sparsify : Call::none;
  static constexpr std::pair<std::string_view, Call> kNames[] = {{"quantize", Call::quantize},
                                                                 {"auto_quantize", Call::auto_quantize},
                                                                 {"set_quantizer_by_cfg", Call::set_by_cfg},
                                                                 {"disable_quantizer", Call::disable},
                                                                 {"enable_quantizer", Call::enable}};
  const auto* found = std::ranges::find(kNames, name, &std::pair<std::string_view, Call>::first);
  return quantization && found != std::end(kNames) ? found->second : Call::none;
}

bool calls(const script::Value& object, std::string_view name) {
  return object.kind == Form::object && object.imported && object.path.starts_with("modelopt.") &&
         base::last_part(object.path) == name;
}

bool calls_any(const script::Value& object, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return calls(object, name); });
}

// Returns true for a call that returns the model that it receives.
static bool returns_model(const script::Value& call) {
  const Call kind = call_of(call);
  return kind == Call::quantize || kind == Call::sparsify ||
         (calls(call, "export") && call.path.starts_with(kSparsity));
}

static Ref argument_model(const script::Value& call) {
  const Ref model = call.argument("model", 0);
  return model != nullptr ? model : call.argument("quant_model");
}

const script::Value* root_of(const script::Value& model) {
  const script::Value* out = &model;
  for (int depth = 0; depth < kMaxCalls && returns_model(*out); ++depth) {
    const Ref inner = argument_model(*out);
    if (inner == nullptr) break;
    out = inner.get();
  }
  return out->identity();
}

const script::Value* model_of(const script::Value& call) {
  const Ref model = argument_model(call);
  return model == nullptr ? nullptr : root_of(*model);
}

Ref value_in(const script::Value& dictionary, std::string_view name) {
  if (dictionary.kind != Form::dictionary || dictionary.open) return nullptr;
  for (std::size_t at = 0; at + 1 < dictionary.items.size(); at += 2) {
    const std::string* key = dictionary.items[at] == nullptr ? nullptr : dictionary.items[at]->string();
    if (key != nullptr && *key == name) return dictionary.items[at + 1];
  }
  return nullptr;
}

Ref entries_of(const Ref& config) {
  const Ref list = config == nullptr ? nullptr : value_in(*config, "quant_cfg");
  return list != nullptr && list->kind == Form::list && !list->open ? list : nullptr;
}

Ref with_entries(const script::Value& config, const Ref& own, std::vector<Ref> entries) {
  std::vector<Ref> items;
  for (std::size_t at = 0; at + 1 < config.items.size(); at += 2) {
    items.push_back(config.items[at]);
    items.push_back(config.items[at + 1] == own ? script::container(Form::list, own->span, entries)
                                                : config.items[at + 1]);
  }
  return script::container(Form::dictionary, config.span, std::move(items));
}

// --- the state of a model ---------------------------------------------------------------------------

static Ref text(std::string_view value, source::Span span) { return script::scalar(span, std::string(value)); }

static Ref switch_entry(const Ref& pattern, bool enable, source::Span span) {
  return script::container(Form::dictionary, span,
                           {text("quantizer_name", pattern->span), pattern, text("enable", pattern->span),
                            script::scalar(pattern->span, enable)});
}

// Returns the dictionary of a call that changes quantizers; null if it is not known.
static Ref own_config(const script::Value& call) {
  const Call kind = call_of(call);
  if (kind == Call::quantize) return call.argument("config", 1);
  Ref list;
  if (kind == Call::set_by_cfg) list = call.argument("quant_cfg", 1);
  if (kind == Call::disable || kind == Call::enable) {
    const Ref pattern = call.argument("wildcard_or_filter_func", 1);
    const bool known = pattern != nullptr && pattern->string() != nullptr;
    const Ref entry = known ? switch_entry(pattern, kind == Call::enable, call.span)
                            : script::unknown(call.span, "a function selects the quantizers");
    list = script::container(Form::list, call.span, {entry});
  }
  if (list == nullptr) return nullptr;
  return script::container(Form::dictionary, call.span, {text("quant_cfg", call.span), list});
}

static Ref config_of(const script::Value& call, int depth);

// Returns the call that has quantized the model before another call; null if there is none.
static const script::Value* earlier_call(const script::Value& call) {
  const script::Value* out = call.owner.get();
  if (out == nullptr) {
    const Ref model = argument_model(call);
    out = model != nullptr && model->kind == Form::object && !model->open && call_of(*model) == Call::quantize
              ? model.get()
              : nullptr;
  }
  // Pruning and its export leave the quantizers as they are.
  while (out != nullptr && out->kind == Form::object &&
         (call_of(*out) == Call::sparsify || call_of(*out) == Call::none))
    out = out->owner.get();
  return out;
}

// Returns the entries whose state a call finds. Empty: the model is not quantized yet.
static std::vector<Ref> entries_before(const script::Value& call, int depth) {
  const auto unknown_state = [&] { return script::unknown(call.span, "the quantizers of the model are not known"); };
  const script::Value* earlier = earlier_call(call);
  if (earlier != nullptr && earlier->kind == Form::unknown) return {unknown_state()};
  if (earlier == nullptr) {
    return call_of(call) == Call::quantize ? std::vector<Ref>() : std::vector<Ref>{unknown_state()};
  }
  if (call_of(*earlier) == Call::auto_quantize) {  // turns off what its result does not name
    return {switch_entry(text("*", earlier->span), false, earlier->span),
            script::unknown(earlier->span, "the search chooses the formats")};
  }
  const Ref list = depth < kMaxCalls ? entries_of(config_of(*earlier, depth + 1)) : nullptr;
  return list == nullptr ? std::vector<Ref>{unknown_state()} : list->items;
}

static Ref config_of(const script::Value& call, int depth) {
  const Ref config = own_config(call);
  std::vector<Ref> entries = config == nullptr ? std::vector<Ref>() : entries_before(call, depth);
  const Ref own = entries.empty() ? nullptr : entries_of(config);
  if (own == nullptr) return config;
  entries.insert(entries.end(), own->items.begin(), own->items.end());
  return with_entries(*config, own, std::move(entries));
}

Ref config_of(const script::Value& call) { return config_of(call, 0); }

Algorithm algorithm_of(const Ref& config) {
  const Ref value = config == nullptr ? nullptr : value_in(*config, "algorithm");
  if (value == nullptr) return {};
  const Ref method = value->kind == Form::dictionary ? value_in(*value, "method") : value;
  const std::string* name = method == nullptr ? nullptr : method->string();
  return {name == nullptr || !method->is_whole() ? std::string() : *name, value};
}

// --- the calls of a script ----------------------------------------------------------------------------

// Returns true for a call that is known to be of ModelOpt and changes the formats or masks of a model.
static bool changes_model(const script::Value& call) {
  const Call kind = call.imported ? call_of(call) : Call::none;
  return kind == Call::quantize || kind == Call::auto_quantize || kind == Call::sparsify;
}

CallsOfModels::CallsOfModels(std::span<const Ref> calls) {
  static constexpr std::string_view kEnds[] = {"export", "restore", "compress"};
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const script::Value& call = *calls[place];
    const PlacedCall placed{place, &call};
    places_.emplace(call.identity(), place);
    OfModel& of = models_[model_of(call)];
    of.all.push_back(placed);
    if (changes_model(call)) of.changes.push_back(placed);
    if (calls_any(call, kEnds)) of.ends.push_back(placed);
  }
}

std::size_t CallsOfModels::place_of(const script::Value& call) const {
  const auto found = places_.find(call.identity());
  return found == places_.end() ? std::numeric_limits<std::size_t>::max() : found->second;
}

const CallsOfModels::OfModel& CallsOfModels::of(const script::Value* model) const {
  static const OfModel kNone;
  const auto found = models_.find(model);
  return found == models_.end() ? kNone : found->second;
}

std::span<const PlacedCall> CallsOfModels::changes_before(const script::Value& call, const script::Value* model) const {
  const std::vector<PlacedCall>& changes = of(model).changes;
  return {changes.begin(), std::ranges::lower_bound(changes, place_of(call), {}, &PlacedCall::place)};
}

std::span<const PlacedCall> CallsOfModels::calls_after(const script::Value& call) const {
  const std::vector<PlacedCall>& all = of(model_of(call)).all;
  return {std::ranges::upper_bound(all, place_of(call), {}, &PlacedCall::place), all.end()};
}

bool CallsOfModels::leaves_mode(const script::Value& first, const script::Value& second) const {
  const std::vector<PlacedCall>& ends = of(model_of(second)).ends;
  const auto next = std::ranges::upper_bound(ends, place_of(first), {}, &PlacedCall::place);
  return next != ends.end() && next->place < place_of(second);
}

}  // namespace sparsecfg::dialect::modelopt
