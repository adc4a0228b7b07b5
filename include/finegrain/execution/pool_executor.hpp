// A pool as a classic executor.
#pragma once

#include <type_traits>
#include <utility>

#include "finegrain/pool/pool.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A handle to a pool with `execute(f)`: what libraries want that take an executor (P0443, Asio).
///
///     boost::asio::post(fg::pool_executor{pool}, [] { parse(); });
///
/// Cheap to copy; two are equal when they name one pool. Requires: the pool outlives it. All
/// functions: any thread.
class pool_executor {
 public:
  explicit pool_executor(fg::pool& pool) noexcept : pool_{&pool} {}

  /// `pool.post(f)`, also on a worker: it never runs `f` in the call, allocates, and what is
  /// executed begins in order. Tasks that belong together are cheaper in a `task_group`.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void execute(F&& f) const {
    pool_->post(std::forward<F>(f));
  }

  /// Asio's question whether `execute` may run the function in the call: never. `Blocking` is its
  /// property, or a value of it, whichever Asio it comes from.
  template <class Blocking, class Never = typename Blocking::polymorphic_query_result_type::never_t>
  static constexpr Never query(Blocking /*property*/) noexcept {
    return {};
  }

  [[nodiscard]] fg::pool& pool() const noexcept { return *pool_; }

  friend bool operator==(const pool_executor&, const pool_executor&) noexcept = default;

 private:
  fg::pool* pool_;
};

}  // namespace fg::inline FINEGRAIN_ABI
