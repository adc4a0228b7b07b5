// SPDX-License-Identifier: Apache-2.0
#include "finegrain/execution/bulk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/execution/pool_scheduler.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::workers;

struct bulk_par {};
struct bulk_seq {};

// A library with bulk algorithms.
struct bulk_names : fg::plain_senders {
  struct get_completion_domain_t {};
  struct default_domain {};
  struct bulk_chunked_t {};
  struct bulk_unchunked_t {};
  using pool_domain = fg::detail::pool_domain<bulk_names>;

  template <class Sender>
  using tag_of_t = typename std::remove_cvref_t<Sender>::tag_type;
  template <class Sender, class Env>
  using completion_signatures_of_t = typename Sender::completion_signatures;
  static constexpr auto connect = []<class Sender, class Receiver>(Sender&& sender,
                                                                   Receiver receiver) {
    return std::forward<Sender>(sender).connect(std::move(receiver));
  };
  template <class Policy>
  static constexpr bool kIsParallel = std::same_as<Policy, bulk_par>;
};

using bulk_scheduler = fg::basic_pool_scheduler<bulk_names>;
using chunked = bulk_names::bulk_chunked_t;
using unchunked = bulk_names::bulk_unchunked_t;

// What the algorithms of the library return.
template <class Policy, class Shape, class F>
struct bulk_data {
  Policy policy;
  Shape shape;
  F f;
};
template <class Tag, class Data, class Child>
struct bulk_expression {
  using tag_type = Tag;
  Tag tag;
  Data data;
  Child child;
};

template <class Tag, class Policy, class Child, class Shape, class F>
auto bulk_of(Child child, Shape shape, F f) {
  return bulk_expression<Tag, bulk_data<Policy, Shape, F>, Child>{
      {}, {{}, shape, std::move(f)}, std::move(child)};
}

template <class Expression>
auto transformed(Expression&& expression) {
  return bulk_names::pool_domain{}.transform_sender(
      bulk_names::set_value_t{}, std::forward<Expression>(expression), bulk_names{});
}

// Completes at once, on the thread that starts it.
struct value_now {
  int value;
  template <class Receiver>
  void complete(Receiver&& receiver) const noexcept {
    std::forward<Receiver>(receiver).set_value(int{value});
  }
};
struct error_now {
  template <class Receiver>
  void complete(Receiver&& receiver) const noexcept {
    std::forward<Receiver>(receiver).set_error(
        std::make_exception_ptr(std::runtime_error{"first"}));
  }
};
struct stopped_now {
  template <class Receiver>
  void complete(Receiver&& receiver) const noexcept {
    std::forward<Receiver>(receiver).set_stopped();
  }
};
template <class Completion>
struct completing_now {
  using completion_signatures = bulk_names::completion_signatures<bulk_names::set_value_t(int)>;
  Completion how;

  template <class Receiver>
  struct operation {
    Completion how;
    Receiver receiver;
    void start() & noexcept { how.complete(std::move(receiver)); }
  };
  template <class Receiver>
  [[nodiscard]] operation<Receiver> connect(Receiver receiver) const {
    return {how, std::move(receiver)};
  }
};

// How an operation has ended.
struct bulk_end {
  enum class kind : int { none, value, error, stopped };
  fg::atomic<kind> how{kind::none};
  std::exception_ptr error;
  int value = 0;

  [[nodiscard]] kind wait() const {
    how.wait(kind::none);
    return how;
  }
  void end(kind which) noexcept {
    EXPECT_EQ(how.exchange(which), kind::none) << "completed twice";
    how.notify_all();
  }
};

struct bulk_receiver {
  using receiver_concept = bulk_names::receiver_tag;
  bulk_end* told;

  void set_value() const&& noexcept { told->end(bulk_end::kind::value); }
  void set_value(int value) const&& noexcept {
    told->value = value;
    told->end(bulk_end::kind::value);
  }
  void set_error(std::exception_ptr error) const&& noexcept {
    told->error = std::move(error);
    told->end(bulk_end::kind::error);
  }
  void set_stopped() const&& noexcept { told->end(bulk_end::kind::stopped); }
};

struct bulk_stop_env {
  fg::stop_token token;
  [[nodiscard]] fg::stop_token query(bulk_names::get_stop_token_t /*what*/) const noexcept {
    return token;
  }
};
struct stoppable_bulk_receiver : bulk_receiver {
  fg::stop_token token;
  [[nodiscard]] bulk_stop_env get_env() const noexcept { return {token}; }
};

struct bulk_never_stop {
  static constexpr bool stop_requested() noexcept { return false; }
  static constexpr bool stop_possible() noexcept { return false; }
};
struct bulk_never_env {
  static bulk_never_stop query(bulk_names::get_stop_token_t /*what*/) noexcept { return {}; }
};

template <class Sender>
bulk_end::kind run_to_its_end(const Sender& sender, bulk_end& told) {
  auto operation = sender.connect(bulk_receiver{&told});
  operation.start();
  return told.wait();
}

// Of an algorithm on the pool; `f` gets one index, or a range.
template <class Tag, class Policy, class Shape, class F>
bulk_end::kind run_on(fg::pool& pool, Shape shape, F f) {
  bulk_end told;
  return run_to_its_end(
      transformed(bulk_of<Tag, Policy>(bulk_scheduler{pool}.schedule(), shape, std::move(f))),
      told);
}

// ---- what it is ----

static_assert(std::same_as<decltype(bulk_scheduler::query(bulk_names::get_completion_domain_t{})),
                           bulk_names::pool_domain>);

template <class Scheduler>
concept has_domain =
    requires(const Scheduler scheduler) { scheduler.query(bulk_names::get_completion_domain_t{}); };
static_assert(!has_domain<fg::pool_scheduler>);

struct throwing_body {
  void operator()(int /*index*/, int& /*value*/) const;
  void operator()(int /*begin*/, int /*end*/) const noexcept;
};
struct noexcept_body {
  void operator()(int /*index*/, const int& /*value*/) const noexcept;
};

template <class Env, class F, class Child>
using bulk_signatures = decltype(decltype(transformed(bulk_of<unchunked, bulk_par>(
    std::declval<Child>(), 1,
    std::declval<F>())))::template get_completion_signatures<void, Env>());
using of_value = completing_now<value_now>;
using just_value = bulk_names::set_value_t(int);
using any_error = bulk_names::set_error_t(std::exception_ptr);
using just_stopped = bulk_names::set_stopped_t();
template <class... Signatures>
using signatures = bulk_names::completion_signatures<Signatures...>;

static_assert(
    std::same_as<bulk_signatures<bulk_never_env, noexcept_body, of_value>, signatures<just_value>>);
static_assert(
    std::same_as<bulk_signatures<bulk_names, noexcept_body, of_value>, signatures<just_value>>);
static_assert(std::same_as<bulk_signatures<bulk_stop_env, noexcept_body, of_value>,
                           signatures<just_value, just_stopped>>);
static_assert(std::same_as<bulk_signatures<bulk_stop_env, throwing_body, of_value>,
                           signatures<just_value, any_error, just_stopped>>);
// It has a stop already.
static_assert(std::same_as<bulk_signatures<bulk_stop_env, void (*)(int) noexcept,
                                           decltype(std::declval<bulk_scheduler>().schedule())>,
                           signatures<bulk_names::set_value_t(), just_stopped>>);

TEST(bulk, completes_where_its_child_does) {
  fg::pool pool{workers(1)};
  const bulk_scheduler scheduler{pool};
  const auto sender =
      transformed(bulk_of<chunked, bulk_par>(scheduler.schedule(), 1, [](int, int) {}));
  using query = bulk_names::get_completion_scheduler_t<bulk_names::set_value_t>;
  EXPECT_EQ(sender.get_env().query(query{}), scheduler);
}

// ---- calls ----

using bulk_on = testing::TestWithParam<fg::test::pool_setting>;
INSTANTIATE_TEST_SUITE_P(every_policy, bulk_on,
                         testing::ValuesIn(fg::test::pool_settings({2, 3, 8})),
                         fg::test::name_of_pool_setting);

template <class Policy>
void expect_each_call_once(fg::pool& pool) {
  for (const int size : {1, 2, 100, 20'000}) {
    std::vector<fg::atomic<int>> calls(static_cast<std::size_t>(size));
    const auto count = [&](int index) { ++calls[static_cast<std::size_t>(index)]; };
    const auto all_are = [&](int expected) {
      return std::ranges::all_of(calls, [&](int each) { return each == expected; });
    };
    const auto count_range = [&](int begin, int end) {
      EXPECT_LT(begin, end);
      for (; begin != end; ++begin) {
        count(begin);
      }
    };
    EXPECT_EQ((run_on<unchunked, Policy>(pool, size, count)), bulk_end::kind::value);
    EXPECT_TRUE(all_are(1));
    EXPECT_EQ((run_on<chunked, Policy>(pool, size, count_range)), bulk_end::kind::value);
    EXPECT_TRUE(all_are(2));
  }
}

TEST_P(bulk_on, makes_each_call_once) {
  fg::pool pool{GetParam().options()};
  expect_each_call_once<bulk_par>(pool);
  expect_each_call_once<bulk_seq>(pool);
}

TEST(bulk, makes_no_call_for_an_empty_shape) {
  fg::pool pool{workers(2)};
  const auto fail = [](auto...) { ADD_FAILURE() << "called"; };
  for (const int shape : {0, -1}) {
    EXPECT_EQ((run_on<chunked, bulk_par>(pool, shape, fail)), bulk_end::kind::value);
    EXPECT_EQ((run_on<unchunked, bulk_seq>(pool, shape, fail)), bulk_end::kind::value);
  }
  EXPECT_EQ((run_on<unchunked, bulk_par>(pool, std::size_t{0}, fail)), bulk_end::kind::value);
}

TEST(bulk, is_shared_among_the_workers) {
  fg::pool pool{workers(3)};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto take_a_while = [&](auto...) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    const std::lock_guard lock{mutex};
    threads.insert(std::this_thread::get_id());
  };
  EXPECT_EQ((run_on<unchunked, bulk_par>(pool, 40, take_a_while)), bulk_end::kind::value);
  EXPECT_EQ(std::exchange(threads, {}).size(), 2U);  // the pool's own threads
  EXPECT_EQ((run_on<chunked, bulk_par>(pool, 40, take_a_while)), bulk_end::kind::value);
  EXPECT_EQ(threads.size(), 2U);
}

TEST(bulk, is_made_in_order_by_one_worker_under_a_sequential_policy) {
  fg::pool pool{workers(3)};
  std::vector<int> order;
  std::set<std::thread::id> threads;
  const auto note = [&](int index) {
    std::this_thread::sleep_for(std::chrono::microseconds{100});
    order.push_back(index);
    threads.insert(std::this_thread::get_id());
  };
  EXPECT_EQ((run_on<unchunked, bulk_seq>(pool, 100, note)), bulk_end::kind::value);
  EXPECT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(threads.size(), 1U);
  int chunks = 0;
  const auto count = [&](int begin, int end) { chunks += end - begin == 100 ? 1 : 100; };
  EXPECT_EQ((run_on<chunked, bulk_seq>(pool, 100, count)), bulk_end::kind::value);
  EXPECT_EQ(chunks, 1);
}

TEST(bulk, passes_the_values_on_that_its_calls_were_given) {
  bulk_end told;
  const auto add = [](int index, int& value) { value += index; };
  auto sender = transformed(bulk_of<unchunked, bulk_seq>(completing_now{value_now{5}}, 4, add));
  EXPECT_EQ(run_to_its_end(sender, told), bulk_end::kind::value);  // on no worker
  EXPECT_EQ(told.value, 5 + 0 + 1 + 2 + 3);
}

// Copied out of an lvalue, and for each `connect`; moved out of an rvalue.
TEST(bulk, can_be_connected_again) {
  int calls = 0;
  auto shared = bulk_of<unchunked, bulk_par>(
      completing_now{value_now{0}}, 1,
      [held = std::make_shared<int>(7)](int, int&) { EXPECT_NE(held, nullptr); });
  for (int round = 0; round < 2; ++round) {
    bulk_end told;
    EXPECT_EQ(run_to_its_end(transformed(shared), told), bulk_end::kind::value);
  }
  const auto expression =
      bulk_of<unchunked, bulk_par>(completing_now{value_now{0}}, 3, [&](int, int&) { ++calls; });
  const auto sender = transformed(expression);
  for (int round = 0; round < 2; ++round) {
    bulk_end told;
    EXPECT_EQ(run_to_its_end(sender, told), bulk_end::kind::value);
  }
  EXPECT_EQ(calls, 6);
  bulk_end told;
  auto own = [held = std::make_unique<int>(7), &calls](int, int&) { calls += *held; };
  auto operation =
      transformed(bulk_of<unchunked, bulk_par>(completing_now{value_now{0}}, 1, std::move(own)))
          .connect(bulk_receiver{&told});
  operation.start();
  EXPECT_EQ(told.wait(), bulk_end::kind::value);
  EXPECT_EQ(calls, 13);
}

// ---- errors and stops ----

TEST(bulk, passes_an_error_and_a_stop_on) {
  const auto fail = [](int, int&) { ADD_FAILURE() << "called"; };
  bulk_end failed;
  const auto after_error =
      transformed(bulk_of<unchunked, bulk_par>(completing_now{error_now{}}, 3, fail));
  EXPECT_EQ(run_to_its_end(after_error, failed), bulk_end::kind::error);
  EXPECT_THROW(std::rethrow_exception(failed.error), std::runtime_error);
  bulk_end stopped;
  const auto after_stop =
      transformed(bulk_of<unchunked, bulk_par>(completing_now{stopped_now{}}, 3, fail));
  EXPECT_EQ(run_to_its_end(after_stop, stopped), bulk_end::kind::stopped);
}

TEST_P(bulk_on, completes_with_one_exception_of_many) {
  fg::pool pool{GetParam().options()};
  for (int round = 0; round < 20; ++round) {
    bulk_end told;
    fg::atomic<int> calls{0};
    const auto fail = [&](int index) {
      ++calls;
      std::this_thread::sleep_for(std::chrono::microseconds{10});
      if (index % 2 == 1) {
        throw std::out_of_range{"odd"};
      }
    };
    const auto sender =
        transformed(bulk_of<unchunked, bulk_par>(bulk_scheduler{pool}.schedule(), 10'000, fail));
    EXPECT_EQ(run_to_its_end(sender, told), bulk_end::kind::error);
    EXPECT_THROW(std::rethrow_exception(told.error), std::out_of_range);
    EXPECT_LT(calls, 1'000);
  }
}

// Requests a stop in the call of an index; each call takes some time.
template <class Tag, class Policy>
void expect_stop_to_end(fg::pool& pool, int stopped_at) {
  constexpr int kSize = 2'000;
  fg::stop_source source;
  fg::atomic<int> calls{0};
  const auto call = [&](int index) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::microseconds{20});
    if (index == stopped_at) {
      source.request_stop();
    }
  };
  const auto body = [&](int index, auto... end) {
    for (const int last = std::max({index + 1, static_cast<int>(end)...}); index != last; ++index) {
      call(index);
    }
  };
  bulk_end told;
  auto operation = transformed(bulk_of<Tag, Policy>(bulk_scheduler{pool}.schedule(), kSize, body))
                       .connect(stoppable_bulk_receiver{{&told}, source.get_token()});
  operation.start();
  const bool ends_early = stopped_at < kSize - 1;
  EXPECT_EQ(told.wait(), ends_early ? bulk_end::kind::stopped : bulk_end::kind::value);
  EXPECT_EQ(calls < kSize, ends_early);
}

TEST_P(bulk_on, ends_early_if_a_stop_is_requested) {
  fg::pool pool{GetParam().options()};
  expect_stop_to_end<chunked, bulk_par>(pool, 3);
  expect_stop_to_end<unchunked, bulk_par>(pool, 3);
  expect_stop_to_end<chunked, bulk_seq>(pool, 3);
  expect_stop_to_end<unchunked, bulk_seq>(pool, 3);
}

TEST(bulk, completes_with_values_if_a_stop_was_requested_too_late) {
  fg::pool pool{workers(2)};
  expect_stop_to_end<chunked, bulk_seq>(pool, 1'999);
  expect_stop_to_end<unchunked, bulk_seq>(pool, 1'999);
  expect_stop_to_end<chunked, bulk_par>(pool, 2'000);  // never
}

TEST(bulk, has_one_completion_if_calls_throw_and_stop) {
  fg::pool pool{workers(3)};
  fg::stop_source source;
  bulk_end told;
  const auto stop_and_fail = [&](int /*index*/) {
    source.request_stop();
    throw std::runtime_error{"stopped"};
  };
  auto operation =
      transformed(bulk_of<unchunked, bulk_par>(bulk_scheduler{pool}.schedule(), 100, stop_and_fail))
          .connect(stoppable_bulk_receiver{{&told}, source.get_token()});
  operation.start();
  EXPECT_EQ(told.wait(), bulk_end::kind::error);
}

}  // namespace
