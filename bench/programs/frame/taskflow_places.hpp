// The CPUs of Taskflow's workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <taskflow/taskflow.hpp>
#include <utility>
#include <vector>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// Pins every worker of an executor to its CPU. A failed pin shows in the sample, which reports where
/// they ran.
class taskflow_places : public tf::WorkerInterface {
 public:
  explicit taskflow_places(std::vector<int> cpus) : cpus_{std::move(cpus)} {}
  void scheduler_prologue(tf::Worker& worker) override {
    static_cast<void>(pin_this_thread(cpus_.at(worker.id())));
  }
  void scheduler_epilogue(tf::Worker& /*worker*/, std::exception_ptr /*error*/) override {}

 private:
  std::vector<int> cpus_;
};

}  // namespace fg::bench
