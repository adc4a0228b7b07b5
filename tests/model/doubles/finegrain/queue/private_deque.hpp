// The shipped queue/private_deque.hpp, with few slots in the deques of workers: a slot is an event.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#define private_deque shipped_private_deque
#define deputised_deque shipped_deputised_deque
#include_next "finegrain/queue/private_deque.hpp"
#undef private_deque
#undef deputised_deque
#pragma clang diagnostic pop

namespace fg::inline FINEGRAIN_ABI::detail {

using private_deque = basic_private_deque<no_lock, 1>;
using deputised_deque = basic_private_deque<biased_lock, 1>;

}  // namespace fg::inline FINEGRAIN_ABI::detail
