#include "dialect/schedule/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <span>

#include "base/edit_distance.h"
#include "dialect/record/field_names.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "ir/dump.h"
#include "ir/fields.h"

namespace sparsecfg::dialect::schedule {

using doc::NodeId;
using source::Located;
using source::Value;

constexpr std::string_view kKindKey = "kind";

namespace {

// A node and its name in messages: the key that holds it.
struct Place {
  NodeId node{};
  std::string_view name;
};

// Reads any part of a schedule by its type. Reports values that do not fit; the part then keeps its previous value.
class Reader {
 public:
  Reader(const doc::Document& document, diag::Sink& sink) : document_(document), sink_(sink) {}

  ir::Recipe recipe() {
    ir::Recipe recipe;
    fields(Place{document_.root, "schedule"}, ir::kFormatKey, recipe);
    return recipe;
  }

 private:
  const doc::Node& at(NodeId id) const { return document_[document_.resolve(id)]; }

  source::Span span_of(const Place& place) const { return document_[place.node].span; }

  void reject(const Place& place, std::string_view expected) {
    sink_.report(diag::wrong_type, span_of(place), place.name, std::string(expected),
                 source::describe(value_of(document_, place.node)));
  }

  // Returns a value of type T. Otherwise reports what was expected and returns nullopt.
  template <class T>
  std::optional<T> plain(const Place& place, std::string_view expected) {
    const Value value = value_of(document_, place.node);
    const T* held = value.get<T>();
    if (held == nullptr) reject(place, expected);
    return held == nullptr ? std::nullopt : std::optional(*held);
  }

  void read(const Place& place, bool& out) { out = plain<bool>(place, "true or false").value_or(out); }

  void read(const Place& place, std::string& out) { out = plain<std::string>(place, "a string").value_or(out); }

  void read(const Place& place, Value& out) { out = value_of(document_, place.node); }

  void read(const Place& place, double& out) {
    const auto number = number_of(value_of(document_, place.node));
    if (!number) reject(place, "a number");
    out = number.value_or(out);
  }

  void read(const Place& place, std::integral auto& out) {
    const Value value = value_of(document_, place.node);
    const auto* integer = value.get<std::int64_t>();
    if (integer == nullptr || !std::in_range<std::remove_reference_t<decltype(out)>>(*integer)) {
      reject(place, std::is_signed_v<std::remove_reference_t<decltype(out)>> ? "an int" : "an int that is 0 or more");
    } else {
      out = static_cast<std::remove_reference_t<decltype(out)>>(*integer);
    }
  }

  template <class T>
  requires std::is_enum_v<T>

  void read(const Place& place, T& out) {
    out = static_cast<T>(choice(place, ir::names_of<T>()).value_or(static_cast<std::size_t>(out)));
  }

  template <class T>
  void read(const Place& place, Located<T>& out) {
    read(place, out.value);
    out.span = span_of(place);
  }

  // Reads a field that may be null. A field for any value stores the null.
  template <class T>
  void read(const Place& place, std::optional<T>& out) {
    if (!std::same_as<T, Value> && value_of(document_, place.node).is_null()) return;
    read(place, out.emplace());
  }

  template <class T>
  void read(const Place& place, std::vector<T>& out) {
    if (at(place.node).kind != doc::Kind::sequence) return reject(place, "a list");
    for (const NodeId item : at(place.node).items) read(Place{item, place.name}, out.emplace_back());
  }

  template <class T>
  void read(const Place& place, base::SharedList<T>& out) {
    std::vector<T> items;
    read(place, items);
    out = std::move(items);
  }

  void read(const Place& place, std::vector<ir::OriginField>& out) {
    for (const auto& [key, value, unused] : entries(place)) {
      out.push_back({std::string(at(key).text), at(key).span, value_of(document_, value), false});
    }
  }

  template <class... T>
  void read(const Place& place, std::variant<T...>& out) {
    variant(place, out);
  }

  void read(const Place& place, ir::Cadence& out) {
    variant(place, out.rhythm, out);
    if (out.end.value < 0) out.end.value = ir::Cadence::kEndless;  // -1 in files of earlier releases
  }

  // Reads a variant whose fields are at the same level as the fields of its owners.
  template <class... T>
  void variant(const Place& place, std::variant<T...>& out, auto&... owners) {
    const auto kind = find(place, kKindKey);
    if (!kind) {
      if (at(place.node).kind != doc::Kind::mapping) return reject(place, "a mapping");
      sink_.report(diag::missing_required, span_of(place), place.name, kKindKey);
      return;
    }
    const auto index = choice(Place{*kind, place.name}, ir::kNames<std::variant<T...>>);
    if (index) read_alternative(place, out, *index, std::index_sequence_for<T...>(), owners...);
  }

  template <class Variant, std::size_t... kIndices>
  void read_alternative(const Place& place, Variant& out, std::size_t index, std::index_sequence<kIndices...> /*all*/,
                        auto&... owners) {
    const auto read_one = [&](auto& part) { fields(place, kKindKey, owners..., part); };
    ((kIndices == index ? read_one(out.template emplace<kIndices>()) : void()), ...);
  }

  template <class Part>
  requires std::is_class_v<Part>

  void read(const Place& place, Part& out) { fields(place, {}, out); }

  // --- mappings ------------------------------------------------------------------------------------------

  std::vector<doc::Entry> entries(const Place& place) {
    if (at(place.node).kind == doc::Kind::mapping) return doc::entries(document_, document_.resolve(place.node), sink_);
    reject(place, "a mapping");
    return {};
  }

  std::optional<NodeId> find(const Place& place, std::string_view name) const {
    const doc::Node& node = at(place.node);
    for (std::size_t index = 0; node.kind == doc::Kind::mapping && index + 1 < node.items.size(); index += 2) {
      if (at(node.items[index]).text == name) return node.items[index + 1];
    }
    return std::nullopt;
  }

  // Reads the fields of parts that share a mapping. `beside` is a key of the mapping that is not a field.
  template <class... Parts>
  void fields(const Place& place, std::string_view beside, Parts&... out) {
    const auto given = entries(place);
    if (at(place.node).kind == doc::Kind::mapping) {
      FieldNames names(sink_);
      std::vector<std::string_view> known;
      (std::apply([&](const auto&... field) { (known.push_back(field.name), ...); }, ir::fields_of<Parts>()), ...);
      report_unknown_fields(place, given, beside, known, names);
      const auto read_all = [&]<class Part>(Part& part) {
        std::apply([&](const auto&... field) { (field_of(place, given, names, part, field), ...); },
                   ir::fields_of<Part>());
      };
      (read_all(out), ...);
    }
    (set_place(place, out), ...);
  }

  void set_place(const Place& place, auto& out) {
    if constexpr (requires { out.span; }) out.span = span_of(place);
    if constexpr (requires { out.key; }) out.key = span_of(place);
  }

  void field_of(const Place& place, const std::vector<doc::Entry>& given, FieldNames& names, auto& out,
                const auto& field) {
    if (const auto value = value_given(place, given, names, field.name, field.always)) {
      read(Place{*value, field.name}, out.*field.member);
    }
  }

  // Returns the value of a field. Reports a missing field if it is required. Not a template, so it is compiled once.
  std::optional<NodeId> value_given(const Place& place, const std::vector<doc::Entry>& given, FieldNames& names,
                                    std::string_view name, bool always) {
    const auto found = std::ranges::find(given, name, [&](const doc::Entry& entry) { return at(entry.key).text; });
    if (found != given.end()) return found->value;
    if (always) names.report_missing(span_of(place), place.name, name);
    return std::nullopt;
  }

  void report_unknown_fields(const Place& place, const std::vector<doc::Entry>& given, std::string_view beside,
                             const std::vector<std::string_view>& known, FieldNames& names) {
    for (const doc::Entry& entry : given) {
      const std::string_view name = at(entry.key).text;
      if (name != beside && std::ranges::find(known, name) == known.end()) {
        names.report_unknown({document_[entry.key].span, name, std::string(place.name), known,
                              "see `sparsecfg schema ir` for the fields"});
      }
    }
  }

  // Returns the index of the name in the value. Reports an unknown name.
  std::optional<std::size_t> choice(const Place& place, std::span<const std::string_view> names) {
    const auto name = plain<std::string>(place, "a name");
    const auto found = name ? std::ranges::find(names, *name) : names.end();
    if (name && found == names.end()) {
      diag::Diagnostic& report = sink_.report(diag::unknown_modifier, span_of(place), place.name, *name);
      if (const auto guess = base::nearest(*name, names)) report.with_help(base::did_you_mean(guess));
    }
    return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
  }

  const doc::Document& document_;
  diag::Sink& sink_;
};

}  // namespace

// Actions written by other programs may lack an origin. They are named after their effect and numbered by position.
static void complete_origins(ir::Recipe& recipe) {
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    ir::Origin& origin = recipe.actions[index].origin;
    if (origin.class_name.empty()) {
      origin.class_name = ir::name_of(recipe.actions[index].effect);
      origin.ordinal = static_cast<int>(index) + 1;
    }
  }
}

ir::Recipe read(const Source& source, const ReadOptions& /*options*/, diag::Sink& sink) {
  doc::report_unknown_tags(source.document, "schedules", sink);
  ir::Recipe recipe = Reader(source.document, sink).recipe();
  complete_origins(recipe);
  const bool whole = !sink.has_errors() && is_whole(recipe, sink);
  return whole ? std::move(recipe) : ir::Recipe{};
}

// Values that differ from themselves contain a nan. They count as equal here; the text comparison covers them.
template <class T>
static bool is_same(const T& before, const T& after) {
  return before == after || before != T(before);
}

static bool actions_round_trip(const ir::Recipe& recipe, std::span<const ir::Action> actions) {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  const source::SourceFile file("schedule.json", ir::dump(recipe, actions));
  diag::Sink sink(true);
  const auto document =
      doc::read_yaml(file, {0, static_cast<std::uint32_t>(file.text().size())}, {kAny, kAny, kAny, kAny}, sink);
  if (!document) return false;
  const ir::Recipe back = Reader(*document, sink).recipe();
  return !sink.has_errors() && ir::dump(back) == file.text() &&
         std::ranges::equal(actions, back.actions, [](const ir::Action& before, const ir::Action& after) {
           return is_same(before.effect, after.effect) && is_same(before.cadence, after.cadence);
         });
}

bool round_trips(const ir::Recipe& recipe) {
  constexpr std::size_t kActionsAtOnce = 512;
  diag::Sink sink(true);
  bool same = is_whole(recipe, sink) && actions_round_trip(recipe, {});
  const ir::Recipe bare{
      recipe.dialect, {}, {}, {}, std::nullopt};  // without actions, so that each part is written separately
  for (std::span<const ir::Action> rest = recipe.actions; same && !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), kActionsAtOnce));
    same = actions_round_trip(bare, part);
    rest = rest.subspan(part.size());
  }
  return same;
}

}  // namespace sparsecfg::dialect::schedule
