// One rank's part of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/mpi/bag.hpp"
#include "finegrain/mpi/grain.hpp"
#include "finegrain/mpi/lifelines.hpp"
#include "finegrain/mpi/options.hpp"
#include "finegrain/mpi/post.hpp"
#include "finegrain/mpi/termination.hpp"
#include "finegrain/mpi/worker_bags.hpp"
#include "finegrain/pool/pool.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// The loop of a rank. Its states:
///
/// - It works: each worker processes its bag, about 100 us at a time. Worker 0, the thread that calls
///   MPI, then receives what has come. It answers a request with half of its own bag, or a refusal.
/// - It seeks work, when no worker has any: it sends one request, and waits for the answer, up to two
///   times; then one request to each lifeline (lifelines.hpp), and waits for any message. Without
///   work it passes on the token of the detection of the end (termination.hpp).
/// - It pauses, when rank 0 says so: its workers end, and put everything into one bag; it then gives
///   no work and begins no exchange. `post::meet` returns when all ranks have done so and nothing is
///   in flight: all work is in the bags.
/// - It has ended, when rank 0 says so, and meets the others once more, for no message of this run may
///   come in the next one.
///
/// What may cross: a request and work for a rank that gets work elsewhere (it merges both); a request
/// that comes at a rank which pauses or has ended (it refuses); work from a lifeline for a rank that
/// pauses (it keeps it: the giver is not in the barrier before that); the token at a rank that pauses
/// (it keeps it); a stop request at a rank 0 that pauses (it pauses again). `end` crosses no pause:
/// rank 0 sends both, and pauses only until it has sent `end`.
template <bag Bag>
class rank {
 public:
  rank(post& all, pool& workers, Bag own, const Bag& empty, const run_options& options)
      : all_{all},
        pool_{workers},
        options_{options},
        empty_{empty},
        own_{std::move(own)},
        end_{all.rank()},
        lifelines_{all.rank(), all.count(), options.seed},
        heard_(static_cast<std::size_t>(all.count())) {}

  /// Works until all ranks have ended, or pause: false.
  bool work() {
    worker_bags<Bag> bags{std::move(own_), empty_, pool_.size()};
    bags_ = &bags;
    pool_.run([&] {
      broadcast([&](std::size_t worker) noexcept {  // nobody could go on after an exception
        bags.join();
        if (worker == 0) {
          be_worker_0();
        } else {
          be_worker(worker);
        }
      });
    });
    own_ = bags.collect();
    bags_ = nullptr;
    if (own_.size() == 0 && all_.rank() != 0) {
      pass_on_token();  // or pauses in quick succession would keep it from going around
    }
    all_.meet([this] { receive_all(); }, [this] { return is_asking_; });
    if (is_over_) {
      stop_being_idle();
    }
    return is_over_;
  }

  /// After `work`: all of this rank's items and results.
  [[nodiscard]] Bag& own() noexcept { return own_; }
  /// After `work`, when it has paused: a stop was requested.
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopping_; }
  void go_on() noexcept {
    is_pausing_ = false;
    last_checkpoint_ = now();
  }

  [[nodiscard]] rank_counts counts() const {
    rank_counts all = counts_;
    all.items = items();
    all.messages = all_.messages();
    all.bytes = all_.total_bytes();
    all.seconds = seconds_since(start_);
    return all;
  }

 private:
  using clock = std::chrono::steady_clock;
  using nanoseconds = std::chrono::duration<double, std::nano>;
  struct state_of_rank {
    std::uint64_t items = 0;
    std::uint64_t left = 0;
  };

  static clock::time_point now() noexcept { return clock::now(); }
  static double seconds_since(clock::time_point past) {
    return std::chrono::duration<double>(now() - past).count();
  }

  void be_worker(std::size_t worker) {
    Bag& bag = bags_->of(worker);
    process_grain grain;
    while (!bags_->is_over() && (bag.size() != 0 || bags_->wait_for_work(bag))) {
      process(bag, grain);
    }
  }

  void process(Bag& bag, process_grain& grain) {
    const std::uint64_t start = ticks();
    const std::size_t done = bag.process(grain.items());
    grain.took(std::max<std::size_t>(done, 1), to_ns(ticks() - start));
    items_.fetch_add(done, memory_order_relaxed);  // it is only counted
    bags_->share(bag);
  }

  // On the thread that calls MPI.
  void be_worker_0() {
    Bag& bag = bags_->of(0);
    is_hungry_ = false;
    while (!is_over_ && !is_pausing_) {
      if (bag.size() != 0) {
        process(bag, grain_);
      }
      receive_all();
      all_.all_were_received();
      if (is_over_ || is_pausing_) {
        break;
      }
      note_whether_hungry(bag);
      if (is_hungry_) {
        wait_or_seek(bag);
      } else {
        give_to_lifelines(bag);
      }
      spread_bound();
      tell_progress();
      pause_if_due();
    }
    bags_->end();
  }

  void note_whether_hungry(const Bag& bag) {
    if (is_hungry_ != (bag.size() == 0)) {
      is_hungry_ = !is_hungry_;
      bags_->set_hungry(is_hungry_);
    }
  }

  void wait_or_seek(Bag& bag) {
    if (bags_->try_take(bag)) {
      is_hungry_ = false;
      return;
    }
    if (bags_->are_empty()) {
      become_idle();
      seek_work();
    }
    std::this_thread::yield();  // there may be fewer CPUs than threads
  }

  // No worker has work. How long the last message kept them busy is known now.
  void become_idle() {
    if (!idle_since_) {
      idle_since_ = now();
      last_part_.ns = nanoseconds{*idle_since_ - got_last_part_}.count();
    }
  }
  void stop_being_idle() {
    if (idle_since_) {
      counts_.idle_seconds += seconds_since(*std::exchange(idle_since_, std::nullopt));
    }
  }

  void seek_work() {
    if (all_.count() == 1) {
      is_over_ = true;
      return;
    }
    pass_on_token();
    if (end_.is_over()) {
      all_.send_to_all_others(kind::end);
      is_over_ = true;
    } else if (!is_asking_) {
      ask();
    }
  }

  // Requires: no work.
  void pass_on_token() {
    if (const auto token = end_.pass_on()) {
      all_.send_value((all_.rank() + 1) % all_.count(), kind::token, *token);
    }
  }

  void ask() {
    if (const std::optional<int> victim = lifelines_.next_victim()) {
      is_asking_ = true;
      request(*victim, kind::request);
      return;
    }
    for (const int lifeline : lifelines_.due()) {
      request(lifeline, kind::lifeline);
    }
  }
  void request(int from, kind how) {
    ++counts_.requests;
    all_.send_value(from, how, std::exchange(last_part_, {}));
  }

  void receive_all() {
    while (const std::optional<letter> come = all_.receive()) {
      receive(*come);
    }
  }

  void receive(const letter& come) {
    switch (come.what) {
      case kind::request:
        message_grain_.told(come.as<message_grain::report>());
        if (!try_give(come.from, kind::work)) {
          all_.send(come.from, kind::refusal);
        }
        break;
      case kind::lifeline:
        message_grain_.told(come.as<message_grain::report>());
        waiting_.push_back(come.from);
        break;
      case kind::work:
        is_asking_ = false;
        lifelines_.got_work();
        take(come);
        break;
      case kind::gift:
        lifelines_.got_gift(come.from);
        take(come);
        break;
      case kind::refusal:
        is_asking_ = false;
        break;
      case kind::token:
        end_.received(come.as<termination::token>());
        break;
      case kind::end:
        is_over_ = true;
        break;
      case kind::bound:
        options_.shared->raise(come.as<std::int64_t>());
        break;
      case kind::pause:
        is_pausing_ = true;
        is_stopping_ = come.as<int>() != 0;
        break;
      case kind::stop:
        wants_stop_ = true;
        break;
      case kind::report:
        heard_[static_cast<std::size_t>(come.from)] = come.as<state_of_rank>();
        break;
    }
  }

  void take(const letter& come) {
    Bag& bag = bags_ != nullptr ? bags_->of(0) : own_;
    const std::size_t before = bag.size();
    bag.merge(serial<part_of<Bag>>::read(come.body));
    end_.received_work();
    stop_being_idle();
    ++counts_.steals;
    last_part_ = {bag.size() - before, 0};
    got_last_part_ = now();
  }

  // Half of the bag, if that is work enough for a message.
  bool try_give(int to, kind how) {
    if (bags_ == nullptr || is_pausing_ || is_over_) {
      return false;
    }
    Bag& bag = bags_->of(0);
    const std::size_t half = bag.size() / 2;
    if (half == 0) {
      return false;
    }
    if (!message_grain_.is_enough(half)) {
      message_grain_.refused();
      return false;
    }
    all_.send(to, how, serial<part_of<Bag>>::write(bag.split(half)));
    end_.sent_work();
    return true;
  }

  void give_to_lifelines(Bag& bag) {
    while (!waiting_.empty() && bag.size() >= 2 && try_give(waiting_.front(), kind::gift)) {
      waiting_.pop_front();
    }
  }

  // To the lifelines, which tell theirs.
  void spread_bound() {
    if (options_.shared != nullptr && options_.shared->value() > told_bound_) {
      told_bound_ = options_.shared->value();
      for (const int lifeline : lifelines_.all()) {
        all_.send_value(lifeline, kind::bound, told_bound_);
      }
    }
  }

  void tell_progress() {
    if (!options_.report || now() - last_report_ < options_.report_every) {
      return;
    }
    last_report_ = now();
    const state_of_rank own{items(), bags_->of(0).size()};
    if (all_.rank() != 0) {
      all_.send_value(0, kind::report, own);
      return;
    }
    heard_[0] = own;
    progress whole{.seconds = seconds_since(start_)};
    for (const state_of_rank& each : heard_) {
      whole.items += each.items;
      whole.left += each.left;
    }
    options_.report(whole);
  }

  // Rank 0 decides; the others tell it of a stop, once.
  void pause_if_due() {
    if (is_over_) {
      return;
    }
    if (options_.stop.stop_requested() && !wants_stop_) {
      wants_stop_ = true;
      if (all_.rank() != 0) {
        all_.send_value(0, kind::stop, 0);
      }
    }
    const bool is_due =
        !options_.checkpoint.path.empty() && now() - last_checkpoint_ >= options_.checkpoint.every;
    if (all_.rank() == 0 && (wants_stop_ || is_due)) {
      is_pausing_ = true;
      is_stopping_ = wants_stop_;
      all_.send_to_all_others(kind::pause, wants_stop_ ? 1 : 0);
    }
  }

  // Relaxed: of other workers it is a guess, and exact when `work` has returned.
  [[nodiscard]] std::uint64_t items() const noexcept { return items_.load(memory_order_relaxed); }

  post& all_;
  pool& pool_;
  const run_options& options_;
  const Bag& empty_;
  Bag own_;                           // while no worker has it
  worker_bags<Bag>* bags_ = nullptr;  // while workers have them

  process_grain grain_;
  message_grain message_grain_;
  termination end_;
  lifelines lifelines_;
  std::deque<int> waiting_;  // ranks whose lifeline this one is
  message_grain::report last_part_;
  clock::time_point got_last_part_;
  std::int64_t told_bound_ = bound::kLeast;

  bool is_hungry_ = false;  // as worker 0 was last counted
  bool is_asking_ = false;  // a request has not been answered
  bool is_pausing_ = false;
  bool is_stopping_ = false;
  bool is_over_ = false;
  bool wants_stop_ = false;

  clock::time_point start_ = now();
  clock::time_point last_report_ = start_;
  clock::time_point last_checkpoint_ = start_;
  std::optional<clock::time_point> idle_since_;
  rank_counts counts_;
  atomic<std::uint64_t> items_{0};
  std::vector<state_of_rank> heard_;  // on rank 0
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail
