#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

namespace sparsecfg::fuzz {

namespace {

// clang-format off
constexpr std::array<std::string_view, 46> kValues = {
    "0", "1", "-1", "0.0", "0.5", "1.0", "-0.5", "1e400", "1.0e-320", ".inf", "-.inf", ".nan", "null", "~", "true", "no",
    "1000000000", "1000000000.5", "18446744073709551615", "9223372036854775807", "0x10", "010", "1_0", "1:30", "''",
    "\"\\ud800\"", "[]", "{}", "[[]]", "[0.5, 0.5]", "__ALL__", "__ALL_PRUNABLE__", "'re:.*'", "'re:(a+)+b'", "'re:['",
    "eval(a)", "eval(a*a)", "eval(9**9)", "eval(1/0)", "&x 1", "*x", "!!python/object:os.system x", "!foo 1",
    "2001-01-01", "|\n    text", "\"\\e\""};
// clang-format on
constexpr std::array<std::string_view, 44> kFields = {
    "start_epoch", "end_epoch",        "update_frequency", "init_sparsity",  "final_sparsity",
    "params",      "mask_type",        "inter_func",       "learning_rate",  "lr_class",
    "lr_kwargs",   "init_lr",          "constant_updates", "leave_enabled",  "global_sparsity",
    "score_type",  "submodules",       "num_bits",         "scheme",         "version",
    "pruners",     "policies",         "lr_schedulers",    "class",          "weights",
    "levels",      "desired_sparsity", "initial_sparsity", "starting_epoch", "ending_epoch",
    "frequency",   "epochs",           "instance_name",    "args",           "config_list",
    "op_types",    "op_names",         "sparse_ratio",     "sparsity",       "exclude",
    "total_times", "warmup_step",      "targets",          "ignore"};
constexpr std::array<std::string_view, 12> kEntries = {
    "- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 10.0\n",
    "- !GMPruningModifier\n  params: __ALL_PRUNABLE__\n  init_sparsity: 0.05\n  final_sparsity: 0.8\n"
    "  start_epoch: 1.0\n  end_epoch: 5.0\n  update_frequency: 0.5\n",
    "- !ConstantPruningModifier\n  params: ['re:.*weight']\n  start_epoch: 0.0\n",
    "- !SetLearningRateModifier\n  start_epoch: 0.0\n  learning_rate: 0.1\n",
    "- !LearningRateFunctionModifier\n  lr_func: cosine\n  init_lr: 0.1\n  final_lr: 0.0\n"
    "  start_epoch: 0.0\n  end_epoch: 9.0\n",
    "- !QuantizationModifier\n  start_epoch: 2.0\n  freeze_bn_stats_epoch: 3.0\n",
    "- {op_types: [Conv2d], sparse_ratio: 0.5}\n",
    "- {op_names: [fc1], exclude: true}\n",
    "  p:\n    class: AutomatedGradualPruner\n    initial_sparsity: 0.05\n    final_sparsity: 0.5\n"
    "    weights: [fc1.weight]\n",
    "  - pruner: {instance_name: p}\n    starting_epoch: 0\n    ending_epoch: 10\n    frequency: 1\n",
    "  quantization_modifiers:\n    GPTQModifier: {scheme: W4A16, targets: [Linear], ignore: [lm_head]}\n",
    "variable: 0.5\n"};

class Mutation {
 public:
  Mutation(std::string text, unsigned seed) : random_(seed) { split(text); }

  std::string run() {
    const std::size_t changes = 1 + below(3);
    for (std::size_t at = 0; at < changes; ++at) {
      change();
    }
    std::string out;
    for (const std::string& line : lines_) out += line;
    return out;
  }

 private:
  void split(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      lines_.emplace_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  template <class List>
  std::string_view one_of(const List& list) {
    return list[below(list.size())];
  }

  std::string& some_line() {
    if (lines_.empty()) lines_.emplace_back("\n");
    return lines_[below(lines_.size())];
  }

  void change() {
    switch (below(8)) {
      case 0:
      case 1: return replace_value(some_line());
      case 2: return rename_field(some_line());
      case 3: return insert(std::string(one_of(kEntries)));
      case 4: return insert(some_line());
      case 5: return drop_line();
      case 6: return indent(some_line());
      default:
        return insert(std::string(2 * below(3), ' ') + std::string(one_of(kFields)) + ": " +
                      std::string(one_of(kValues)) + "\n");
    }
  }

  // The value behind a `:` or a `-`, or one within brackets.
  void replace_value(std::string& line) {
    std::size_t begin = line.rfind(": ");
    begin = begin == std::string::npos ? line.rfind("- ") : begin;
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(line.find_last_not_of(" \n\r]}") + 1, line.size());
    line.replace(begin + 2, end > begin + 2 ? end - begin - 2 : 0, one_of(kValues));
  }

  void rename_field(std::string& line) {
    const std::size_t end = line.find(':');
    if (end == std::string::npos) return;
    const std::size_t begin = std::min(line.find_first_not_of(" -{"), end);
    line.replace(begin, end - begin, one_of(kFields));
  }

  void insert(std::string line) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size() + 1)), std::move(line));
  }

  void drop_line() {
    if (!lines_.empty()) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size())));
  }

  void indent(std::string& line) {
    if (below(2) == 0) {
      line.insert(0, 2, ' ');
    } else {
      line.erase(0, line.starts_with("  ") ? 2 : 0);
    }
  }

  std::minstd_rand random_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string mutated(const std::string& text, unsigned seed) { return Mutation(text, seed).run(); }

}  // namespace sparsecfg::fuzz
