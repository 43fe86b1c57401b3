#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/script_calls.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

static bool is_entry(const Value& value) {
  const auto* map = value.get<Map>();
  return map != nullptr && std::ranges::any_of(*map, [](const source::Entry& field) {
           const std::string name = name_of(field);
           return find_key(selection_keys(), name) != nullptr || find_key(legacy_keys(), name) != nullptr ||
                  find_key(epoch_keys(), name) != nullptr;
         });
}

bool is_list_of_entries(const Value& value) {
  const auto* list = value.get<List>();
  return list != nullptr && std::ranges::any_of(*list, is_entry);
}

class Layout {
 public:
  explicit Layout(const Context& context) : context_(context), sink_(context.sink) {}

  Configuration find(Value root, bool script) {
    out_.root = std::move(root);
    const auto* lists = script ? out_.root.get<Map>() : nullptr;
    read_given_pruner();
    if (lists != nullptr) {
      find_in_script(*lists);
    } else {
      find_in_document(out_.root);
    }
    number_entries();
    return std::move(out_);
  }

 private:
  void reject(const Value& value, std::string_view what, std::string_view wanted) {
    sink_.report(diag::wrong_type, value.span, what, wanted, source::describe(value));
    out_.valid = false;
  }

  // --- the pruner from the command line -----------------------------------------------------------------

  void read_given_pruner() {
    const std::string given(context_.options.given(kPrunerOption).value_or(""));
    given_ = given.empty() ? std::nullopt : parse_constructor_call(given);
    if (given_) {
      wrap_level_pruner(*given_);
    } else if (!given.empty()) {
      sink_.report(diag::unknown_choice, {}, given, "--pruner")
          .with_help("write a constructor call: `AGPPruner(LevelPruner, interval_steps=100, total_times=10)`");
      out_.valid = false;
    }
  }

  // Scheduled pruners wrap another pruner. The default is LevelPruner.
  static void wrap_level_pruner(Value& part) {
    Map& map = std::get<Map>(part.data);
    const ClassSpec* spec = find_class(source::python_str(*find_value(map, "class")));
    if (spec != nullptr && spec->kind == Schedule::repeated && !has(map, "pruner")) {
      put(map, "pruner", {Map{{Value{std::string("class"), {}}, Value{std::string("LevelPruner"), {}}}}, {}});
    }
  }

  // Returns false if the list is for another mode, such as a quantization list for a pruner.
  bool fits_given_pruner(const Value& list) const {
    const ClassSpec* spec = find_class(source::python_str(*given_->find("class")));
    const auto* items = list.get<List>();
    std::vector<Entry> entries;
    for (std::size_t at = 0; items != nullptr && at < items->size(); ++at) {
      if (const auto* map = (*items)[at].get<Map>()) entries.push_back({map, {}, {}, {}});
    }
    const auto mode = nni::mode_of(entries);
    return spec == nullptr || !mode || spec->section == *mode;
  }

  // --- forms -------------------------------------------------------------------------------------

  void find_in_document(const Value& root) {
    const auto* map = root.get<Map>();
    if (root.get<List>() != nullptr) {
      add({}, "", root, root.span, "config_list");
    } else if (map != nullptr) {
      find_in_mapping(*map, root.span);
    } else {
      reject(root, "the configuration", "a list of entries or a mapping with `config_list`");
    }
  }

  void find_in_mapping(const Map& root, source::Span span) {
    read_run(root, out_, sink_);
    if (const Value* several = find_value(root, "compressors")) {
      find_several(*several);
      return;
    }
    const Map& map = wrapped(root);
    const auto section = std::ranges::find_if(kSections, [&](std::string_view name) { return has(map, name); });
    const bool named = section != std::end(kSections);
    if (const Value* list = find_value(map, "config_list")) {
      add(named ? read_part(*find_value(map, *section), *section) : class_of(map), named ? *section : "", *list, span,
          "config_list", find_value(map, "mode"));
    } else if (!find_classes_of_1x(map)) {
      sink_.report(diag::missing_required, named ? find_entry(map, *section)->first.span : span, "the configuration",
                   "config_list");
      out_.valid = false;
    }
  }

  // Files of another tool hold the NNI list under `compression`.
  static const Map& wrapped(const Map& root) {
    const Value* inner = find_value(root, "compression");
    const auto* map = inner == nullptr ? nullptr : inner->get<Map>();
    return map != nullptr && has(*map, "config_list") ? *map : root;
  }

  static std::optional<ConstructorCall> class_of(const Map& map) {
    const Value* name = find_value(map, "compressor");
    const auto* text = name == nullptr ? nullptr : name->get<std::string>();
    if (text == nullptr) {
      return std::nullopt;
    }
    const bool short_name = *text == "agp";
    const std::string full = short_name ? "AGPPruner" : *text;
    return ConstructorCall{{full, name->span}, nullptr, {}};
  }

  void find_several(const Value& several) {
    const auto* list = several.get<List>();
    if (list == nullptr || list->empty()) {
      reject(several, "compressors", "a list of compressors");
      return;
    }
    for (std::size_t at = 0; at < list->size(); ++at) {
      const Value& item = (*list)[at];
      const auto* map = item.get<Map>();
      const std::string path = fmt::format("compressors[{}]", at);
      const Value* entries = map == nullptr ? nullptr : find_value(*map, "config_list");
      if (map == nullptr) {
        reject(item, path, "a mapping with `class` and `config_list`");
      } else if (entries == nullptr) {
        sink_.report(diag::missing_required, item.span, path, "config_list");
        out_.valid = false;
      } else {
        add(read_part(item, path), "", *entries, item.span, path + ".config_list");
      }
    }
  }

  // Up to 2.2, a class has the list under `config`.
  bool find_classes_of_1x(const Map& map) {
    bool found = false;
    for (const source::Entry& field : map) {
      const auto* inner = field.second.get<Map>();
      const Value* list = inner == nullptr ? nullptr : find_value(*inner, "config");
      if (list == nullptr || !is_list_of_entries(*list)) {
        continue;
      }
      found = true;
      const std::string name = name_of(field);
      if (release_of(context_.options) != Release::v1) {
        sink_.report(diag::nni_v1_config, field.first.span, name).with_help("pass `--nni 1.x` to read this file");
        out_.valid = false;
      }
      add(ConstructorCall{{name, field.first.span}, nullptr, {}}, "", *list, field.first.span, name + ".config");
    }
    return found;
  }

  // Reads the lists of a script, and the constructors that receive them. Without a class, their keys determine the
  // mode.
  void find_in_script(const Map& lists) {
    if (release_of(context_.options) != Release::v3_0) check_older_calls(lists, context_);
    for (const source::Entry& list : lists) {
      if (!is_list_of_entries(list.second) && !is_entry(list.second)) continue;
      const std::vector<ScriptCall> calls = known_calls(lists, name_of(list));
      add(calls.size() == 1 ? std::optional(read_call(calls.front())) : std::nullopt, "", list.second, list.second.span,
          name_of(list));
      out_.compressors.back().script_list = out_.compressors.size();
      out_.compressors.back().name = name_of(list);
      if (calls.size() > 1) add_other_calls(calls);
      if (calls.size() == 1) read_own_run(calls.front(), out_.compressors.back());
    }
    read_run_of_script(lists);
  }

  // Returns the constructors of classes of NNI 3.0. A pruner from the command line replaces them.
  std::vector<ScriptCall> known_calls(const Map& lists, const std::string& list) const {
    if (given_ || release_of(context_.options) != Release::v3_0) return {};
    std::vector<ScriptCall> calls = script_calls_of(lists, list);
    std::erase_if(calls, [](const ScriptCall& call) {
      return find_class(source::python_str(*call.part.find("class"))) == nullptr;
    });
    return calls;
  }

  ConstructorCall read_call(const ScriptCall& call) {
    ConstructorCall part = read_part(call.part, "");
    part.unknown = {call.unknown.begin(), call.unknown.end()};
    return part;
  }

  void add_other_calls(const std::vector<ScriptCall>& calls) {
    for (const ScriptCall& call : calls) {
      Compressor compressor;
      compressor.main = read_call(call);
      add_inner(compressor);
      out_.other_calls.push_back(std::move(compressor));
    }
  }

  static void read_own_run(const ScriptCall& call, Compressor& compressor) {
    compressor.speedup = call.speedup;
    compressor.compress_call = call.compress_call;
    if (call.compress_call.empty()) return;
    OwnRun run;
    run.order = call.order;
    run.computes_steps = call.computes_steps;
    for (const source::Entry& argument : call.compress) {
      if (!argument.second.number()) continue;
      if (name_of(argument) == "max_steps") run.max_steps = argument;
      if (name_of(argument) == "max_epochs") run.max_epochs = argument;
    }
    compressor.own_run = std::move(run);
  }

  // A script with one list and one constructor has one run.
  void read_run_of_script(const Map& lists) {
    if (out_.compressors.size() != 1) return;
    Compressor& compressor = out_.compressors.front();
    const std::vector<ScriptCall> calls = known_calls(lists, compressor.name);
    if (calls.size() != 1) return;
    if (compressor.own_run) static_cast<RunLength&>(out_) = *compressor.own_run;
    compressor.own_run.reset();
    if (calls.front().unknown.empty()) out_.given_pruner = calls.front().part;
  }

  // --- parts -------------------------------------------------------------------------------------

  // Reads a class from `class` or `type`, with its arguments beside it or under `args`. `owner`: the key of the value.
  ConstructorCall read_part(const Value& value, std::string_view owner) {
    const auto* map = value.get<Map>();
    const Value* name = map == nullptr ? nullptr : find_value(*map, has(*map, "class") ? "class" : "type");
    const auto* text = name == nullptr ? nullptr : name->get<std::string>();
    if (map == nullptr) {
      reject_part(value, owner);
      return {};
    }
    if (text == nullptr) {
      reject(name == nullptr ? value : *name, "class", "the name of a class");
      return {};
    }
    const bool current = release_of(context_.options) == Release::v3_0;
    ConstructorCall part{{*text, name->span}, current ? find_class(*text) : nullptr, *map};
    for (const std::string_view key : {"class", "type", "config_list"}) {
      static_cast<void>(pop(part.arguments, key));
    }
    if (const auto more = pop(part.arguments, "args"); more && more->get<Map>() != nullptr) {
      std::ranges::copy(*more->get<Map>(), std::back_inserter(part.arguments));
    }
    if (part.spec == nullptr && current) {
      report_unknown_class(part);
    }
    return part;
  }

  // Suggests the mapping if the value is only the name of a class.
  void reject_part(const Value& value, std::string_view key) {
    auto& report = sink_.report(diag::wrong_type, value.span, key, "a mapping with `class`", source::describe(value));
    const auto* text = value.get<std::string>();
    if (const ClassSpec* spec = text == nullptr ? nullptr : find_class(*text)) {
      std::string fields;
      for (const FieldSpec& field : spec->fields) {
        if (field.required) fields += fmt::format(", {}: ...", field.name);
      }
      const std::string mapping = fmt::format("{{class: {}{}}}", *text, fields);
      report.with_help(fmt::format("write `{}: {}`", key, mapping));
      if (fields.empty()) report.with_fix(diag::Fix::unsafe().replace(value.span, mapping));
    }
    out_.valid = false;
  }

  void report_unknown_class(const ConstructorCall& part) {
    std::vector<std::string_view> known;
    for (const ClassSpec& spec : classes()) {
      known.push_back(spec.name);
    }
    const Meant meant =
        meant_by(Word::Place::type, "", part.name.value, known, "see `sparsecfg explain modifiers` for all classes");
    sink_.report(diag::unknown_modifier, part.name.span, "class of NNI 3.0", part.name.value)
        .with_help(meant.help)
        .with_fix(meant.fix(part.name.span));
    out_.valid = false;
  }

  void add(std::optional<ConstructorCall> part, std::string_view section, const Value& list, source::Span place,
           const std::string& path, const Value* mode = nullptr) {
    Compressor compressor;
    if (!part && section.empty() && given_ && fits_given_pruner(list)) {
      part = read_part(*given_, "--pruner");
      out_.given_pruner = given_;
    }
    compressor.main = std::move(part);
    compressor.list = list.span.empty() ? place : list.span;
    if (compressor.main) add_inner(compressor);
    read_entries(compressor, list, path);
    compressor.mode = mode_of(compressor, section, mode, context_);
    out_.compressors.push_back(std::move(compressor));
  }

  void add_inner(Compressor& compressor) {
    if (const auto inner = pop_inner(*compressor.main)) compressor.inner = read_part(*inner, "pruner");
    if (compressor.inner) compressor.inner->unknown = compressor.main->unknown;
  }

  static std::optional<Value> pop_inner(ConstructorCall& part) {
    const bool wraps = part.spec != nullptr && part.spec->kind == Schedule::repeated;
    const Value* inner = find_value(part.arguments, "pruner");
    return wraps && inner != nullptr && inner->get<Map>() != nullptr ? pop(part.arguments, "pruner") : std::nullopt;
  }

  // The usual cause of a mapping is a missing dash before its first key.
  void reject_entries(const Value& list, const std::string& path) {
    auto& report = sink_.report(diag::wrong_type, list.span, path, "a list of entries", source::describe(list));
    out_.valid = false;
    const auto* map = list.get<Map>();
    if (!is_entry(list) || map->front().first.span.begin < 2) {
      return;
    }
    if (context_.file.text(list.span).starts_with('{')) {
      report.with_help(fmt::format("put the entry in `[ ]`: `[{{'{}': ...}}]`", name_of(map->front())))
          .with_fix(diag::Fix::unsafe()
                        .replace({list.span.begin, list.span.begin}, "[")
                        .replace({list.span.end, list.span.end}, "]"));
      return;
    }
    const source::Span key = map->front().first.span;
    const source::Span before{key.begin - 2, key.begin};
    const bool block = context_.file.text(before) == "  ";
    report.with_help(fmt::format("put `- ` before `{}`, the first key of the entry", name_of(map->front())))
        .with_fix(block ? diag::Fix::unsafe().replace(before, "- ") : diag::Fix());
  }

  void read_entries(Compressor& compressor, const Value& list, const std::string& path) {
    const auto* items = list.get<List>();
    if (items == nullptr) {
      reject_entries(list, path);
      return;
    }
    compressor.entries.reserve(items->size());
    static const Map kNone;
    for (std::size_t at = 0; at < items->size(); ++at) {
      const Value& item = (*items)[at];
      const auto* map = item.get<Map>();
      const std::string place = fmt::format("{}[{}]", path, at);
      if (map == nullptr && !context_.unread.contains(item.span)) {
        sink_.report(diag::wrong_type, item.span, place, "a mapping", source::describe(item));
      }
      const Map& fields = map == nullptr ? kNone : *map;
      compressor.entries.push_back({&fields, fields, item.span, place, 0, {}, map != nullptr});
    }
  }

  void number_entries() {
    int ordinal = 0;
    for (Compressor& compressor : out_.compressors) {
      compressor.fused = out_.compressors.size() > 1 && compressor.script_list == 0;
      for (Entry& entry : compressor.entries) {
        entry.ordinal = ++ordinal;
      }
    }
  }

  const Context& context_;
  diag::Sink& sink_;
  Configuration out_;
  std::optional<Value> given_;  // the pruner from the command line, for a list that names none
};

Configuration find_compressors(Value root, bool script, const Context& context) {
  return Layout(context).find(std::move(root), script);
}

}  // namespace sparsecfg::dialect::nni
