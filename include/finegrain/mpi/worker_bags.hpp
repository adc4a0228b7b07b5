// The bags of one rank's workers, and how they share them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/mpi/bag.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// One bag for each worker of a rank. A worker uses its own without synchronization. One without
/// work is counted as hungry, and sleeps, unless it is the thread that calls MPI; others see that
/// after about 100 us and offer half of their bags. So sharing costs a load as long as all are busy.
///
/// `hungry_` and `offers_` change together under the mutex, so that the rank has no work when all are
/// hungry and nothing is offered: a bag that is not empty belongs to a worker that is not hungry.
template <bag Bag>
class worker_bags {
 public:
  /// `first` is worker 0's; the others begin as copies of `empty`.
  worker_bags(Bag first, const Bag& empty, std::size_t workers) : bags_(workers, place{empty}) {
    bags_[0].own = std::move(first);
  }
  worker_bags(const worker_bags&) = delete;
  worker_bags& operator=(const worker_bags&) = delete;

  [[nodiscard]] Bag& of(std::size_t worker) noexcept { return bags_[worker].own; }

  /// The worker takes part from now on.
  void join() {
    const std::lock_guard lock{mutex_};
    ++present_;
  }

  /// Offers half of the worker's bag if another one has none.
  void share(Bag& own) {
    // Relaxed: a guess; the mutex orders what is shared.
    if (hungry_guess_.load(memory_order_relaxed) == 0 || own.size() < 2) {
      return;
    }
    const std::lock_guard lock{mutex_};
    if (offers_.size() < hungry_) {
      offers_.push_back(own.split(own.size() / 2));
      there_is_one_.notify_one();
    }
  }

  /// Sleeps until there is work for the worker, whose bag is empty. False: the workers are to end.
  bool wait_for_work(Bag& own) {
    std::unique_lock lock{mutex_};
    count_hungry(true);
    there_is_one_.wait(lock, [this] { return !offers_.empty() || is_over(); });
    return take(own);
  }

  /// The same without sleeping, for worker 0, which is counted as hungry: true if it has got work, and
  /// is so no longer.
  bool try_take(Bag& own) {
    const std::lock_guard lock{mutex_};
    return take(own);
  }

  /// Worker 0 has no work, or has got some from elsewhere.
  void set_hungry(bool is_so) {
    const std::lock_guard lock{mutex_};
    count_hungry(is_so);
  }

  /// No worker has work, nor is any offered.
  [[nodiscard]] bool are_empty() {
    const std::lock_guard lock{mutex_};
    return hungry_ == present_ && offers_.empty();
  }

  /// Wakes all workers, and makes all end after what they are processing.
  void end() {
    const std::lock_guard lock{mutex_};  // so that no worker is between its last look and its sleep
    // Relaxed: it orders nothing; what the bags contain is ordered by the end of the pool's tasks.
    is_over_.store(true, memory_order_relaxed);
    there_is_one_.notify_all();
  }
  [[nodiscard]] bool is_over() const noexcept {
    return is_over_.load(memory_order_relaxed);  // as in end
  }

  /// All items and results in one bag. Requires: no worker is left.
  [[nodiscard]] Bag collect() {
    Bag all = std::move(bags_[0].own);
    for (std::size_t worker = 1; worker != bags_.size(); ++worker) {
      Bag& each = bags_[worker].own;
      all.reduce(each.result());
      all.merge(each.split(each.size()));
    }
    for (part_of<Bag>& each : offers_) {
      all.merge(std::move(each));
    }
    return all;
  }

 private:
  struct alignas(kCacheLineBytes) place {
    Bag own;
  };

  bool take(Bag& own) {
    if (offers_.empty()) {
      return false;
    }
    own.merge(std::move(offers_.back()));
    offers_.pop_back();
    count_hungry(false);
    return true;
  }

  void count_hungry(bool is_so) {
    hungry_ = is_so ? hungry_ + 1 : hungry_ - 1;
    hungry_guess_.store(hungry_, memory_order_relaxed);  // a hint, for `share`
  }

  std::vector<place> bags_;
  atomic<bool> is_over_{false};
  atomic<std::size_t> hungry_guess_{0};
  std::condition_variable there_is_one_;  // an offer, or the end
  std::mutex mutex_;                      // protects everything below
  std::size_t present_ = 0;
  std::size_t hungry_ = 0;
  std::vector<part_of<Bag>> offers_;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail
