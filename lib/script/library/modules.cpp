#include <algorithm>

#include "script/interpreter.h"
#include "script/library/functions.h"
#include "script/library/mappings.h"
#include "script/library/tables.h"

// Functions of other modules, and methods of the objects that they return.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

static Ref nothing(const Call& call) { return scalar(call.node.span, std::monostate()); }

static Ref deep_copy(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& value = call.values[0];
  if (value->kind == Kind::unknown || value->open || value->escaped || in.runs_code(value)) {
    Ref out = in.selects(call.node.span, {value}, "the copied object is unknown");
    out->items = {value};
    return out;
  }
  const Ref out = in.deep_copy(value);
  if (out == nullptr) {
    in.limit(call.node.span);
    return unknown(call.node.span, "the copied object is too large");
  }
  out->span = value->span;
  return out;
}

static Ref shallow_copy_of(const Call& call) {
  const Ref& value = call.values[0];
  if (value->kind == Kind::unknown || value->kind == Kind::instance) return nullptr;
  if (value->escaped) return call.interpreter.depends(call.node.span, {value});
  const Ref out = value->kind == Kind::object ? call.interpreter.shared_copy(value)
                  : is_mutable(*value)        ? call.interpreter.duplicate(value)
                                              : value;
  if (out->kind == Kind::dictionary) out->path.clear();
  return out;
}

static Ref partial(const Call& call) {
  Interpreter& in = call.interpreter;
  if (!in.builds(call.arguments.names.size() * sizeof(call.arguments.names[0]))) return nullptr;
  const Ref out = in.made(std::make_shared<Value>());
  out->kind = Kind::partial;
  out->span = call.node.span;
  out->items = call.arguments.all();
  out->names = call.arguments.names;
  for (const Ref& value : out->items) in.keep(value);
  return out;
}

static Ref dedent(const Call& call) {
  const Ref& text = call.values[0];
  return text->string() != nullptr && text->role == Role::plain ? call.interpreter.dedent(text, call.node) : nullptr;
}

static Ref new_namespace(const Call& call) {
  const Ref out = call.interpreter.made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::name_space;
  out->span = call.node.span;
  out->items = call.arguments.named;
  out->names = call.arguments.names;
  return out;
}

static Ref ordered(const Call& call) { return dictionary_of(call.interpreter, call.arguments, call.node); }

// Returns the names of fields: a list of strings, or one string. Returns nullopt if they are not known.
static std::optional<std::vector<std::string>> field_names(const Call& call) {
  const Ref& names = call.values[1];
  const auto items = types_of(*names) == types::text ? std::optional<std::vector<Ref>>()
                                                     : call.interpreter.elements(names, call.node.span);
  std::vector<std::string> out;
  if (items) {
    for (const Ref& item : *items) {
      if (types_of(*item) != types::text) return std::nullopt;
      out.push_back(*item->string());
    }
    return out;
  }
  if (types_of(*names) != types::text) return std::nullopt;
  std::string text = *names->string();
  std::ranges::replace(text, ',', ' ');
  for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
  return out;
}

// A class with fields, whose instances are built like those of a dataclass.
static Ref named_tuple(const Call& call) {
  const auto names = field_names(call);
  if (!names || !call.interpreter.builds(names->size() * sizeof(Value))) return nullptr;
  auto type = std::make_shared<Value>();
  type->kind = Kind::type;
  type->role = Role::dataclass;
  type->span = call.node.span;
  type->text = call.text(0);
  type->scope = call.interpreter.heap().new_scope();
  type->scope->kind = Scope::Kind::type;
  for (const std::string& name : *names) {
    type->names.push_back({name, call.node.span});
    type->variants.push_back(nullptr);
  }
  return call.interpreter.made(type);
}

// A generator over elements.
static Ref generator_of(const Call& call, std::vector<Ref> items) {
  return computed_from(call.interpreter.list_like(Kind::list, std::move(items), call.node, Role::generator),
                       call.arguments.positional);
}

// Adds the elements of each argument. Returns false if they are not known.
static bool add_elements(Interpreter& in, const std::vector<Ref>& values, source::Span span, std::vector<Ref>& out) {
  for (const Ref& value : values) {
    const auto part = in.elements(value, span);
    if (!part || !in.builds(part->size() * sizeof(Ref))) return false;
    out.insert(out.end(), part->begin(), part->end());
  }
  return true;
}

static Ref chain(const Call& call) {
  std::vector<Ref> items;
  return add_elements(call.interpreter, call.rest, call.node.span, items) ? generator_of(call, std::move(items))
                                                                          : nullptr;
}

static Ref chain_of_iterable(const Call& call) {
  const auto values = call.interpreter.elements(call.values[0], call.node.span);
  std::vector<Ref> items;
  const bool known = values && add_elements(call.interpreter, *values, call.node.span, items);
  return known ? generator_of(call, std::move(items)) : nullptr;
}

// All combinations of one element of each argument; the last one changes first.
static Ref product(const Call& call) {
  Interpreter& in = call.interpreter;
  std::vector<std::vector<Ref>> rows(1);
  for (const Ref& value : call.rest) {
    const auto column = in.elements(value, call.node.span);
    if (!column || !in.builds(rows.size() * column->size() * (rows.front().size() + 1) * sizeof(Value))) return nullptr;
    std::vector<std::vector<Ref>> longer;
    for (const auto& row : rows) {
      for (const Ref& item : *column) {
        longer.push_back(row);
        longer.back().push_back(item);
      }
    }
    rows = std::move(longer);
    if (rows.empty()) break;
  }
  std::vector<Ref> out;
  for (auto& row : rows) out.push_back(in.made(container(Kind::tuple, call.node.span, std::move(row))));
  return generator_of(call, std::move(out));
}

// The sums of all beginnings.
static Ref accumulate(const Call& call) {
  Interpreter& in = call.interpreter;
  const auto items = in.elements(call.values[0], call.node.span);
  if (!items || !in.builds(items->size() * sizeof(Value))) return nullptr;
  std::vector<Ref> out;
  for (const Ref& item : *items) {
    if (!number_in(*item)) return nullptr;
    out.push_back(out.empty() ? item : in.operate("+", out.back(), item, call.node));
  }
  return generator_of(call, std::move(out));
}

// An object that is known by its class and its arguments.
static Ref known_object(const Call& call) { return call.interpreter.object_of_call(call); }

static Ref as_dictionary(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& object = call.values[0];
  if (object->kind != Kind::instance || object->open || object->escaped) return nullptr;
  const Ref out = in.made(container(Kind::dictionary, call.node.span));
  for (std::size_t at = 0; at < object->names.size(); ++at) {
    const Ref value = in.deep_copy(object->items[at]);
    if (value == nullptr || value->kind == Kind::instance) return nullptr;
    put(*out, scalar(call.node.span, object->names[at].value), value);
  }
  return out;
}

static Ref second(const Call& call) { return call.values[1]; }

static Ref add_module_folder(const Call& call) {
  call.interpreter.add_module_folder(call.values[1], call.integer(0, 0) == 0);
  return nothing(call);
}

static Ref append_module_folder(const Call& call) {
  call.interpreter.add_module_folder(call.values[0], false);
  return nothing(call);
}

// `os.getenv(name, default)` and `os.environ.get`.
static Ref environment_value(const Call& call) {
  const Ref environment = call.interpreter.environment();
  const auto key = call.interpreter.key_of(*call.values[0]);
  const std::size_t place = key ? place_of(*environment, *key) : environment->items.size();
  if (place < environment->items.size()) return environment->items[place + 1];
  return nullptr;
}

std::span<const Operation> module_functions() {
  using enum Parameter::Presence;
  constexpr Traits escapes = traits::escapes;
  const Parameter value{};
  const Parameter values{"", types::any, rest};
  const Parameter options{"", types::any, mapping};
  const Parameter optional_value{"", types::any, optional};
  static const std::vector<Operation> rows = {
      {"copy.deepcopy", {value}, Cost::constant, &deep_copy, escapes},
      {"copy.copy", {value}, Cost::all, &shallow_copy_of, escapes},
      {"functools.partial", {value, values, options}, Cost::all, &partial, escapes},
      {"functools.wraps", {values, options}, Cost::constant, &known_object, escapes | traits::open},
      {"textwrap.dedent", {value}, Cost::all, &dedent},
      {"inspect.cleandoc", {value}, Cost::constant, &not_modeled},
      {"types.SimpleNamespace", {options}, Cost::all, &new_namespace, escapes},
      {"collections.OrderedDict", {values, options}, Cost::all, &ordered, escapes},
      {"collections.namedtuple", {{"", types::text}, value}, Cost::all, &named_tuple, escapes},
      {"itertools.chain", {values}, Cost::constant, &chain, escapes},
      {"itertools.chain.from_iterable", {value}, Cost::constant, &chain_of_iterable, escapes},
      {"itertools.product", {values}, Cost::constant, &product, escapes},
      {"itertools.accumulate", {value}, Cost::constant, &accumulate, escapes},
      {"dataclasses.field", {values, options}, Cost::constant, &known_object, escapes | traits::open},
      {"dataclasses.asdict", {value}, Cost::all, &as_dictionary, escapes},
      {"typing.cast", {value, value}, Cost::constant, &second},
      {"pprint.pprint", {values, options}, Cost::constant, &nothing, traits::open},
      {"warnings.warn", {values, options}, Cost::constant, &nothing, traits::open},
      {"warnings.filterwarnings", {values, options}, Cost::constant, &nothing, traits::open},
      {"time.sleep", {value}, Cost::constant, &nothing},
      {"time.time", {}, Cost::constant, &not_modeled},
      {"os.makedirs", {values, options}, Cost::constant, &nothing, traits::open},
      {"os.getenv", {value, optional_value}, Cost::constant, &environment_value},
      {"sys.path.insert", {{"", types::integer}, value}, Cost::constant, &add_module_folder},
      {"sys.path.append", {value}, Cost::constant, &append_module_folder},
  };
  return rows;
}

// Methods of the mapping that `globals()` returns.
static Ref get_name(const Call& call) { return call.interpreter.item_of(call.self, call.values[0], call.node); }

static Ref set_names(const Call& call) {
  call.interpreter.set_names(call.arguments);
  return nothing(call);
}

std::span<const Operation> all_names_methods() {
  using enum Parameter::Presence;
  static const std::vector<Operation> rows = {
      {"get", {Parameter{}}, Cost::constant, &get_name, traits::escapes},
      {"update", {{"", types::any, mapping}}, Cost::constant, &set_names, traits::escapes},
  };
  return rows;
}

// Methods of pydantic models, which the classes of frameworks are.
static Ref model_copy(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref& changes = call.values[0];
  const bool known = in.is_record(*call.self) && (changes == nullptr || is_closed_mapping(*changes));
  const bool deep = call.has(1) && in.truth(call.values[1]) == std::optional(true);
  const Ref out = !known ? nullptr : deep ? in.deep_copy(call.self) : in.shared_copy(call.self);
  for (std::size_t at = 0; out != nullptr && changes != nullptr && at + 1 < changes->items.size(); at += 2) {
    const std::string* key = changes->items[at]->string();
    if (key != nullptr) set_argument(*out, *key, changes->items[at]->span, changes->items[at + 1]);
    out->reassigned = true;
  }
  return out;
}

static Ref dump_model(const Call& call) {
  return call.interpreter.is_record(*call.self)
             ? call.interpreter.depends(call.node.span, {call.self}, "the dump of a model is not evaluated")
             : nullptr;
}

std::span<const Operation> model_methods() {
  using enum Parameter::Presence;
  const Parameter options{"", types::any, mapping};
  static const std::vector<Operation> rows = {
      {"model_copy",
       {{"update", types::any, optional}, {"deep", types::any, optional}},
       Cost::all,
       &model_copy,
       traits::escapes},
      {"model_dump", {options}, Cost::constant, &dump_model, traits::escapes},
      {"model_dump_json", {options}, Cost::constant, &dump_model, traits::escapes},
      {"dict", {options}, Cost::constant, &dump_model, traits::escapes},
      {"json", {options}, Cost::constant, &dump_model, traits::escapes},
  };
  return rows;
}

}  // namespace sparsecfg::script
