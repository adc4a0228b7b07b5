// Formats the report of finegrain-info.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "finegrain_info/machine_report.hpp"

namespace fg::info {

/// One JSON object, without a line feed at its end: the lab's contract (docs in bench/README.md).
[[nodiscard]] std::string to_json(const machine_report& report);

/// The same as text for people.
[[nodiscard]] std::string to_text(const machine_report& report);

}  // namespace fg::info
