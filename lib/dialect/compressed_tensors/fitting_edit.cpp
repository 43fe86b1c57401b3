#include "dialect/compressed_tensors/fitting_edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "dialect/compressed_tensors/serving.h"

namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

namespace {

// A value that runtimes load more often than others.
struct Candidate {
  std::string_view tensor;
  std::string_view name;
  std::string_view yaml;
  Value::Data value;
};

// In the order of how little they change the meaning: how scales are computed, then the groups, then the numbers of the
// inputs, then the bits of the weights.
const std::vector<Candidate>& candidates() {
  constexpr std::string_view kWeights = "weights";
  constexpr std::string_view kInputs = "input_activations";
  static const std::vector<Candidate> kCandidates = {
      {kInputs, "dynamic", "true", true},
      {kInputs, "symmetric", "true", true},
      {kWeights, "dynamic", "false", false},
      {kWeights, "symmetric", "true", true},
      {kWeights, "group_size", "128", std::int64_t{128}},
      {kWeights, "group_size", "32", std::int64_t{32}},
      {kWeights, "group_size", "16", std::int64_t{16}},
      {kInputs, "strategy", "token", std::string("token")},
      {kInputs, "strategy", "tensor", std::string("tensor")},
      {kInputs, "type", "int", std::string("int")},
      {kInputs, "type", "float", std::string("float")},
      {kInputs, "num_bits", "8", std::int64_t{8}},
      {kWeights, "num_bits", "4", std::int64_t{4}},
      {kWeights, "num_bits", "8", std::int64_t{8}},
  };
  return kCandidates;
}

source::Entry* entry_of(Value& map, std::string_view name) {
  auto* entries = std::get_if<source::Map>(&map.data);
  if (entries == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*entries, [&](const source::Entry& entry) {
    const auto* text = entry.first.get<std::string>();
    return text != nullptr && *text == name;
  });
  return found == entries->end() ? nullptr : &*found;
}

Value* member(Value& map, std::string_view name) {
  source::Entry* entry = entry_of(map, name);
  return entry == nullptr ? nullptr : &entry->second;
}

// Returns true if the file has the value already, or if fewer bits would replace a usual number of them.
bool loses_bits(const Value& value, const Candidate& candidate) {
  constexpr double kMostBits = 8;
  const auto* bits = std::get_if<std::int64_t>(&candidate.value);
  const double given = value.number().value_or(0);
  const bool fewer = candidate.name == "num_bits" && given <= kMostBits && static_cast<double>(*bits) < given;
  return fewer || value.data == candidate.value;
}

// The library rejects static scales per token.
bool is_accepted_by_library(const ConfigGroup& group) {
  const QuantizationArgs& inputs = group.inputs.args;
  return !inputs.present || inputs.strategy != Strategy::token || inputs.dynamic != schemes::Dynamic::no;
}

// Returns true if an edited group loads in a format; without one, in the format that the library infers.
bool fits(const ConfigGroup& group, const Value& edited, std::string_view format, const Loads& loads) {
  ConfigGroup out = group;
  out.value = &edited;
  out.weights = schemes::part_of(edited, "weights");
  out.inputs = schemes::part_of(edited, "input_activations");
  return is_accepted_by_library(out) && loads(out, format.empty() ? inferred_format(out) : format);
}

// Writes the value of a candidate, also if the file does not state it. Returns nullopt if it has the value already.
std::optional<FittingEdit> applied(const Candidate& candidate, Value& edited) {
  Value* tensor = member(edited, candidate.tensor);
  auto* entries = tensor == nullptr ? nullptr : std::get_if<source::Map>(&tensor->data);
  if (entries == nullptr) return std::nullopt;
  Value* value = member(*tensor, candidate.name);
  if (value != nullptr && loses_bits(*value, candidate)) return std::nullopt;
  const source::Span place = value == nullptr ? source::Span() : value->span;
  if (value == nullptr) {
    entries->emplace_back(Value{std::string(candidate.name), {}}, Value{candidate.value, {}});
  } else {
    value->data = candidate.value;
  }
  return FittingEdit{candidate.tensor, candidate.name, std::string(candidate.yaml), place};
}

// Returns the edit of a candidate; nullopt if the file does not state the value, or the result does not load.
std::optional<FittingEdit> edit_by(const Candidate& candidate, const ConfigGroup& group, std::string_view format,
                                   const Loads& loads) {
  Value edited = *group.value;
  auto edit = applied(candidate, edited);
  const bool good = edit && !edit->place.empty() && fits(group, edited, format, loads);
  return good ? edit : std::nullopt;
}

// Returns the edit that leaves the inputs in 16 bits.
std::optional<FittingEdit> without_inputs(const ConfigGroup& group, std::string_view format, const Loads& loads) {
  constexpr std::string_view kInputs = "input_activations";
  Value edited = *group.value;
  source::Entry* inputs = entry_of(edited, kInputs);
  if (inputs == nullptr || inputs->second.span.empty()) return std::nullopt;
  inputs->second.data = std::monostate();
  if (!fits(group, edited, format, loads)) return std::nullopt;
  return FittingEdit{kInputs, {}, "null", inputs->second.span, inputs->first.span};
}

// Returns the edits of one or two candidates; empty if the runtime does not load the result.
std::vector<FittingEdit> edits_by(const Candidate& one, const Candidate& other, const ConfigGroup& group,
                                  const Loads& loads) {
  Value edited = *group.value;
  std::vector<FittingEdit> out;
  for (const Candidate* each : {&one, &other}) {  // the second attempt of one candidate changes nothing
    if (auto edit = applied(*each, edited)) out.push_back(std::move(*edit));
  }
  const bool good = !out.empty() && fits(group, edited, {}, loads);
  std::ranges::stable_partition(out, [](const FittingEdit& edit) { return !edit.place.empty(); });
  return good && !out.front().place.empty() ? out : std::vector<FittingEdit>();
}

}  // namespace

std::vector<FittingEdit> fitting_edits_of_inputs(const ConfigGroup& group, const Loads& loads) {
  if (group.value == nullptr || group.preset || !group.inputs.args.present) return {};
  std::vector<Candidate> all = candidates();
  std::erase_if(all, [](const Candidate& each) { return each.tensor == "weights" || each.name == "type"; });
  for (std::size_t distance = 0; distance < all.size(); ++distance) {
    for (std::size_t at = 0; at + distance < all.size(); ++at) {
      auto edits = edits_by(all[at + distance], all[at], group, loads);
      if (!edits.empty()) return edits;
    }
  }
  return {};
}

source::Span written_value(const ConfigGroup& group, std::string_view tensor, std::string_view name) {
  const Value* part = group.value->find(tensor);
  const Value* value = part == nullptr ? nullptr : part->find(name);
  return value == nullptr ? source::Span() : value->span;
}

std::string FittingEdit::text() const {
  return name.empty() ? fmt::format("`{}: {}`", tensor, value) : fmt::format("`{}: {}` in `{}`", name, value, tensor);
}

// Returns the test whether `choose` accepts a group on a runtime.
static Loads accepted_by(const RuntimeChoice& runtime) {
  return [&runtime](const ConfigGroup& group, std::string_view format) {
    const Choice choice = choose(group, format, runtime);
    return choice.fault.empty() && has_kernel(choice, format);
  };
}

std::optional<FittingEdit> fitting_edit(const ConfigGroup& group, const RuntimeChoice& runtime) {
  if (group.value == nullptr || group.preset) return std::nullopt;
  for (const Candidate& candidate : candidates()) {
    if (auto edit = edit_by(candidate, group, {}, accepted_by(runtime))) return edit;
  }
  return std::nullopt;
}

std::optional<FittingEdit> fitting_inputs(const ConfigGroup& group, std::string_view format,
                                          const RuntimeChoice& runtime) {
  const bool dynamic = group.inputs.args.present && group.inputs.args.dynamic == schemes::Dynamic::yes;
  if (group.value == nullptr || group.preset || !dynamic || format.empty()) return std::nullopt;
  for (const Candidate& candidate : candidates()) {
    auto edit = candidate.tensor == "weights" ? std::nullopt : edit_by(candidate, group, format, accepted_by(runtime));
    if (edit) return edit;
  }
  return without_inputs(group, format, accepted_by(runtime));
}

}  // namespace sparsecfg::dialect::compressed_tensors
