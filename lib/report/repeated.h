#pragma once

#include "report/report.h"

namespace sparsecfg::report {

// Returns a report for people, in which one finding names all entries with the same mistake: findings of one rule whose
// message and edit have the same words, in entries of one block or at keys with the same name. The later ones become
// labels of the first, with their edits, and a part of its fix.
[[nodiscard]] Report join_repeated(Report report);

}  // namespace sparsecfg::report
