// The timeline as CSV through a pipe, against `cat` of the same bytes through a pipe: medians of
// ratios, and the peak memory of the writer.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

static double time_once(const std::string& shell_line) {
  const auto begin = std::chrono::steady_clock::now();
  if (std::system(shell_line.c_str()) != 0) {
    std::fprintf(stderr, "failed: %s\n", shell_line.c_str());
  }
  const std::chrono::duration<double> matched = std::chrono::steady_clock::now() - begin;
  return matched.count();
}

static long peak_kilobytes(const std::string& program, const std::vector<std::string>& arguments) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
      words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    if (std::freopen("/dev/null", "w", stdout) != nullptr) {
      execv(program.c_str(), words.data());
    }
    _exit(127);
  }
  rusage usage{};
  wait4(child, nullptr, 0, &usage);
  return usage.ru_maxrss;
}

static std::string pruner(const std::string& params, const char* final_sparsity, const char* frequency,
                          const std::string& end) {
  return "  - !MagnitudePruningModifier\n    params: [" + params +
         "]\n    init_sparsity: 0.05\n    final_sparsity: " + final_sparsity +
         "\n    start_epoch: 0.0\n    end_epoch: " + end + "\n    update_frequency: " + frequency + "\n";
}

static std::string range(const std::string& end) {
  return "modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoch: " + end + "\n";
}

// The rate changes at a few epochs, the sparsities every 250 steps of 500.
static std::string typical() {
  std::string text = range("20000.0");
  for (const char* epoch : {"0.0", "8000.0", "15000.0"}) {
    text += std::string("  - !SetLearningRateModifier\n    start_epoch: ") + epoch + "\n    learning_rate: 0.0" +
            epoch[0] + "1\n";
  }
  return text + pruner("a.weight", "0.8", "0.5", "19000.0") + pruner("b.weight", "0.9", "0.5", "19000.0");
}

static std::string dense() {
  return range("20000.0") +
         "  - !LearningRateFunctionModifier\n    lr_func: cosine\n    init_lr: 0.1\n    final_lr: 0.001\n    "
         "start_epoch: 0.0\n    end_epoch: 20000.0\n" +
         pruner("a.weight", "0.8", "-1.0", "19999.0") + pruner("b.weight", "0.9", "-1.0", "19999.0");
}

// A thousand columns with four schedules among them.
static std::string wide() {
  const char* finals[] = {"0.5", "0.7", "0.8", "0.9"};
  std::string text = range("40.0");
  for (int column = 0; column < 1000; ++column) {
    text += pruner("layer" + std::to_string(column) + ".weight", finals[column % 4], "0.5", "39.0");
  }
  return text;
}

static void compare(const std::string& program, const std::filesystem::path& folder, const char* what,
                    const std::string& recipe, double goal) {
  const std::string path = folder / "recipe.yaml";
  const std::string rows = folder / "rows.csv";
  std::ofstream(path) << recipe;
  const std::string ours = program + " timeline " + path + " --steps-per-epoch 500 --format csv 2>/dev/null";
  time_once(ours + " > " + rows);
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    const double a = time_once(ours + " | cat > /dev/null");
    ratios.push_back(a / time_once("cat " + rows + " | cat > /dev/null"));
  }
  std::ranges::sort(ratios);
  const long peak = peak_kilobytes(program, {"timeline", path, "--steps-per-epoch", "500", "--format", "csv"});
  std::printf("%-44s %5.2f times cat (goal: at most %.1f), %.0f MB, peak %.1f MiB\n", what, ratios[2], goal,
              static_cast<double>(std::filesystem::file_size(rows)) / 1e6, static_cast<double>(peak) / 1024);
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: timeline_bench SPARSECFG\n");
    return 2;
  }
  const auto folder = std::filesystem::temp_directory_path() / ("sparsecfg-timeline-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  compare(arguments[1], folder, "10^7 rows, sparsity every 250 steps", typical(), 2.5);
  compare(arguments[1], folder, "10^7 rows, every value at every step", dense(), 6.0);
  compare(arguments[1], folder, "1,000 columns, four schedules", wide(), 2.0);
  std::filesystem::remove_all(folder);
}
