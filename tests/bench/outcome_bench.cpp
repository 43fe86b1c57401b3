// The outcome of a recipe with 20 rules for a model with 31,000 modules, as a multiple of the time for looking up the
// class of each module in a table. Ends with 1 if the ratio, the time or the memory is above its goal.

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "dialect/schemes/language.h"
#include "outcome/outcome.h"

namespace {

using namespace sparsecfg;

constexpr double kMaxMilliseconds = 50;
constexpr long kMaxKibibytes = 64 * 1024;
constexpr double kMaxRatio = 60;

std::vector<model::Module> large_model() {
  static constexpr const char* kParts[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                           "self_attn.o_proj", "mlp.gate_proj",    "mlp.up_proj",
                                           "mlp.down_proj",    "input_layernorm"};
  std::vector<model::Module> out = {{"", "LlamaForCausalLM"}, {"lm_head", "Linear", model::Shape{64, 64}}};
  for (int layer = 0; out.size() < 31000; ++layer) {
    for (const char* part : kParts) {
      const bool norm = std::string_view(part).ends_with("norm");
      out.push_back(
          {fmt::format("model.layers.{}.{}", layer, part), norm ? "LlamaRMSNorm" : "Linear", model::Shape{64, 64}});
    }
  }
  return out;
}

ir::Recipe recipe() {
  std::vector<dialect::schemes::Entry> ignored = {{"lm_head", {}}};
  for (int at = 0; at < 9; ++at) ignored.push_back({fmt::format("re:.*layers\\.{}\\..*up_proj$", at), {}});
  ir::Assign assign{
      {&dialect::schemes::kSchemeLanguage, dialect::schemes::rules_of(ignored, ir::Rule::Kind::leaves)}, {}, {"gptq"}};
  for (std::uint32_t at = 0; at < 10; ++at) {
    const std::string entry = at == 9 ? "Linear" : fmt::format("re:.*{}.*_proj$", at);
    assign.selection.rules.push_back({entry, {}, ir::Rule::Kind::assigns, at});
    assign.schemes.push_back({{ir::TensorFormat{.bits = at % 7 + 2}}, {}, {}});
  }
  ir::Recipe out;
  out.trains = false;
  out.actions.push_back({ir::Opaque{}, {}, {}});
  out.actions.back().operations.emplace_back(std::move(assign));
  return out;
}

double milliseconds(auto work) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

long peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main() {
  const std::vector<model::Module> modules = large_model();
  const ir::Recipe plain = recipe();
  std::map<std::string, std::size_t> classes;
  const double base = milliseconds([&] {
    for (const model::Module& module : modules) ++classes[module.type];
  });
  const long before = peak_memory();
  std::size_t states = 0;
  const double taken = milliseconds([&] { states = outcome::evaluate(plain, modules).states.size(); });
  const long memory = peak_memory() - before;
  fmt::print("{} modules, 20 rules: {:.1f} ms ({:.0f} times the lookup of classes), {} KiB, {} states\n",
             modules.size(), taken, taken / base, memory, states);
  return taken <= kMaxMilliseconds && memory <= kMaxKibibytes && taken / base <= kMaxRatio ? 0 : 1;
}
