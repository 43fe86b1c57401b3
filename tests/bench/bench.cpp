// Runs whole processes in turn, A B A B ..., and prints the median of the ratios A/B of the processor time that they
// take: absolute times say little on a shared machine.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/process.h"

using sparsecfg::bench::Command;
using sparsecfg::bench::median;
using sparsecfg::bench::run;

static void compare(const char* what, double goal, int rounds, const Command& ours, const Command& theirs) {
  std::vector<double> ratios, times;
  run(ours);
  run(theirs);
  for (int round = 0; round < rounds; ++round) {
    const double a = run(ours).cpu;
    ratios.push_back(a / run(theirs).cpu);
    times.push_back(a);
  }
  std::printf("%-58s %6.2f times (goal: at most %.1f), %.2f ms\n", what, median(ratios), goal, 1000 * median(times));
}

static std::string length_of(int epochs) {
  return "  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: " + std::to_string(epochs) + ".0\n\n";
}

static std::string pruner(int seed, const std::string& params) {
  return "  - !GMPruningModifier\n    init_sparsity: 0.05\n    final_sparsity: 0." + std::to_string(70 + seed % 20) +
         "\n    start_epoch: 0.0\n    end_epoch: " + std::to_string(40 + seed % 10) +
         ".0\n    update_frequency: 0.5\n    params: " + params + "\n\n";
}

// About 2 KB without findings: a pruner for each layer, and variables.
static std::string clean(int seed) {
  std::string text = "version: 1.1.0\nnum_epochs: " + std::to_string(60 + seed % 40) +
                     "\ninit_lr: 0.01\n\ntraining_modifiers:\n"
                     "  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n\n"
                     "  - !SetLearningRateModifier\n    start_epoch: 0.0\n    learning_rate: eval(init_lr)\n\n"
                     "pruning_modifiers:\n";
  for (int layer = 0; layer < 8; ++layer)
    text += pruner(seed + layer, "['layers." + std::to_string(layer) + ".weight']");
  return text;
}

// As the recipes of an image classifier are: lists of names, a rate that falls twice, quantization at the end, and a
// field that the framework does not know.
static std::string classifier(int seed) {
  std::string names;
  for (int layer = 0; layer < 16; ++layer) {
    names += "\n      - sections." + std::to_string(layer / 4) + "." + std::to_string(layer % 4) + ".conv" +
             std::to_string(1 + layer % 3) + ".weight";
  }
  return "modifiers:\n" + length_of(60 + seed % 40) + pruner(seed, names) +
         "  - !SetLearningRateModifier\n    start_epoch: 0.0\n    learning_rate: 0.01\n\n"
         "  - !LearningRateModifier\n    start_epoch: 45.0\n    end_epoch: 55.0\n    lr_class: MultiStepLR\n    "
         "lr_kwargs:\n"
         "      milestones: [47, 51]\n      gamma: 0.1\n    init_lr: 0.01\n\n"
         "  - !QuantizationModifier\n    start_epoch: 55.0\n    submodules: ['input', 'sections', 'classifier']\n"
         "    disable_quantization_observer_epoch: 57.0\n    freeze_bn_stats_epoch: 56.0\n    learning_rat: 0.1\n";
}

// As those of a language model are: a pattern for each kind of layer, and a teacher.
static std::string language_model(int seed) {
  std::string patterns;
  for (const char* part : {"attention.self.query", "attention.self.key", "attention.self.value",
                           "attention.output.dense", "intermediate.dense", "output.dense"}) {
    patterns += std::string(patterns.empty() ? "" : ", ") + "\n      \"re:bert.encoder.layer.*." + part + ".weight\"";
  }
  return "distill_hardness: &hardness 1.0\nmodifiers:\n" + length_of(30 + seed % 40) +
         pruner(seed, "[" + patterns + "\n    ]") +
         "  - !LearningRateFunctionModifier\n    start_epoch: 0.0\n    end_epoch: 30.0\n    lr_func: linear\n"
         "    init_lr: 5e-5\n    final_lr: 0.0\n\n"
         "  - !DistillationModifier\n    hardness: *hardness\n    temperature: 2.0\n    distill_output_keys: "
         "[logits]\n";
}

static std::string real_like(int seed) {
  return seed % 3 == 0 ? clean(seed) : seed % 3 == 1 ? classifier(seed) : language_model(seed);
}

static Command with_recipes(const std::filesystem::path& folder, const std::string& program, int count,
                            std::string (*recipe)(int)) {
  std::filesystem::create_directory(folder);
  Command out = {program};
  for (int seed = 0; seed < count; ++seed) {
    out.push_back(folder / (std::to_string(seed) + ".yaml"));
    std::ofstream(out.back()) << recipe(seed);
  }
  return out;
}

static Command validating(const char* program, Command files) {
  files[0] = "validate";
  files.insert(files.begin(), program);
  return files;
}

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: bench SPARSECFG EMPTY LIBYAML_LOOP\n");
    return 2;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sparsecfg-bench-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const Command clean_loop = with_recipes(folder / "clean", arguments[3], 2000, clean);
  const Command real_loop = with_recipes(folder / "real", arguments[3], 3000, real_like);
  compare("validate one recipe / an empty process", 2.0, 400, {arguments[1], "validate", clean_loop[1]},
          {arguments[2]});
  compare("validate 2,000 clean recipes / a bare libyaml loop", 2.5, 15, validating(arguments[1], clean_loop),
          clean_loop);
  compare("validate 3,000 recipes with findings / the same loop", 4.0, 15, validating(arguments[1], real_loop),
          real_loop);
  const auto [threads, processes] = sparsecfg::bench::speedup(validating(arguments[1], real_loop), 15);
  std::printf(
      "the same on all cores: %.2f times the speed of one (goal: at least 1.8); two such processes at once: %.2f\n",
      threads, processes);
  std::filesystem::remove_all(folder);
}
