#include "model/roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "base/text.h"

namespace sparsecfg::model {

namespace {

// The function of a layer in its block.
enum class Role : std::uint8_t {
  query,
  key,
  value,
  attention_inputs,  // query, key and value in one layer
  attention_output,
  gate,
  up,
  gate_and_up,
  first,  // the first layer of an MLP without a gate
  down,
  router,
};

// The end of the names of layers, and their role.
struct Row {
  std::string_view end;
  Role role;
};

// Longer ends precede those that they contain.
constexpr Row kRows[] = {
    {"attention.output.dense", Role::attention_output},
    {"self_attention.dense", Role::attention_output},
    {"attention.dense", Role::attention_output},
    {"intermediate.dense", Role::first},
    {"output.dense", Role::down},
    {"attn.c_proj", Role::attention_output},
    {"mlp.c_proj", Role::down},
    {"mlp.gate", Role::router},
    {"block_sparse_moe.gate", Role::router},
    {"feed_forward.gate", Role::router},
    {"router", Role::router},
    {"q_proj", Role::query},
    {"query", Role::query},
    {"q_lin", Role::query},
    {"wq", Role::query},
    {"k_proj", Role::key},
    {"key", Role::key},
    {"k_lin", Role::key},
    {"wk", Role::key},
    {"v_proj", Role::value},
    {"value", Role::value},
    {"v_lin", Role::value},
    {"wv", Role::value},
    {"qkv_proj", Role::attention_inputs},
    {"query_key_value", Role::attention_inputs},
    {"Wqkv", Role::attention_inputs},
    {"c_attn", Role::attention_inputs},
    {"attn_qkv", Role::attention_inputs},
    {"o_proj", Role::attention_output},
    {"out_proj", Role::attention_output},
    {"out_lin", Role::attention_output},
    {"wo", Role::attention_output},
    {"gate_proj", Role::gate},
    {"w1", Role::gate},
    {"up_proj", Role::up},
    {"w3", Role::up},
    {"gate_up_proj", Role::gate_and_up},
    {"dense_h_to_4h", Role::first},
    {"c_fc", Role::first},
    {"fc1", Role::first},
    {"fc_in", Role::first},
    {"lin1", Role::first},
    {"down_proj", Role::down},
    {"w2", Role::down},
    {"dense_4h_to_h", Role::down},
    {"fc2", Role::down},
    {"fc_out", Role::down},
    {"lin2", Role::down},
};

// The roles that together do what a layer of a role does in other families, the most similar ones first.
struct Replacement {
  Role role;
  std::array<std::array<Role, 3>, 3> by;  // of fewer roles, the last one is repeated
};

constexpr std::array<Role, 3> one(Role role) { return {role, role, role}; }

constexpr Replacement kReplacements[] = {
    {Role::query, {one(Role::query), one(Role::attention_inputs), one(Role::attention_inputs)}},
    {Role::key, {one(Role::key), one(Role::attention_inputs), one(Role::attention_inputs)}},
    {Role::value, {one(Role::value), one(Role::attention_inputs), one(Role::attention_inputs)}},
    {Role::attention_inputs,
     {one(Role::attention_inputs), {Role::query, Role::key, Role::value}, one(Role::attention_inputs)}},
    {Role::attention_output, {one(Role::attention_output), one(Role::attention_output), one(Role::attention_output)}},
    {Role::gate, {one(Role::gate), one(Role::gate_and_up), one(Role::first)}},
    {Role::up, {one(Role::up), one(Role::gate_and_up), one(Role::first)}},
    {Role::gate_and_up, {one(Role::gate_and_up), {Role::gate, Role::up, Role::up}, one(Role::first)}},
    {Role::first, {one(Role::first), {Role::gate, Role::up, Role::up}, one(Role::gate_and_up)}},
    {Role::down, {one(Role::down), one(Role::down), one(Role::down)}},
    {Role::router, {one(Role::router), one(Role::router), one(Role::router)}},
};

bool ends_with_part(std::string_view name, std::string_view end) {
  return name == end || (name.ends_with(end) && name[name.size() - end.size() - 1] == '.');
}

const Row* row_of(std::string_view name) {
  const auto* row = std::ranges::find_if(kRows, [&](const Row& each) { return ends_with_part(name, each.end); });
  return row == std::end(kRows) ? nullptr : row;
}

// Returns the parts of names that an entry contains, without wildcards and escapes: "mlp.gate" of `re:.*mlp\.gate$`.
std::string plain_text(std::string_view entry) {
  std::string out;
  for (std::size_t at = 0; at < entry.size(); ++at) {
    const char c = entry[at];
    if (c == '\\' && at + 1 < entry.size() && base::is_letter(entry[at + 1])) ++at;  // a class such as `\d`
    if (c == '\\' || c == '$' || c == '^') continue;
    if (c == '[') at = std::min(entry.find(']', at), entry.size());
    const bool kept = base::is_name_letter(c) || c == '.';
    if (kept) {
      out += c;
    } else if (!out.empty() && out.back() != '.') {
      out += '.';
    }
  }
  while (out.ends_with('.')) out.pop_back();
  return out;
}

// Returns the number after the name of a list of layers.
std::string number_in(std::string_view name) {
  constexpr std::string_view kLists[] = {"layers", "layer", "h", "blocks", "block"};
  const std::vector<std::string_view> parts = base::parts_of(name, '.');
  for (std::size_t at = 1; at < parts.size(); ++at) {
    const bool number = !parts[at].empty() && std::ranges::all_of(parts[at], base::is_digit);
    if (number && base::contains(kLists, parts[at - 1])) return std::string(parts[at]);
  }
  return {};
}

// Names of parts. Those of a row mean the same.
using SameParts = std::array<std::string_view, 5>;
constexpr SameParts kPartsOfModel[] = {{"visual", "vision_tower", "vision_model", "vision_encoder", "vit"},
                                       {"multi_modal_projector", "mm_projector", "connector", "aligner", "projector"}};
constexpr SameParts kPartsOfBlock[] = {{"self_attn", "self_attention", "attention", "attn", "mha"},
                                       {"mlp", "feed_forward", "ffn", "feedforward", "block_sparse_moe"}};

bool has_part(std::string_view name, std::string_view part) {
  return ("." + std::string(name) + ".").find("." + std::string(part) + ".") != std::string::npos;
}

// Returns the name of this model for a part that an entry names as another model does; empty if there is none.
std::string_view container_of(std::string_view text, std::span<const std::string_view> names,
                              std::span<const SameParts> table) {
  const auto is_used = [&](std::string_view part) {
    return std::ranges::any_of(names, [&](std::string_view name) { return has_part(name, part); });
  };
  for (const SameParts& row : table) {
    const bool meant = std::ranges::any_of(row, [&](std::string_view part) { return has_part(text, part); });
    if (!meant) continue;
    const auto* own = std::ranges::find_if(row, is_used);
    return own == row.end() || has_part(text, *own) ? std::string_view() : *own;
  }
  return {};
}

bool is_in_experts(std::string_view name) { return name.find("experts") != name.npos; }

// Returns true if names with another role have the same end.
bool is_ambiguous(const std::string& end, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view name) { return ends_with_part(name, end) && row_of(name)->end != end; });
}

}  // namespace

std::string Counterpart::pattern() const {
  if (ends.empty()) return {};
  if (container) return fmt::format(".*{}\\..*", ends.front());
  const std::string end = ends.size() == 1 ? ends.front() : fmt::format("({})", fmt::join(ends, "|"));
  std::string escaped;
  for (const char c : end) escaped += c == '.' ? std::string("\\.") : std::string(1, c);
  const std::string inside = in_experts ? "experts\\..*" : "";
  return block.empty() ? fmt::format(".*{}{}$", inside, escaped)
                       : fmt::format(".*\\.{}\\..*{}{}$", block, inside, escaped);
}

Counterpart counterpart_of(std::string_view entry, std::span<const std::string_view> names) {
  const std::string text = plain_text(entry);
  if (entry.find('|') != entry.npos) return {};
  const Row* row = row_of(text);
  std::string_view part = container_of(text, names, kPartsOfModel);
  if (part.empty() && row == nullptr) part = container_of(text, names, kPartsOfBlock);
  if (!part.empty()) return {{std::string(part)}, {}, false, true};
  if (row == nullptr) return {};
  const bool in_experts = is_in_experts(text);
  std::set<std::string> ends;
  const auto* replacement = std::ranges::find(kReplacements, row->role, &Replacement::role);
  for (const std::array<Role, 3>& roles : replacement->by) {
    for (const std::string_view name : names) {
      const Row* own = row_of(name);
      const bool counts = !in_experts || is_in_experts(name);
      if (counts && own != nullptr && std::ranges::find(roles, own->role) != roles.end()) ends.emplace(own->end);
    }
    if (!ends.empty()) break;
  }
  const auto is_unclear = [&](const std::string& end) { return end == row->end || is_ambiguous(end, names); };
  if (std::ranges::any_of(ends, is_unclear)) return {};
  return {{ends.begin(), ends.end()}, number_in(text), in_experts, false};
}

}  // namespace sparsecfg::model
