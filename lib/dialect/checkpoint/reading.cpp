#include "dialect/checkpoint/reading.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dialect/checkpoint/values.h"

namespace sparsecfg::dialect::checkpoint {

using selectors::Decision;
using selectors::kDefaultFormat;
using selectors::kUnquantized;

// transformers: the flags of bitsandbytes replace the method. vLLM ignores the letter case of two methods, SGLang that
// of all.
std::string method_name(Program program, const Input& input) {
  if (program == Program::transformers && sets_bits(input.config)) return "bitsandbytes";
  const std::string name(input.method.value_or(""));
  const std::string lower = base::to_lower(name);
  const bool ignores_case = program == Program::sglang || lower == "awq" || lower == "gptq";
  return program != Program::transformers && program != Program::quark && ignores_case ? lower : name;
}

namespace {

// Numbers the formats of entries. Equal values get equal numbers.
class NumberedFormats : public selectors::Formats {
 public:
  // `whole` is the value for layers without an entry. An entry with an equal value has the same format.
  NumberedFormats(const Method& method, Reading& reading, const Value* whole)
      : method_(method), reading_(reading), whole_(whole == nullptr ? std::string() : source::python_str(*whole)) {}

  Format of(const Value& value) override {
    const std::string text = source::python_str(value);
    if (text == whole_) return kDefaultFormat;
    const auto [known, is_new] = numbers_.emplace(text, values_.size());
    if (!is_new) return number(known->second);
    values_.push_back(&value);
    reading_.formats.push_back(method_.scheme(value));
    return number(known->second);
  }

  [[nodiscard]] const std::vector<const Value*>& values() const { return values_; }

 private:
  static Format number(std::size_t at) { return selectors::kFirstFormat + static_cast<Format>(at); }

  const Method& method_;
  Reading& reading_;
  std::string whole_;
  std::vector<const Value*> values_;
  std::unordered_map<std::string, std::size_t> numbers_;  // by the text of the value
};

class ProgramReader {
 public:
  ProgramReader(Program program, const Input& input, SharedUnits& units) : input_(input), units_(units) {
    out_.program = program;
  }

  Reading run() {
    find_method();
    if (out_.loading == nullptr || out_.refusal) return std::move(out_);
    check_values();
    if (input_.modules != nullptr) out_.units = units_.of(out_.program, reads_tags());
    whole_ = out_.method->whole(input_.config);
    out_.formats = {std::nullopt, whole_scheme()};
    NumberedFormats formats(*out_.method, out_, whole_);
    read_lists(formats);
    if (!out_.refusal && input_.modules != nullptr) decide(formats);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::optional<ir::Scheme> whole_scheme() const {
    if (out_.loading->whole_scheme != nullptr) return out_.loading->whole_scheme(input_.config);
    return whole_ == nullptr ? std::nullopt : out_.method->scheme(*whole_);
  }

  [[nodiscard]] bool reads_tags() const {
    return std::ranges::any_of(out_.loading->readers, [](const selectors::Reader* each) {
      return each->compares_with.contains(selectors::Space::tag);
    });
  }

  void find_method() {
    const std::string name = method_name(out_.program, input_);
    if (name.empty()) {
      if (out_.program == Program::sglang) return;
      out_.refusal = Refusal{Refusal::Reason::no_method};
      return;
    }
    // A class in a script quantizes to 4 bits without flags.
    const bool without_flags = out_.program == Program::transformers && name == "bitsandbytes" && !input_.constructed &&
                               !sets_bits(input_.config);
    out_.loading = without_flags ? nullptr : find_loading(out_.program, name);
    out_.method = out_.loading == nullptr ? nullptr : checkpoint::find_method(method_of(name));
    if (out_.loading != nullptr) return;
    out_.ignored = out_.program == Program::transformers && !is_loaded_by_package(name);
    if (out_.program == Program::vllm && is_deprecated_in_vllm(name)) {
      out_.refusal = Refusal{Refusal::Reason::deprecated};
    } else if (!is_known_to_runtime(out_.program, name)) {
      out_.refusal = Refusal{Refusal::Reason::unknown_method};
    }
  }

  // Methods that transformers reads with packages that are not examined here.
  static bool is_loaded_by_package(std::string_view name) {
    constexpr std::string_view kPackages[] = {"quark",   "fp_quant",   "fouroversix",        "sinq",
                                              "torchao", "auto-round", "compressed-tensors", "modelopt"};
    return base::contains(kPackages, name);
  }

  // Other names of methods in vLLM.
  static std::string_view method_of(std::string_view name) {
    if (name == "awq_marlin") return "awq";
    return name == "gptq_marlin" || name == "auto_gptq" ? "gptq" : name;
  }

  void check_values() {
    for (const ValueCheck& check : out_.loading->checks) {
      if (check.accepts(input_.config)) continue;
      out_.refusal = Refusal{Refusal::Reason::value, &check};
      return;
    }
  }

  void read_lists(NumberedFormats& formats) {
    for (const selectors::Reader* reader : out_.loading->readers) {
      if (is_format(*reader)) continue;
      EntryList list{*reader, {}};
      const auto examines = out_.loading->examines_head;
      if (examines != nullptr && examines(input_.config)) list.reader.never = {};
      auto entries = selectors::read(list.reader, input_.config, &formats, out_.units->prefixes);
      if (auto* rejection = std::get_if<selectors::Rejection>(&entries)) {
        if (!out_.refusal) out_.refusal = Refusal{Refusal::Reason::list, nullptr, std::move(*rejection), reader};
        return;
      }
      list.entries = std::get<0>(std::move(entries));
      out_.lists.push_back(std::move(list));
    }
    add_stored_entries();
    for (const EntryList& list : out_.lists) {
      for (std::size_t at = 0; list.entries && at < list.entries->size(); ++at)
        out_.all_entries.push_back(&(*list.entries)[at]);
    }
  }

  // Returns true if the map of a reader is the format of all layers, not a map from entries to formats.
  [[nodiscard]] bool is_format(const selectors::Reader& reader) const {
    return reader.polarity == selectors::Polarity::assign && whole_ != nullptr && out_.formats.back() &&
           whole_ == input_.config.find(*reader.fields.begin());
  }

  // vLLM replaces an empty list by the modules whose stored tensors are, or are not, packed.
  void add_stored_entries() {
    EntryList& list = out_.lists.back();
    const bool empty = !list.entries || list.entries->empty();
    if (out_.loading->from_file == FromFile::none || input_.stored == nullptr || input_.modules == nullptr || !empty)
      return;
    list.entries.emplace();
    list.from_tensors = true;
    for (const auto& members : out_.units->members) {
      for (const std::uint32_t member : members) add_stored_entry(list, (*input_.modules)[member].name);
    }
  }

  void add_stored_entry(EntryList& list, const std::string& name) {
    const bool packed = input_.stored->are_packed(name);
    if (packed != (out_.loading->from_file == FromFile::packed)) return;
    Entry entry{name};
    entry.place = static_cast<std::uint32_t>(list.entries->size());
    entry.order = entry.place;
    (void)selectors::prepare(list.reader, entry, out_.units->prefixes);
    list.entries->push_back(std::move(entry));
  }

  // Passes the units from reader to reader. A unit that one leaves unquantized is decided.
  void decide(const NumberedFormats& formats) {
    out_.decisions.resize(out_.units->modules.size());
    std::vector<std::uint32_t> left(out_.units->modules.size());
    for (std::uint32_t at = 0; at < left.size(); ++at) left[at] = at;
    std::uint32_t first_entry = 0;
    for (std::size_t at = 0; at < out_.lists.size() && !out_.refusal; ++at) {
      left = decide_by(out_.lists[at], at + 1 == out_.lists.size(), first_entry, std::move(left));
      if (out_.lists[at].entries) first_entry += static_cast<std::uint32_t>(out_.lists[at].entries->size());
    }
    if (!out_.refusal) check_support(formats);
    if (out_.refusal) out_.decisions.clear();
  }

  std::vector<std::uint32_t> decide_by(const EntryList& list, bool last, std::uint32_t first_entry,
                                       std::vector<std::uint32_t> left) {
    std::vector<selectors::Module> some;
    const bool all = left.size() == out_.units->modules.size();
    for (std::size_t at = 0; !all && at < left.size(); ++at) some.push_back(out_.units->modules[left[at]]);
    const std::span<const selectors::Module> modules = all ? out_.units->modules : some;
    base::Budget budget = selectors::assignment_budget();
    const Format whole = !last || out_.formats[1] ? kDefaultFormat : kUnquantized;
    auto result = selectors::assign(
        list.reader, list.entries ? &*list.entries : nullptr, modules, [&](const selectors::Module&) { return whole; },
        {}, budget);
    if (auto* rejection = std::get_if<selectors::Rejection>(&result)) {
      out_.refusal = Refusal{Refusal::Reason::list, nullptr, std::move(*rejection), &list.reader};
      return {};
    }
    auto& assignment = std::get<selectors::Assignment>(result);
    out_.complete = out_.complete && assignment.complete;
    out_.matched.push_back(std::move(assignment.matched));
    std::vector<std::uint32_t> next;
    for (std::size_t at = 0; at < left.size(); ++at) {
      take(out_.decisions[left[at]], assignment.decisions[at], assignment, first_entry);
      if (assignment.decisions[at].format != kUnquantized) next.push_back(left[at]);
    }
    return next;
  }

  static void take(UnitDecision& unit, const Decision& decision, const selectors::Assignment& assignment,
                   std::uint32_t first_entry) {
    unit.format = decision.format;
    unit.why = decision.why;
    unit.by.reset();
    if (decision.has_entry()) unit.by = first_entry + decision.by;
    for (const std::uint32_t entry : assignment.overridden(decision)) unit.overridden.push_back(first_entry + entry);
  }

  void check_support(const NumberedFormats& formats) {
    const auto supports = out_.loading->supports;
    if (supports == nullptr) return;
    const auto is_supported = [&](const UnitDecision& unit) {
      const Value* value = unit.format == kDefaultFormat ? whole_
                           : unit.format == kUnquantized ? nullptr
                                                         : formats.values()[unit.format - selectors::kFirstFormat];
      return value == nullptr || supports(*value);
    };
    if (!std::ranges::all_of(out_.decisions, is_supported)) out_.refusal = Refusal{Refusal::Reason::format};
  }

  const Input& input_;
  SharedUnits& units_;
  const Value* whole_ = nullptr;
  Reading out_;
};

}  // namespace

Reading read_as(Program program, const Input& input, SharedUnits& units) {
  return ProgramReader(program, input, units).run();
}

}  // namespace sparsecfg::dialect::checkpoint
