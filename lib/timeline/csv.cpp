#include "timeline/writers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/parallel.h"
#include "platform/system.h"
#include "timeline/epoch_text.h"

namespace sparsecfg::timeline {

using Values = std::vector<std::optional<double>>;

// Consecutive rows with equal values, except for those of `series`, which change from row to row.
struct Part {
  std::uint64_t first = 0;
  std::uint64_t end = 0;  // one past the last row
  Values values;          // indexed by track; the learning rate comes last
  std::vector<Series> series{};
};

// Writes a sequence of numbers. A number equal to the previous one is copied from where that was written.
class NumberWriter {
 public:
  // Must be called before the memory of the previous number becomes invalid.
  void forget() { text_ = nullptr; }

  char* write(char* out, const std::optional<double>& value) {
    if (!value) {
      return out;
    }
    const auto bits = std::bit_cast<std::uint64_t>(*value);
    if (text_ != nullptr && bits == bits_) {
      char copy[base::kReprSize];  // copying a constant size is faster; the ranges may overlap
      std::memcpy(copy, text_, sizeof copy);
      std::memcpy(out, copy, sizeof copy);
      return out + size_;
    }
    text_ = out;
    bits_ = bits;
    char* const end = base::write_repr(out, *value);
    size_ = end - out;
    return end;
  }

 private:
  const char* text_ = nullptr;
  std::uint64_t bits_ = 0;
  std::ptrdiff_t size_ = 0;
};

// Quotes a field as in RFC 4180.
static std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
    return field;
  }
  std::string out = "\"";
  for (const char c : field) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + "\"";
}

// Returns the track of each column.
static std::vector<std::size_t> tracks_of(const Evaluator& evaluator) {
  std::vector<std::size_t> out;
  for (const Column& column : evaluator.columns()) out.push_back(column.track);
  return out;
}

// Writes the text of a few rows: as many as fit into kBlock bytes, but at least one.
class RowWriter {
 public:
  explicit RowWriter(const Evaluator& evaluator)
      : evaluator_(evaluator),
        columns_(tracks_of(evaluator)),
        epoch_(evaluator.run().steps_per_epoch),
        numbers_(evaluator.tracks() + 1) {
    series_values_.resize(evaluator.tracks() + 1);
    buffer_.resize(static_cast<std::size_t>(rows(evaluator)) * row_size(evaluator));
  }

  [[nodiscard]] static std::uint64_t rows(const Evaluator& evaluator) {
    return std::max(std::size_t{1}, kBlock / row_size(evaluator));
  }

  // The parts of the current rows.
  std::vector<Part> parts;

  void write() {
    out_ = buffer_.data();
    for (NumberWriter& number : numbers_) number.forget();
    for (const Part& part : parts) {
      values_ = part.values;
      if (part.series.empty()) {
        write_alike(part);
      } else {
        write_series(part);
      }
    }
  }

  [[nodiscard]] std::string_view text() const {
    return {buffer_.data(), static_cast<std::size_t>(out_ - buffer_.data())};
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{256} << 10;
  static constexpr std::size_t kStepSize = 20;       // digits of the largest step
  static constexpr std::uint64_t kSeriesRows = 256;  // rows evaluated at a time

  [[nodiscard]] static std::size_t row_size(const Evaluator& evaluator) {
    return kStepSize + (evaluator.columns().size() + 2) * (1 + base::kReprSize) + 1;
  }

  void write_begin(std::uint64_t row) {
    out_ = std::to_chars(out_, out_ + kStepSize, row).ptr;
    *out_++ = ',';
    out_ = epoch_.write(out_, row);
  }

  void write_values() {
    char* out = out_;
    *out++ = ',';
    out = numbers_.back().write(out, values_.back());
    for (const std::size_t track : columns_) {
      *out++ = ',';
      out = numbers_[track].write(out, values_[track]);
    }
    *out++ = '\n';
    out_ = out;
  }

  // Formats the first row; the others copy its numbers.
  void write_alike(const Part& part) {
    write_begin(part.first);
    const char* values = out_;
    write_values();
    const auto size = static_cast<std::size_t>(out_ - values);
    for (std::uint64_t row = part.first + 1; row < part.end; ++row) {
      write_begin(row);
      std::memcpy(out_, values, size);
      out_ += size;
    }
  }

  void write_series(const Part& part) {
    for (std::uint64_t first = part.first; first < part.end; first += kSeriesRows) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kSeriesRows, part.end - first));
      evaluate(part, first, count);
      for (std::size_t at = 0; at < count; ++at) {
        for (const Series& series : part.series) {
          const std::size_t number = number_of(series);
          values_[number] = series_values_[number][at];
        }
        write_begin(first + at);
        write_values();
      }
    }
  }

  [[nodiscard]] std::size_t number_of(const Series& series) const { return series.track.value_or(numbers_.size() - 1); }

  // Series are in the order in which their actions act, so that the last one wins.
  void evaluate(const Part& part, std::uint64_t first, std::size_t count) {
    epochs_.resize(count);
    ir::epochs_from(first, evaluator_.run().steps_per_epoch, epochs_);
    for (const Series& series : part.series) {
      Values& values = series_values_[number_of(series)];
      values.resize(count);
      evaluator_.values_of(series, epochs_, values);
    }
  }

  const Evaluator& evaluator_;
  std::vector<std::size_t> columns_;
  EpochText epoch_;
  std::vector<NumberWriter> numbers_;  // indexed by track; the learning rate comes last
  Values values_;                      // of the row, indexed like `numbers_`
  std::vector<double> epochs_;
  std::vector<Values> series_values_;  // of several rows, indexed like `numbers_`
  std::vector<char> buffer_;
  char* out_ = nullptr;
};

// Writes the rows in blocks. The evaluator runs sequentially; the blocks are formatted in parallel.
class CsvWriter {
 public:
  CsvWriter(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last)
      : evaluator_(recipe, run), row_(first), end_(std::min(last, run.steps()) + 1) {
    block_ = RowWriter::rows(evaluator_);
    writers_.resize(base::kSlotsPerThread * threads());
  }

  bool write(const source::Write& write) {
    return write(header()) && base::put_in_order(writers_.size() / base::kSlotsPerThread,
                                                 {[&](std::size_t slot) { return take(writer_of(slot).parts); },
                                                  [&](std::size_t slot) { writers_[slot]->write(); },
                                                  [&](std::size_t slot) { return write(writers_[slot]->text()); }});
  }

 private:
  // Each thread allocates its own writer, so that its memory does not share cache lines with other threads.
  RowWriter& writer_of(std::size_t slot) {
    std::unique_ptr<RowWriter>& writer = writers_[slot];
    if (!writer) writer = std::make_unique<RowWriter>(evaluator_);
    return *writer;
  }

  // More threads would need more memory. A few rows are written before a thread has started.
  [[nodiscard]] std::size_t threads() const {
    constexpr std::size_t kMaxCount = 4;
    constexpr std::size_t kWorthAThread = 4;  // blocks
    const std::uint64_t blocks = row_ < end_ ? (end_ - row_) / block_ : 0;
    const std::size_t most = std::min(kMaxCount, platform::cores());
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(blocks / kWorthAThread, 1, most));
  }

  [[nodiscard]] std::string header() const {
    std::string header = "step,epoch,lr";
    for (const Column& column : evaluator_.columns()) {
      header += "," + quoted(column.label);
    }
    return header + "\n";
  }

  // Determines the next block of rows. Returns false at the end.
  bool take(std::vector<Part>& parts) {
    const std::uint64_t end = row_ < end_ ? row_ + std::min(block_, end_ - row_) : row_;
    parts.clear();
    while (row_ < end) {
      catch_up();
      parts.push_back(next_part(end));
      row_ = parts.back().end;
    }
    return !parts.empty();
  }

  // Moves to the last change before the next row.
  void catch_up() {
    while (evaluator_.next_step() < row_) {
      const std::uint64_t until = std::min(evaluator_.steady_until(), row_);
      if (until > evaluator_.next_step()) {
        evaluator_.move_to(until - 1);
      } else {
        evaluator_.advance();
      }
    }
  }

  Part next_part(std::uint64_t end) {
    if (evaluator_.next_step() == row_) {
      if (const std::uint64_t until = std::min(evaluator_.steady_until(), end); until > row_) {
        Part part{row_, until, values(), evaluator_.steady_series()};
        evaluator_.move_to(until - 1);
        return part;
      }
      evaluator_.advance();
    }
    return {row_, std::min(evaluator_.next_step(), end), values()};
  }

  [[nodiscard]] Values values() const {
    Values out = evaluator_.sparsities();
    out.push_back(evaluator_.optimizer().groups().front().rate);
    return out;
  }

  Evaluator evaluator_;
  std::uint64_t row_;
  std::uint64_t end_;
  std::uint64_t block_ = 1;  // rows
  std::vector<std::unique_ptr<RowWriter>> writers_;
};

bool write_csv(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last,
               const source::Write& write) {
  return CsvWriter(recipe, run, first, last).write(write);
}

}  // namespace sparsecfg::timeline
