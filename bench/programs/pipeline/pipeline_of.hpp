// The stages as a pipeline of finegrain's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/pipeline/pipeline.hpp"
#include "programs/pipeline/token_stages.hpp"

namespace fg::bench {

/// Calls `use(line)` with the pipeline.
template <class Use>
void with_pipeline_of(token_stages& stages, const Use& use) {
  const auto first = serial_in_order([&stages] { return stages.make(); });
  const auto last = serial_in_order([&stages](const token& passing) { stages.finish(passing); });
  if (stages.has_middle()) {
    pipeline line{first, parallel([&stages](const token& passing) { return stages.work(passing); }),
                  last};
    use(line);
  } else {
    pipeline line{first, last};
    use(line);
  }
}

}  // namespace fg::bench
