#include "timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace sparsecfg::truth {

using Cell = std::optional<double>;

struct Column {
  std::string name;  // the class, without a number
  std::vector<Cell> cells;
};

struct Table {
  std::vector<Cell> rates;
  std::vector<Column> columns;
};

static Strings fields_of(const std::string& line) {
  Strings fields(1);
  bool quoted = false;
  for (const char each : line) {
    if (each == '"') quoted = !quoted;
    if (each == ',' && !quoted)
      fields.emplace_back();
    else if (each != '"')
      fields.back() += each;
  }
  return fields;
}

static Cell number(const std::string& text) { return text.empty() ? Cell() : Cell(std::strtod(text.c_str(), nullptr)); }

// Parses the columns `step, epoch, lr` and one column for each action, such as `GMPruningModifier#1[0.8]`.
static Table parse_table(const std::string& csv) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  Table table;
  for (const std::string& label : fields_of(line)) table.columns.push_back({label.substr(0, label.find('#')), {}});
  table.columns.erase(table.columns.begin(),
                      table.columns.begin() + std::min<std::ptrdiff_t>(3, std::ssize(table.columns)));
  while (std::getline(in, line)) {
    const Strings fields = fields_of(line);
    table.rates.push_back(number(fields.at(2)));
    for (std::size_t at = 0; at < table.columns.size(); ++at)
      table.columns[at].cells.push_back(number(fields.at(at + 3)));
  }
  return table;
}

// [[row, value], ...] -> one value for each row
static std::vector<Cell> expanded(const Json& runs, std::size_t rows) {
  std::vector<Cell> cells(rows);
  for (const Json& run : runs) {
    const Cell value = run[1].is_null() ? Cell() : Cell(run[1].get<double>());
    std::fill(cells.begin() + run[0].get<std::ptrdiff_t>(), cells.end(), value);
  }
  return cells;
}

static bool same_rate(const Cell& a, const Cell& b) {
  if (!a || !b) return !a && !b;
  return std::abs(*a - *b) <= std::max(1e-9 * std::max(std::abs(*a), std::abs(*b)), 1e-15);
}

static bool same_sparsity(const Cell& a, const Cell& b) { return a && b ? std::abs(*a - *b) <= 1e-12 : !a && !b; }

static bool has_target(const Column& column) {
  return std::ranges::any_of(column.cells, [](const Cell& cell) { return cell.has_value(); });
}

static std::vector<Column> with_targets(std::vector<Column> columns) {
  std::erase_if(columns, [](const Column& column) { return !has_target(column); });
  return columns;
}

static std::string rate_difference(const Json& recorded, const Table& table) {
  if (!recorded.contains("lr") || recorded["lr"].is_null()) return "";
  const std::vector<Cell> want = expanded(recorded["lr"], table.rates.size());
  const auto [at, got] = std::ranges::mismatch(want, table.rates, same_rate);
  if (at == want.end()) return "";
  return fmt::format("row {}: learning rate {} instead of {}", at - want.begin(), got->value_or(NAN),
                     at->value_or(NAN));
}

static std::string sparsity_difference(const Json& recorded, const Table& table) {
  std::vector<Column> want;
  for (const Json& each : recorded["sparsity"]) {
    const std::string name = each["name"];
    want.push_back({name.substr(0, name.find('[')), expanded(each["series"], table.rates.size())});
  }
  std::vector<Column> left = with_targets(table.columns);
  for (const Column& column : with_targets(want)) {
    const auto found = std::ranges::find_if(left, [&](const Column& each) {
      return each.name == column.name && std::ranges::equal(each.cells, column.cells, same_sparsity);
    });
    if (found == left.end()) return fmt::format("no column equals the recorded sparsity of {}", column.name);
    left.erase(found);
  }
  return left.empty() ? "" : fmt::format("the column of {} was not recorded", left.front().name);
}

std::string timeline_difference(const Json& recorded, const std::string& csv) {
  const Table table = parse_table(csv);
  const std::size_t rows = recorded.at("rows");
  if (table.rates.size() != rows) return fmt::format("{} rows instead of {}", table.rates.size(), rows);
  const std::string difference = rate_difference(recorded, table);
  return difference.empty() ? sparsity_difference(recorded, table) : difference;
}

}  // namespace sparsecfg::truth
