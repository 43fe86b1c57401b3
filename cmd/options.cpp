#include "cmd/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dialect/listed_value.h"
#include "ir/clock.h"
#include "platform/system.h"

namespace sparsecfg::cmd {

Option flag(std::string name, bool& out, std::string doc) {
  return {std::move(name), 0, "", std::move(doc), {}, [&out](const std::string&) {
            out = true;
            return std::nullopt;
          }};
}

Option text(std::string name, std::string value, std::string& out, std::string doc) {
  return {std::move(name), 0, std::move(value), std::move(doc), {}, [&out](const std::string& given) {
            out = given;
            return std::nullopt;
          }};
}

Option list(std::string name, std::string value, std::vector<std::string>& out, bool commas, std::string doc) {
  return {std::move(name), 0, std::move(value), std::move(doc), {}, [&out, commas](const std::string& given) {
            for (std::size_t begin = 0; begin <= given.size();) {
              const std::size_t end = commas ? std::min(given.find(',', begin), given.size()) : given.size();
              out.push_back(given.substr(begin, end - begin));
              begin = end + 1;
            }
            return std::nullopt;
          }};
}

// Returns the second name of an option, which other tools use; empty if it has none.
static std::string alias_of(std::string_view name) {
  if (name == "--tensor-parallel") return "--tp";
  return name == "--format" ? "--output-format" : "";
}

Option choice(std::string name, std::string value, std::vector<std::string> choices,
              std::function<void(const std::string&)> set, std::string doc) {
  auto take = [choices, set = std::move(set)](const std::string& given) -> std::optional<std::string> {
    if (!choices.empty() && std::ranges::find(choices, given) == choices.end()) {
      return fmt::format("one of {}", fmt::join(choices, ", "));
    }
    set(given);
    return std::nullopt;
  };
  const std::string alias = alias_of(name);
  return {std::move(name), 0, std::move(value), std::move(doc), std::move(choices), std::move(take), alias};
}

Option text_or_json(std::string name, bool& json, const std::string& doc) {
  const auto set = [&json](const std::string& format) { json = format == "json"; };
  return choice(std::move(name), "FORMAT", {"text", "json"}, set, doc + " (default: text)");
}

Option number(std::string name, std::string value, std::optional<double>& out, double max, std::string doc) {
  auto take = [&out, max](const std::string& given) -> std::optional<std::string> {
    double read = 0;
    const auto [end, error] = platform::from_chars(given.data(), given.data() + given.size(), read);
    if (error != std::errc() || end != given.data() + given.size() || !(read >= 0 && read <= max)) {
      return fmt::format("a number from 0 to {:g}", max);
    }
    out = read;
    return std::nullopt;
  };
  return {std::move(name), 0, std::move(value), std::move(doc), {}, std::move(take)};
}

Option whole_number(std::string name, std::string value, std::function<void(std::uint64_t)> set, std::uint64_t min,
                    std::uint64_t max, std::string doc) {
  auto take = [set = std::move(set), min, max](const std::string& given) -> std::optional<std::string> {
    std::uint64_t read = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), read);
    if (error != std::errc() || end != given.data() + given.size() || read < min || read > max) {
      return fmt::format("a whole number from {} to {}", min, max);
    }
    set(read);
    return std::nullopt;
  };
  const std::string alias = alias_of(name);
  return {std::move(name), 0, std::move(value), std::move(doc), {}, std::move(take), alias};
}

Option with_letter(Option option, char letter) {
  option.letter = letter;
  return option;
}

std::vector<std::string> dialects_that(bool (*can)(const dialect::Dialect& dialect)) {
  std::vector<std::string> names;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (can(*dialect)) {
      names.emplace_back(dialect->name);
    }
  }
  std::ranges::sort(names);
  return names;
}

void append(std::vector<Option>& options, std::vector<Option> more) {
  std::ranges::move(more, std::back_inserter(options));
}

std::vector<Option> reader_option_list(std::vector<std::pair<std::string, std::string>>& out) {
  std::vector<Option> options;
  for (const dialect::ReaderOption& each : dialect::reader_options()) {
    const std::string name(each.name);
    if (each.max > 0) {
      options.push_back(whole_number(
          "--" + name, "N", [&out, name](std::uint64_t value) { out.emplace_back(name, std::to_string(value)); }, 1,
          each.max, std::string(each.doc)));
      continue;
    }
    Option option = choice(
        "--" + name, "VALUE", {each.values.begin(), each.values.end()},
        [&out, name](const std::string& value) { out.emplace_back(name, value); }, std::string(each.doc));
    option.set = [each, set = option.set](const std::string& value) {
      return set(std::string(dialect::listed_value(each, value)));
    };
    options.push_back(std::move(option));
  }
  return options;
}

// The maxima come from the readers: spans have 32 bits, and nested values are read recursively.
static Option limit(std::string name, std::size_t& out, std::size_t max, const std::string& doc) {
  return whole_number(
      std::move(name), "N", [&out](std::uint64_t value) { out = static_cast<std::size_t>(value); }, 1, max,
      fmt::format("{} (default: {})", doc, out));
}

std::vector<Option> reading_options(ReadingOptions& reading) {
  project::Settings& settings = reading.request.settings;
  doc::Limits& limits = reading.request.limits;
  const auto reads = [](const dialect::Dialect& dialect) { return dialect.read != nullptr; };
  std::vector<Option> options = {
      choice(
          "--from", "DIALECT", dialects_that(reads), [&](const std::string& name) { settings.from = name; },
          "Dialect of the recipe (default: detected from the content)"),
  };
  append(options, reader_option_list(settings.reader_options));
  append(options,
         {list("--set", "NAME=VALUE", reading.request.variables, false,
               "Set a recipe variable; VALUE is read as JSON, otherwise as a string"),
          text("--stdin-filename", "NAME", reading.stdin_filename,
               "File name to assume for standard input (default: read as .yaml)"),
          text("--model", "PATH", settings.model,
               "Model: a folder, its config.json, .safetensors, an index, a list of names, torchvision:NAME or a "
               "well-known id"),
          text("--params", "FILE", settings.parameters,
               "Model parameters, with shapes if known: lines, JSON or .safetensors"),
          text("--modules", "FILE", settings.modules,
               "Model modules: one line per module with name, type and shape, separated by tabs"),
          text("--qat-policy", "FILE", settings.qat_policy, "QAT policy of ai8x-training that runs with the schedule"),
          whole_number(
              "--steps-per-epoch", "N", [&](std::uint64_t steps) { settings.steps_per_epoch = steps; }, 1,
              ir::kMaxStepsPerEpoch, "Optimizer steps per epoch"),
          whole_number(
              "--parameter-groups", "N", [&](std::uint64_t groups) { settings.parameter_groups = groups; }, 1,
              ir::kMaxStepsPerEpoch, "Number of parameter groups of the optimizer"),
          number("--epochs", "E", settings.epochs, ir::kMaxEpochs,
                 "Length of the training run in epochs (default: from the recipe)"),
          limit("--max-size", limits.bytes, 1 << 30, "Maximum file size in bytes"),
          limit("--max-depth", limits.depth, 1000, "Maximum nesting depth"),
          limit("--max-nodes", limits.nodes, 100'000'000, "Maximum number of nodes, with aliases expanded"),
          limit("--max-scalar", limits.scalar_bytes, 1 << 30, "Maximum length of a scalar in bytes")});
  return options;
}

Option recipe_number(ReadingOptions& reading) {
  constexpr std::uint64_t kMaxRecipes = 100'000;
  return whole_number(
      "--recipe", "N", [&](std::uint64_t number) { reading.recipe = number; }, 1, kMaxRecipes,
      "Number of the recipe in a file with several, as `inspect` lists them");
}

Option initial_rate(ReadingOptions& reading) {
  constexpr double kMaxRate = 1e9;
  return number("--initial-lr", "X", reading.request.settings.initial_rate, kMaxRate,
                "Initial learning rate set by the training script");
}

Option output(Output& out) {
  return with_letter(text("--output", "OUT", out.path, "Output file (default: -, standard output)"), 'o');
}

Option force(Output& out) { return flag("--force", out.force, "Overwrite the output file if it exists"); }

static Option severity_option(project::Settings& settings) {
  auto take = [&settings](const std::string& given) -> std::optional<std::string> {
    std::vector<std::string> assignments;
    (void)list("", "", assignments, true, "").set(given);
    for (const std::string& assignment : assignments) {
      const auto parts = project::split_assignment(assignment);
      const auto level = parts ? diag::read_severity(parts->second) : std::nullopt;
      if (!level) return "CODE=error, CODE=warning or CODE=info";
      settings.levels.severities.emplace_back(parts->first, *level);
    }
    return std::nullopt;
  };
  return {"--severity",   0, "CODE=LEVEL", "Change the severity of a rule to error, warning or info", {},
          std::move(take)};
}

std::vector<Option> level_options(project::Settings& settings) {
  return {
      list("--select", "CODE", settings.levels.select, true, "Report only these rules (code, code prefix or name)"),
      list("--ignore", "CODE", settings.levels.ignore, true, "Do not report these rules (code, code prefix or name)"),
      severity_option(settings)};
}

}  // namespace sparsecfg::cmd
