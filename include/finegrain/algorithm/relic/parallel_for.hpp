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
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Runs iterations of one loop. A copy of the body where nobody can tell, so that it may travel.
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
  static constexpr std::size_t kBytesBesideBody = kBytesBesideWork + sizeof(I);
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
      for_work<I, Body>{first, body}(0, shape.iterations);
    }
  }
  template <class Relic>
  void run_on_both(Relic& relic, const loop_layout& layout) {
    detail::run_on_both(relic, layout, for_work<I, Body>{first, body});
  }
};

}  // namespace detail

/// Calls `body(i)` once for each `i` in [first, last), on the calling thread and beside it on the
/// assistant, and returns when all calls have. A body that can be called with two indices is given
/// pieces instead: `body(begin, end)`, each index in one piece, none empty.
///
///     fg::parallel_for(relic, 0, size, [&](std::size_t i) { out[i] = f(in[i]); });
///
/// `first` and `last` are of any integral type but bool. The index has their common type, as an
/// operator would have it, but where that changes values: an int and an unsigned are counted with
/// std::int64_t. The range is empty unless first < last by their values: from -1 to 10U are eleven
/// calls, from 0U to -1 none. A signed number and an unsigned one of 64 bits, 0 and size() say, are
/// counted with the unsigned type, which has no negative values: `first` must not be negative then
/// (checked in debug builds; else the first indices are converted, as -1 to the largest number).
///
/// Requires: the relic is not being destroyed. On the relic's main thread calls of `body` may run
/// at the same time, on one object or on copies of it that cannot be told from it, in any order; on
/// any other thread, the assistant's among them, all run there in order. `body` may call the
/// algorithms on the same relic. What was written before is visible to all calls, what they wrote
/// to the caller afterwards.
///
/// Waits for its own calls only: tasks submitted before have then finished too if the assistant
/// took part, but their exceptions stay for `wait`. If calls throw, pieces that are not begun never
/// are, no index is visited twice, and one exception is passed on: the calling thread's own rather
/// than the assistant's.
///
/// `options.mode`: `offload::adaptive` shares the loop where that was measured to be faster than
/// running it here (see algorithm/relic/loop_site.hpp); the measurements belong to the type of
/// `body`, so for lambdas to the place in the source, and to the calling thread. It also runs here
/// while the assistant sleeps or is busy, and wakes a sleeping one only for loops that gain enough
/// by it. `always` shares each time, waking the assistant if need be. Fewer than two iterations,
/// and no more than one `grain`, run here.
///
/// Both threads take pieces of their half, and one that has run dry half of what the other has left
/// (algorithm/relic/shared_range.hpp). A loop shorter than eight round trips, as far as that is
/// known, is cut in two only, and so is one inside of another that is shared.
///
/// Constant time beside the calls and the pieces taken, no allocation.
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
/// tells nothing about the place it is called at: it wants an explicit `fg::loop_site`, best
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
