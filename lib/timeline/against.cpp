#include "timeline/against.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "base/text.h"
#include "timeline/overview.h"
#include "timeline/sampler.h"

namespace sparsecfg::timeline {

using Json = nlohmann::ordered_json;

// --- reading ----------------------------------------------------------------------------------------

constexpr std::string_view kStepNames[] = {"step", "global_step", "steps", "iteration", "iter", "train_step"};
constexpr std::string_view kRateNames[] = {"lr", "learning_rate", "lr_0", "lr0", "lr_factor"};
constexpr std::string_view kOverallNames[] = {"sparsity",         "overall",        "all",
                                              "overall_sparsity", "model_sparsity", "total_sparsity"};

// Returns "learning_rate" for "train/Learning Rate": the last part, in lower case.
static std::string plain_name(std::string_view name) {
  name = base::trim(name);
  const std::size_t slash = name.rfind('/');
  std::string out = base::to_lower(slash == std::string_view::npos ? name : name.substr(slash + 1));
  std::ranges::replace(out, ' ', '_');
  std::ranges::replace(out, '-', '_');
  return out;
}

namespace {

// Collects rows whose columns appear one after the other.
class LogBuilder {
 public:
  explicit LogBuilder(const Run& run) : run_(run) {}

  void begin_row() {
    step_.reset();
    epoch_.reset();
    values_.assign(out_.columns.size(), std::nullopt);
  }

  void add(const std::string& name, std::optional<double> value) {
    const std::string plain = plain_name(name);
    if (base::contains(kStepNames, plain)) {
      step_ = value;
    } else if (plain == "epoch") {
      epoch_ = value;
    } else {
      set(name, value);
    }
  }

  // Rows without a valid step are dropped.
  void end_row() {
    const bool by_step = step_ && *step_ >= 0 && *step_ <= 9e15;
    const bool by_epoch = !step_ && epoch_ && *epoch_ >= 0 && *epoch_ <= ir::kMaxEpochs;
    if (!by_step && !by_epoch) return;
    const std::uint64_t step = by_step ? static_cast<std::uint64_t>(*step_) : run_.first_step_at(*epoch_);
    out_.rows.push_back({step, std::move(values_)});
  }

  Log take() {
    for (LogRow& row : out_.rows) row.values.resize(out_.columns.size());
    std::ranges::stable_sort(out_.rows, {}, &LogRow::step);
    return std::move(out_);
  }

 private:
  void set(const std::string& name, std::optional<double> value) {
    const auto found = std::ranges::find(out_.columns, name);
    const auto at = static_cast<std::size_t>(found - out_.columns.begin());
    if (found == out_.columns.end()) {
      out_.columns.push_back(name);
      values_.emplace_back();
    }
    values_[at] = value;
  }

  const Run& run_;
  Log out_;
  std::optional<double> step_;
  std::optional<double> epoch_;
  std::vector<std::optional<double>> values_;
};

}  // namespace

// Splits a line of CSV. A field in quotes may contain commas and doubled quotes.
static std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"' && quoted && at + 1 < line.size() && line[at + 1] == '"') {
      out.back() += line[++at];
    } else if (line[at] == '"') {
      quoted = !quoted;
    } else if (line[at] == ',' && !quoted) {
      out.emplace_back();
    } else if (line[at] != '\r') {
      out.back() += line[at];
    }
  }
  return out;
}

// Calls `use` with each line that is not empty.
static void for_each_line(std::string_view text, auto use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = base::trim(text.substr(0, end));
    if (!line.empty()) use(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

static std::optional<double> number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return base::parse_double(json.get_ref<const std::string&>());
  return std::nullopt;
}

// Adds the values of an object. The first element stands for a list, as for the learning rates of parameter groups, and
// the values of an object have their own names, as for sparsities.
static void add_object(const Json& object, LogBuilder& builder) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_array() && !value.empty()) {
      builder.add(name, number_of(value.front()));
    } else if (value.is_object()) {
      for (const auto& [inner, each] : value.items()) builder.add(inner, number_of(each));
    } else if (value.is_number() || value.is_string()) {
      builder.add(name, number_of(value));
    }
  }
}

static std::variant<Log, std::string> read_json_lines(std::string_view text, const Run& run) {
  LogBuilder builder(run);
  std::size_t number = 0;
  std::string error;
  for_each_line(text, [&](std::string_view line) {
    ++number;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
      if (error.empty()) error = fmt::format("line {} is not a JSON object", number);
      return;
    }
    builder.begin_row();
    add_object(json, builder);
    builder.end_row();
  });
  if (!error.empty()) return error;
  return builder.take();
}

static std::variant<Log, std::string> read_csv(std::string_view text, const Run& run) {
  LogBuilder builder(run);
  std::vector<std::string> names;
  for_each_line(text, [&](std::string_view line) {
    const std::vector<std::string> fields = fields_of(line);
    if (names.empty()) {
      names = fields;
      return;
    }
    builder.begin_row();
    for (std::size_t at = 0; at < std::min(names.size(), fields.size()); ++at) {
      builder.add(names[at], base::parse_double(base::trim(fields[at])));
    }
    builder.end_row();
  });
  return builder.take();
}

std::variant<Log, std::string> read_log(std::string_view text, const Run& run) {
  const std::string_view start = base::trim(text.substr(0, std::min<std::size_t>(text.size(), 4096)));
  auto out = start.starts_with('{') ? read_json_lines(text, run) : read_csv(text, run);
  const auto* log = std::get_if<Log>(&out);
  if (log != nullptr && log->rows.empty()) {
    return std::string("no row has a step; name the column `step`, in CSV with a header or in JSON Lines");
  }
  return out;
}

// --- comparing --------------------------------------------------------------------------------------

namespace {

// What a column of the log is compared with.
struct Compared {
  enum class Kind : std::uint8_t { rate, overall, track };
  std::size_t column = 0;  // of the log
  Kind kind = Kind::rate;
  std::size_t track = 0;
  double tolerance = 0;  // absolute: half of the last digit in the log
};

}  // namespace

// Returns the number of significant digits and of decimals of a number in its shortest form.
static std::pair<int, int> digits_of(double value) {
  const std::string text = fmt::format("{:e}", value == 0 ? 0.0 : value);
  const std::string shortest = fmt::format("{}", value);
  int significant = 0;
  for (const char c : shortest.substr(0, shortest.find('e'))) {
    if (base::is_digit(c) && (c != '0' || significant > 0)) ++significant;
  }
  std::string digits = shortest.substr(0, shortest.find('e'));
  if (digits.find('.') == std::string::npos) {
    while (significant > 1 && digits.ends_with('0')) {
      digits.pop_back();
      --significant;
    }
  }
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  return {significant, std::max(0, significant - 1 - exponent)};
}

// Returns half of the last digit that a column shows, or 0 if it shows all digits or too few to be rounded.
static double rounding_of(const Log& log, std::size_t column) {
  constexpr int kFewDigits = 3;
  constexpr int kAllDigits = 7;
  int significant = 0;
  int decimals = 0;
  for (const LogRow& row : log.rows) {
    if (!row.values[column] || !std::isfinite(*row.values[column])) continue;
    const auto [digits, places] = digits_of(*row.values[column]);
    significant = std::max(significant, digits);
    decimals = std::max(decimals, places);
  }
  return significant >= kFewDigits && significant < kAllDigits ? 0.501 * std::pow(10, -decimals) : 0;
}

static bool is_equal(const std::optional<double>& logged, const std::optional<double>& scheduled, double tolerance) {
  constexpr double kRelative = 1e-6;
  if (!logged || !scheduled) return true;  // not comparable
  return std::abs(*logged - *scheduled) <=
         std::max(tolerance, kRelative * std::max(std::abs(*logged), std::abs(*scheduled)));
}

namespace {

// Walks through the steps of a log.
class LogComparer {
 public:
  LogComparer(const ir::Recipe& recipe, const Run& run, const Log& log) : recipe_(recipe), run_(run), log_(log) {}

  LogComparison compare(int shift) {
    Evaluator evaluator(recipe_, run_);
    Overall overall(recipe_, run_, evaluator);
    Sampler sampler(evaluator, overall, false);
    LogComparison out;
    const std::vector<Compared> compared = columns_of(evaluator, overall, out.ignored);
    for (const Compared& each : compared) out.columns.push_back({log_.columns[each.column]});
    for (const LogRow& row : log_.rows) {
      if (shift < 0 && row.step == 0) continue;
      const std::uint64_t step = row.step + static_cast<std::uint64_t>(static_cast<std::int64_t>(shift));
      if (step > run_.steps()) continue;
      if (!sampler.move_to(step)) {
        out.complete = false;
        break;
      }
      ++out.rows;
      for (std::size_t at = 0; at < compared.size(); ++at) {
        note(out.columns[at], row, compared[at], value_of(compared[at], evaluator, overall));
      }
    }
    return out;
  }

 private:
  static std::optional<double> value_of(const Compared& compared, const Evaluator& evaluator, const Overall& overall) {
    switch (compared.kind) {
      case Compared::Kind::rate: return evaluator.optimizer().groups().front().rate;
      case Compared::Kind::overall: return overall.value();
      case Compared::Kind::track: return evaluator.sparsities()[compared.track];
    }
    return std::nullopt;
  }

  static void note(ColumnDifference& out, const LogRow& row, const Compared& compared,
                   const std::optional<double>& scheduled) {
    const std::optional<double>& logged = row.values[compared.column];
    if (!logged || !scheduled) return;
    ++out.rows;
    if (is_equal(logged, scheduled, compared.tolerance)) return;
    if (out.different++ > 0) return;
    out.step = row.step;
    out.logged = logged;
    out.scheduled = scheduled;
  }

  std::vector<Compared> columns_of(const Evaluator& evaluator, const Overall& overall,
                                   std::vector<std::string>& ignored) const {
    std::vector<Compared> out;
    for (std::size_t at = 0; at < log_.columns.size(); ++at) {
      const std::string name = plain_name(log_.columns[at]);
      const auto column = std::ranges::find(evaluator.columns(), log_.columns[at], &Column::label);
      const double tolerance = rounding_of(log_, at);
      if (recipe_.has_rates && base::contains(kRateNames, name)) {
        out.push_back({at, Compared::Kind::rate, 0, tolerance});
      } else if (column != evaluator.columns().end()) {
        out.push_back({at, Compared::Kind::track, column->track, tolerance});
      } else if (base::contains(kOverallNames, name) && overall.known()) {
        out.push_back({at, Compared::Kind::overall, 0, tolerance});
      } else if (base::contains(kOverallNames, name) && evaluator.tracks() == 1) {
        out.push_back({at, Compared::Kind::track, 0, tolerance});
      } else {
        ignored.push_back(log_.columns[at]);
      }
    }
    return out;
  }

  const ir::Recipe& recipe_;
  const Run& run_;
  const Log& log_;
};

}  // namespace

bool LogComparison::same() const {
  return std::ranges::all_of(columns, [](const ColumnDifference& each) { return each.different == 0; });
}

// Returns the rate in the first row that has one.
static std::optional<std::pair<std::uint64_t, double>> first_rate(const Log& log) {
  for (const LogRow& row : log.rows) {
    for (std::size_t at = 0; at < log.columns.size(); ++at) {
      if (row.values[at] && base::contains(kRateNames, plain_name(log.columns[at]))) {
        return std::pair(row.step, *row.values[at]);
      }
    }
  }
  return std::nullopt;
}

// Returns the initial rate of the training script, if all rates are factors of it and the log starts with a rate.
static std::optional<double> rate_from(const ir::Recipe& recipe, const Run& run, const Log& log) {
  const auto first = first_rate(log);
  if (!first || !rates_are_factors(recipe, run)) return std::nullopt;
  Run rated = run;
  rated.initial_rate = 1;
  Evaluator evaluator(recipe, rated);
  while (evaluator.next_step() <= first->first) evaluator.advance();
  const auto factor = evaluator.optimizer().groups().front().rate;
  return factor && *factor > 0 ? std::optional(first->second / *factor) : std::nullopt;
}

LogComparison compare_with_log(const ir::Recipe& recipe, const Run& run, const Log& log) {
  Run used = run;
  const auto rate = rate_from(recipe, run, log);
  if (rate) used.initial_rate = rate;
  LogComparer comparer(recipe, used, log);
  LogComparison out = comparer.compare(0);
  out.initial_rate = rate;
  for (const int shift : {1, -1}) {
    if (out.same() || out.shift) break;
    const LogComparison shifted = comparer.compare(shift);
    if (shifted.same() && shifted.rows > 1) out.shift = shift;
  }
  return out;
}

// --- text -------------------------------------------------------------------------------------------

static std::string at_step(std::uint64_t step, const Run& run) {
  return fmt::format("step {} (epoch {:.6g})", step, run.epoch_of(step));
}

std::string comparison_text(const LogComparison& comparison, const Run& run) {
  std::string out;
  if (comparison.initial_rate) {
    out += fmt::format("initial learning rate {:.6g}: from the first row of the log (set it with --initial-lr)\n",
                       *comparison.initial_rate);
  }
  if (comparison.columns.empty()) {
    out += "no column of the log is in the schedule\n";
  }
  const ColumnDifference* first = nullptr;
  for (const ColumnDifference& each : comparison.columns) {
    if (each.different > 0 && (first == nullptr || each.step < first->step)) first = &each;
  }
  if (first != nullptr) {
    out += fmt::format("first difference at {}: {} is {:.6g} in the log and {:.6g} in the schedule\n",
                       at_step(first->step, run), base::printable(first->column), *first->logged, *first->scheduled);
  }
  for (const ColumnDifference& each : comparison.columns) {
    out += fmt::format("  {}: {}\n", base::printable(each.column),
                       each.rows == 0 ? "no rows to compare"
                       : each.different == 0
                           ? fmt::format("{} agree", base::counted(each.rows, "row"))
                           : fmt::format("{} of {} differ", each.different, base::counted(each.rows, "row")));
  }
  if (comparison.shift) {
    out += fmt::format("all rows agree with the schedule one step {}; the log may count steps differently\n",
                       *comparison.shift > 0 ? "later" : "earlier");
  }
  if (!comparison.ignored.empty()) {
    out += fmt::format("not in the schedule: {}\n",
                       base::printable(fmt::format("{}", fmt::join(comparison.ignored, ", "))));
  }
  if (!comparison.complete) out += "the run has too many changes; later rows were not compared\n";
  const bool same = comparison.same() && !comparison.columns.empty();
  return out + (same ? fmt::format("no difference in {}\n", base::counted(comparison.rows, "row")) : "");
}

}  // namespace sparsecfg::timeline
