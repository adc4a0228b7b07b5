// The checks of the cases with values refuse carriers that are wrong.
// SPDX-License-Identifier: Apache-2.0
#include "programs/handoff/value_proof.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <type_traits>

#include "finegrain/host/affinity.hpp"
#include "programs/handoff/measure.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace {

using fg::bench::in_and_out;
using fg::bench::reference_out;
using fg::bench::value_in;
using fg::bench::value_out_32;
using fg::bench::value_out_8;
using fg::bench::wrong_result;

enum class fault { none, loses_it, runs_it_twice, drops_the_argument, returns_the_one_before };

// Runs what it is given at once, on the calling thread; from the call `From` on with a fault.
template <fault Fault, int From = 0>
class faulty_carrier {
 public:
  explicit faulty_carrier(int /*assistant_cpu*/) {}

  template <auto Routine, class... Argument>
  auto call(Argument... argument) {
    using result = std::invoke_result_t<decltype(Routine), Argument...>;
    const bool is_wrong = calls_++ >= From;
    if (is_wrong && Fault == fault::drops_the_argument) {
      ((argument = without_number(argument)), ...);
    }
    if (is_wrong && Fault == fault::runs_it_twice) {
      static_cast<void>(Routine(argument...));
    }
    const bool is_lost = is_wrong && Fault == fault::loses_it;
    if constexpr (std::is_void_v<result>) {
      if (!is_lost) {
        Routine(argument...);
      }
    } else {
      static result before{};  // of this routine
      const result last = before;
      if (!is_lost) {
        before = Routine(argument...);
      }
      return is_wrong && Fault == fault::returns_the_one_before ? last : before;
    }
  }

 private:
  static long without_number(long /*number*/) { return 0; }
  static long* without_number(long* variable) { return variable; }

  int calls_ = 0;
};

// Calls `check(cpu)` on a thread that can only run on `cpu`.
template <class Check>
void on_one_cpu(const Check& check) {
  const int here = fg::current_cpu();
  std::exception_ptr refusal;
  fg::test::on_thread([&] {
    fg::test::restrict_this_thread_to(here);
    try {
      check(here);
    } catch (...) {
      refusal = std::current_exception();
    }
  });
  if (refusal) {
    std::rethrow_exception(refusal);
  }
}

template <class Case, fault Fault>
void prove(int cpus_away = 0) {
  on_one_cpu([&](int here) {
    faulty_carrier<Fault> carrier{here};
    fg::bench::require_values<Case>(carrier, here + cpus_away);
  });
}

// With a fault that the check before the timing does not see, as its 2000 calls come first.
template <class Case, fault Fault>
void measure() {
  on_one_cpu([](int here) {
    const auto sample = fg::bench::measure_values<Case, faulty_carrier<Fault, 2050>>(
        {.assistant_cpu = here, .batches = 2, .tasks = 100});
    EXPECT_EQ(sample.ns.size(), 2);
    EXPECT_EQ(sample.assistant_cpu, here);
  });
}

template <class Case>
class value_proof : public testing::Test {};

using all_cases = testing::Types<value_in, value_out_8, value_out_32, reference_out, in_and_out>;
TYPED_TEST_SUITE(value_proof, all_cases);

TYPED_TEST(value_proof, accepts_a_carrier_that_gives_each_task_its_effect) {
  EXPECT_NO_THROW((prove<TypeParam, fault::none>()));
  EXPECT_NO_THROW((measure<TypeParam, fault::none>()));
}

TYPED_TEST(value_proof, refuses_a_lost_task) {
  EXPECT_THROW((prove<TypeParam, fault::loses_it>()), wrong_result);
  EXPECT_THROW((measure<TypeParam, fault::loses_it>()), wrong_result);
}

TYPED_TEST(value_proof, refuses_another_cpu) {
  EXPECT_THROW((prove<TypeParam, fault::none>(1)), wrong_result);
}

template <class Case>
class value_proof_of_effects : public testing::Test {};

using cases_with_effects = testing::Types<value_in, value_out_8, value_out_32, reference_out>;
TYPED_TEST_SUITE(value_proof_of_effects, cases_with_effects);

TYPED_TEST(value_proof_of_effects, refuses_a_task_that_runs_twice) {
  EXPECT_THROW((prove<TypeParam, fault::runs_it_twice>()), wrong_result);
  EXPECT_THROW((measure<TypeParam, fault::runs_it_twice>()), wrong_result);
}

template <class Case>
class value_proof_of_arguments : public testing::Test {};

using cases_with_arguments = testing::Types<value_in, in_and_out>;
TYPED_TEST_SUITE(value_proof_of_arguments, cases_with_arguments);

TYPED_TEST(value_proof_of_arguments, refuses_a_lost_argument) {
  EXPECT_THROW((prove<TypeParam, fault::drops_the_argument>()), wrong_result);
  EXPECT_THROW((measure<TypeParam, fault::drops_the_argument>()), wrong_result);
}

template <class Case>
class value_proof_of_results : public testing::Test {};

using cases_with_results = testing::Types<value_out_8, value_out_32, in_and_out>;
TYPED_TEST_SUITE(value_proof_of_results, cases_with_results);

TYPED_TEST(value_proof_of_results, refuses_the_result_of_the_task_before) {
  EXPECT_THROW((prove<TypeParam, fault::returns_the_one_before>()), wrong_result);
  EXPECT_THROW((measure<TypeParam, fault::returns_the_one_before>()), wrong_result);
}

}  // namespace
