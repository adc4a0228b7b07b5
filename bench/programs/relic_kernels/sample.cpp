// SPDX-License-Identifier: Apache-2.0
#include "programs/relic_kernels/sample.hpp"

#include <stdexcept>
#include <utility>

#include "programs/relic_kernels/sample_process.hpp"

namespace fg::bench {

namespace {

void require_right(const kernel_instance& instance, const std::string& case_name) {
  if (const auto difference = instance.check()) {
    throw wrong_result("wrong result of " + case_name + ": " + *difference);
  }
}

}  // namespace

sample::sample(sample_plan plan, const kernel_options& options)
    : plan_{std::move(plan)},
      task_instance_{make_kernel(plan_.case_name, options)},
      own_instance_{make_kernel(plan_.case_name, options)} {}

void sample::check_before() {
  for (kernel_instance* const instance : {task_instance_.get(), own_instance_.get()}) {
    instance->run();
    require_right(*instance, plan_.case_name);
    instance->clear();  // what check_after sees comes from the iterations
  }
}

void sample::check_after() const {
  require_right(*task_instance_, plan_.case_name);
  require_right(*own_instance_, plan_.case_name);
}

}  // namespace fg::bench
