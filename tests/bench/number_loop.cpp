// The yardstick of a dense timeline: reads its CSV from standard input and prints the CPU seconds that a bare loop
// takes to write all of its rows again: numbers by std::to_chars, commas and line ends. Reading and parsing are not
// counted, and no value is computed.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

constexpr std::size_t kStepSize = 20;    // of the largest step
constexpr std::size_t kNumberSize = 24;  // of the longest number

static double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

static void add_numbers(std::string_view line, std::vector<double>& values) {
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',', comma + 1)) {
    double value = 0;
    const char* end = line.data() + line.size();
    if (std::from_chars(line.data() + comma + 1, end, value).ec == std::errc()) values.push_back(value);
  }
}

static double time_of(const std::vector<double>& values, std::size_t columns, std::uint64_t step,
                      std::vector<char>& text) {
  const double begin = cpu_seconds();
  char* out = text.data();
  for (auto value = values.begin(); value != values.end(); ++step) {
    out = std::to_chars(out, out + kStepSize, step).ptr;
    for (const auto end = value + static_cast<std::ptrdiff_t>(columns); value != end; ++value) {
      *out++ = ',';
      out = std::to_chars(out, out + kNumberSize, *value).ptr;
    }
    *out++ = '\n';
  }
  return cpu_seconds() - begin;
}

int main() {
  constexpr std::size_t kRows = 2'500;  // at a time, as many as stay near the processor
  std::vector<char> text;
  std::vector<double> values;
  double seconds = 0;
  std::uint64_t step = 0;
  std::ios::sync_with_stdio(false);
  std::string line;
  std::getline(std::cin, line);
  const auto columns = static_cast<std::size_t>(std::ranges::count(line, ','));
  text.resize(kRows * (kStepSize + 1 + columns * (1 + kNumberSize)));
  while (std::getline(std::cin, line)) {
    add_numbers(line, values);
    if (values.size() < kRows * columns) continue;
    seconds += time_of(values, columns, step, text);
    step += kRows;
    values.clear();
  }
  if (values.size() % columns != 0) {
    std::fprintf(stderr, "a cell has no number\n");
    return 1;
  }
  std::printf("%.4f\n", seconds + time_of(values, columns, step, text));
}
