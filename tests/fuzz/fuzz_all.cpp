// Runs every target for its share of some seconds, without libFuzzer: `fuzz_all SECONDS FILE|FOLDER...`. Texts are
// changed, and changed again where they were taken without a fault. An input that ends the program is left in the file
// `fuzz-failure`, named before it is tried; FILEs alone (SECONDS 0) are tried as they are by every target. Another
// SPARSECFG_FUZZ_SEED tries other texts.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/targets.h"

namespace fs = std::filesystem;
using sparsecfg::fuzz::Target;

static std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

static std::vector<std::string> seeds_in(int count, char** paths) {
  constexpr std::size_t kMaxBytes = 3000;
  std::vector<fs::path> files;
  for (int at = 0; at < count; ++at) {
    if (!fs::is_directory(paths[at])) {
      files.emplace_back(paths[at]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(paths[at])) {
      const fs::path& path = entry.path();
      constexpr std::array<std::string_view, 5> kEndings = {".yaml", ".json", ".py", ".md", ".ipynb"};
      const bool fits = std::ranges::find(kEndings, path.extension().native()) != kEndings.end();
      if (entry.is_regular_file() && fits && entry.file_size() < kMaxBytes) files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) out.push_back(read(file));
  return out;
}

// Bytes that are flipped, doubled or cut out.
static void change_bytes(std::string& text, std::minstd_rand& random) {
  if (text.empty()) return;
  const std::size_t at = random() % text.size();
  switch (random() % 3) {
    case 0: text[at] = static_cast<char>(random()); break;
    case 1: text.insert(at, text.substr(at, random() % 20)); break;
    default: text.erase(at, random() % 20);
  }
}

static void try_one(const Target& target, const std::string& text, unsigned char how) {
  std::ofstream("fuzz-failure", std::ios::binary) << static_cast<char>(how) << text;
  target.run(text, how);
}

static std::size_t run(const Target& target, const std::vector<std::string>& seeds, double seconds) {
  constexpr std::size_t kMaxBytes = 6000;
  const char* seed = std::getenv("SPARSECFG_FUZZ_SEED");
  std::minstd_rand random(seed == nullptr ? 20 : static_cast<unsigned>(std::atoi(seed)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::size_t count = 0;
  std::string text;
  for (; std::chrono::steady_clock::now() < end; ++count) {
    if (count % 5 == 0 || text.size() > kMaxBytes) text = seeds[random() % seeds.size()];
    text = sparsecfg::fuzz::mutated(text, static_cast<unsigned>(random()));
    if (random() % 3 == 0) change_bytes(text, random);
    try_one(target, text, static_cast<unsigned char>(random()));
  }
  return count;
}

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_all SECONDS FILE|FOLDER...\n");
    return 2;
  }
  const std::vector<std::string> seeds = seeds_in(count - 2, words + 2);
  const double seconds = std::atof(words[1]) / static_cast<double>(sparsecfg::fuzz::targets().size());
  for (const Target& target : sparsecfg::fuzz::targets()) {
    std::printf("%.*s: ", static_cast<int>(target.name.size()), target.name.data());
    std::fflush(stdout);
    for (std::size_t at = 0; seconds == 0 && at < seeds.size(); ++at) {
      if (!seeds[at].empty()) target.run(seeds[at].substr(1), static_cast<unsigned char>(seeds[at][0]));
    }
    std::printf("%zu\n", seconds == 0 ? seeds.size() : run(target, seeds, seconds));
  }
  std::remove("fuzz-failure");
  return 0;
}
