// The cost of OpenMP's constructs, each with a short delay inside; barriers have a file of their
// own, as they have a check of their own.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/overhead.hpp"
#include "programs/omp/thread_delays.hpp"

namespace fg::bench {

namespace {

// What a construct's body does: the delay of a timed run, or counting itself.
struct delaying {
  static void act() { thread_delays::delay(); }
};
struct counting {
  static void act() { counted_by_thread::count(); }
};

constexpr std::uint64_t kIterations = 8;  // of a thread, in the loops of schedbench's kind

// Each construct below: what a run of so many of them does, and its load.

struct region {
  template <class Body>
  static void run(std::uint64_t /*threads*/, std::uint64_t constructs) {
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp parallel default(none)
      Body::act();
    }
  }
  static constexpr auto load = one_each;
};

struct region_with_a_value {
  template <class Body>
  static void run(std::uint64_t /*threads*/, std::uint64_t constructs) {
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp parallel default(none) firstprivate(i)
      if (i != ~std::uint64_t{0}) {  // always, which no compiler knows
        Body::act();
      }
    }
  }
  static constexpr auto load = one_each;
};

struct static_loop {
  template <class Body>
  static void run(std::uint64_t threads, std::uint64_t constructs) {
#pragma omp parallel default(none) firstprivate(threads, constructs)
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp for schedule(static)
      for (std::uint64_t each = 0; each < threads; ++each) {
        Body::act();
      }
    }
  }
  static constexpr auto load = one_each;
};

struct region_with_a_loop {
  template <class Body>
  static void run(std::uint64_t threads, std::uint64_t constructs) {
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp parallel for default(none) firstprivate(threads) schedule(static)
      for (std::uint64_t each = 0; each < threads; ++each) {
        Body::act();
      }
    }
  }
  static constexpr auto load = one_each;
};

struct single {
  template <class Body>
  static void run(std::uint64_t /*threads*/, std::uint64_t constructs) {
#pragma omp parallel default(none) firstprivate(constructs)
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp single
      Body::act();
    }
  }
  static constexpr construct_load load(std::uint64_t /*threads*/, std::uint64_t constructs) {
    return {constructs, constructs, constructs, false};
  }
};

struct reduction {
  template <class Body>
  static void run(std::uint64_t threads, std::uint64_t constructs) {
    for (std::uint64_t i = 0; i < constructs; ++i) {
      std::uint64_t sum = 0;
#pragma omp parallel default(none) reduction(+ : sum)
      {
        Body::act();
        sum += 1;
      }
      if (sum != threads) {
        throw wrong_result("a reduction came to " + std::to_string(sum) + ", not " +
                           std::to_string(threads));
      }
    }
  }
  static constexpr auto load = one_each;
};

struct critical {
  template <class Body>
  static void run(std::uint64_t /*threads*/, std::uint64_t constructs) {
#pragma omp parallel default(none) firstprivate(constructs)
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp critical
      Body::act();
    }
  }
  // One thread after the other.
  static constexpr construct_load load(std::uint64_t threads, std::uint64_t constructs) {
    const std::uint64_t all = threads * constructs;
    return {all, all, all, true};
  }
};

constexpr construct_load shared_iterations(std::uint64_t threads, std::uint64_t constructs) {
  return {constructs, kIterations * constructs, kIterations * threads * constructs, false};
}

struct dynamic_loop {
  template <class Body>
  static void run(std::uint64_t threads, std::uint64_t constructs) {
#pragma omp parallel default(none) firstprivate(threads, constructs)
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp for schedule(dynamic)
      for (std::uint64_t each = 0; each < kIterations * threads; ++each) {
        Body::act();
      }
    }
  }
  static constexpr auto load = shared_iterations;
};

struct guided_loop {
  template <class Body>
  static void run(std::uint64_t threads, std::uint64_t constructs) {
#pragma omp parallel default(none) firstprivate(threads, constructs)
    for (std::uint64_t i = 0; i < constructs; ++i) {
#pragma omp for schedule(guided)
      for (std::uint64_t each = 0; each < kIterations * threads; ++each) {
        Body::act();
      }
    }
  }
  static constexpr auto load = shared_iterations;
};

template <class Construct>
class construct_kernel final : public omp_kernel {
 public:
  explicit construct_kernel(const omp_request& request)
      : threads_(request.threads), constructs_(request.size) {}

  void prepare() override {}
  double run_ns() override {
    return construct_ns(threads_, Construct::load(threads_, constructs_),
                        [this] { Construct::template run<delaying>(threads_, constructs_); });
  }
  void run_counted() override { Construct::template run<counting>(threads_, constructs_); }
  void check() const override {}  // `run_ns` and the count have checked
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> counted() const override {
    return Construct::load(threads_, constructs_).delays;
  }

 private:
  std::uint64_t threads_;
  std::uint64_t constructs_;
};

template <class Construct>
std::unique_ptr<omp_kernel> make(const omp_request& request) {
  return std::make_unique<construct_kernel<Construct>>(request);
}

}  // namespace

std::unique_ptr<omp_kernel> make_region_overhead(const omp_request& request) {
  return make<region>(request);
}
std::unique_ptr<omp_kernel> make_region_value_overhead(const omp_request& request) {
  return make<region_with_a_value>(request);
}
std::unique_ptr<omp_kernel> make_for_overhead(const omp_request& request) {
  return make<static_loop>(request);
}
std::unique_ptr<omp_kernel> make_region_for_overhead(const omp_request& request) {
  return make<region_with_a_loop>(request);
}
std::unique_ptr<omp_kernel> make_single_overhead(const omp_request& request) {
  return make<single>(request);
}
std::unique_ptr<omp_kernel> make_reduction_overhead(const omp_request& request) {
  return make<reduction>(request);
}
std::unique_ptr<omp_kernel> make_critical_overhead(const omp_request& request) {
  return make<critical>(request);
}
std::unique_ptr<omp_kernel> make_dynamic_overhead(const omp_request& request) {
  return make<dynamic_loop>(request);
}
std::unique_ptr<omp_kernel> make_guided_overhead(const omp_request& request) {
  return make<guided_loop>(request);
}

}  // namespace fg::bench
