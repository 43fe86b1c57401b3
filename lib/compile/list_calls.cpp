#include "compile/list_calls.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "compile/places.h"
#include "dialect/script_call.h"

// Writes the constructors that receive a configuration list, with the arguments that are known.
namespace sparsecfg::places {

using script::Ref;
using script::Value;

ListCalls::ListCalls(const script::Trace& trace, const dialect::Dialect& dialect) : trace_(trace), dialect_(dialect) {}

// The names of classes begin with a capital letter, those of functions do not.
bool ListCalls::constructs(const Value& call) const {
  const std::string_view name = base::last_part(call.path);
  return call.imported && is_inside(call.path, dialect_) && !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
}

void ListCalls::add(const Value& list, const Value& call) {
  if (!constructs(call)) return;
  auto& calls = calls_[list.identity()];
  const auto same = [&](const Value* other) { return other->span == call.span; };
  if (std::ranges::none_of(calls, same)) calls.push_back(&call);
}

// The trace has copies of calls that receive a list, so that calls are compared by their places.
static bool is_object_of(const Ref& argument, const Value& call) {
  return argument != nullptr && argument->kind == Value::Kind::object && argument->span == call.span &&
         argument->path == call.path;
}

// Returns true if a call gets the object that another call constructs.
static bool receives(const Value& call, const Value& object) {
  return std::ranges::any_of(call.items, [&](const Ref& item) { return is_object_of(item, object); });
}

// Returns the only constructor that gets the object of another one, or null.
const Value* ListCalls::wrapper_of(const Value& call) const {
  const Value* found = nullptr;
  for (const Ref& other : trace_.objects) {
    const bool wraps = constructs(*other) && !script::place_of_recipe(*other) && receives(*other, call);
    if (wraps && found != nullptr) return nullptr;
    if (wraps) found = other.get();
  }
  return found;
}

// Returns the only call of `compress` of an object, or null.
const Value* ListCalls::compress_of(const Value& call) const {
  const Value* found = nullptr;
  for (const Ref& other : trace_.objects) {
    if (other->path != dialect::kCompressMethod || !is_object_of(other->owner, call)) continue;
    if (found != nullptr) return nullptr;
    found = other.get();
  }
  return found;
}

// Returns the first call of `ModelSpeedup` with the model that a constructor got, after `compress`. Returns null if a
// method unwraps a model, or if other code may do it.
const Value* ListCalls::speedup_of(const Value& call, const Value& compress) const {
  const Ref model = call.argument("model", 0);
  if (model == nullptr || model->kind != Value::Kind::object || model->possible || call.escaped || call.possible)
    return nullptr;
  const Value* found = nullptr;
  bool runs = false;
  for (const Ref& other : trace_.objects) {
    if (base::last_part(other->path).find("unwrap_model") != std::string_view::npos) return nullptr;
    const bool may_change = receives(*other, call) && !constructs(*other);
    if (may_change) return nullptr;
    runs = runs || other.get() == &compress;
    const bool speeds_up = runs && other->imported && base::last_part(other->path) == "ModelSpeedup";
    if (found == nullptr && speeds_up && is_object_of(other->argument("model", 0), *model)) found = other.get();
  }
  return found;
}

static bool is_known(const Value& argument) {
  return argument.kind == Value::Kind::scalar && (argument.string() == nullptr || argument.is_whole());
}

// Adds the arguments of a call, without `wrapped` and the list.
static void add_arguments(const Value& call, const Value* wrapped, dialect::ObjectWriter& writer,
                          std::vector<doc::NodeId>& out) {
  const std::size_t positional = call.items.size() - call.names.size();
  const auto list = script::place_of_recipe(call);
  std::vector<doc::NodeId> known;
  std::vector<doc::NodeId> unknown;
  for (std::size_t at = 0; at < call.items.size(); ++at) {
    const Ref& item = call.items[at];
    const bool named = at >= positional;
    const source::Span place = named ? call.names[at - positional].span : item->span;
    const doc::NodeId name = writer.text(named ? call.names[at - positional].value : std::to_string(at), place);
    if (at == list || (wrapped != nullptr && is_object_of(item, *wrapped))) continue;
    if (is_known(*item)) {
      known.insert(known.end(), {name, writer.value(*item)});
    } else {
      unknown.push_back(name);
    }
  }
  out.insert(out.end(),
             {writer.text(dialect::kCallArguments, call.span), writer.mapping(std::move(known), call.span),
              writer.text(dialect::kCallUnknown, call.span), writer.sequence(std::move(unknown), call.span)});
}

static void add_speedup(const Value& speedup, dialect::ObjectWriter& writer, std::vector<doc::NodeId>& out) {
  const source::Span name = speedup.name_span.empty() ? speedup.span : speedup.name_span;
  out.insert(out.end(), {writer.text(dialect::kCallSpeedup, name), writer.text("ModelSpeedup", name)});
}

// Adds the arguments of `compress`, and its place among all calls.
void ListCalls::add_compress(const Value& compress, dialect::ObjectWriter& writer,
                             std::vector<doc::NodeId>& out) const {
  std::vector<doc::NodeId> arguments;
  add_arguments(compress, nullptr, writer, arguments);
  const auto same = [&](const Ref& each) { return each.get() == &compress; };
  const auto order = std::ranges::find_if(trace_.objects, same) - trace_.objects.begin();
  out.insert(out.end(),
             {writer.text(dialect::kCallCompress, compress.span), writer.mapping(std::move(arguments), compress.span),
              writer.text(dialect::kCallOrder, compress.span), writer.text(std::to_string(order), compress.span)});
}

doc::NodeId ListCalls::mapping_of(const Value& call, const Value* wrapped, dialect::ObjectWriter& writer) const {
  const source::Span name = call.name_span.empty() ? call.span : call.name_span;
  std::vector<doc::NodeId> items{writer.text(dialect::kCallClass, name), writer.text(base::last_part(call.path), name),
                                 writer.text(dialect::kCallPath, name), writer.text(call.path, name)};
  add_arguments(call, wrapped, writer, items);
  if (wrapped != nullptr) {
    items.push_back(writer.text(dialect::kCallWrapped, wrapped->span));
    items.push_back(mapping_of(*wrapped, nullptr, writer));
  }
  if (const Value* compress = compress_of(call)) {
    add_compress(*compress, writer, items);
    const Value* speedup = speedup_of(wrapped == nullptr ? call : *wrapped, *compress);
    if (speedup != nullptr) add_speedup(*speedup, writer, items);
  }
  return writer.mapping(std::move(items), call.span);
}

std::optional<doc::NodeId> ListCalls::write(const Value& list, dialect::ObjectWriter& writer) const {
  const auto found = calls_.find(list.identity());
  if (found == calls_.end()) return std::nullopt;
  std::vector<doc::NodeId> items;
  for (const Value* call : found->second) {
    const Value* wrapper = wrapper_of(*call);
    items.push_back(wrapper == nullptr ? mapping_of(*call, nullptr, writer) : mapping_of(*wrapper, call, writer));
  }
  return writer.sequence(std::move(items), found->second.front()->span);
}

}  // namespace sparsecfg::places
