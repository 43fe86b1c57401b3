#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/custom.h"
#include "dialect/distiller/arguments.h"
#include "dialect/distiller/table.h"
#include "dialect/record/record.h"
#include "doc/document.h"
#include "ir/epoch_rate_curve.h"
#include "model/model_names.h"
#include "model/names.h"
#include "python/numbers.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

using source::Span;
using source::Value;

class OverrideTable;

// Returns the overrides of a quantizer by layer.
[[nodiscard]] std::shared_ptr<const OverrideTable> overrides_of(const Record& quantizer);

// A named entry of a section: a class and its constructor arguments.
struct Component {
  Component() = default;
  Component(Component&&) = default;  // not copied, because arguments refer to the fields

  const ClassSpec* spec = nullptr;
  Section section = Section::pruners;
  std::string name;
  std::string class_name;
  Span key;
  Record fields;
  bool valid = true;          // false if a value that the schedule depends on could not be read
  bool used = false;          // true if a policy refers to it
  bool acts = false;          // true if such a policy acts within the run; a quantizer acts when it is loaded
  bool starts = false;        // true if such a policy acts in its first active epoch, where a ramp has its first value
  bool shows_levels = false;  // true if such a policy acts before any policy replaces the levels
  double reached = 0;         // the largest fraction of its range that such a policy passes within the run, 0 to 1
  doc::NodeId node{};         // the mapping
  std::optional<ir::EpochRateCurve> course{};        // of a scheduler; nullopt if an argument is not a number
  std::optional<Arguments> arguments;                // set when the values are checked
  std::shared_ptr<const OverrideTable> overrides{};  // of a quantizer
};

// All components, addressed by section and name.
struct Components {
  std::vector<Component> all;  // in the order in which Distiller builds them
  bool detected = true;        // false if a section is missing or unreadable; then undefined names are not reported

  [[nodiscard]] Component* find(Section section, std::string_view name);
};

// Inputs shared by the functions that read a schedule.
struct Context {
  const source::SourceFile& file;
  const doc::Document& document;
  const std::vector<std::string>* layers;  // names of the model's layers; null if unknown
  diag::Sink& sink;
  const std::vector<model::Module>* modules = nullptr;  // the layers with their types; null if unknown
  const model::ModelNames* parameters = nullptr;        // of the model; null if unknown
  Flavor flavor{};
  const CustomClasses* custom = nullptr;  // classes of the project, or null

  [[nodiscard]] bool is_ai8x() const { return flavor.fork == Fork::ai8x; }
};

// The places of a section of the file. A section that does not exist has empty places.
struct SectionNode {
  Span key;
  Span value;
  Span last;  // the key of its last entry; empty if it has none
};

[[nodiscard]] SectionNode section_of(const Context& context, std::string_view name);

// Returns the keys and values of a mapping. Keys that are not strings are converted with Python's str().
[[nodiscard]] std::vector<Field> read_fields(const Context& context, doc::NodeId mapping);

// Reads all sections and checks the class of each component and the names of its arguments.
[[nodiscard]] Components read_components(const Context& context);

// Checks a field's value against its table row. Reports values that the constructor rejects and, if `used` is true,
// values that fail later. `owner` is the class of the fields.
void check_value(const Context& context, std::string_view owner, const Record& record, Field& field, bool used);

}  // namespace sparsecfg::dialect::distiller
