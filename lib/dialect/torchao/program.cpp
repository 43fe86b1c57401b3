#include "dialect/torchao/program.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "dialect/quantizers/calls.h"
#include "dialect/quantizers/program.h"
#include "dialect/torchao/read.h"
#include "script/value.h"

namespace sparsecfg::dialect::torchao {

using script::Ref;

namespace {

constexpr std::string_view kCompile = "torch.compile";
constexpr std::string_view kQuantizeName = "quantize_";

// The keys of a program in a document.
constexpr std::string_view kType = "type";
constexpr std::string_view kCompiled = "compiled";
constexpr std::string_view kUse = "use";
constexpr std::string_view kLoaded = "loaded";
constexpr std::string_view kBefore = "before";
constexpr std::string_view kAfter = "after";
constexpr std::string_view kStep = "step";

bool is_quantize(const script::Value& call) {
  const quantizers::Callable* row = quantizers::find_callable(callables(), call);
  return row != nullptr && row->name == kQuantizeName;
}

bool is_compile(const script::Value& value) {
  return value.kind == script::Value::Kind::object && value.imported && value.path == kCompile && !value.items.empty();
}

// Returns the model that `torch.compile` got; another model as it is.
Ref uncompiled(Ref model) {
  if (model != nullptr && is_compile(*model)) model = model->argument("model", 0);
  return model;
}

// Returns the model of a call; null if it is no object.
Ref model_of(const script::Value& call) {
  const Ref model = call.argument("model", 0);
  return model == nullptr || model->kind != script::Value::Kind::object || model->possible ? nullptr : model;
}

void put(script::Value& out, std::string_view key, source::Span span, Ref value) {
  out.items.push_back(script::scalar(span, std::string(key)));
  out.items.push_back(std::move(value));
}

// Returns the arguments of another call, without the model.
Ref arguments_of(const script::Value& call) {
  Ref out = script::container(script::Value::Kind::dictionary, call.span);
  std::size_t position = 1;
  for (const std::string_view name : {"config", "filter_fn"}) {
    const Ref argument = call.argument(name, position++);
    if (argument != nullptr) put(*out, name, argument->span, argument);
  }
  if (call.open || call.argument("**") != nullptr) put(*out, "**", call.span, script::scalar(call.span, true));
  return out;
}

// Returns the step of the configuration of a later call: "" without one. The dictionary is empty if it is not known.
Ref step_of(const script::Value& call) {
  Ref out = script::container(script::Value::Kind::dictionary, call.span);
  const Ref config = call.argument("config", 1);
  const bool known = config != nullptr && config->kind == script::Value::Kind::object && config->imported &&
                     !config->open && !config->possible && !call.open;
  if (!known) return out;
  const Ref step = config->argument("step");
  const bool name = step != nullptr && step->kind == script::Value::Kind::name;
  if (step != nullptr && !name && step->string() == nullptr) return out;
  const std::string word = step == nullptr ? "" : name ? std::string(base::last_part(step->path)) : *step->string();
  put(*out, kStep, call.span, script::scalar(call.span, base::to_lower(word)));
  return out;
}

// Returns true for a call that gets a model, but neither changes its modules nor keeps it.
bool is_harmless(const script::Value& call) { return is_quantize(call) || is_compile(call); }

// Returns true if the model is as `from_pretrained` returns it, except for calls of `quantize_`.
bool is_loaded(std::span<const Ref> earlier, const script::Value& model, const script::Value& call) {
  const bool loads = model.imported && model.path.ends_with(".from_pretrained");
  const bool kept = !model.escaped || model.why.begin > call.span.begin;
  return loads && kept && std::ranges::none_of(earlier, [&](const Ref& each) {
           return !is_harmless(*each) && quantizers::receives(*each, model);
         });
}

// Adds the calls with the same model. A loop can reach a call several times.
void add_others(std::span<const Ref> calls, const script::Value& model, const script::Value& call, std::string_view key,
                script::Value& out) {
  Ref list = script::container(script::Value::Kind::list, call.span);
  for (const Ref& each : calls) {
    const Ref own = is_quantize(*each) && each->span != call.span ? uncompiled(model_of(*each)) : nullptr;
    if (own == nullptr || own->identity() != model.identity()) continue;
    list->items.push_back(key == kAfter ? step_of(*each) : arguments_of(*each));
  }
  constexpr std::size_t kMost = 16;  // more calls than that are a loop over layers
  if (!list->items.empty() && list->items.size() <= kMost) put(out, key, call.span, list);
}

// Adds the first use of the result of a call, which is None.
void add_use(std::span<const Ref> later, const script::Value& call, script::Value& out) {
  for (const Ref& each : later) {
    const bool method = quantizers::is_of(*each, call);
    if (!method && !(is_quantize(*each) && quantizers::receives(*each, call))) continue;
    const std::string use = method ? std::string(base::last_part(each->path)) : std::string(kQuantizeName);
    return put(out, kUse, each->span, script::scalar(each->span, use));
  }
}

// Returns the call that loads a model with a configuration.
const script::Value* loader_of(std::span<const Ref> calls, const script::Value& config) {
  for (const Ref& each : calls) {
    const Ref given = each->path.ends_with("from_pretrained") ? each->argument("quantization_config", 1) : nullptr;
    if (given != nullptr && given->identity() == config.identity()) return each.get();
  }
  return nullptr;
}

}  // namespace

Ref program_around(const script::Trace& trace, const Ref& call) {
  constexpr std::size_t kMostCalls = 2000;  // that are searched for each call
  const std::span<const Ref> calls = quantizers::calls_that_run(trace);
  if (calls.size() > kMostCalls) return nullptr;
  const auto found = std::ranges::find_if(calls, [&](const Ref& each) { return each->identity() == call->identity(); });
  if (found == calls.end()) return nullptr;
  const auto place = static_cast<std::size_t>(found - calls.begin());
  const bool quantizes = is_quantize(*call);
  const Ref given = quantizes ? model_of(*call) : nullptr;
  const Ref model = uncompiled(given);
  const script::Value* loaded = quantizes ? model.get() : loader_of(calls, *call);
  Ref out = script::container(script::Value::Kind::dictionary, call->span);
  if (quantizes) add_use(calls.subspan(place + 1), *call, *out);
  if (loaded == nullptr) return out->items.empty() ? nullptr : out;
  const auto type = quantizers::parameter_type(trace, *loaded, quantizes ? *call : *loaded);
  if (type) {
    const Ref stated = script::scalar(type->span, type->name);
    for (const std::string_view name : {"dtype", "torch_dtype"}) {
      const Ref argument = loaded->argument(name);
      if (argument != nullptr && argument->span == type->span) stated->assumed = argument->assumed;
    }
    put(*out, kType, type->span, stated);
  }
  if (quantizes) {
    if (given != model) put(*out, kCompiled, given->span, script::scalar(given->span, true));
    if (is_loaded(calls.first(place), *model, *call)) put(*out, kLoaded, call->span, script::scalar(call->span, true));
    add_others(calls.first(place), *model, *call, kBefore, *out);
    add_others(calls.subspan(place + 1), *model, *call, kAfter, *out);
  }
  return out->items.empty() ? nullptr : out;
}

// --- the document ---------------------------------------------------------------------------------------

namespace {

// Returns true if a later call converts prepared layers, or may do so.
bool converts(const source::Value& program) {
  const source::Value* list = program.find(kAfter);
  const auto* items = list == nullptr ? nullptr : list->get<source::List>();
  return items != nullptr && std::ranges::any_of(*items, [](const source::Value& call) {
           const source::Value* step = call.find(kStep);
           const auto* word = step == nullptr ? nullptr : step->get<std::string>();
           return word == nullptr || *word == "convert";
         });
}

std::vector<OtherCall> calls_in(const source::Value& program, std::string_view key) {
  std::vector<OtherCall> out;
  const source::Value* list = program.find(key);
  const auto* items = list == nullptr ? nullptr : list->get<source::List>();
  for (std::size_t at = 0; items != nullptr && at < items->size(); ++at)
    out.push_back({(*items)[at], (*items)[at].span});
  return out;
}

source::Located<std::string> text_in(const source::Value& program, std::string_view key) {
  const source::Value* value = program.find(key);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? source::Located<std::string>() : source::Located<std::string>{*text, value->span};
}

}  // namespace

Program program_of(const source::Value& root) {
  const source::Value* program = root.find(quantizers::kProgramKey);
  Program out;
  if (program == nullptr) return out;
  out.type = text_in(*program, kType);
  out.use = text_in(*program, kUse);
  if (const source::Value* compiled = program->find(kCompiled)) out.compiled = compiled->span;
  out.is_loaded = program->find(kLoaded) != nullptr;
  out.before = calls_in(*program, kBefore);
  out.converts_later = converts(*program);
  return out;
}

// --- order ----------------------------------------------------------------------------------------------

namespace {

using python::Statement;

bool contains(source::Span outer, source::Span inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

source::Span span_of(const std::vector<Statement>& block) {
  return block.empty() ? source::Span() : source::Span{block.front().span.begin, block.back().span.end};
}

// Returns true if every statement of the blocks that contain `first` runs before `second`.
bool precedes(const std::vector<Statement>& block, source::Span first, source::Span second) {
  const auto found = std::ranges::find_if(block, [&](const Statement& each) { return contains(each.span, first); });
  if (found == block.end()) return false;
  for (const auto* inner : {&found->body, &found->clauses, &found->otherwise, &found->last}) {
    if (!contains(span_of(inner->items()), first)) continue;
    const bool runs = found->kind == Statement::Kind::with || contains(span_of(inner->items()), second);
    return runs && precedes(inner->items(), first, second);
  }
  return true;
}

}  // namespace

bool always_before(const python::Script& script, source::Span first, source::Span second) {
  return first.end <= second.begin && precedes(script.statements, first, second);
}

}  // namespace sparsecfg::dialect::torchao
