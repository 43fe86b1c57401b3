// Times whole processes in turn, A B A B ..., and prints the median of the ratios A/B: absolute
// times say little on a shared machine.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

using Command = std::vector<std::string>;

// Wall seconds from start to end, output thrown away.
static double time_once(const Command& command) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const auto begin = std::chrono::steady_clock::now();
  if (posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ) == 0) {
    waitpid(child, nullptr, 0);
  }
  const std::chrono::duration<double> matched = std::chrono::steady_clock::now() - begin;
  posix_spawn_file_actions_destroy(&actions);
  return matched.count();
}

static double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

static void compare(const char* what, double goal, int rounds, const Command& ours, const Command& theirs) {
  std::vector<double> ratios, times;
  time_once(ours);
  time_once(theirs);
  for (int round = 0; round < rounds; ++round) {
    const double a = time_once(ours);
    ratios.push_back(a / time_once(theirs));
    times.push_back(a);
  }
  std::printf("%-58s %6.2f times (goal: at most %.1f), %.2f ms\n", what, median(ratios), goal, 1000 * median(times));
}

// A recipe of about 2 KB whose numbers differ with `seed`.
static std::string recipe(int seed) {
  std::string text = "version: 1.1.0\nnum_epochs: " + std::to_string(60 + seed % 40) +
                     "\ninit_lr: 0.01\n\ntraining_modifiers:\n"
                     "  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: eval(num_epochs)\n\n"
                     "  - !SetLearningRateModifier\n    start_epoch: 0.0\n    learning_rate: eval(init_lr)\n\n"
                     "pruning_modifiers:\n";
  for (int layer = 0; layer < 8; ++layer) {
    text += "  - !GMPruningModifier\n    init_sparsity: 0.05\n    final_sparsity: 0." +
            std::to_string(70 + (seed + layer) % 20) + "\n    start_epoch: " + std::to_string(layer) +
            ".0\n    end_epoch: " + std::to_string(40 + seed % 10) +
            ".0\n    update_frequency: 0.5\n    params: ['layers." + std::to_string(layer) + ".weight']\n\n";
  }
  return text;
}

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: bench SPARSECFG EMPTY LIBYAML_LOOP\n");
    return 2;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sparsecfg-bench-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  Command loop = {arguments[3]};
  constexpr int kRecipes = 2000;
  for (int seed = 0; seed < kRecipes; ++seed) {
    const std::string path = folder / (std::to_string(seed) + ".yaml");
    std::ofstream(path) << recipe(seed);
    loop.push_back(path);
  }
  Command validate = loop;
  validate[0] = arguments[1];
  validate.insert(validate.begin() + 1, "validate");
  compare("validate one recipe / an empty process", 3.0, 400, {arguments[1], "validate", loop[1]}, {arguments[2]});
  compare("validate 2,000 recipes / a bare libyaml loop over them", 2.5, 15, validate, loop);
  std::filesystem::remove_all(folder);
}
