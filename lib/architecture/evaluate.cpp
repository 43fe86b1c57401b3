#include <fmt/format.h>

#include <algorithm>

#include "architecture/scope.h"
#include "python/value.h"

// Expressions of the tables: the part of Python that they use.
namespace sparsecfg::architecture {

using python::Node;
using source::List;
using source::Map;
using source::Value;

bool is_true(const Value& value) {
  if (const auto number = value.number()) return *number != 0;
  if (const auto* text = value.get<std::string>()) return !text->empty();
  if (const auto* list = value.get<List>()) return !list->empty();
  const auto* map = value.get<Map>();
  return map != nullptr && !map->empty();
}

namespace {

std::optional<python::Number> number_of(const Value& value) {
  if (const auto* boolean = value.get<bool>()) return *boolean;
  if (const auto* whole = value.get<std::int64_t>()) return *whole;
  if (const auto* real = value.get<double>()) return *real;
  return std::nullopt;
}

bool are_equal(const Value& a, const Value& b) {
  const auto one = a.number();
  const auto other = b.number();
  return one && other ? *one == *other : a == b;
}

class Evaluator {
 public:
  explicit Evaluator(Scope& scope) : scope_(scope) {}

  Item run(const Node& node) {
    if (!scope_.progress().fault.empty()) {
      return {};
    }
    switch (node.kind) {
      case Node::Kind::number: return number(node);
      case Node::Kind::string: return Value::Data(node.text);
      case Node::Kind::name: return scope_.find(node.text);
      case Node::Kind::constant: return node.text == "None" ? Item() : Item(Value::Data(node.text == "True"));
      case Node::Kind::binary: return binary(node);
      case Node::Kind::unary: return unary(node);
      case Node::Kind::comparison: return comparison(node);
      case Node::Kind::membership: return membership(node);
      case Node::Kind::logical: return logical(node);
      case Node::Kind::conditional: return run(node.parts[is_true(run(node.parts[1]).get()) ? 0 : 2]);
      case Node::Kind::attribute: return attribute(node);
      case Node::Kind::subscript: return subscript(node);
      case Node::Kind::call: return call(node);
      case Node::Kind::call_of: return method(node);
      case Node::Kind::tuple:
      case Node::Kind::list: return list(node);
      case Node::Kind::bytes:
      case Node::Kind::format:
      case Node::Kind::hole:
      case Node::Kind::slice:
      case Node::Kind::set:
      case Node::Kind::dictionary:
      case Node::Kind::spread:
      case Node::Kind::comprehension:
      case Node::Kind::generator:
      case Node::Kind::bitwise:
      case Node::Kind::named:
      case Node::Kind::lambda:
      case Node::Kind::await:
      case Node::Kind::yield:
      case Node::Kind::other: return fail(fmt::format("the table contains {}", python::describe(node)));
    }
    return {};
  }

 private:
  Item fail(std::string reason) {
    scope_.progress().fail(std::move(reason));
    return {};
  }

  Item membership(const Node& node) {
    const Item left = run(node.parts[0]);
    const Item right = run(node.parts[1]);
    return Value::Data(holds(node.text, left.get(), right.get()));
  }

  static Item number(const Node& node) {
    const std::size_t point = node.text.find('.');
    return point == std::string::npos ? Item(source::integer_of(node.text)) : Item(Value::Data(std::stod(node.text)));
  }

  Item calculated(std::string_view operation, const Value& left, const Value& right) {
    const auto a = number_of(left);
    const auto b = number_of(right);
    if (!a || !b) {
      return fail(fmt::format("{} is not a number", source::describe(a ? right : left)));
    }
    const python::Outcome outcome = python::calculate(operation, *a, *b);
    if (const auto* fault = std::get_if<python::Fault>(&outcome)) {
      return fail(fault->message);
    }
    return std::visit([](auto plain) { return Item(Value::Data(plain)); }, std::get<python::Number>(outcome));
  }

  Item binary(const Node& node) {
    const Item left = run(node.parts[0]);
    const Item right = run(node.parts[1]);
    const auto* a = left.get().get<std::string>();
    const auto* b = right.get().get<std::string>();
    return a != nullptr && b != nullptr && node.text == "+" ? Item(Value::Data(*a + *b))
                                                            : calculated(node.text, left.get(), right.get());
  }

  Item unary(const Node& node) {
    const Item operand = run(node.parts[0]);
    return node.text == "not" ? Item(Value::Data(!is_true(operand.get())))
                              : calculated("-", Value{std::int64_t{0}, {}}, operand.get());
  }

  bool contains(const Value& list, const Value& item) {
    const auto* items = list.get<List>();
    if (items == nullptr) {
      fail(fmt::format("{} is not a list", source::describe(list)));
      return false;
    }
    if (!scope_.progress().budget.spend(items->size())) {
      fail("its lists are too long for the number of layers");
      return false;
    }
    return std::ranges::any_of(*items, [&](const Value& each) { return are_equal(each, item); });
  }

  bool holds(std::string_view operation, const Value& left, const Value& right) {
    if (operation == "==") return are_equal(left, right);
    if (operation == "!=") return !are_equal(left, right);
    if (operation == "is") return left == right;
    if (operation == "is not") return !(left == right);
    if (operation == "in") return contains(right, left);
    if (operation == "not in") return !contains(right, left);
    const auto a = left.number();
    const auto b = right.number();
    if (!a || !b) {
      fail(fmt::format("{} is not a number", source::describe(a ? right : left)));
      return false;
    }
    if (operation == "<") return *a < *b;
    if (operation == "<=") return *a <= *b;
    return operation == ">" ? *a > *b : *a >= *b;
  }

  Item comparison(const Node& node) {
    const Node& before = node.parts[0];
    const bool chained = before.kind == Node::Kind::comparison;
    if (chained && !is_true(run(before).get())) {
      return Value::Data(false);
    }
    const Item left = run(chained ? before.parts[1] : before);
    const Item right = run(node.parts[1]);
    return Value::Data(holds(node.text, left.get(), right.get()));
  }

  Item logical(const Node& node) {
    Item left = run(node.parts[0]);
    return is_true(left.get()) == (node.text == "and") ? run(node.parts[1]) : left;
  }

  // A field of a nested configuration.
  Item attribute(const Node& node) {
    return node.parts[0].kind == Node::Kind::name ? scope_.nested(node.parts[0].text).find(node.text)
                                                  : fail("the table contains an expression that is not supported");
  }

  Item subscript(const Node& node) {
    const Item list = run(node.parts[0]);
    const Item index = run(node.parts[1]);
    const auto* items = list.get().get<List>();
    const auto* at = index.get().get<std::int64_t>();
    if (const auto* text = list.get().get<std::string>(); text != nullptr && at != nullptr) {
      return letter(*text, *at);
    }
    if (items == nullptr || at == nullptr) {
      return fail(fmt::format("{} is not a list", source::describe(list.get())));
    }
    if (*at < 0 || static_cast<std::size_t>(*at) >= items->size()) {
      return fail(fmt::format("a list has {} items, but item {} is required", items->size(), *at));
    }
    return Value::Data((*items)[static_cast<std::size_t>(*at)].data);
  }

  // The patterns of some configurations have one letter for each layer.
  Item letter(const std::string& text, std::int64_t at) {
    if (at < 0 || static_cast<std::size_t>(at) >= text.size()) {
      return fail(fmt::format("a pattern has {} letters, but letter {} is required", text.size(), at));
    }
    return Value::Data(std::string(1, text[static_cast<std::size_t>(at)]));
  }

  // Returns the index of a value in a list. Fails if the list does not contain it.
  Item index_of(const Node& node) {
    const Item list = run(node.parts[0]);
    const Item value = run(node.parts[1]);
    if (!contains(list.get(), value.get())) {
      return fail(fmt::format("{} does not contain {}", source::describe(list.get()), source::describe(value.get())));
    }
    const List& items = *list.get().get<List>();
    const auto found = std::ranges::find_if(items, [&](const Value& each) { return are_equal(each, value.get()); });
    return Value::Data(static_cast<std::int64_t>(found - items.begin()));
  }

  // Returns true if no smaller number divides `number`. Fails if that takes too long.
  bool is_prime(std::int64_t number) {
    for (std::int64_t divisor = 2; divisor <= number / divisor; ++divisor) {
      if (!scope_.progress().budget.spend(1)) fail("the prime numbers of its n-grams are too large");
      if (number % divisor == 0 || !scope_.progress().fault.empty()) return false;
    }
    return number > 1;
  }

  // Returns the sum of `count` prime numbers above `start`, after the first `skipped` ones.
  Item sum_of_primes(const Node& node) {
    std::int64_t arguments[3] = {};
    for (std::size_t at = 0; at < 3; ++at) {
      const Item item = run(node.parts[at]);
      const auto* whole = item.get().get<std::int64_t>();
      constexpr std::int64_t kMax = 1'000'000'000'000;
      if (whole == nullptr || *whole < 0 || *whole > kMax) return fail("the sizes of its n-grams are invalid");
      arguments[at] = *whole;
    }
    const auto [start, skipped, count] = arguments;
    std::int64_t sum = 0;
    std::int64_t found = 0;
    for (std::int64_t number = start + 1; found < skipped + count; ++number) {
      if (!scope_.progress().fault.empty()) return {};
      if (is_prime(number) && ++found > skipped) sum += number;
    }
    return Value::Data(sum);
  }

  Item unknown(std::string reason) {
    scope_.progress().leave_unknown(std::move(reason));
    return {};
  }

  // Returns true if all releases of a range are older than the first argument, and false if none of them is. The second
  // argument is the last release that is known to be older; without it, all older ones are. The names are unknown if
  // the range contains both variants, or releases between the arguments.
  Item before(const Node& node, const Releases& range, std::string_view program) {
    const auto changed = version_of(node.parts[0].text);
    const auto known = node.parts.size() > 1 ? version_of(node.parts[1].text) : std::nullopt;
    if (!changed || (node.parts.size() > 1 && !known)) {
      return fail("the table contains a release that cannot be parsed");
    }
    if (range.first >= *changed) {
      return Value::Data(false);
    }
    if (known ? range.last <= *known : range.last < *changed) {
      return Value::Data(true);
    }
    return unknown(fmt::format("the names of its modules depend on the release of {}, which is {}{}", program,
                               range.first == range.last ? "" : "one of ", to_string(range)));
  }

  // Returns true if llm-compressor 0.9 to 0.11 splits experts, which later releases do for all families. Before, since
  // the release of the argument, a script had to call a function.
  Item split_early(const Node& node) {
    const Releases& range = scope_.progress().llmcompressor;
    const auto since = version_of(node.parts[0].text);
    if (!since) {
      return fail("the table contains a release that cannot be parsed");
    }
    constexpr Version kAutomatic{0, 9};
    constexpr Version kGeneral{0, 12};
    if (!scope_.progress().linearized || range.last < *since || range.first >= kGeneral) {
      return Value::Data(false);
    }
    return range.first >= kAutomatic && range.last < kGeneral
               ? Item(Value::Data(true))
               : unknown("its experts are split only if the script calls `replace_modules_for_calibration`");
  }

  Item call(const Node& node) {
    if (node.text == "before") return before(node, scope_.progress().transformers, "transformers");
    if (node.text == "llmc_before") return before(node, scope_.progress().llmcompressor, "llm-compressor");
    if (node.text == "split_early") return split_early(node);
    if (node.text == "index_of") return index_of(node);
    if (node.text == "sum_of_primes") return sum_of_primes(node);
    if (node.text == "get") {
      const Value* value = scope_.given(node.parts[0].text);
      return value != nullptr ? Item(value) : node.parts.size() > 1 ? run(node.parts[1]) : Item();
    }
    const Item argument = run(node.parts[0]);
    const Value& value = argument.get();
    if (node.text == "len") {
      if (const auto* text = value.get<std::string>()) return Value::Data(static_cast<std::int64_t>(text->size()));
      const auto* list = value.get<List>();
      return list == nullptr ? fail(fmt::format("{} is not a list", source::describe(value)))
                             : Item(Value::Data(static_cast<std::int64_t>(list->size())));
    }
    if (node.text == "isinstance_int") return Value::Data(value.get<std::int64_t>() != nullptr);
    if (node.text == "int") return whole(value);
    return fail(fmt::format("the function `{}` is not supported", node.text));
  }

  Item whole(const Value& value) {
    const auto number = number_of(value);
    const python::Outcome outcome =
        number ? python::call("int", {*number}, {}) : python::Fault{python::ErrorKind::type_error, ""};
    const auto* result = std::get_if<python::Number>(&outcome);
    return result == nullptr ? fail(fmt::format("{} is not a number", source::describe(value)))
                             : std::visit([](auto plain) { return Item(Value::Data(plain)); }, *result);
  }

  Item method(const Node& node) {
    const Node& function = node.parts[0];
    if (function.kind != Node::Kind::attribute || function.text != "endswith") {
      return fail("the table contains an expression that is not supported");
    }
    const Item object = run(function.parts[0]);
    const auto* text = object.get().get<std::string>();
    return Value::Data(text != nullptr && text->ends_with(node.parts[1].text));
  }

  Item list(const Node& node) {
    List out;
    for (const Node& part : node.parts) out.push_back(run(part).get());
    return Value::Data(std::move(out));
  }

  Scope& scope_;
};

}  // namespace

Item evaluate(const Expression& expression, Scope& scope) {
  if (!expression) {
    scope.progress().fail("an expression of the table cannot be parsed");
    return {};
  }
  return Evaluator(scope).run(*expression);
}

}  // namespace sparsecfg::architecture
