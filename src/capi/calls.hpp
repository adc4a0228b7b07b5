// Function objects that wrap a C program's callbacks for the algorithms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/finegrain.h"

namespace fg::capi {

/// A routine and its argument. Passed by copy.
struct call {
  fg_routine routine;
  void* arguments;
  void operator()() const { routine(arguments); }
};

/// A loop's body and its argument.
struct loop_call {
  fg_loop_body body;
  void* arguments;
  void operator()(std::size_t begin, std::size_t end) const { body(arguments, begin, end); }
};

}  // namespace fg::capi
