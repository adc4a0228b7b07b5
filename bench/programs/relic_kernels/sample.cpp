// SPDX-License-Identifier: Apache-2.0
#include "programs/relic_kernels/sample.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "programs/frame/program_errors.hpp"

namespace fg::bench {

namespace {

std::unique_ptr<kernel_instance> kernel_of(const sample_plan& plan, const kernel_options& options) {
  try {
    return make_kernel(plan.case_name, options);
  } catch (const std::invalid_argument& error) {
    throw wrong_arguments(error.what());
  }
}

void require_right(const kernel_instance& instance, const std::string& case_name) {
  if (const auto difference = instance.check()) {
    throw wrong_result("wrong result of " + case_name + ": " + *difference);
  }
}

}  // namespace

sample::sample(sample_plan plan, const kernel_options& options)
    : plan_{std::move(plan)},
      task_instance_{kernel_of(plan_, options)},
      own_instance_{kernel_of(plan_, options)} {}

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
