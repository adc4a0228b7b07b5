// A loop whose iterations two threads share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/relic/adaptive_loop.hpp"
#include "finegrain/algorithm/relic/loop_options.hpp"
#include "finegrain/algorithm/relic/shared_loop.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Runs iterations of one loop. The body may travel as a copy if no program can tell them apart.
template <class I, class Body>
class for_work {
 public:
  for_work(I first, Body& body) noexcept : first_{first}, body_{body} {}

  [[nodiscard]] const for_work& worker(range_side) const noexcept { return *this; }

  void operator()(std::uint64_t begin, std::uint64_t end) const {
    decltype(auto) body = body_.get();
    const I last = position_at(first_, end);
    if constexpr (kTakesRange<Body, I>) {
      body(position_at(first_, begin), last);
    } else {
      for (I i = position_at(first_, begin); i != last; ++i) {
        body(i);
      }
    }
  }
  void finish() const noexcept {}

 private:
  static constexpr std::size_t kBytesBesideBody = 3 * sizeof(void*) + sizeof(I);
  static constexpr bool kCopies = kTakesRange<Body, I>
                                      ? kIsCarriedAsCopy<Body, kBytesBesideBody, I, I>
                                      : kIsCarriedAsCopy<Body, kBytesBesideBody, I>;

  I first_;
  carried<Body, kCopies> body_;
};

template <class I, class Body>
struct for_loop {
  loop_shape shape;
  I first;
  Body& body;

  void run_here() {
    if (shape.iterations != 0) {
      run(0, shape.iterations);
    }
  }
  void run(std::uint64_t begin, std::uint64_t end) { for_work<I, Body>{first, body}(begin, end); }

  template <class Relic>
  void run_on_both(Relic& relic, const loop_layout& layout) {
    run_rest_on_both(relic, layout, 0);
  }
  template <class Relic>
  void run_rest_on_both(Relic& relic, const loop_layout& layout, std::uint64_t begin) {
    detail::run_on_both(relic, layout, for_work<I, Body>{position_at(first, begin), body});
  }
};

}  // namespace detail

/// Calls `body(i)` once for each `i` in [first, last), on the calling thread and in parallel on the
/// assistant, and returns when all calls have returned. A body that can be called with two indices
/// is given pieces instead: `body(begin, end)`, each index in one piece, none empty.
///
///     fg::parallel_for(relic, 0, size, [&](std::size_t i) { out[i] = f(in[i]); });
///
/// `first` and `last` have any integral type but bool. The index has their common type, as in an
/// expression, unless that changes values: an int and an unsigned are counted with std::int64_t.
/// The range is empty unless first < last by their values: from -1 to 10U there are eleven calls,
/// from 0U to -1 none. A signed number and an unsigned one of 64 bits, for example 0 and size(),
/// are counted with the unsigned type, which has no negative values: `first` must not be negative
/// then (checked in debug builds; otherwise the first indices are converted, as -1 to the largest
/// number).
///
/// Requires: the relic is not being destroyed. On the relic's main thread calls of `body` may run
/// concurrently, on one object or on copies that are indistinguishable from it, in any order; on
/// any other thread, including the assistant, all run there in order. `body` may call the
/// algorithms on the same relic. What was written before is visible to all calls; what they wrote
/// is visible to the caller afterwards.
///
/// Waits only for its own calls. Tasks submitted before have then finished too if the assistant
/// took part, but their exceptions are kept for `wait`. If calls throw, pieces not yet begun never
/// run, no index is visited twice, and one exception is passed on: the calling thread's rather
/// than the assistant's.
///
/// `options.mode`: `offload::adaptive` shares the loop if that was measured to be faster than
/// running it here (see controller/loop_site.hpp); the measurements belong to the type of
/// `body`, so for lambdas to the place in the source, and to the calling thread. It also runs here
/// while the assistant sleeps or is busy, and wakes it only for loops that gain enough. A loop of
/// unknown cost begins here, in pieces of one, two, four ... grains, and what is left after 20 us is
/// shared; so is one of `parallel_reduce`, unless its result has to be deterministic. `always`
/// shares each time, and wakes the assistant if necessary. Fewer than two iterations, and no more
/// than one `grain`, run here.
///
/// Both threads take pieces of their half; a thread whose half is finished takes half of what the
/// other has left (algorithm/relic/shared_range.hpp). A loop that is known to be shorter than eight
/// round trips is only cut in two, and so is one inside another that is shared.
///
/// Constant time besides the calls and the pieces taken, no allocation.
template <relic_like Relic, loop_index First, loop_index Last, class Body>
void parallel_for(Relic& runner, loop_site& site, First first, Last last, Body&& body,
                  const loop_options& options = {}) {
  using index = detail::common_index_t<First, Last>;
  using body_type = std::remove_reference_t<Body>;
  static_assert(detail::kIsLoopBody<body_type, index>,
                "finegrain: the body is called with an index, or with the two ends of a piece");
  const auto positions = detail::positions_between(first, last);
  detail::for_loop<index, body_type> loop{
      .shape = {.iterations = positions.size, .grain = options.grain},
      .first = positions.first,
      .body = body};
  detail::run_loop(runner, site, options.mode, loop);
}

/// The same with the site that belongs to the type of `body`. A function pointer or a std::function
/// does not identify the place where it is called: it needs an explicit `fg::loop_site`, preferably
/// `static thread_local`.
template <relic_like Relic, loop_index First, loop_index Last, class Body>
void parallel_for(Relic& runner, First first, Last last, Body&& body,
                  const loop_options& options = {}) {
  static_assert(!detail::is_type_erased<std::decay_t<Body>>,
                "finegrain: type-erased bodies share one type; name the call site with an "
                "fg::loop_site");
  parallel_for(runner, detail::loop_site_of<std::decay_t<Body>>(), first, last,
               std::forward<Body>(body), options);
}

}  // namespace fg::inline FINEGRAIN_ABI
