// The timeline as CSV through a pipe, against `cat` of the same bytes through a pipe: medians of
// ratios, and the peak memory of the writer. The dense one against a bare loop of std::to_chars too.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/process.h"

using sparsecfg::bench::Command;
using sparsecfg::bench::median;
using sparsecfg::bench::run;

static double time_once(const std::string& shell_line) {
  const auto begin = std::chrono::steady_clock::now();
  if (std::system(shell_line.c_str()) != 0) {
    std::fprintf(stderr, "failed: %s\n", shell_line.c_str());
  }
  const std::chrono::duration<double> matched = std::chrono::steady_clock::now() - begin;
  return matched.count();
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
  const long peak = run({program, "timeline", path, "--steps-per-epoch", "500", "--format", "csv"}).kilobytes;
  std::printf("%-44s %5.2f times cat (goal: at most %.1f), %.0f MB, peak %.1f MiB\n", what, median(ratios), goal,
              static_cast<double>(std::filesystem::file_size(rows)) / 1e6, static_cast<double>(peak) / 1024);
}

// What bench_numbers prints.
static double seconds_of_loop(const std::string& loop, const std::string& rows) {
  double seconds = 0;
  if (FILE* pipe = popen((loop + " < " + rows).c_str(), "r"); pipe != nullptr) {
    if (std::fscanf(pipe, "%lf", &seconds) != 1) std::fprintf(stderr, "failed: %s\n", loop.c_str());
    pclose(pipe);
  }
  return seconds;
}

// The CPU of all rows against that of a bare loop that writes the same rows, and one core against all: medians of what
// is run side by side. Two cores at once can be slower than each alone, so what two processes gain is measured too.
static void compare_with_loop(const std::string& program, const std::string& loop,
                              const std::filesystem::path& folder) {
  const std::string path = folder / "recipe.yaml";
  const std::string rows = folder / "rows.csv";
  std::ofstream(path) << dense();
  const Command ours = {program, "timeline", path, "--steps-per-epoch", "500", "--format", "csv"};
  time_once(program + " timeline " + path + " --steps-per-epoch 500 --format csv 2>/dev/null > " + rows);
  std::vector<double> on_one, on_all;
  long peak = 0;
  for (int round = 0; round < 9; ++round) {
    const double bare = seconds_of_loop(loop, rows);
    on_one.push_back(run(ours, 0).cpu / bare);
    const auto all = run(ours);
    on_all.push_back(all.cpu / bare);
    peak = std::max(peak, all.kilobytes);
  }
  const auto [threads, processes] = sparsecfg::bench::speedup(ours, 9);
  std::printf(
      "the same without a pipe: %.2f times the CPU of bare std::to_chars, %.2f on all cores (goal: at most 1.5); all "
      "cores %.2f times one (goal: at least 1.7; two such processes at once: %.2f); peak %.1f MiB (goal: at most "
      "16)\n",
      median(on_one), median(on_all), threads, processes, static_cast<double>(peak) / 1024);
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: timeline_bench SPARSECFG BENCH_NUMBERS\n");
    return 2;
  }
  const auto folder = std::filesystem::temp_directory_path() / ("sparsecfg-timeline-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  compare(arguments[1], folder, "10^7 rows, sparsity every 250 steps", typical(), 2.5);
  compare(arguments[1], folder, "10^7 rows, every value at every step", dense(), 6.0);
  compare_with_loop(arguments[1], arguments[2], folder);
  compare(arguments[1], folder, "1,000 columns, four schedules", wide(), 2.0);
  std::filesystem::remove_all(folder);
}
