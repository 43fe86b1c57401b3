#include "timeline/writers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "base/number.h"
#include "timeline/epoch_text.h"

namespace sparsecfg::timeline {

// The text of a number, made anew only when the number is another one.
class NumberText {
 public:
  void set(const std::optional<double>& value) {
    const bool given = value.has_value();
    const std::uint64_t bits = given ? std::bit_cast<std::uint64_t>(*value) : 0;
    if (given == given_ && bits == bits_) {
      return;
    }
    given_ = given;
    bits_ = bits;
    size_ = given ? static_cast<std::size_t>(base::write_repr(text_, *value) - text_) : 0;
  }

  [[nodiscard]] std::string_view text() const { return {text_, size_}; }

 private:
  bool given_ = false;
  std::uint64_t bits_ = 0;
  std::size_t size_ = 0;
  char text_[base::kReprSize];
};

// What a row says after its epoch. It stays as long as nothing acts.
class Tail {
 public:
  explicit Tail(const Evaluator& evaluator) : evaluator_(evaluator), tracks_(evaluator.tracks()) { update(); }

  void update() {
    rate_.set(evaluator_.optimizer().groups().front().rate);
    const auto& values = evaluator_.sparsities();
    for (std::size_t track = 0; track < tracks_.size(); ++track) {
      tracks_[track].set(values[track]);
    }
    text_.assign(1, ',');
    text_ += rate_.text();
    for (const Column& column : evaluator_.columns()) {
      text_ += ',';
      text_ += tracks_[column.track].text();
    }
    text_ += '\n';
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const Evaluator& evaluator_;
  NumberText rate_;
  std::vector<NumberText> tracks_;
  std::string text_;
};

// Counts up in decimal digits, which is cheaper than to convert each number.
class Counter {
 public:
  explicit Counter(std::uint64_t start) {
    char buffer[24];
    digits_.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, start).ptr);
  }

  void increment() {
    for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
      if (*digit != '9') {
        ++*digit;
        return;
      }
      *digit = '0';
    }
    digits_.insert(digits_.begin(), '1');
  }

  [[nodiscard]] const std::string& text() const { return digits_; }

 private:
  std::string digits_;
};

// A field as RFC 4180 has it.
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

class CsvWriter {
 public:
  CsvWriter(const ir::Recipe& recipe, const Run& run, const source::Write& write)
      : write_(write),
        evaluator_(recipe, run),
        tail_(evaluator_),
        epoch_(run.steps_per_epoch),
        last_of_run_(run.steps()) {}

  bool write(std::uint64_t first, std::uint64_t last) {
    last = std::min(last, last_of_run_);
    write_header();
    Counter step(first);
    for (std::uint64_t row = first; row <= last && !failed_;) {
      while (evaluator_.next_step() <= row) {
        evaluator_.advance();
      }
      tail_.update();
      const std::uint64_t end = std::min(evaluator_.next_step(), last + 1);
      for (; row < end && !failed_; ++row, step.increment()) {
        write_row(step.text(), row);
      }
    }
    flush();
    return !failed_;
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{256} << 10;

  void write_header() {
    std::string header = "step,epoch,lr";
    for (const Column& column : evaluator_.columns()) {
      header += "," + quoted(column.label);
    }
    failed_ = !write_(header + "\n");
  }

  void write_row(const std::string& step, std::uint64_t row) {
    const std::string& tail = tail_.text();
    const std::size_t room = step.size() + 1 + base::kReprSize + tail.size();
    if (buffer_.size() - used_ < room) {
      flush();
      buffer_.resize(std::max(kBuffer, room));
    }
    char* out = buffer_.data() + used_;
    out = std::copy(step.begin(), step.end(), out);
    *out++ = ',';
    out = epoch_.write(out, row);
    std::memcpy(out, tail.data(), tail.size());
    used_ = static_cast<std::size_t>(out - buffer_.data()) + tail.size();
  }

  void flush() {
    failed_ = failed_ || !write_({buffer_.data(), used_});
    used_ = 0;
  }

  const source::Write& write_;
  Evaluator evaluator_;
  Tail tail_;
  EpochText epoch_;
  std::uint64_t last_of_run_;
  std::vector<char> buffer_ = std::vector<char>(kBuffer);
  std::size_t used_ = 0;
  bool failed_ = false;
};

bool write_csv(const ir::Recipe& recipe, const Run& run, std::uint64_t first, std::uint64_t last,
               const source::Write& write) {
  return CsvWriter(recipe, run, write).write(first, last);
}

}  // namespace sparsecfg::timeline
