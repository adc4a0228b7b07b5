// An independent check of the parsed widget sample. Internal to the json kernel: needs RapidJSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string>

namespace fg::bench {

/// Compares every member of the tree under `root` with a list written by hand, and the number of
/// members of every object with the list's, so that nothing is missing, wrong or extra. Returns
/// nothing, or one line that says what is wrong.
[[nodiscard]] std::optional<std::string> check_widget(const rapidjson::Value& root);

}  // namespace fg::bench
