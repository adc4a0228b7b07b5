// Parsing a small JSON text into a document.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "kernels/json/widget_sample.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// A kernel that parses its own copy of `text` with RapidJSON into a document tree, with
/// RapidJSON's default flags. Values and parse stack come from two memory pools over preallocated
/// buffers, which every run resets. Its check expects the widget sample, whatever `text` is.
///
/// RapidJSON is hidden in this function's source file, so no other file needs its headers. Throws
/// std::invalid_argument for a text that does not fit the buffers, which would make a run allocate.
[[nodiscard]] std::unique_ptr<kernel_instance> make_json_kernel(
    std::string_view text = kWidgetSample);

}  // namespace fg::bench
