#include "dialect/quantizers/calls.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/stages/settings.h"
#include "script/value.h"

namespace sparsecfg::dialect::quantizers {

const Callable* find_callable(std::span<const Callable> rows, const script::Value& object) {
  const std::string_view name = base::last_part(object.path);
  const auto fits = [&](const Callable& row) {
    return row.name == name &&
           (object.imported ? object.path.starts_with(row.package) : name.size() == object.path.size());
  };
  const auto found = std::ranges::find_if(rows, fits);
  return object.kind != script::Value::Kind::object || found == rows.end() ? nullptr : &*found;
}

bool is_call(const doc::Document& document, std::span<const Callable> rows) {
  return std::ranges::any_of(
      rows, [&](const Callable& row) { return member(document, document.root, row.name).has_value(); });
}

// Returns the call with a name for each positional argument.
static script::Value named(const Callable& row, const script::Value& call) {
  script::Value out = call;
  if (call.items.size() < call.names.size()) {  // its values are not known
    out.items.clear();
    out.names.clear();
    out.open = true;
    return out;
  }
  const std::size_t positional = call.items.size() - call.names.size();
  const std::size_t known = std::min(positional, row.positional.size());
  out.span = call.name_span;
  out.items.erase(out.items.begin() + static_cast<std::ptrdiff_t>(known),
                  out.items.begin() + static_cast<std::ptrdiff_t>(positional));
  for (std::size_t at = 0; at < known; ++at) {
    out.names.insert(out.names.begin() + static_cast<std::ptrdiff_t>(at),
                     {std::string(row.positional[at]), call.items[at]->span});
  }
  return out;
}

doc::Document document_of(const Callable& row, const script::Value& call, script::Ref (*plain)(const script::Value&),
                          source::Span root, base::Budget& budget, const script::Value* program) {
  ObjectWriter writer(plain, budget);
  // Findings at a key are dropped if a part of its value is unknown, as the model of a call is. The place of the name
  // is that of the arguments.
  const doc::NodeId name = writer.text(row.name, {root.begin, root.begin});
  const doc::NodeId arguments = writer.arguments(named(row, call));
  std::vector<doc::NodeId> entries{name, arguments};
  if (program != nullptr) {
    entries.push_back(writer.text(kProgramKey, {root.begin, root.begin}));
    entries.push_back(writer.value(*program));
  }
  return writer.take(writer.mapping(std::move(entries), root));
}

ir::Origin origin_of(std::string_view name, source::Span span, const source::Value& config) {
  ir::Origin origin;
  origin.class_name = std::string(name);
  origin.ordinal = 1;
  origin.span = span;
  const auto* map = config.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    origin.fields.push_back({source::python_str(key), key.span, value});
  }
  return origin;
}

std::vector<ir::Origin> origins_of_actions(const ir::Recipe& recipe, const Constructed& /*constructed*/) {
  std::vector<ir::Origin> out;
  for (const ir::Action& action : recipe.actions) out.push_back(action.origin);
  return out;
}

std::vector<script::Ref> one_element(const script::Ref& object, const ReadOptions& /*options*/,
                                     base::Budget& /*budget*/) {
  return {object};
}

script::Ref no_constant(std::string_view /*path*/, source::Span /*span*/) { return nullptr; }

void check_no_elements(const std::vector<script::Ref>& /*elements*/, bool /*together*/, diag::Sink& /*sink*/) {}

void check_no_script(const script::Trace& /*trace*/, const ReadOptions& /*options*/, diag::Sink& /*sink*/) {}

bool has_unknown(const source::Value& value, const std::set<source::Span>& unknown) {
  if (unknown.contains(value.span)) return true;
  const auto inside = [&](const source::Value& part) { return has_unknown(part, unknown); };
  if (const auto* list = value.get<source::List>()) return std::ranges::any_of(*list, inside);
  const auto* map = value.get<source::Map>();
  return map != nullptr && std::ranges::any_of(*map, [&](const source::Entry& entry) {
           return inside(entry.first) || inside(entry.second);
         });
}

std::vector<ir::MethodSetting> settings_of(const source::Value& values, const ClassSpec& spec,
                                           std::span<const std::string_view> names, const source::SourceFile& file,
                                           const std::set<source::Span>& unknown) {
  std::vector<ir::MethodSetting> out;
  for (const std::string_view name : names) {
    const source::Value* given = values.find(name);
    const std::string usual(spec.find(name)->default_value);
    const std::string value = given == nullptr               ? usual
                              : has_unknown(*given, unknown) ? std::string(file.text(given->span))
                                                             : stages::text_of_value(*given);
    out.push_back({std::string(name), value, false, value == usual});
  }
  return out;
}

Configuration configuration_of(const source::Value& root, std::span<const Callable> rows) {
  const auto* map = root.get<source::Map>();
  const bool around = map != nullptr && map->size() == 2 && root.find(kProgramKey) != nullptr;
  if (map != nullptr && (map->size() == 1 || around)) {
    const auto* name = map->front().first.get<std::string>();
    const auto row = name == nullptr ? rows.end() : std::ranges::find(rows, *name, &Callable::name);
    if (row != rows.end()) return {row->name, map->front().second.span, map->front().second};
  }
  return {{}, root.span, root};
}

}  // namespace sparsecfg::dialect::quantizers
