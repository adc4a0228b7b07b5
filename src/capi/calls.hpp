// What a C program gives to be called, as the algorithms want it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/finegrain.h"

namespace fg::capi {

/// A routine and its argument: travels as a copy.
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
