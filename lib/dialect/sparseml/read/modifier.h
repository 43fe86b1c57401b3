#pragma once

#include "dialect/record/record.h"
#include "dialect/sparseml/table/table.h"
#include "model/model_names.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A modifier in the source file, and the values passed to its constructor. Its key is the tag.
struct Modifier : Record {
  Framework framework = Framework::pytorch;       // the reader that the row belongs to
  const model::ModelNames* parameters = nullptr;  // of the model, for advice; null if unknown

  // Return the epochs after conversion by float() and by the class: a modifier that acts once never ends. The modifier
  // must be valid.
  [[nodiscard]] double start() const;
  [[nodiscard]] double end() const;
};

// Returns true if the value is false in Python: null, an empty string, list or mapping, 0 and false.
[[nodiscard]] bool counts_as_empty(const source::Value& value);

// Returns the value as SparseML converts it to a boolean: a string is false if it is empty or contains `f` or `0`.
[[nodiscard]] bool counts_as_true(const source::Value& value);

}  // namespace sparsecfg::dialect::sparseml
