// Whether a region is worth a number of threads, or only half of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "call_batch.hpp"
#include "finegrain/controller/call_site.hpp"

namespace fg::omp::runtime {

/// Decides, for one region, between a team and one of half its size or less, by what they take: an
/// `fg::call_site` whose calls are batches of regions, "handed over" where they have the wider team.
/// All times are ticks.
///
/// ## What it adds to a call site
/// * The program asks for the wider team. So that is what regions have, until an experiment is 1.6 %
///   of the time.
/// * Regions may become a million times longer. One of 32 at most reads the clock, 0.4 ns a region; a
///   batch, or a long region, is timed 0.8 ms after the last one.
/// * New threads often share a CPU for some 10 ms. So that the wider team loses is doubted until it
///   has been found to gain once: the site begins anew, at most 16 times, each time when the last
///   experiment is 1.6 % of the time.
///
/// Not synchronized: each thread has its own.
class team_step {
 public:
  /// `size`: of the wider team; `now`: the current time.
  team_step(unsigned size, std::uint64_t now) noexcept : size_{size}, decided_at_{now} {}

  [[nodiscard]] unsigned size() const noexcept { return size_; }
  /// True if regions get the wider team, by the decision or to try it.
  [[nodiscard]] bool is_wide() const noexcept {
    return is_tried_ ? site_.hands_over() : is_wide_untried_;
  }
  /// False while one of both is tried.
  [[nodiscard]] bool is_decided() const noexcept { return !is_trying_; }
  /// Until it has been tried, regions get the other team: what is compared with it has lost.
  void assume_other() noexcept { is_wide_untried_ = !is_wide_untried_; }

  /// A region begins. True if it is not to `look`.
  [[nodiscard]] bool is_quiet() noexcept { return !is_in_batch_ && --quiet_regions_ > 0; }
  /// Whether the region is to be timed. `now`: the current time.
  [[nodiscard]] bool look(std::uint64_t now) noexcept {
    if (!is_in_batch_ && now < due_at_) {
      stay_quiet();
    } else if (!is_in_batch_) {
      is_in_batch_ = true;
      if (is_doubtful() && (now - decided_at_) / kShare >= spent_) {
        begin_anew();
      }
    }
    return is_in_batch_;
  }

  /// A region took so long. `now`: the current time.
  void timed(std::uint64_t took, std::uint64_t now) noexcept {
    if (!is_in_batch_ || !batch_.add(took)) {
      return;
    }
    if (is_tried_ && !is_trying_ && batch_.calls() > 4 * calls_) {
      forget(now);
    }
    if (is_tried_) {
      is_in_batch_ = tell(now);
    } else {
      is_in_batch_ = false;
      spent_ = kBatches * batch_.sum();  // on the first one, as far as that is known
    }
    if (!is_in_batch_) {
      due_at_ = now + call_batch::kMost * call_batch::long_call();
      stay_quiet();
    }
  }

 private:
  void stay_quiet() noexcept {
    const std::uint64_t mean = std::max<std::uint64_t>(batch_.mean(), 1);
    quiet_regions_ = static_cast<std::int32_t>(
        std::clamp<std::uint64_t>(call_batch::long_call() / mean, 1, kMostQuiet));
  }

  [[nodiscard]] bool is_doubtful() const noexcept {
    return doubts_ != 0 && (!is_tried_ ? spent_ != 0 : !is_wide());
  }

  void begin_anew() noexcept {
    site_ = {};
    is_tried_ = is_trying_ = true;
    spent_ = 0;
    --doubts_;
  }

  // Regions have become so short that the site takes a batch for much less than it is.
  void forget(std::uint64_t now) noexcept {
    is_tried_ = is_trying_ = false;
    is_wide_untried_ = true;
    decided_at_ = now;
    doubts_ = kDoubts;
  }

  // Tells the site of a batch. True if it wants the next one, too, which is then an experiment.
  [[nodiscard]] bool tell(std::uint64_t now) noexcept {
    if (spent_ == 0) {
      calls_ = std::max(calls_, batch_.calls());
    }
    const std::uint64_t took = calls_ * batch_.mean();
    if (site_.hands_over()) {
      least_wide_ = calls_ * batch_.least();
      site_.timed_hand_over(took, now);
    } else {
      site_.timed_serial(took / 2, took - took / 2, now, fork_and_join(took));
    }
    spent_ += is_trying_ ? batch_.sum() : 0;
    const bool goes_on = site_.look(now);
    if (is_trying_ && !goes_on) {
      decided_at_ = now;
      doubts_ = site_.hands_over() ? 0 : doubts_;
    }
    return is_trying_ = goes_on;
  }

  // What twice the threads cost more than half of the time. At most so much that they are tried now
  // and then: what was measured while another program had a CPU must not count for ever.
  [[nodiscard]] std::uint64_t fork_and_join(std::uint64_t here) const noexcept {
    const std::uint64_t more = least_wide_ - std::min(least_wide_, here / 2);
    return std::clamp<std::uint64_t>(more, 1, std::max<std::uint64_t>(here, 1));
  }

  static constexpr std::uint64_t kShare = 64;   // 1.6 %
  static constexpr std::uint64_t kBatches = 4;  // of an experiment
  static constexpr std::uint64_t kMostQuiet = 32;
  static constexpr std::uint32_t kDoubts = 17;  // before the first decision, and of 16

  unsigned size_;
  call_site site_;
  call_batch batch_;
  std::uint32_t calls_ = 1;  // of the first batch that the site was told of
  std::int32_t quiet_regions_ = 1;
  std::uint32_t doubts_ = kDoubts;
  bool is_tried_ = false;        // else the site does not count,
  bool is_wide_untried_ = true;  // and this does
  bool is_trying_ = false;
  bool is_in_batch_ = false;
  std::uint64_t due_at_ = 0;
  std::uint64_t decided_at_;
  std::uint64_t spent_ = 0;       // on the last experiment
  std::uint64_t least_wide_ = 0;  // of a region, lately, as much as the site is told of it
};

}  // namespace fg::omp::runtime
