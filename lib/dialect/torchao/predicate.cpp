#include "dialect/torchao/predicate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "base/text.h"
#include "dialect/torchao/languages.h"
#include "regex/pattern.h"

namespace sparsecfg::dialect::torchao {

using NodeKind = python::Node::Kind;
using StatementKind = python::Statement::Kind;
using List = std::vector<Known>;

namespace {

constexpr int kMaxDepth = 32;  // of calls and expressions

// Classes of torch. Other classes of a model do not derive from them as far as names show.
constexpr std::array<std::string_view, 12> kTorchClasses = {"Linear", "Embedding",  "Conv1d",     "Conv2d",
                                                            "Conv3d", "LayerNorm",  "RMSNorm",    "Dropout",
                                                            "ReLU",   "ModuleList", "Sequential", "MultiheadAttention"};

Known unknown() { return {}; }

Known known(std::optional<bool> value) { return value ? Known{*value} : unknown(); }

Known known(std::size_t value) { return Known{static_cast<std::int64_t>(value)}; }

const std::string* text_in(const Known& value) { return value.get<std::string>(); }

std::vector<Known> texts(const std::vector<std::string>& words) {
  std::vector<Known> out;
  for (const std::string& word : words) out.push_back({word});
  return out;
}

}  // namespace

// --- values -------------------------------------------------------------------------------------------

std::optional<bool> Known::truth() const {
  if (const auto* boolean = get<bool>()) return *boolean;
  if (const auto* number = get<std::int64_t>()) return *number != 0;
  if (const auto* text = get<std::string>()) return !text->empty();
  if (const auto* list = get<List>()) return !list->empty();
  if (get<None>() != nullptr) return false;
  if (get<Unknown>() != nullptr || get<Weight>() != nullptr) return std::nullopt;
  return true;
}

std::optional<bool> Known::equals(const Known& other) const {
  if (get<Unknown>() != nullptr || other.get<Unknown>() != nullptr) return std::nullopt;
  if (value.index() != other.value.index()) return false;
  if (const auto* text = get<std::string>()) return *text == *text_in(other);
  if (const auto* number = get<std::int64_t>()) return *number == *other.get<std::int64_t>();
  if (const auto* boolean = get<bool>()) return *boolean == *other.get<bool>();
  if (const auto* type = get<Class>()) return type->name == other.get<Class>()->name;
  return get<None>() != nullptr ? std::optional(true) : std::nullopt;
}

// --- definitions --------------------------------------------------------------------------------------

Definitions::Definitions(const std::vector<python::Statement>& script) { add(script); }

void Definitions::add(const std::vector<python::Statement>& statements) {
  for (const python::Statement& each : statements) add(each);
}

// A name with one assignment in the whole file has its value wherever no parameter has the same name.
void Definitions::add(const python::Statement& statement) {
  if (statement.kind == StatementKind::function) {
    const auto [known, added] = functions_.emplace(statement.text, &statement);
    if (!added) known->second = nullptr;
  }
  for (const python::Node& target : statement.targets) {
    const bool plain = statement.kind == StatementKind::assignment && target.kind == NodeKind::name;
    define(target.text, plain ? &statement.value : nullptr);
  }
  for (const python::Parameter& parameter : statement.parameters) define(parameter.name, nullptr);
  const python::Node& value = statement.value;
  const bool calls = statement.kind == StatementKind::expression && value.kind == NodeKind::call_of &&
                     value.parts[0].kind == NodeKind::attribute;
  if (calls) define(value.parts[0].parts[0].text, nullptr);  // `names.append(...)`
  for (const auto* block : {&statement.body, &statement.clauses, &statement.otherwise, &statement.last}) add(*block);
}

void Definitions::define(const std::string& name, const python::Node* value) {
  const auto [known, added] = constants_.emplace(name, value);
  if (!added) known->second = nullptr;
}

const python::Statement* Definitions::function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

const python::Node* Definitions::constant(std::string_view name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

// --- statements ---------------------------------------------------------------------------------------

std::optional<bool> Predicate::operator()(const python::Statement& function, bool name_first) {
  const Known module{Known::Module{}};
  const Known name{module_.name};
  return call(function, name_first ? List{name, module} : List{module, name}).truth();
}

Known Predicate::call(const python::Statement& function, const std::vector<Known>& arguments) {
  Frame frame;
  for (std::size_t at = 0; at < function.parameters.size(); ++at) {
    const python::Parameter& parameter = function.parameters[at];
    const bool plain =
        parameter.form == python::Parameter::Form::plain || parameter.form == python::Parameter::Form::positional;
    Known& value = frame.names[parameter.name];
    if (plain && at < arguments.size()) value = arguments[at];
    if (plain && at >= arguments.size() && !parameter.fallback.empty()) {
      Frame outside;
      value = evaluate(parameter.fallback.front(), outside);
    }
  }
  if (++depth_ > kMaxDepth || function.yields || function.is_async) return --depth_, unknown();
  const End end = block(function.body, frame);
  --depth_;
  return end == End::returns ? frame.result : end == End::falls ? Known{Known::None{}} : unknown();
}

Predicate::End Predicate::block(const std::vector<python::Statement>& statements, Frame& frame) {
  for (const python::Statement& each : statements) {
    if (const End end = run(each, frame); end != End::falls) return end;
  }
  return End::falls;
}

Predicate::End Predicate::run(const python::Statement& statement, Frame& frame) {
  switch (statement.kind) {
    case StatementKind::expression:  // the values of this evaluation cannot change
    case StatementKind::pass: return End::falls;
    case StatementKind::result:
      frame.result = python::is_absent(statement.value) ? Known{Known::None{}} : evaluate(statement.value, frame);
      return End::returns;
    case StatementKind::conditional: {
      const auto truth = evaluate(statement.value, frame).truth();
      if (!truth) return End::unknown;
      return block(*truth ? statement.body : statement.otherwise, frame);
    }
    case StatementKind::assignment: {
      const bool one = statement.targets.size() == 1 && statement.targets[0].kind == NodeKind::name;
      if (!one) return End::unknown;
      frame.names[statement.targets[0].text] = evaluate(statement.value, frame);
      return End::falls;
    }
    case StatementKind::loop: return loop(statement, frame);
    case StatementKind::leave: return statement.text == "break" ? End::breaks : End::continues;
    default: return End::unknown;
  }
}

Predicate::End Predicate::loop(const python::Statement& statement, Frame& frame) {
  const bool over_names = statement.targets.size() == 1 && statement.targets[0].kind == NodeKind::name;
  const Known values = over_names ? evaluate(statement.value, frame) : unknown();
  const auto* list = values.get<List>();
  if (list == nullptr) return End::unknown;
  for (const Known& each : *list) {
    frame.names[statement.targets[0].text] = each;
    const End end = block(statement.body, frame);
    if (end == End::breaks) return End::falls;
    if (end == End::returns || end == End::unknown) return end;
  }
  return block(statement.otherwise, frame);
}

// --- expressions --------------------------------------------------------------------------------------

Known Predicate::evaluate(const Node& node, Frame& frame) {
  if (shared_.steps_left == 0 || depth_ >= kMaxDepth) return unknown();
  --shared_.steps_left;
  ++depth_;
  Known out;
  switch (node.kind) {
    case NodeKind::constant:
      if (node.text == "True" || node.text == "False") out = {node.text == "True"};
      if (node.text == "None") out = {Known::None{}};
      break;
    case NodeKind::string: out = {node.text}; break;
    case NodeKind::number: {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), number);
      if (error == std::errc() && end == node.text.data() + node.text.size()) out = {number};
      break;
    }
    case NodeKind::name: out = lookup(node.text, frame); break;
    case NodeKind::logical: out = logical(node, frame); break;
    case NodeKind::unary: {
      const Known operand = evaluate(node.parts.front(), frame);
      const auto truth = operand.truth();
      if (node.text == "not" && truth) out = {!*truth};
      if (const auto* number = operand.get<std::int64_t>(); node.text == "-" && number != nullptr) out = {-*number};
      break;
    }
    case NodeKind::conditional: {
      const auto truth = evaluate(node.parts[1], frame).truth();
      if (truth) out = evaluate(node.parts[*truth ? 0 : 2], frame);
      break;
    }
    case NodeKind::binary: out = binary(node, frame); break;
    case NodeKind::comparison:
    case NodeKind::membership: out = comparison(node, frame); break;
    case NodeKind::attribute: out = attribute(node, frame); break;
    case NodeKind::subscript: out = item(node, frame); break;
    case NodeKind::tuple:
    case NodeKind::list:
    case NodeKind::set:
    case NodeKind::generator: out = list(node, frame); break;
    case NodeKind::call: out = call_name(node, frame); break;
    case NodeKind::call_of: out = call_of(node, frame); break;
    default: break;
  }
  --depth_;
  return out;
}

Known Predicate::lookup(const std::string& name, Frame& frame) {
  if (const auto found = frame.names.find(name); found != frame.names.end()) return found->second;
  if (const python::Node* constant = definitions_.constant(name)) {
    Frame outside;
    return evaluate(*constant, outside);
  }
  const bool is_class = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
  return is_class ? Known{Known::Class{name}} : unknown();
}

// An operand can decide although the other one is not known.
Known Predicate::logical(const Node& node, Frame& frame) {
  const bool decides = node.text == "or";
  bool sure = true;
  Known last;
  for (const Node& part : node.parts) {
    last = evaluate(part, frame);
    const auto truth = last.truth();
    if (truth == decides) return sure ? last : Known{decides};
    sure = sure && truth.has_value();
  }
  return sure ? last : unknown();
}

Known Predicate::binary(const Node& node, Frame& frame) {
  const Known left = evaluate(node.parts[0], frame);
  const Known right = evaluate(node.parts[1], frame);
  const auto* one = left.get<std::int64_t>();
  const auto* other = right.get<std::int64_t>();
  if (one == nullptr || other == nullptr || *one < 0 || *other < 0) return unknown();
  std::int64_t out = 0;
  if (node.text == "%" && *other > 0) return {*one % *other};
  if (node.text == "//" && *other > 0) return {*one / *other};
  if (node.text == "+" && !__builtin_add_overflow(*one, *other, &out)) return {out};
  if (node.text == "-") return {*one - *other};
  if (node.text == "*" && !__builtin_mul_overflow(*one, *other, &out)) return {out};
  return unknown();
}

// Notes that a text was compared with the name of the module.
void Predicate::note(const std::string& name, const Known& text, std::optional<bool> result) {
  const auto* word = text_in(text);
  if (word == nullptr || name != module_.name || !result) return;
  bool& matched = shared_.compared.emplace(*word, false).first->second;
  matched = matched || *result;
}

// Returns what an operator returns for two values.
std::optional<bool> Predicate::compared(const std::string& name, const Known& left, const Known& right) {
  if (name == "==" || name == "is") return left.equals(right);
  if (name == "!=" || name == "is not") {
    const auto equal = left.equals(right);
    return equal ? std::optional(!*equal) : std::nullopt;
  }
  if (name == "in" || name == "not in") {
    const auto* part = text_in(left);
    std::optional<bool> found;
    if (const auto* text = text_in(right); text != nullptr && part != nullptr)
      note(*text, left, found = text->find(*part) != std::string::npos);
    if (const auto* list = right.get<List>()) {
      found = false;
      for (const Known& each : *list) {
        const auto equal = left.equals(each);
        if (equal == true) found = true;
        if (!equal && found == false) found = std::nullopt;
        if (found == true) break;
      }
    }
    return found ? std::optional(*found == (name == "in")) : std::nullopt;
  }
  const auto* one = left.get<std::int64_t>();
  const auto* other = right.get<std::int64_t>();
  if (one == nullptr || other == nullptr) return std::nullopt;
  if (name == "<") return *one < *other;
  if (name == "<=") return *one <= *other;
  if (name == ">") return *one > *other;
  return name == ">=" ? std::optional(*one >= *other) : std::nullopt;
}

// A chain such as `a < b < c` is nested to the left; the expression in its middle belongs to both.
Known Predicate::comparison(const Node& node, Frame& frame) {
  const Node& left = node.parts[0];
  const bool nested = left.kind == NodeKind::comparison || left.kind == NodeKind::membership;
  const bool chain = nested && left.span.begin == left.parts.front().span.begin;
  if (!chain) return known(compared(node.text, evaluate(left, frame), evaluate(node.parts[1], frame)));
  const auto first = evaluate(left, frame).truth();
  const auto second = compared(node.text, evaluate(left.parts[1], frame), evaluate(node.parts[1], frame));
  if (first == false || second == false) return {false};
  return first && second ? Known{true} : unknown();
}

Known Predicate::attribute(const Node& node, Frame& frame) {
  const Node& object = node.parts.front();
  const Known value = evaluate(object, frame);
  if (value.get<Known::Unknown>() == nullptr) return attribute_of(value, node.text);
  const bool of_module =
      object.kind == NodeKind::name ? !frame.names.contains(object.text) : object.kind == NodeKind::attribute;
  const bool is_class = of_module && !node.text.empty() && node.text.front() >= 'A' && node.text.front() <= 'Z';
  return is_class ? Known{Known::Class{node.text}} : unknown();  // `nn.Linear`
}

Known Predicate::attribute_of(const Known& object, const std::string& name) {
  if (const auto* type = object.get<Known::Class>(); type != nullptr && name == "__name__") return {type->name};
  const bool has_matrix = module_.shape && module_.shape->size() == 2 && is_linear(module_);
  if (object.get<Known::Weight>() != nullptr && name == "shape" && module_.shape) {
    List out;
    for (const std::uint64_t size : *module_.shape) out.push_back(known(static_cast<std::size_t>(size)));
    return {std::move(out)};
  }
  if (object.get<Known::Module>() == nullptr) return unknown();
  if (name == "weight") return {Known::Weight{}};
  if (name == "__class__") return {Known::Class{module_.type}};
  if (name == "in_features" && has_matrix) return known(static_cast<std::size_t>(module_.shape->back()));
  if (name == "out_features" && has_matrix) return known(static_cast<std::size_t>(module_.shape->front()));
  return unknown();
}

Known Predicate::item(const Node& node, Frame& frame) {
  const Known object = evaluate(node.parts[0], frame);
  const Known index = node.parts.size() == 2 ? evaluate(node.parts[1], frame) : unknown();
  const auto* list = object.get<List>();
  const auto* number = index.get<std::int64_t>();
  if (list == nullptr || number == nullptr) return unknown();
  const auto size = static_cast<std::int64_t>(list->size());
  const std::int64_t at = *number < 0 ? *number + size : *number;
  return at >= 0 && at < size ? (*list)[static_cast<std::size_t>(at)] : unknown();
}

Known Predicate::list(const Node& node, Frame& frame) {
  List out;
  if (node.parts.size() == 1 && node.parts[0].kind == NodeKind::comprehension) {
    Frame inner{frame.names, {}};
    return comprehend(node.parts[0], 0, inner, out) ? Known{std::move(out)} : unknown();
  }
  for (const Node& part : node.parts) {
    if (part.kind == NodeKind::spread) return unknown();
    out.push_back(evaluate(part, frame));
  }
  return {std::move(out)};
}

// Adds the elements of a comprehension. Returns false if they are not known.
bool Predicate::comprehend(const Node& node, std::size_t clause, Frame& frame, std::vector<Known>& out) {
  if (clause >= node.places.size()) {
    out.push_back(evaluate(node.parts.front(), frame));
    return shared_.steps_left > 0;
  }
  const std::size_t begin = node.places[clause];
  const std::size_t end = clause + 1 < node.places.size() ? node.places[clause + 1] : node.parts.size();
  const Known values = evaluate(node.parts[begin + 1], frame);
  const auto* list = values.get<List>();
  if (list == nullptr || node.parts[begin].kind != NodeKind::name) return false;
  for (const Known& each : *list) {
    frame.names[node.parts[begin].text] = each;
    bool takes = true;
    for (std::size_t at = begin + 2; at < end && takes; ++at) {
      const auto truth = evaluate(node.parts[at], frame).truth();
      if (!truth) return false;
      takes = *truth;
    }
    if (takes && !comprehend(node, clause + 1, frame, out)) return false;
  }
  return true;
}

// --- calls --------------------------------------------------------------------------------------------

std::optional<std::vector<Known>> Predicate::arguments(const Node& node, std::size_t first, Frame& frame) {
  if (!node.keywords.empty()) return std::nullopt;
  List out;
  for (std::size_t at = first; at < node.parts.size(); ++at) {
    if (node.parts[at].kind == NodeKind::spread) return std::nullopt;
    out.push_back(evaluate(node.parts[at], frame));
  }
  return out;
}

Known Predicate::is_instance(const Known& object, const Known& type) const {
  const auto* torch_class = type.get<Known::Class>();
  const bool module_class =
      torch_class != nullptr && (torch_class->name == "Module" || base::contains(kTorchClasses, torch_class->name));
  if (text_in(object) != nullptr && module_class) return {false};  // a name is no module
  if (object.get<Known::Module>() == nullptr) return unknown();
  if (const auto* several = type.get<List>()) {
    bool sure = true;
    for (const Known& each : *several) {
      const auto value = is_instance(object, each).truth();
      if (value == true) return {true};
      sure = sure && value.has_value();
    }
    return sure ? Known{false} : unknown();
  }
  const auto* one = type.get<Known::Class>();
  if (one == nullptr) return unknown();
  if (one->name == "Module" || one->name == module_.type) return {true};
  return base::contains(kTorchClasses, one->name) ? Known{false} : unknown();
}

// Returns the result of `any` or `all`.
static Known quantified(const List& values, bool decides) {
  bool sure = true;
  for (const Known& each : values) {
    const auto truth = each.truth();
    if (truth == decides) return {decides};
    sure = sure && truth.has_value();
  }
  return sure ? Known{!decides} : unknown();
}

Known Predicate::call_name(const Node& node, Frame& frame) {
  const auto given = arguments(node, 0, frame);
  if (!given) return unknown();
  if (const python::Statement* function = definitions_.function(node.text)) return call(*function, *given);
  const std::size_t count = given->size();
  const Known first = count > 0 ? given->front() : unknown();
  const auto* list = first.get<List>();
  const auto* text = text_in(first);
  if (node.text == "isinstance" && count == 2) return is_instance(first, (*given)[1]);
  if (node.text == "_is_linear" && count >= 1) return is_instance(first, {Known::Class{"Linear"}});
  if (node.text == "type" && first.get<Known::Module>() != nullptr) return {Known::Class{module_.type}};
  if ((node.text == "any" || node.text == "all") && list != nullptr) return quantified(*list, node.text == "any");
  if ((node.text == "set" || node.text == "list" || node.text == "tuple" || node.text == "frozenset") &&
      list != nullptr)
    return first;
  if (node.text == "len" && list != nullptr) return known(list->size());
  if (node.text == "bool" && count == 1) return known(first.truth());
  if (node.text == "hasattr" && count == 2 && module_.type == "Linear" && first.get<Known::Module>() != nullptr)
    return known(text_in((*given)[1]) != nullptr &&
                         base::contains(std::array<std::string_view, 3>{"weight", "in_features", "out_features"},
                                        *text_in((*given)[1]))
                     ? std::optional(true)
                     : std::nullopt);
  if (node.text == "int" && count == 1 && text != nullptr && std::ranges::all_of(*text, base::is_digit)) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && !text->empty()) return {number};
  }
  return unknown();
}

namespace {

// Returns the parts of a string between separators, as `str.split` does.
std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> out;
  for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    out.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  out.emplace_back(text);
  return out;
}

}  // namespace

Known Predicate::method_of(const std::string& text, std::string_view name, const List& given) {
  const bool starts = name == "startswith";
  if (given.empty()) {
    if (name == "lower") return {base::to_lower(text)};
    if (name == "upper") return {base::to_upper(text)};
    if (name == "isdigit") return {!text.empty() && std::ranges::all_of(text, base::is_digit)};
    return unknown();
  }
  const auto* word = text_in(given.front());
  if (starts || name == "endswith") {
    const auto* several = given.front().get<List>();
    const List words = several != nullptr ? *several : List{given.front()};
    List found;
    for (const Known& each : words) {
      const auto* part = text_in(each);
      found.push_back(part == nullptr ? unknown() : Known{starts ? text.starts_with(*part) : text.ends_with(*part)});
      note(text, each, found.back().truth());
    }
    return given.size() == 1 ? quantified(found, true) : unknown();
  }
  if (word == nullptr || word->empty() || given.size() != 1) return unknown();
  if (name == "split") return {texts(split(text, *word))};
  if (name == "count") return known(split(text, *word).size() - 1);
  if (name == "find") {
    const std::size_t at = text.find(*word);
    return {at == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(at)};
  }
  if (name == "removeprefix") return {text.starts_with(*word) ? text.substr(word->size()) : text};
  return unknown();
}

// Returns the result of a function of `re`: a true value, or None.
static Known found_by(std::string_view function, const std::string& pattern, const std::string& text) {
  const bool search = function == "search";
  if (!search && function != "match" && function != "fullmatch") return unknown();
  const std::string anchored = search ? "(?s:.*?)(?:" + pattern + ")" : pattern;
  const auto compiled =
      regex::Pattern::compile(anchored, function == "fullmatch" ? regex::Anchoring::both : regex::Anchoring::start);
  const auto* matcher = std::get_if<regex::Pattern>(&compiled);
  if (matcher == nullptr) return unknown();
  const regex::Match match = matcher->match(text);
  if (match == regex::Match::gave_up) return unknown();
  return match == regex::Match::yes ? Known{true} : Known{Known::None{}};
}

// A method of a value, or a function of the module `re`.
Known Predicate::call_of(const Node& node, Frame& frame) {
  const Node& callee = node.parts.front();
  const auto given = arguments(node, 1, frame);
  if (callee.kind != NodeKind::attribute || !given) return unknown();
  const Node& owner = callee.parts.front();
  const std::size_t count = given->size();
  if (owner.kind == NodeKind::name && owner.text == "re" && !frame.names.contains("re")) {
    const auto* pattern = count > 0 ? text_in(given->front()) : nullptr;
    const auto* text = count == 2 ? text_in((*given)[1]) : nullptr;
    if (pattern != nullptr && count == 1 && callee.text == "compile") return {Known::Regex{*pattern}};
    return pattern != nullptr && text != nullptr ? found_by(callee.text, *pattern, *text) : unknown();
  }
  const Known object = evaluate(owner, frame);
  if (const auto* text = text_in(object)) return method_of(*text, callee.text, *given);
  const auto* regex = object.get<Known::Regex>();
  const auto* text = regex != nullptr && count == 1 ? text_in(given->front()) : nullptr;
  return text == nullptr ? unknown() : found_by(callee.text, regex->pattern, *text);
}

}  // namespace sparsecfg::dialect::torchao
