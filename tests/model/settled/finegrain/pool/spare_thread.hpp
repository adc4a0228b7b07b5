// A spare thread that is one of the scenario's, or none: replaces the shipped
// pool/spare_thread.hpp, whose thread would be started by the first thread that needs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#define spare_thread shipped_spare_thread
#include_next "finegrain/pool/spare_thread.hpp"
#undef spare_thread
#pragma clang diagnostic pop

namespace fg::inline FINEGRAIN_ABI::detail {

class spare_thread : public shipped_spare_thread {
 public:
  using shipped_spare_thread::shipped_spare_thread;

  template <class Before, class Undo>
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): the shipped one is none
  bool make_if_missing(Before /*before*/, Undo /*undo*/) noexcept {
    return true;
  }
  static void let_others_go_first() noexcept {}
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
