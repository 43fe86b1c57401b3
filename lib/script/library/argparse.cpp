#include <algorithm>
#include <map>

#include "base/text.h"
#include "script/interpreter.h"
#include "script/library/tables.h"

// `argparse.ArgumentParser`. A parser has the attribute `actions`, a list of the options in their order, and the
// attribute `defaults` of `set_defaults`, and maybe `commands`, the result of `add_subparsers`. That has its settings,
// the parsers by the name of their command, and the number of positional arguments before the command. An option has
// its flags as positional arguments, and its settings as named ones: those of `add_argument`, and `dest`.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

constexpr std::string_view kActions = "actions";
constexpr std::string_view kDefaults = "defaults";
constexpr std::string_view kCommands = "commands";
constexpr std::string_view kParsers = "parsers";
constexpr std::string_view kBefore = "before";
constexpr std::string_view kDestination = "dest";
constexpr std::string_view kFallback = "default";

namespace {

enum class Action : std::uint8_t { store, store_true, store_false, store_const, append, count, toggle, none, other };

// An option or a positional argument.
class Option {
 public:
  explicit Option(const Ref& object) : object_(object) {}

  [[nodiscard]] std::vector<std::string> flags() const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at + object_->names.size() < object_->items.size(); ++at)
      out.push_back(*object_->items[at]->string());
    return out;
  }

  [[nodiscard]] bool has_flags() const { return object_->items.front()->string()->starts_with('-'); }

  // The flag that messages name.
  [[nodiscard]] std::string flag() const {
    const std::vector<std::string> all = flags();
    const auto is_long = [](const std::string& flag) { return flag.starts_with("--"); };
    const auto found = std::ranges::find_if(all, is_long);
    return found == all.end() ? all.front() : *found;
  }

  [[nodiscard]] Ref setting(std::string_view name) const { return object_->argument(name); }

  [[nodiscard]] std::string text(std::string_view name) const {
    const Ref value = setting(name);
    return value == nullptr || types_of(*value) != types::text ? std::string() : *value->string();
  }

  [[nodiscard]] std::string destination() const { return text(kDestination); }

  [[nodiscard]] Action action() const {
    static const std::map<std::string, Action, std::less<>> kNames = {{"store", Action::store},
                                                                      {"store_true", Action::store_true},
                                                                      {"store_false", Action::store_false},
                                                                      {"store_const", Action::store_const},
                                                                      {"append", Action::append},
                                                                      {"extend", Action::append},
                                                                      {"count", Action::count},
                                                                      {"help", Action::none},
                                                                      {"version", Action::none}};
    const Ref value = setting("action");
    if (value == nullptr) return Action::store;
    if (value->kind == Kind::name && value->path == "argparse.BooleanOptionalAction") return Action::toggle;
    const auto found = kNames.find(text("action"));
    return found == kNames.end() ? Action::other : found->second;
  }

  // Returns true if the command line may leave the option out.
  [[nodiscard]] bool is_optional(Interpreter& in) const {
    const Ref required = setting("required");
    const std::string count = text("nargs");
    return has_flags() ? required == nullptr || in.truth(required) == std::optional(false)
                       : count == "?" || count == "*";
  }

  [[nodiscard]] const Ref& object() const { return object_; }

 private:
  Ref object_;
};

// Returns the value that the option has by itself if no default is set.
Ref own_default(const Option& option) {
  const source::Span span = option.object()->span;
  switch (option.action()) {
    case Action::store_true: return scalar(span, false);
    case Action::store_false: return scalar(span, true);
    default: return scalar(span, std::monostate());
  }
}

// A default that is a string is converted by `type`, like an argument. Returns null if the result is unknown.
Ref converted_default(Interpreter& in, const Option& option, const Ref& value, const python::Node& node) {
  const Ref type = option.setting("type");
  if (type == nullptr || value->string() == nullptr) return value;
  Arguments one;
  one.positional.push_back(value);
  const Ref out = in.call_value(type, one, node);
  return out->kind == Kind::unknown || out->open ? nullptr : out;
}

// Marks a default, and the values in it, as depending on an option.
void assume(Ref& value, const std::string& option, std::map<const Value*, Ref>& seen) {
  const auto known = seen.find(value.get());
  if (known != seen.end()) {
    value = known->second;
    return;
  }
  const Ref before = value;
  if (value->kind == Kind::scalar) value = std::make_shared<Value>(*value);  // copies share their scalars
  seen.emplace(before.get(), value);
  if (value->assumed.empty()) value->assumed = option;
  for (Ref& item : value->items) {
    if (item != nullptr) assume(item, option, seen);
  }
}

// Returns the default of an option, for a command line that is not known; an unknown value if it cannot be left out.
Ref assumed_default(Interpreter& in, const Option& option, const Ref& given, const python::Node& node) {
  const Action action = option.action();
  const bool listed = !option.has_flags() && given == nullptr && option.text("nargs") == "*";
  const bool modeled = option.is_optional(in) && action != Action::other && !listed;
  const Ref value = !modeled           ? nullptr
                    : given == nullptr ? own_default(option)
                                       : converted_default(in, option, given, node);
  const bool readable = value != nullptr && value->kind != Kind::unknown && !value->open && !value->escaped;
  Ref out = readable ? in.deep_copy(value) : nullptr;
  if (out == nullptr) return unknown(node.span, "it depends on the option `" + option.flag() + "`");
  if (is_mutable(*value)) link(out, value);
  std::map<const Value*, Ref> seen;
  assume(out, option.flag(), seen);
  if (out->string() != nullptr && out->pieces.empty()) out->pieces.push_back({0, out->span, false, false});
  return out;
}

Ref attribute(const Ref& parser, std::string_view name) { return parser->argument(name); }

// Returns the parsers of commands by their names; null if the parser has no commands.
Ref parsers_of(const Value& parser) {
  const Ref commands = parser.argument(kCommands);
  return commands == nullptr ? nullptr : attribute(commands, kParsers);
}

// Returns true if all options of a parser and of its commands are known.
bool is_known(const Value& parser) {
  const Ref actions = parser.argument(kActions);
  const Ref defaults = parser.argument(kDefaults);
  const Ref commands = parser.argument(kCommands);
  const bool own = !parser.open && !parser.escaped && actions != nullptr && is_sequence(*actions) &&
                   defaults != nullptr && is_closed_mapping(*defaults);
  if (!own || commands == nullptr) return own;
  const Ref parsers = commands->open || commands->escaped ? nullptr : attribute(commands, kParsers);
  if (parsers == nullptr || !is_closed_mapping(*parsers)) return false;
  for (std::size_t at = 1; at < parsers->items.size(); at += 2) {
    if (!is_known(*parsers->items[at])) return false;
  }
  return true;
}

// The namespace that a parser fills.
class Namespace {
 public:
  explicit Namespace(Interpreter& in, const python::Node& node) : out_(in.made(std::make_shared<Value>())) {
    out_->kind = Kind::object;
    out_->role = Role::name_space;
    out_->span = node.span;
    out_->why = node.span;
    out_->text = "it depends on the command line";
  }

  [[nodiscard]] bool has(const std::string& name) const { return places_.contains(name); }

  void set(const std::string& name, const Ref& value) {
    const auto [place, is_new] = places_.try_emplace(name, out_->items.size());
    if (!is_new) {
      out_->items[place->second] = value;
      return;
    }
    out_->items.push_back(value);
    out_->names.push_back({name, value->span});
  }

  // Sets all names of another namespace.
  void set_all(const Value& other) {
    for (std::size_t at = 0; at < other.names.size(); ++at) set(other.names[at].value, other.items[at]);
  }

  // Sets a name that only some command lines set, or not to this value.
  void add(Interpreter& in, const std::string& name, const Ref& value) {
    const auto place = places_.find(name);
    if (place == places_.end()) return set(name, value);
    const Ref before = out_->items[place->second];
    const bool scalars = before->kind == Kind::scalar && value->kind == Kind::scalar;
    if (scalars && in.equal(*before, *value) == std::optional(true)) return;
    const Ref either = unknown(out_->span, "it depends on the command");
    either->items = {before, value};
    out_->items[place->second] = either;
  }

  [[nodiscard]] Ref take() { return std::move(out_); }

 private:
  Ref out_;
  std::map<std::string, std::size_t> places_;
};

// Sets the defaults of all options. `known`: the command line is known, so the defaults are not assumed.
bool set_defaults_of(Interpreter& in, const Ref& parser, Namespace& out, bool known, const python::Node& node) {
  const Ref actions = attribute(parser, kActions);
  const Ref defaults = attribute(parser, kDefaults);
  if (!in.builds(actions->items.size() * (sizeof(Ref) + sizeof(Value)))) return false;
  for (const Ref& action : actions->items) {
    const Option option(action);
    const std::string name = option.destination();
    if (option.action() == Action::none || out.has(name)) continue;
    const Ref later = find(*defaults, name);
    const Ref given = later != nullptr ? later : option.setting(kFallback);
    if (given != nullptr && given->kind == Kind::name && given->path == "argparse.SUPPRESS") return false;
    if (!known) {
      const Ref prepared = later == nullptr ? option.setting("assumed") : nullptr;
      out.set(name, prepared != nullptr ? prepared : assumed_default(in, option, given, node));
      continue;
    }
    const Ref value = given == nullptr ? own_default(option) : converted_default(in, option, given, node);
    if (value == nullptr) return false;
    out.set(name, value);
  }
  for (std::size_t at = 0; at + 1 < defaults->items.size(); at += 2) {
    const std::string* name = defaults->items[at]->string();
    if (name != nullptr && !out.has(*name)) out.set(*name, defaults->items[at + 1]);
  }
  return true;
}

// Sets what the options of each command set, one of which the command line names. Returns false if it is not known.
bool set_commands_of(Interpreter& in, const Ref& parser, Namespace& out, const python::Node& node) {
  const Ref parsers = parsers_of(*parser);
  if (parsers == nullptr) return true;
  const Ref destination = attribute(attribute(parser, kCommands), kDestination);
  if (destination != nullptr && destination->string() != nullptr)
    out.set(*destination->string(), unknown(node.span, "it depends on the command line"));
  for (std::size_t at = 1; at < parsers->items.size(); at += 2) {
    Namespace own(in, node);
    const Ref& command = parsers->items[at];
    if (!set_defaults_of(in, command, own, false, node) || !set_commands_of(in, command, own, node)) return false;
    const Ref names = own.take();
    if (!in.visits(names->names.size())) return false;
    for (std::size_t name = 0; name < names->names.size(); ++name)
      out.add(in, names->names[name].value, names->items[name]);
  }
  return true;
}

// Follows a command line that the script passes itself. Abbreviations, and options with unusual settings, are not
// modeled.
class CommandLine {
 public:
  CommandLine(Interpreter& in, const Ref& parser, const std::vector<Ref>& words, std::size_t first,
              const python::Node& node)
      : in_(in), parser_(parser), words_(words), node_(node), out_(in, node), at_(first) {}

  // Returns the namespace; null if it is not known.
  Ref run() {
    for (const Ref& action : attribute(parser_, kActions)->items) {
      const Option option(action);
      for (const std::string& flag : option.flags()) flags_.try_emplace(flag, option);
      if (!option.has_flags()) positional_.push_back(option);
    }
    if (!set_defaults_of(in_, parser_, out_, true, node_)) return nullptr;
    while (at_ < words_.size()) {
      if (!in_.reads(word().size()) || !(is_flag(word()) ? read_option() : read_positional())) return nullptr;
    }
    return has_required() ? out_.take() : nullptr;
  }

 private:
  [[nodiscard]] const std::string& word() const { return *words_[at_]->string(); }

  static bool is_flag(const std::string& word) {
    return word.size() > 1 && word[0] == '-' && !base::is_digit(word[1]) && word[1] != '.';
  }

  // Reads an option and its value, which may follow `=` or a short flag.
  bool read_option() {
    const std::string flag = word();
    const Ref place = words_[at_++];
    if (const auto found = flags_.find(flag); found != flags_.end()) return apply(found->second, flag, nullptr);
    const std::size_t end = flag.starts_with("--") ? flag.find('=') : 2;
    const auto found = end < flag.size() ? flags_.find(flag.substr(0, end)) : flags_.end();
    if (found == flags_.end()) return false;
    const std::size_t begin = end + (flag[end] == '=' ? 1 : 0);
    return apply(found->second, found->first, in_.substring(*place, begin, flag.size()));
  }

  // The parser of a command reads all further words.
  bool read_command(const Value& commands) {
    const Ref parser = find(*attribute(parser_, kCommands)->argument(kParsers), word());
    if (parser == nullptr) return false;
    const Ref destination = commands.argument(kDestination);
    if (destination != nullptr && destination->string() != nullptr) out_.set(*destination->string(), words_[at_]);
    const Ref names = CommandLine(in_, parser, words_, at_ + 1, node_).run();
    at_ = words_.size();
    if (names == nullptr || !in_.visits(names->names.size())) return false;
    out_.set_all(*names);
    command_ = true;
    return true;
  }

  bool read_positional() {
    const Ref commands = attribute(parser_, kCommands);
    const auto before =
        commands == nullptr ? positional_.size() : std::get<std::int64_t>(attribute(commands, kBefore)->data);
    if (commands != nullptr && next_ == static_cast<std::size_t>(before)) return read_command(*commands);
    if (next_ >= positional_.size() || positional_[next_].setting("nargs") != nullptr) return false;
    const Option& option = positional_[next_++];
    return set(option, words_[at_++]);
  }

  bool apply(const Option& option, const std::string& flag, const Ref& attached) {
    const std::string name = option.destination();
    switch (option.action()) {
      case Action::store: return store(option, attached);
      case Action::store_true: return set_plain(option, scalar(node_.span, true), attached);
      case Action::store_false: return set_plain(option, scalar(node_.span, false), attached);
      case Action::toggle: return set_plain(option, scalar(node_.span, !flag.starts_with("--no-")), attached);
      case Action::store_const: {
        const Ref constant = option.setting("const");
        return constant != nullptr && set_plain(option, constant, attached);
      }
      default: return false;
    }
  }

  bool set_plain(const Option& option, const Ref& value, const Ref& attached) {
    out_.set(option.destination(), value);
    seen_.insert(option.object().get());
    return attached == nullptr;
  }

  // Stores one value, or a list of those that follow.
  bool store(const Option& option, const Ref& attached) {
    const Ref count = option.setting("nargs");
    if (count == nullptr) {
      if (attached == nullptr && (at_ >= words_.size() || is_flag(word()))) return false;
      return set(option, attached != nullptr ? attached : words_[at_++]);
    }
    const std::string nargs = option.text("nargs");
    if ((nargs != "+" && nargs != "*") || attached != nullptr || !positional_.empty()) return false;
    std::vector<Ref> values;
    while (at_ < words_.size() && !is_flag(word())) {
      const Ref value = converted_word(option, words_[at_++]);
      if (value == nullptr) return false;
      values.push_back(value);
    }
    if (values.empty() && nargs == "+") return false;
    return set_plain(option, in_.list_like(Kind::list, std::move(values), node_), nullptr);
  }

  Ref converted_word(const Option& option, const Ref& word) {
    const Ref value = converted_default(in_, option, word, node_);
    const Ref choices = option.setting("choices");
    const bool fits = value != nullptr && (choices == nullptr || in_.contains(choices, value) == std::optional(true));
    return fits ? value : nullptr;
  }

  bool set(const Option& option, const Ref& word) {
    const Ref value = converted_word(option, word);
    return value != nullptr && set_plain(option, value, nullptr);
  }

  // Without a command, its name is None.
  bool has_command() {
    const Ref commands = attribute(parser_, kCommands);
    if (commands == nullptr || command_) return true;
    const Ref required = commands->argument("required");
    const Ref destination = commands->argument(kDestination);
    if (destination != nullptr && destination->string() != nullptr)
      out_.set(*destination->string(), scalar(node_.span, std::monostate()));
    return required == nullptr || in_.truth(required) == std::optional(false);
  }

  // Without a required option, the script ends.
  bool has_required() {
    return has_command() && std::ranges::all_of(attribute(parser_, kActions)->items, [&](const Ref& action) {
             return Option(action).is_optional(in_) || seen_.contains(action.get()) ||
                    Option(action).action() == Action::none;
           });
  }

  Interpreter& in_;
  Ref parser_;
  const std::vector<Ref>& words_;
  const python::Node& node_;
  Namespace out_;
  std::map<std::string, Option, std::less<>> flags_;
  std::vector<Option> positional_;
  std::set<const Value*> seen_;
  std::size_t at_;
  std::size_t next_ = 0;
  bool command_ = false;  // true if a command was read
};

std::string name_of_flag(std::string flag) {
  flag.erase(0, flag.find_first_not_of('-'));
  std::ranges::replace(flag, '-', '_');
  return flag;
}

// Returns the name of the attribute that an option sets: `dest`, the first long flag, or the first flag.
std::string destination_of(const Option& option) {
  const std::string given = option.text(kDestination);
  if (!given.empty()) return given;
  const std::string flag = option.flag();
  return option.has_flags() ? name_of_flag(flag) : flag;
}

// Returns null if flags or names of settings are not known.
Ref new_option(const Call& call) {
  const auto is_text = [](const Ref& value) { return types_of(*value) == types::text && !value->string()->empty(); };
  const Ref destination = call.arguments.named_argument(kDestination);
  const bool known = !call.arguments.is_open() && !call.rest.empty() && std::ranges::all_of(call.rest, is_text) &&
                     (destination == nullptr || types_of(*destination) == types::text);
  if (!known) return nullptr;
  const Ref out = call.interpreter.made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::option;
  out->span = call.node.span;
  out->items = call.rest;
  for (std::size_t at = 0; at < call.arguments.names.size(); ++at)
    set_argument(*out, call.arguments.names[at].value, call.node.span, call.arguments.named[at]);
  set_argument(*out, std::string(kDestination), call.node.span, scalar(call.node.span, destination_of(Option(out))));
  return out;
}

Ref no_result(const Call& call) { return scalar(call.node.span, std::monostate()); }

// The default is the value at the time of the call.
Ref add_argument(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref option = new_option(call);
  const bool set_before = option != nullptr && is_known(*call.self) && option->argument(kFallback) != nullptr &&
                          find(*attribute(call.self, kDefaults), Option(option).destination()) != nullptr;
  if (option == nullptr || !is_known(*call.self) || set_before) {
    in.heap().open(call.self, call.node.span, "an option is not known");
    return in.opaque(call.node.span, "an option is not known");
  }
  set_argument(*option, "assumed", call.node.span,
               assumed_default(in, Option(option), option->argument(kFallback), call.node));
  const std::string flag = Option(option).flag();
  if (Option(option).action() == Action::toggle && flag.starts_with("--")) {
    const auto end = option->items.end() - static_cast<std::ptrdiff_t>(option->names.size());
    option->items.insert(end, scalar(call.node.span, "--no-" + flag.substr(2)));
  }
  in.add_item(attribute(call.self, kActions), option);
  return no_result(call);
}

Ref set_defaults(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref defaults = is_known(*call.self) ? attribute(call.self, kDefaults) : nullptr;
  if (defaults == nullptr || !in.heap().change(defaults)) return nullptr;
  for (std::size_t at = 0; at < call.arguments.named.size(); ++at)
    put(*defaults, scalar(call.node.span, call.arguments.names[at].value), call.arguments.named[at]);
  return no_result(call);
}

Ref same_parser(const Call& call) { return call.self; }

Ref unknown_namespace(const Call& call) {
  Namespace out(call.interpreter, call.node);
  const Ref object = out.take();
  object->open = true;
  return object;
}

// Without an argument, the command line of the process is read, whose options are assumed to be absent.
Ref parse_args(const Call& call) {
  Interpreter& in = call.interpreter;
  in.risk();
  if (!is_known(*call.self) || !in.visits(attribute(call.self, kActions)->items.size() * 4))
    return unknown_namespace(call);
  if (call.is_none(0)) {
    Namespace out(in, call.node);
    const bool known =
        set_defaults_of(in, call.self, out, false, call.node) && set_commands_of(in, call.self, out, call.node);
    return known ? out.take() : unknown_namespace(call);
  }
  const auto words = in.elements(call.values[0], call.node.span);
  const auto is_text = [](const Ref& value) { return types_of(*value) == types::text; };
  if (!words || !std::ranges::all_of(*words, is_text)) return unknown_namespace(call);
  const Ref out = CommandLine(in, call.self, *words, 0, call.node).run();
  return out != nullptr ? out : unknown_namespace(call);
}

Ref parse_known_args(const Call& call) {
  if (!call.is_none(0)) return nullptr;
  const Ref rest = unknown(call.node.span, "it depends on the command line");
  return call.interpreter.made(container(Kind::tuple, call.node.span, {parse_args(call), rest}));
}

Ref leave(const Call& call) {
  call.interpreter.raise();
  return nullptr;
}

// Returns a parser without options.
Ref empty_parser(const Call& call) {
  Interpreter& in = call.interpreter;
  const Ref out = in.made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::parser;
  out->imported = true;
  out->path = "argparse.ArgumentParser";
  out->span = call.node.span;
  set_argument(*out, std::string(kActions), call.node.span, in.made(container(Kind::list, call.node.span)));
  set_argument(*out, std::string(kDefaults), call.node.span, in.made(container(Kind::dictionary, call.node.span)));
  return out;
}

bool has_only(const Call& call, std::span<const std::string_view> names) {
  return !call.arguments.is_open() && std::ranges::all_of(call.arguments.names, [&](const auto& option) {
    return std::ranges::find(names, option.value) != names.end();
  });
}

// A parser with other arguments reads other files or abbreviations.
Ref new_parser(const Call& call) {
  static constexpr std::string_view kPlain[] = {"description",     "prog",     "epilog",      "usage",
                                                "formatter_class", "add_help", "allow_abbrev"};
  return call.rest.size() > 1 || !has_only(call, kPlain) ? nullptr : empty_parser(call);
}

Ref add_subparsers(const Call& call) {
  static constexpr std::string_view kPlain[] = {"title", "description", "dest", "required", "help", "metavar", "prog"};
  Interpreter& in = call.interpreter;
  const Ref destination = call.arguments.named_argument(kDestination);
  const bool text = destination == nullptr || (types_of(*destination) & (types::text | types::none)) != 0;
  const bool known =
      is_known(*call.self) && text && has_only(call, kPlain) && attribute(call.self, kCommands) == nullptr;
  if (!known || !in.heap().change(call.self)) return nullptr;
  const auto is_positional = [](const Ref& action) { return !Option(action).has_flags(); };
  const auto before = std::ranges::count_if(attribute(call.self, kActions)->items, is_positional);
  const Ref out = in.made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::option;
  out->span = call.node.span;
  for (std::size_t at = 0; at < call.arguments.names.size(); ++at)
    set_argument(*out, call.arguments.names[at].value, call.node.span, call.arguments.named[at]);
  set_argument(*out, std::string(kParsers), call.node.span, in.made(container(Kind::dictionary, call.node.span)));
  set_argument(*out, std::string(kBefore), call.node.span, scalar(call.node.span, std::int64_t{before}));
  set_argument(*call.self, std::string(kCommands), call.node.span, out);
  return out;
}

// Adds the parser of a command. Parsers that take over options of others are not modeled.
Ref add_parser(const Call& call) {
  static constexpr std::string_view kPlain[] = {"help", "description", "prog", "epilog", "usage", "formatter_class"};
  Interpreter& in = call.interpreter;
  const Ref parsers = call.self->open ? nullptr : attribute(call.self, kParsers);
  const bool known = parsers != nullptr && is_closed_mapping(*parsers) && has_only(call, kPlain);
  if (!known || !in.heap().change(parsers)) return nullptr;
  const Ref out = empty_parser(call);
  put(*parsers, call.values[0], out);
  return out;
}

}  // namespace

std::span<const Operation> parser_methods() {
  using enum Parameter::Presence;
  const Parameter values{"", types::any, rest};
  const Parameter options{"", types::any, mapping};
  const Parameter words{"args", types::any, optional};
  static const std::vector<Operation> rows = {
      {"add_argument", {values, options}, Cost::all, &add_argument, traits::escapes | traits::open},
      {"add_argument_group", {values, options}, Cost::constant, &same_parser, traits::escapes},
      {"add_mutually_exclusive_group", {values, options}, Cost::constant, &same_parser, traits::escapes},
      {"add_subparsers", {options}, Cost::all, &add_subparsers, traits::escapes},
      {"set_defaults", {options}, Cost::all, &set_defaults, traits::escapes},
      {"parse_args", {words}, Cost::constant, &parse_args, traits::escapes},
      {"parse_known_args", {words}, Cost::constant, &parse_known_args, traits::escapes},
      {"error", {values, options}, Cost::constant, &leave, traits::escapes | traits::open},
      {"exit", {values, options}, Cost::constant, &leave, traits::escapes | traits::open},
  };
  return rows;
}

std::span<const Operation> command_methods() {
  using enum Parameter::Presence;
  static const std::vector<Operation> rows = {
      {"add_parser", {{"name", types::text}, {"", types::any, mapping}}, Cost::all, &add_parser, traits::escapes},
  };
  return rows;
}

std::span<const Operation> parser_functions() {
  using enum Parameter::Presence;
  static const std::vector<Operation> rows = {
      {"argparse.ArgumentParser",
       {{"", types::any, rest}, {"", types::any, mapping}},
       Cost::all,
       &new_parser,
       traits::escapes},
  };
  return rows;
}

}  // namespace sparsecfg::script
