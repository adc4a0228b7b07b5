// A chain of n masses and springs in steps of short phases: a region a step, in which the forces,
// the speeds, the places and the energy are a loop each, with a barrier between; one thread then
// notes the energy of motion, and the most of it so far.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

constexpr std::size_t kPhases = 4;
constexpr double kStep = 0.05;  // of time

// The first and the last mass hang on walls.
struct chain {
  std::vector<double> places;  // beside that at rest
  std::vector<double> speeds;
  std::vector<double> forces;
  double energy = 0;
  double most_energy = 0;
};

double force_on(const chain& of, std::size_t at) {
  const double left = at > 0 ? of.places[at - 1] : 0;
  const double right = at + 1 < of.places.size() ? of.places[at + 1] : 0;
  const double stretched = left - 2 * of.places[at] + right;
  return stretched - 0.1 * of.places[at] * of.places[at] * of.places[at];
}

template <class Tally>
void step(chain& of) {
  const std::size_t masses = of.places.size();
  double energy = 0;
#pragma omp parallel default(none) shared(of, energy) firstprivate(masses)
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < masses; ++i) {
      Tally::count();
      of.forces[i] = force_on(of, i);
    }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < masses; ++i) {
      of.speeds[i] += kStep * of.forces[i];
    }
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < masses; ++i) {
      of.places[i] += kStep * of.speeds[i];
    }
#pragma omp for schedule(static) reduction(+ : energy)
    for (std::size_t i = 0; i < masses; ++i) {
      energy += of.speeds[i] * of.speeds[i] / 2;
    }
#pragma omp single
    {
      of.energy = energy;
      of.most_energy = std::max(of.most_energy, energy);
    }
  }
}

class program final : public loop_program {
 public:
  explicit program(std::size_t masses) : masses_(masses), steps_(repeats_for(4 * masses)) {}

  void prepare() override {
    chain_ = {.places = {},
              .speeds = std::vector<double>(masses_),
              .forces = std::vector<double>(masses_),
              .energy = 0,
              .most_energy = 0};
    for (std::size_t i = 0; i < masses_; ++i) {
      chain_.places.push_back(scattered(i) - 0.5);
    }
  }
  void run() override { steps<uncounted>(); }
  void run_counted() override { steps<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override {
    std::vector<double> numbers = chain_.places;
    numbers.insert(numbers.end(), chain_.speeds.begin(), chain_.speeds.end());
    numbers.push_back(chain_.most_energy / static_cast<double>(masses_));
    numbers.push_back(chain_.energy / static_cast<double>(masses_));
    return numbers;
  }
  [[nodiscard]] std::uint64_t loops() const override { return kPhases * steps_; }

 private:
  template <class Tally>
  void steps() {
    for (std::size_t i = 0; i < steps_; ++i) {
      step<Tally>(chain_);
    }
  }

  std::size_t masses_;
  chain chain_;
  std::size_t steps_;
};

}  // namespace

made_loop_program make_springs(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
