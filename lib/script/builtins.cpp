#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "python/integer.h"
#include "python/numbers.h"
#include "script/interpreter.h"
#include "script/printing.h"

// The functions of the module `builtins`.
namespace sparsecfg::script {

using Kind = Value::Kind;

// Returns true for a value whose operations the builtin functions do not model.
static bool is_of_script(const Ref& value) {
  return value->kind == Kind::instance || value->kind == Kind::type || value->kind == Kind::function ||
         value->kind == Kind::partial || value->kind == Kind::method;
}

Ref Interpreter::list_like(Kind kind, std::vector<Ref> items, const Node& node, std::string_view path) {
  if (!budget_.allocate(sizeof(Value) + items.size() * sizeof(Ref))) {
    limit(node.span);
    return unknown(node.span, "the values are too large");
  }
  const Ref out = made(container(kind, node.span, std::move(items)));
  out->path = path;
  return out;
}

// Returns the elements of an iterable, or nullopt if they or their order are unknown. Uses an iterator up.
std::optional<std::vector<Ref>> Interpreter::elements(const Ref& value, Span span) {
  if (value->kind == Kind::scalar) {
    const std::string* text = value->is_whole() ? value->string() : nullptr;
    if (text == nullptr || text->size() > limits::kMaxScriptCharacters ||
        !budget_.allocate(text->size() * sizeof(Value)))
      return std::nullopt;
    std::vector<Ref> out;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t begin = at;
      static_cast<void>(base::next_code_point(*text, at));
      out.push_back(inherit(new_text(span, text->substr(begin, at - begin)), {value}));
    }
    return out;
  }
  if (value->kind == Kind::dictionary) {
    if (value->open) return std::nullopt;
    std::vector<Ref> keys;
    for (std::size_t at = 0; at < value->items.size(); at += 2) keys.push_back(value->items[at]);
    return keys;
  }
  if (!is_sequence(*value) || (value->kind == Kind::set && value->items.size() > 1) ||
      !budget_.spend(value->items.size() / 8)) {
    return std::nullopt;
  }
  std::vector<Ref> out = value->items;
  if (value->path == "iterator" || value->path == "generator") {
    heap_.open(value, span, "the iterator is used up");
    if (value->open) value->items = out;
  }
  return out;
}

Ref Interpreter::builtin(const std::string& name, const Arguments& arguments, const Node& node) {
  if (name == "super") return super_of(arguments, node);
  if (arguments.is_open() && name != "print") {
    return nullptr;
  }
  if (name == "print") {
    const Ref file = arguments.named_argument("file");
    if (file != nullptr && (file->kind != Kind::name || !file->imported)) return nullptr;
    for (const Ref& value : arguments.all()) touch(value, node.span);
    run_escaped(node.span);
    return scalar(node.span, std::monostate());
  }
  if (name == "dict") return dictionary_of(arguments, node);
  if (name == "range") return range(arguments, node);
  if (name == "sorted") return sorted(arguments, node);
  if (Ref out = inspection(name, arguments, node)) return out;
  if ((name == "min" || name == "max") && arguments.named.size() == 1) return extreme_by_key(name, arguments, node);
  if (std::ranges::any_of(arguments.all(), is_of_script) && name != "map" && name != "filter") return nullptr;
  if (Ref out = iteration(name, arguments, node)) return out;
  if (!arguments.named.empty()) return nullptr;
  if (Ref out = conversion(name, arguments, node)) return out;
  return reduction(name, arguments, node);
}

Ref Interpreter::dictionary_of(const Arguments& arguments, const Node& node) {
  const Ref out = made(container(Kind::dictionary, node.span));
  if (arguments.positional.size() == 1) {
    const Ref& first = arguments.positional.front();
    const auto pairs = first->kind == Kind::dictionary ? std::nullopt : elements(first, node.span);
    bool known = first->kind == Kind::dictionary || pairs;
    for (std::size_t at = 0; pairs && known && at < pairs->size(); ++at) {
      const auto pair = elements((*pairs)[at], node.span);
      known = pair && pair->size() == 2 && key_text(*pair->front());
      if (known) put(*out, pair->front(), pair->back());
    }
    if (!pairs && known) {
      merge(*out, first, node.span);
    } else if (!known) {
      merge(*out, depends(node.span, {first}, "the dictionary is unknown"), node.span);
    }
  } else if (arguments.positional.size() > 1) {
    return nullptr;
  }
  for (std::size_t at = 0; at < arguments.named.size(); ++at) {
    put(*out, scalar(arguments.names[at].span, arguments.names[at].value), arguments.named[at]);
  }
  if (!budget_.allocate(out->items.size() * sizeof(Ref))) {
    limit(node.span);
    return unknown(node.span, "the dictionary is too large");
  }
  return out;
}

Ref Interpreter::range(const Arguments& arguments, const Node& node) {
  std::int64_t bounds[3] = {0, 0, 1};
  const std::size_t count = arguments.positional.size();
  if (count == 0 || count > 3 || !arguments.named.empty()) {
    return nullptr;
  }
  for (std::size_t at = 0; at < count; ++at) {
    const Value& value = *arguments.positional[at];
    const auto* integer = value.kind == Kind::scalar ? std::get_if<std::int64_t>(&value.data) : nullptr;
    if (integer == nullptr) return depends(node.span, arguments.positional, "the range is unknown");
    bounds[count == 1 ? 1 : at] = *integer;
  }
  constexpr std::int64_t kMaxBound = std::int64_t{1} << 60;
  const auto [begin, end, step] = bounds;
  const bool fits = std::abs(begin) < kMaxBound && std::abs(end) < kMaxBound && std::abs(step) < kMaxBound;
  const std::int64_t size = step == 0 || !fits ? -1
                            : step > 0         ? (end - begin + step - 1) / step
                                               : (begin - end - step - 1) / -step;
  if (step == 0 || !fits || size > limits::kMaxScriptRange ||
      !budget_.allocate(static_cast<std::size_t>(std::max<std::int64_t>(size, 0)) * sizeof(Ref))) {
    return opaque(node.span, "the range is too large");
  }
  std::vector<Ref> items;
  for (std::int64_t at = 0; at < size; ++at) items.push_back(scalar(node.span, begin + at * step));
  return list_like(Kind::list, std::move(items), node, "range");
}

Ref Interpreter::sorted(const Arguments& arguments, const Node& node) {
  const bool set = arguments.positional.size() == 1 && arguments.positional.front()->kind == Kind::set &&
                   is_sequence(*arguments.positional.front());
  auto items = arguments.positional.size() != 1 ? std::nullopt
               : set                            ? std::optional(arguments.positional.front()->items)
                                                : elements(arguments.positional.front(), node.span);
  const Ref reversed = arguments.named_argument("reverse");
  const Ref key = arguments.named_argument("key");
  const bool known_key = key == nullptr || key->kind == Kind::function ||
                         (key->kind == Kind::name && !key->imported && (key->path == "len" || key->path == "str"));
  const auto descending = reversed == nullptr ? std::optional(false) : truth(reversed);
  if (!items || !known_key || !descending) {
    if (key != nullptr) return nullptr;
    return selects(node.span, arguments.all(), "the elements are unknown");
  }
  std::vector<std::pair<Ref, Ref>> pairs;
  for (const Ref& item : *items) {
    Arguments one;
    one.positional.push_back(item);
    pairs.emplace_back(key == nullptr ? item : call_value(key, one, node), item);
  }
  bool known = true;
  const auto less = [&](const auto& a, const auto& b) {
    const auto result = compare("<", a.first, b.first);
    known = known && result.has_value();
    return known && *result;
  };
  // With comparisons of different results for equal elements, std::sort would be undefined.
  for (std::size_t at = 1; at < pairs.size() && known; ++at) less(pairs[at - 1], pairs[at]);
  for (std::size_t at = 1; at < pairs.size() && known; ++at) {
    known = pairs[at].first->kind == Kind::scalar && pairs[0].first->kind == Kind::scalar &&
            pairs[at].first->data.index() == pairs[0].first->data.index();
    const auto* real = std::get_if<double>(&pairs[at].first->data);
    known = known && (real == nullptr || !std::isnan(*real));
  }
  if (!known || !budget_.spend(pairs.size() * 8)) return selects(node.span, arguments.all(), "the order is unknown");
  if (*descending) std::ranges::reverse(pairs);
  std::ranges::stable_sort(pairs, less);
  if (*descending) std::ranges::reverse(pairs);
  std::vector<Ref> out;
  for (const auto& pair : pairs) out.push_back(pair.second);
  return list_like(Kind::list, std::move(out), node);
}

// Returns the next element of an iterator, and removes it.
Ref Interpreter::next(const std::vector<Ref>& arguments, const Node& node) {
  const bool fits = arguments.size() == 1 || arguments.size() == 2;
  const Ref iterator = fits ? arguments.front() : nullptr;
  const bool known = iterator != nullptr && is_sequence(*iterator) && !iterator->escaped &&
                     (iterator->path == "iterator" || iterator->path == "generator");
  if (!known) {
    for (const Ref& value : arguments) escape(value, node.span, "`next()` changes it");
    return selects(node.span, arguments, "it depends on `next(...)`");
  }
  if (iterator->items.empty()) {
    return arguments.size() == 2 ? arguments[1] : opaque(node.span, "the iterator has no more elements");
  }
  const Ref out = iterator->items.front();
  if (heap_.change(iterator)) iterator->items.erase(iterator->items.begin());
  return out;
}

Ref Interpreter::iteration(const std::string& name, const Arguments& arguments, const Node& node) {
  const std::vector<Ref>& all = arguments.positional;
  const bool maps = name == "map" || name == "filter";
  if (name != "enumerate" && name != "zip" && name != "reversed" && name != "iter" && name != "next" && !maps) {
    return nullptr;
  }
  if (name == "next") return next(all, node);
  if (all.empty()) return nullptr;
  if (name == "zip" && !arguments.named.empty()) return nullptr;
  std::vector<std::vector<Ref>> columns;
  for (std::size_t at = maps ? 1 : 0; at < (name == "enumerate" ? 1 : all.size()); ++at) {
    auto items = elements(all[at], node.span);
    if (!items) {
      if (maps) return nullptr;
      Ref out = selects(node.span, all, "the elements are unknown");
      for (const Ref& value : all) out->items.insert(out->items.end(), value->items.begin(), value->items.end());
      return out;
    }
    columns.push_back(std::move(*items));
  }
  std::vector<Ref> out;
  std::size_t size = columns.empty() ? 0 : columns.front().size();
  for (const auto& column : columns) size = std::min(size, column.size());
  if (!budget_.allocate(size * sizeof(Value) * 2)) {
    limit(node.span);
    return unknown(node.span, "the values are too large");
  }
  if (name == "enumerate") {
    Ref start = arguments.named_argument("start");
    if (start == nullptr && all.size() > 1) start = all[1];
    const auto* first = start == nullptr ? nullptr : std::get_if<std::int64_t>(&start->data);
    if (start != nullptr && first == nullptr) return depends(node.span, {start});
    for (std::size_t at = 0; at < size; ++at) {
      const std::int64_t number = (first == nullptr ? 0 : *first) + static_cast<std::int64_t>(at);
      out.push_back(made(container(Kind::tuple, node.span, {scalar(node.span, number), columns[0][at]})));
    }
  } else if (name == "zip") {
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<Ref> row;
      for (const auto& column : columns) row.push_back(column[at]);
      out.push_back(made(container(Kind::tuple, node.span, std::move(row))));
    }
  } else if (maps) {
    Ref doubt;
    const auto round = [&](std::size_t at) {
      Arguments one;
      for (const auto& column : columns) one.positional.push_back(column[at]);
      const bool none = name == "filter" && all[0]->kind == Kind::scalar;
      const Ref value = none ? columns[0][at] : call_value(all[0], one, node);
      const auto keeps = name == "filter" ? truth(value) : std::optional(true);
      if (!keeps) {
        doubt = value;
      } else if (*keeps) {
        out.push_back(name == "filter" ? columns[0][at] : value);
      }
    };
    lazily(
        [&] {
          for (std::size_t at = 0; at < size; ++at) round(at);
        },
        node.span);
    if (doubt != nullptr) {
      Ref lost = selects(node.span, all, "it depends on a condition");
      lost->aliases.insert(lost->aliases.end(), out.begin(), out.end());
      return lost;
    }
    return list_like(Kind::list, std::move(out), node, "generator");
  } else {
    out = columns.front();
    if (name == "reversed") {
      if (all[0]->kind == Kind::dictionary || all[0]->kind == Kind::set) return nullptr;
      std::ranges::reverse(out);
    }
  }
  const bool lazy = std::ranges::any_of(all, [](const Ref& value) { return value->path == "generator"; });
  const Ref result = list_like(Kind::list, std::move(out), node, lazy ? "generator" : "iterator");
  for (const Ref& value : all) {
    if (is_mutable(*value)) derive(value, result);
  }
  return result;
}

Ref Interpreter::conversion(const std::string& name, const Arguments& arguments, const Node& node) {
  static constexpr std::string_view kNames[] = {"str", "repr",      "int",   "float", "bool", "list",  "tuple",
                                                "set", "frozenset", "ascii", "chr",   "ord",  "format"};
  if (!base::contains(kNames, name)) {
    return nullptr;
  }
  const std::vector<Ref>& all = arguments.positional;
  if (all.empty()) {
    if (name == "list") return list_like(Kind::list, {}, node);
    if (name == "tuple") return list_like(Kind::tuple, {}, node);
    if (name == "set") return list_like(Kind::set, {}, node);
    if (name == "str") return new_text(node.span, "");
    return opaque(node.span, "it is not a constant");
  }
  const Ref& first = all.front();
  if (all.size() > 1) {
    if (name == "format") return depends(node.span, all);
    return depends(node.span, all, fmt::format("`{}(...)` is not evaluated", name));
  }
  if (name == "list" || name == "tuple" || name == "set" || name == "frozenset") {
    const Kind kind = name == "list" ? Kind::list : name == "tuple" ? Kind::tuple : Kind::set;
    const bool copies = first->kind == Kind::set && kind == Kind::set && is_sequence(*first);
    auto items = copies ? std::optional(first->items) : elements(first, node.span);
    if (items) {
      const Ref out = list_like(kind, std::move(*items), node);
      if (kind == Kind::set) {
        make_unique(*out);
        if (out->open) return selects(node.span, out->items, "an element is unknown");
      }
      return out;
    }
    const Ref out = selects(node.span, {first}, "the elements are unknown");
    out->items = first->kind == Kind::object || first->kind == Kind::instance ? std::vector<Ref>() : first->items;
    if (first->kind == Kind::list || first->kind == Kind::tuple) {
      // Another list of the same elements, which are not known.
      const Ref opened = made(container(kind, node.span, first->items));
      opened->open = true;
      opened->why = out->why;
      opened->text = out->text;
      return opened;
    }
    return out;
  }
  if (name == "bool") {
    const auto known = truth(first);
    if (!known && !first->assumed.empty() && first->kind == Kind::scalar)
      return inherit(scalar(node.span, python::is_true({first->data, {}})), {first});
    return known ? scalar(node.span, *known) : depends(node.span, {first});
  }
  if (name == "str" && first->string() != nullptr) {
    return first;
  }
  if (name == "str") {
    if (const auto path = first->kind == Kind::object ? path_of(*first) : std::nullopt)
      return path_string(path->first, path->second, node);
  }
  if (name == "str" || name == "repr" || name == "format") {
    const auto text = name == "repr" ? repr_of(*first) : str_of(*first);
    if (text && budget_.allocate(text->size())) return inherit(new_text(node.span, *text), {first});
    return depends(node.span, {first});
  }
  const auto number = number_in(*first);
  const std::string* text = first->is_whole() ? first->string() : nullptr;
  const auto* code = first->kind == Kind::scalar ? std::get_if<std::int64_t>(&first->data) : nullptr;
  if (name == "chr" && code != nullptr && *code > 0 && *code < 0xD800) {
    std::string character;
    base::append_utf8(character, static_cast<char32_t>(*code));
    return inherit(new_text(node.span, std::move(character)), {first});
  }
  if (name == "ord" && text != nullptr && text->size() == 1) {
    return inherit(scalar(node.span, static_cast<std::int64_t>(static_cast<unsigned char>(text->front()))), {first});
  }
  if (name == "int") {
    if (number) {
      const python::Outcome outcome = python::call("int", {*number}, {});
      if (const auto* whole = std::get_if<python::Number>(&outcome))
        return inherit(std::visit([&](auto value) { return scalar(node.span, value); }, *whole), {first});
    } else if (text != nullptr && text->find('_') == std::string::npos) {
      if (const auto integer = python::Integer::parse(*text, 10))
        return inherit(scalar(node.span, integer->value()), {first});
    }
  } else if (name == "float") {
    if (number) return inherit(scalar(node.span, python::as_double(python::operand(*number))), {first});
    if (const auto real = text == nullptr ? std::nullopt : base::python_float(*text))
      return inherit(scalar(node.span, *real), {first});
  }
  return depends(node.span, {first});
}

// `min(values, key=...)` and `max`: the first of several equal elements counts.
Ref Interpreter::extreme_by_key(const std::string& name, const Arguments& arguments, const Node& node) {
  const Ref key = arguments.named_argument("key");
  const std::vector<Ref>& all = arguments.positional;
  const auto items = all.size() > 1 ? std::optional(all) : all.empty() ? std::nullopt : elements(all[0], node.span);
  if (key == nullptr || !items || items->empty()) return nullptr;
  Ref best;
  Ref best_key;
  for (const Ref& item : *items) {
    Arguments one;
    one.positional.push_back(item);
    const Ref value = call_value(key, one, node);
    const auto better = best == nullptr ? std::optional(true) : compare(name == "min" ? "<" : ">", value, best_key);
    if (!better) return selects(node.span, *items, "the order is unknown");
    if (!*better) continue;
    best = item;
    best_key = value;
  }
  return best;
}

Ref Interpreter::reduction(const std::string& name, const Arguments& arguments, const Node& node) {
  static constexpr std::string_view kNames[] = {"len",    "sum", "min",  "max", "any", "all", "abs", "round",
                                                "divmod", "pow", "hash", "bin", "hex", "oct", "id"};
  if (!base::contains(kNames, name)) {
    return nullptr;
  }
  const std::vector<Ref>& all = arguments.positional;
  const Ref first = all.empty() ? nullptr : all.front();
  if (first == nullptr) {
    return opaque(node.span, "it is not a constant");
  }
  if (name == "len") {
    const std::string* text = first->is_whole() ? first->string() : nullptr;
    if (text != nullptr && first->path.empty()) {
      std::int64_t count = 0;
      for (std::size_t at = 0; at < text->size(); ++count) static_cast<void>(base::next_code_point(*text, at));
      return inherit(scalar(node.span, count), {first});
    }
    const bool listed =
        is_sequence(*first) && first->path != "iterator" && first->path != "generator" && first->path != "view";
    if (listed) return scalar(node.span, static_cast<std::int64_t>(first->items.size()));
    if (is_closed_mapping(*first)) return scalar(node.span, static_cast<std::int64_t>(first->items.size() / 2));
    return depends(node.span, {first}, "the length is unknown");
  }
  if (name == "abs" || name == "round") {
    std::vector<python::Number> numbers;
    for (const Ref& value : all) {
      if (const auto number = number_in(*value)) numbers.push_back(*number);
    }
    if (numbers.size() == all.size()) {
      const python::Outcome outcome = python::call(name, numbers, {});
      if (const auto* number = std::get_if<python::Number>(&outcome))
        return inherit(std::visit([&](auto value) { return scalar(node.span, value); }, *number), {first});
    }
    return depends(node.span, all);
  }
  static constexpr std::string_view kFolds[] = {"sum", "min", "max", "any", "all"};
  if (!base::contains(kFolds, name)) {
    return depends(node.span, all);
  }
  const bool several = all.size() > 1 && (name == "min" || name == "max");
  const auto items = several ? std::optional(all) : elements(first, node.span);
  const bool starts = name == "sum" && all.size() == 2;
  if (!items || (all.size() > 1 && !several && !starts)) {
    return selects(node.span, all, "the elements are unknown");
  }
  if (name == "any" || name == "all") {
    bool known = true;
    for (const Ref& item : *items) {
      const auto value = truth(item);
      known = known && value;
      if (value && *value == (name == "any") && known) return scalar(node.span, name == "any");
    }
    return known ? scalar(node.span, name == "all") : depends(node.span, *items, "an element is unknown");
  }
  if (name == "sum") {
    Ref total = starts ? all[1] : scalar(node.span, std::int64_t{0});
    for (const Ref& item : *items) {
      const bool joins = item->kind == total->kind && (item->kind == Kind::list || item->kind == Kind::tuple);
      if (!number_in(*item) && !joins) return selects(node.span, *items, "an element is unknown");
      // Since 3.12, sums of floats are compensated.
      if (std::holds_alternative<double>(item->data) && items->size() > 1)
        return opaque(node.span, "sums of floats are not computed");
      total = operate("+", total, item, node);
    }
    return total;
  }
  if (items->empty()) return opaque(node.span, "there are no elements");
  Ref best = items->front();
  for (const Ref& item : *items) {
    const auto less = compare(name == "min" ? "<" : ">", item, best);
    if (!less) return selects(node.span, *items, "an element is unknown");
    if (*less) best = item;
  }
  return best;
}

// Returns true if a value is an instance of a builtin type, or nullopt if this is unknown.
static std::optional<bool> is_instance(const Value& value, std::string_view type) {
  static constexpr std::string_view kTypes[] = {"str", "int", "float", "bool", "list", "tuple", "set", "dict"};
  const bool special =
      value.path == "range" || value.path == "iterator" || value.path == "generator" || value.path == "view";
  if (!base::contains(kTypes, type) || special) return std::nullopt;
  switch (value.kind) {
    case Kind::scalar:
      return type == "str"    ? value.string() != nullptr
             : type == "bool" ? std::holds_alternative<bool>(value.data)
             : type == "int"
                 ? std::holds_alternative<bool>(value.data) || std::holds_alternative<std::int64_t>(value.data) ||
                       std::holds_alternative<source::BigInt>(value.data)
             : type == "float" ? std::holds_alternative<double>(value.data)
                               : false;
    case Kind::list: return type == "list";
    case Kind::tuple: return type == "tuple";
    case Kind::set: return type == "set";
    case Kind::dictionary: return type == "dict";
    default: return std::nullopt;
  }
}

static std::optional<bool> is_instance(const Value& value, const Ref& type) {
  if (type->kind == Kind::name && !type->imported) return is_instance(value, type->path);
  const bool own = type->kind == Kind::type && value.kind == Kind::instance && value.owner == type;
  return own ? std::optional(true) : std::nullopt;
}

// Returns the known text of a call of `exec` or `eval` without other names, or null.
static const std::string* text_of_code(const Arguments& arguments) {
  const bool one = arguments.positional.size() == 1 && arguments.named.empty() && !arguments.is_open();
  return one && arguments.positional[0]->is_whole() && arguments.positional[0]->assumed.empty()
             ? arguments.positional[0]->string()
             : nullptr;
}

// Returns nullopt for an object whose class is not known.
static std::optional<bool> is_callable(const Value& value) {
  switch (value.kind) {
    case Kind::function:
    case Kind::type:
    case Kind::method:
    case Kind::partial: return true;
    case Kind::scalar:
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dictionary: return false;
    case Kind::unknown:
    case Kind::object:
    case Kind::name:
    case Kind::instance: break;
  }
  return std::nullopt;
}

Ref Interpreter::inspection(const std::string& name, const Arguments& arguments, const Node& node) {
  const std::vector<Ref>& all = arguments.positional;
  const std::string* text = all.size() > 1 && all[1]->is_whole() ? all[1]->string() : nullptr;
  if (name == "isinstance" && all.size() == 2) {
    const std::vector<Ref> types =
        all[1]->kind == Kind::tuple && !all[1]->open ? all[1]->items : std::vector<Ref>{all[1]};
    std::optional<bool> found = false;
    for (const Ref& type : types) {
      const std::optional<bool> one = is_instance(*all[0], type);
      if (one.value_or(false)) return scalar(node.span, true);
      if (!one) found = std::nullopt;
    }
    return found ? scalar(node.span, false) : depends(node.span, {all[0]}, "the type is unknown");
  }
  if (name == "getattr" && text != nullptr && all.size() <= 3) {
    const bool listed = all[0]->kind == Kind::instance && !all[0]->open && !all[0]->escaped && !all[0]->owner->open;
    if (listed && all.size() == 3 && all[0]->argument(*text) == nullptr &&
        type_attribute(all[0]->owner, *text) == nullptr && type_attribute(all[0]->owner, "__getattr__") == nullptr)
      return all[2];
    if (all.size() == 3 && all[0]->kind != Kind::instance && all[0]->kind != Kind::type) {
      const Ref found = all[0]->kind == Kind::object ? attribute_of(all[0], *text, node) : nullptr;
      if (found != nullptr && found->kind != Kind::unknown) return found;
      return selects(node.span, {all[0], all[2]}, "the attribute is unknown");
    }
    return attribute_of(all[0], *text, node);
  }
  if (name == "setattr" && text != nullptr && all.size() == 3) {
    set_attribute(all[0], *text, all[2], node.span);
    return scalar(node.span, std::monostate());
  }
  if (name == "hasattr" && text != nullptr) {
    if (all[0]->kind == Kind::instance && !all[0]->open && !all[0]->escaped && !all[0]->owner->open &&
        type_attribute(all[0]->owner, "__getattr__") == nullptr) {
      return scalar(node.span, all[0]->argument(*text) != nullptr || type_attribute(all[0]->owner, *text) != nullptr);
    }
    return depends(node.span, {all[0]}, "the attributes are unknown");
  }
  if (name == "callable" && all.size() == 1) {
    const std::optional<bool> found = is_callable(*all[0]);
    if (found) return scalar(node.span, *found);
  }
  if (name == "callable" || name == "type" || name == "id" || name == "hash" || name == "input") {
    return selects(node.span, name == "input" ? std::vector<Ref>() : all, fmt::format("it depends on `{}(...)`", name));
  }
  if ((name == "globals" || name == "vars" || name == "locals") && all.empty()) {
    if (scope_->kind != Scope::Kind::module && name != "globals") {
      lost_ = true;
      return nullptr;
    }
    const Ref out = made(std::make_shared<Value>());
    out->kind = Kind::object;
    out->path = kAllNames;
    out->span = node.span;
    return out;
  }
  if ((name == "exec" || name == "eval") && text_of_code(arguments) != nullptr) {
    const auto result = run_text(*text_of_code(arguments), name == "eval", node.span);
    return result ? *result : nullptr;
  }
  if (name == "open") {
    auto callee = std::make_shared<Value>();
    callee->kind = Kind::name;
    callee->path = "open";
    callee->span = node.span;
    ++risks_;
    const Ref mode = all.size() > 1 ? all[1] : arguments.named_argument("mode");
    writes_ = writes_ || (mode != nullptr && (mode->string() == nullptr || !mode->is_whole() ||
                                              mode->string()->find_first_of("wax+") != std::string::npos));
    return object_of(callee, arguments, node);
  }
  return nullptr;
}

// Returns the value of `super()` or `super(C, self)`.
Ref Interpreter::super_of(const Arguments& arguments, const Node& node) {
  const std::vector<Ref> all = arguments.all();
  std::shared_ptr<Scope> scope = all.empty() && !arguments.is_open() ? scope_ : nullptr;
  while (scope != nullptr && scope->kind != Scope::Kind::function) scope = scope->outer;
  const bool names_class =
      all.size() == 2 && arguments.positional.size() == 2 && !arguments.is_open() && all[0]->kind == Kind::type;
  const Ref owner = scope != nullptr ? scope->owner : names_class ? all[0] : nullptr;
  const Ref self = scope != nullptr ? scope->self : names_class ? all[1] : nullptr;
  if (owner == nullptr || self == nullptr) {
    for (const Ref& argument : all) escape(argument, node.span, "a method of a base class can change it");
    return opaque(node.span, "it depends on `super()`");
  }
  const Ref out = made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->path = "super";
  out->span = node.span;
  out->owner = owner;
  out->items.push_back(self);
  return out;
}

}  // namespace sparsecfg::script
