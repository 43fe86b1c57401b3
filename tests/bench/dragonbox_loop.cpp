// The yardstick of a dense timeline: reads its CSV from standard input and prints the CPU seconds that a bare loop of
// Dragonbox takes to write all of its numbers again, the steps apart. Reading and parsing are not counted.
#include <dragonbox/dragonbox_to_chars.h>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

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

static double time_of(const std::vector<double>& values, std::vector<char>& text) {
  const double begin = cpu_seconds();
  char* out = text.data();
  for (const double value : values) {
    out = jkj::dragonbox::to_chars_n(value, out);
  }
  return cpu_seconds() - begin;
}

int main() {
  constexpr std::size_t kValues = 10'000;  // at a time, as many as stay near the processor
  std::vector<char> text(kValues * 2 * jkj::dragonbox::max_output_string_length<jkj::dragonbox::ieee754_binary64>);
  std::vector<double> values;
  double seconds = 0;
  std::ios::sync_with_stdio(false);
  std::string line;
  std::getline(std::cin, line);
  while (std::getline(std::cin, line)) {
    add_numbers(line, values);
    if (values.size() < kValues) continue;
    seconds += time_of(values, text);
    values.clear();
  }
  std::printf("%.4f\n", seconds + time_of(values, text));
}
