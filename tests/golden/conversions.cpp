// Converts recipes to every format, with and without --allow-loss. No conversion ends with an internal error, and
// --allow-loss writes what the message promises: output that the reader of the format accepts.
//
//   conversions                  a sample of the cases and examples; all of them if SPARSECFG_FULL_TESTS is set
//   conversions --mutated SEED COUNT
//                                COUNT recipes with random mistakes, also by the other commands

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ask.h"
#include "cases.h"
#include "cmd/cli.h"
#include "dialect/dialects.h"
#include "tests/fuzz/mutation.h"

namespace sparsecfg::golden {
namespace {

using Json = nlohmann::json;

// Without SPARSECFG_FULL_TESTS, one of this many conversions runs.
constexpr std::size_t kSample = 61;

bool runs_all() {
  const char* set = std::getenv("SPARSECFG_FULL_TESTS");
  return set != nullptr && *set != '\0';
}

struct Input {
  std::string path;
  std::string text;
  Arguments reading;
};

struct Result {
  int status = 0;
  std::string out;
  std::string err;
};

Result run(const Arguments& arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  try {
    const int status = cmd::run(arguments, in, out, err);
    return {status, out.str(), err.str()};
  } catch (const std::exception& error) {
    return {cmd::kInternal, out.str(), fmt::format("{}{}", err.str(), error.what())};
  }
}

// Prints the recipe and what is wrong with a result. Returns false.
bool fail(const Input& input, const Arguments& arguments, const std::string& what, const Result& result) {
  std::cout << fmt::format("{} (sparsecfg {}): {}\n{}\n", input.path, fmt::join(arguments, " "), what,
                           result.err.substr(0, 2000));
  const char* dump = std::getenv("SPARSECFG_DUMP");
  if (dump != nullptr && *dump != '\0') std::cout << input.text << "\n----\n";
  return false;
}

bool ends_as_documented(const Input& input, const Arguments& arguments, const Result& result) {
  return (result.status >= cmd::kClean && result.status <= cmd::kUsage) ||
         fail(input, arguments, fmt::format("exit status {}", result.status), result);
}

// One conversion of a recipe to one format.
class Conversion {
 public:
  Conversion(const Input& input, const dialect::Dialect& to) : input_(input), to_(to) {}

  [[nodiscard]] bool run() const {
    const Result strict = golden::run(arguments(false), input_.text);
    const Result loose = golden::run(arguments(true), input_.text);
    return is_consistent(strict, false) && is_consistent(loose, true) && keeps_promise(strict, loose) &&
           is_readable(loose);
  }

 private:
  [[nodiscard]] Arguments arguments(bool allow_loss) const {
    Arguments out{"convert", "-", "--stdin-filename", input_.path, "--to", std::string(to_.name)};
    if (allow_loss) out.emplace_back("--allow-loss");
    return with(out, input_.reading);
  }

  // Output is written if and only if the status is 0.
  [[nodiscard]] bool is_consistent(const Result& result, bool allow_loss) const {
    return ends_as_documented(input_, arguments(allow_loss), result) &&
           ((result.status == cmd::kClean) == !result.out.empty() ||
            fail(input_, arguments(allow_loss), "output does not fit the exit status", result));
  }

  [[nodiscard]] bool keeps_promise(const Result& strict, const Result& loose) const {
    const bool promised = strict.err.find("`--allow-loss` writes") != std::string::npos ||
                          strict.err.find("--allow-loss writes") != std::string::npos;
    const bool lossless = strict.status != cmd::kClean || strict.out == loose.out;
    return (lossless || fail(input_, arguments(true), "--allow-loss changes complete output", loose)) &&
           (!promised || loose.status == cmd::kClean ||
            fail(input_, arguments(true), "--allow-loss does not write what it promises", loose));
  }

  [[nodiscard]] bool is_readable(const Result& loose) const {
    if (to_.read == nullptr || loose.out.empty()) {
      return true;
    }
    // Some outputs need other options of the reader, which the conversion states.
    const std::set<std::string> known = codes_of(run_validate(input_.reading, input_.path, input_.text));
    std::string failure;
    for (const Arguments& more :
         {Arguments{}, Arguments{"--nni", "3.0"}, Arguments{"--nni", "1.x"}, Arguments{"--framework", "pytorch"}}) {
      Arguments reading = input_.reading;
      replace(reading, "--from", std::string(to_.name));
      for (std::size_t at = 0; at + 1 < more.size(); at += 2) replace(reading, more[at], more[at + 1]);
      remove_variables(reading);
      // A `config.json` describes quantized tensors, but these parameters are those of the model before.
      const auto params = std::ranges::find(reading, "--params");
      if (to_.name == "compressed-tensors" && params != reading.end()) reading.erase(params, params + 2);
      const Json findings = run_validate(reading, sibling("out.yaml"), loose.out);
      const auto is_new = [&](const Json& each) {
        return each["severity"] == "error" && !known.contains(each["code"].get<std::string>());
      };
      if (std::ranges::none_of(findings, is_new)) return true;
      if (failure.empty()) failure = findings.dump(1, ' ', true, Json::error_handler_t::replace);
    }
    return fail(input_, arguments(true), "the output is rejected: " + failure.substr(0, 600), loose);
  }

  // Returns the path of a file beside the input, to which the settings and requirements of its folder apply.
  [[nodiscard]] std::string sibling(const std::string& name) const {
    return (std::filesystem::path(input_.path).parent_path() / name).generic_string();
  }

  static Json run_validate(const Arguments& reading, const std::string& path, const std::string& text) {
    const Result read =
        golden::run(with({"validate", "-", "--format", "json", "--stdin-filename", path}, reading), text);
    const Json report = Json::parse(read.out, nullptr, false);
    Json all = Json::array();
    for (const Json& file : report.value("files", Json::array())) {
      for (const Json& each : file["diagnostics"]) all.push_back(each);
    }
    return all;
  }

  static std::set<std::string> codes_of(const Json& findings) {
    std::set<std::string> out;
    for (const Json& each : findings) out.insert(each["code"].get<std::string>());
    return out;
  }

  static void replace(Arguments& arguments, const std::string& name, const std::string& value) {
    const auto found = std::ranges::find(arguments, name);
    if (found == arguments.end()) {
      arguments.insert(arguments.end(), {name, value});
    } else {
      *std::next(found) = value;
    }
  }

  // Values of variables apply to the input.
  static void remove_variables(Arguments& arguments) {
    for (auto found = std::ranges::find(arguments, "--set"); found != arguments.end();
         found = std::ranges::find(arguments, "--set")) {
      arguments.erase(found, std::next(found, 2));
    }
  }

  const Input& input_;
  const dialect::Dialect& to_;
};

std::vector<Input> inputs() {
  std::vector<Input> out;
  for (const Case& test : find_cases()) {
    const std::string text = read_or_empty(test.path);
    const Arguments reading = reading_arguments(test);
    out.push_back({test.path, text, {}});
    if (!reading.empty()) out.push_back({test.path, text, reading});
  }
  for (const char* folder : {"../playground/examples", "../docs/examples"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string path = entry.path().string();
      if (entry.path().extension() != ".txt") out.push_back({path, read_or_empty(path), {}});
    }
  }
  std::ranges::sort(out, {}, [](const Input& input) { return std::pair(input.path, input.reading.size()); });
  return out;
}

int convert_all() {
  const std::size_t sample = runs_all() ? 1 : kSample;
  std::size_t index = 0;
  std::size_t runs = 0;
  std::size_t failed = 0;
  for (Input& input : inputs()) {
    for (const bool counted : {false, true}) {
      if (counted) input.reading.insert(input.reading.end(), {"--steps-per-epoch", "3"});
      for (const dialect::Dialect* to : dialect::dialects()) {
        if (to->write == nullptr || ++index % sample != 0) continue;
        runs += 2;
        failed += Conversion(input, *to).run() ? 0 : 1;
      }
    }
  }
  std::cout << fmt::format("{} conversions, {} failed\n", runs, failed);
  return failed == 0 && runs > 0 ? 0 : 1;
}

// Commands that read one recipe. `{}` is the recipe.
constexpr std::string_view kOthers[] = {
    "validate --format json -",
    "timeline --steps-per-epoch 3 --epochs 5 -",
    "timeline --format csv --steps-per-epoch 2 --to-epoch 3 -",  // a long schedule has many rows
    "timeline --summary -",
    "match --params match/nni/models/net.tsv -",
    "inspect --format json -",
    "inspect -",
    "normalize -",
    "normalize --resolve -",
    "rescale --factor 2 -",
    "rescale --epochs 7 -",
};

// Values that recipes rarely contain.
constexpr std::string_view kOdd[] = {
    "null",
    "[]",
    "{}",
    "''",
    "0",
    "-1",
    "1",
    "1.0",
    "1e308",
    "-1e308",
    "1e-320",
    ".inf",
    "-.inf",
    ".nan",
    "true",
    "99999999999999999999999",
    "9223372036854775807",
    "'*'",
    "'re:('",
    "'re:.*'",
    "'layer*.weight'",
    "'é\\u202e'",
    "[null]",
    "[[]]",
    "{a: null}",
    "2:4",
    "0:4",
    "4:2",
    "__ALL__",
    "__ALL_PRUNABLE__",
    "2001-01-01",
    "1_000",
    "0x10",
    "'1'",
    "\"\\0\"",
    "$name",
    "<S>",
    "...",
    "eval(1/0)",
    "1.5",
    "channel",
    "group",
    "tensor",
    "int0",
    "int8",
};

// Replaces the value of a random line, or of a random element of a list.
std::string with_odd_value(std::string text, std::minstd_rand& random) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1))
    places.push_back(at + 2);
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) places.push_back(at + 1);
  if (places.empty()) {
    return text;
  }
  const std::size_t begin = places[random() % places.size()];
  const std::size_t end = std::min(text.find_first_of(text[begin - 1] == '[' ? ",]\n" : ",}\n", begin), text.size());
  return text.replace(begin, end - begin, kOdd[random() % std::size(kOdd)]);
}

Arguments words_of(std::string_view command, const Input& input) {
  Arguments words;
  std::istringstream line{std::string(command)};
  for (std::string word; line >> word;) words.push_back(word);
  const bool named = std::ranges::find(words, "-") != words.end();
  return named ? with(words, {"--stdin-filename", input.path}) : words;
}

bool run_others(const Input& input) {
  bool passed = true;
  for (const std::string_view command : kOthers) {
    const Arguments arguments = words_of(command, input);
    passed = ends_as_documented(input, arguments, run(arguments, input.text)) && passed;
  }
  return passed;
}

int convert_mutated(unsigned seed, std::size_t count) {
  std::minstd_rand random(seed);
  const std::vector<Input> all = inputs();
  std::size_t failed = 0;
  std::size_t runs = 0;
  for (std::size_t at = 0; at < count; ++at) {
    Input input = all[random() % all.size()];
    if (input.text.size() > 4000) continue;
    for (std::size_t changes = 1 + random() % 2; changes > 0; --changes) {
      input.text = random() % 4 == 0 ? fuzz::mutated(input.text, static_cast<unsigned>(random()))
                                     : with_odd_value(std::move(input.text), random);
    }
    for (const dialect::Dialect* to : dialect::dialects()) {
      if (to->write == nullptr) continue;
      runs += 2;
      failed += Conversion(input, *to).run() ? 0 : 1;
    }
    runs += std::size(kOthers);
    failed += run_others(input) ? 0 : 1;
  }
  std::cout << fmt::format("{} runs, {} failed\n", runs, failed);
  return failed == 0 && runs > 0 ? 0 : 1;
}

int main(const Arguments& arguments) {
  set_up_environment();
  if (arguments.empty()) {
    return convert_all();
  }
  if (arguments.size() == 3 && arguments[0] == "--mutated") {
    return convert_mutated(static_cast<unsigned>(std::stoul(arguments[1])), std::stoul(arguments[2]));
  }
  std::cerr << "usage: conversions [--mutated SEED COUNT]\n";
  return 2;
}

}  // namespace
}  // namespace sparsecfg::golden

int main(int count, char** arguments) {
  return sparsecfg::golden::main(sparsecfg::golden::Arguments(arguments + 1, arguments + count));
}
