// `main`, compiled and linked once per runtime; FINEGRAIN_BENCH_OPENMP_NAME names the runtime.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include "programs/omp/cases.hpp"
#include "programs/omp/omp_main.hpp"

#ifndef FINEGRAIN_BENCH_OPENMP_NAME
#error "the build names the OpenMP runtime that this file is compiled for"
#endif

namespace {

#ifdef _OPENMP
constexpr bool kIsSerial = false;
std::string standard() { return "OpenMP " + std::to_string(_OPENMP); }
#else
constexpr bool kIsSerial = true;
std::string standard() { return "no OpenMP"; }
#endif

std::size_t threads_of_a_region() {
  std::size_t threads = 0;
#pragma omp parallel default(none) reduction(+ : threads)
  threads += 1;
  return threads;
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::omp_main({.runtime = FINEGRAIN_BENCH_OPENMP_NAME,
                              .version = standard() + ", compiler " __VERSION__,
                              .is_serial = kIsSerial,
                              .cases = fg::bench::omp_cases(),
                              .threads_of_a_region = threads_of_a_region},
                             argc, argv);
}
