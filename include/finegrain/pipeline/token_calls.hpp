// The calls of a pipeline's functions, on whichever thread, and how many tokens there still are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "finegrain/controller/call_site.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/token_pace.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The functions of a pipeline, without their types.
struct stage_functions {
  /// Makes the next token in a room. False: there are no more.
  bool (*make)(void* owner, std::size_t room);
  /// Calls a stage, but the first one, for the token in a room, or drops that. Does nothing if there is
  /// none, as it was dropped before; an exception drops it, too.
  void (*call)(void* owner, std::size_t stage, std::size_t room, bool drop);
  /// Makes the next token, and calls all stages for it, in no room. False: there are no more.
  bool (*run_whole)(void* owner, const early_end& end);
  std::span<const stage_mode> modes;
};

/// A run of a pipeline makes its tokens in batches, and after each the site may decide otherwise. A
/// batch that is shared goes on into the next one as long as there is nothing to decide, as to end it
/// is to wait for all its tokens.
///
/// `make` is called by one thread at a time, the others by the one that has the token.
class token_calls {
 public:
  /// Tokens in a batch. Filling and emptying the pipeline is to be a small part of one: with 64, and as
  /// many rooms, three serial stages of 1 us took 1.25 of the time (2 CPUs of an EPYC 9005, KVM).
  static constexpr std::uint64_t kBatch = 256;

  token_calls(const stage_functions& functions, void* owner)
      : functions_{functions}, owner_{owner} {}
  token_calls(const token_calls&) = delete;
  token_calls& operator=(const token_calls&) = delete;

  [[nodiscard]] std::size_t stages() const noexcept { return functions_.modes.size(); }
  [[nodiscard]] std::span<const stage_mode> modes() const noexcept { return functions_.modes; }
  [[nodiscard]] stage_mode mode(std::size_t stage) const noexcept {
    return functions_.modes[stage];
  }
  [[nodiscard]] early_end& end() noexcept { return end_; }
  [[nodiscard]] call_site& site() noexcept { return site_; }

  /// True if the first stage has made its last token, or the run was ended.
  [[nodiscard]] bool is_over() const noexcept { return is_over_ || end_.is_set(); }

  // ---- between batches, on the thread that runs the pipeline ----

  void use_rooms(std::size_t rooms) { took_.assign(rooms * stages(), 0); }
  void begin_run() noexcept { is_over_ = false; }
  void begin_batch(bool timed) noexcept {
    made_ = 0;
    limit_ = kBatch;
    timed_ = timed;
    pace_.begin(ticks());
  }
  /// True if tokens take much longer than before, as the last batches have shown: then nothing that
  /// was learnt holds. False from then on.
  [[nodiscard]] bool take_has_slowed() noexcept { return pace_.take_has_slowed(); }
  /// In the last batch.
  [[nodiscard]] std::uint64_t made() const noexcept { return made_; }
  /// How long the stage took for the tokens of the last batch, which was timed; 0 from then on.
  [[nodiscard]] std::uint64_t take_time_of(std::size_t stage) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t at = stage; at < took_.size(); at += stages()) {
      sum += std::exchange(took_[at], 0);
    }
    return sum;
  }

  /// A batch on the calling thread, or less if it takes much longer than usual. Exceptions pass
  /// through.
  void run_here() {
    while (made_ != limit_ && !end_.is_set()) {
      if (!functions_.run_whole(owner_, end_)) {
        is_over_ = true;
        return;
      }
      ++made_;
      if (made_ % kBetweenLooks == 0 && pace_.is_slow(made_, ticks())) {
        return;
      }
    }
  }

  // ---- for those who share it ----

  /// Makes the next token in that room. False: there are no more in this batch.
  bool make(std::size_t room) noexcept {
    if (is_over() || (made_ == limit_ && !goes_on())) {
      return false;
    }
    FINEGRAIN_TRY {
      const std::uint64_t start = timed_ ? ticks() : 0;
      is_over_ = !functions_.make(owner_, room);
      note_time(start, 0, room);
    }
    FINEGRAIN_CATCH(...) {
      end_.keep(std::current_exception());
      return false;
    }
    made_ += is_over_ ? 0 : 1;
    return !is_over_;
  }

  /// Calls a stage, but the first one, for the token in that room, or drops the token.
  void call(std::size_t stage, std::size_t room) noexcept {
    FINEGRAIN_TRY {
      const std::uint64_t start = timed_ ? ticks() : 0;
      functions_.call(owner_, stage, room, end_.is_set());
      note_time(start, stage, room);
    }
    FINEGRAIN_CATCH(...) { end_.keep(std::current_exception()); }
  }

 private:
  // A look at the clock takes 8 ns (EPYC 9004, KVM), half a nanosecond of a token.
  static constexpr std::uint64_t kBetweenLooks = 16;

  bool goes_on() noexcept {
    const std::uint64_t now = ticks();
    if (pace_.is_slow(kBatch, now) || timed_ || !site_.is_quiet()) {
      return false;
    }
    limit_ += kBatch;
    pace_.begin(now);
    return true;
  }

  void note_time(std::uint64_t start, std::size_t stage, std::size_t room) noexcept {
    if (timed_) [[unlikely]] {
      took_[room * stages() + stage] += ticks() - start;
    }
  }

  // What stages read at each call, on other lines than what `make` writes.
  const stage_functions& functions_;
  void* owner_;
  bool timed_ = false;
  std::vector<std::uint64_t> took_;  // by room and stage
  early_end end_;
  call_site site_;

  alignas(kCacheLineBytes) bool is_over_ = false;
  token_pace pace_;
  std::uint64_t made_ = 0;
  std::uint64_t limit_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
