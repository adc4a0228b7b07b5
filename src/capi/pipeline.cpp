// fg_pipeline_...
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "capi/pool.hpp"
#include "capi/relic.hpp"
#include "capi/status.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/finegrain.h"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/pipeline/line.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/token_calls.hpp"

using fg::capi::fail;
using fg::capi::guarded;
using fg::capi::guarded_tasks;
using fg::capi::null_pointer;

/// The stages, and what is made of them for the first run after a change.
struct fg_pipeline {
  struct stage {
    fg_stage_routine routine;
    void* arguments;
    void* pass(void* token) const { return routine(arguments, token); }
  };
  struct alignas(fg::kCacheLineBytes) room {
    void* token;
  };

  void add(fg::stage_mode mode, const stage& added) {
    if (stages.empty() && mode == fg::stage_mode::parallel) {
      throw std::invalid_argument{"the first stage of a pipeline is serial"};
    }
    stages.reserve(stages.size() + 1);
    modes.push_back(mode);
    stages.push_back(added);
    line.reset();
  }

  /// Makes what every run needs.
  void prepare() {
    if (stages.size() < 2) {
      throw std::invalid_argument{"a pipeline has two stages or more"};
    }
    if (!line) {
      functions = {&make, &call, &run_whole, modes};
      line.emplace(functions, this);
    }
  }
  /// Makes what a run with so many tokens needs, and returns how many there are.
  template <class Executor>
  std::size_t prepare_rooms(std::size_t asked, const Executor& executor) {
    prepare();
    const std::size_t tokens = fg::detail::line::rooms_for(asked, executor);
    if (rooms.size() < tokens) {
      rooms.resize(tokens);
    }
    line->prepare(tokens);
    return tokens;
  }

  std::vector<stage> stages;
  std::vector<fg::stage_mode> modes;
  std::vector<room> rooms;
  fg::detail::stage_functions functions{};
  std::optional<fg::detail::line> line;  // none: there were changes since
  std::string explanation;               // of fg_pipeline_explain

 private:
  static bool make(void* owner, std::size_t at) {
    auto& self = *static_cast<fg_pipeline*>(owner);
    return (self.rooms[at].token = self.stages[0].pass(nullptr)) != nullptr;
  }
  static void call(void* owner, std::size_t stage, std::size_t at, bool drop) {
    auto& self = *static_cast<fg_pipeline*>(owner);
    if (!drop) {
      void*& token = self.rooms[at].token;
      token = self.stages[stage].pass(token);
    }
  }
  static bool run_whole(void* owner, const fg::detail::early_end& /*end*/) {
    auto& self = *static_cast<fg_pipeline*>(owner);
    void* token = self.stages[0].pass(nullptr);
    if (token == nullptr) {
      return false;
    }
    for (std::size_t stage = 1; stage != self.stages.size(); ++stage) {
      token = self.stages[stage].pass(token);
    }
    return true;
  }
};

namespace {

fg::stage_mode mode_of(int mode) {
  switch (mode) {
    case FG_SERIAL_IN_ORDER:
      return fg::stage_mode::serial_in_order;
    case FG_SERIAL_OUT_OF_ORDER:
      return fg::stage_mode::serial_out_of_order;
    case FG_PARALLEL:
      return fg::stage_mode::parallel;
    default:
      throw std::invalid_argument{"no such mode of a stage"};
  }
}

/// Calls `prepare()`, which fails before any stage is called, and `run_it()`, whose exceptions are the
/// stages'.
template <class Prepare, class Run>
fg_status run(Prepare prepare, Run run_it) noexcept {
  const fg_status status = guarded(prepare);
  return status != FG_OK ? status : guarded_tasks(run_it);
}

}  // namespace

fg_status fg_pipeline_create(fg_pipeline** pipeline) noexcept {
  if (pipeline == nullptr) {
    return null_pointer("pipeline");
  }
  return guarded([&] { *pipeline = std::make_unique<fg_pipeline>().release(); });
}

void fg_pipeline_destroy(fg_pipeline* pipeline) noexcept { delete pipeline; }

fg_status fg_pipeline_add_stage(fg_pipeline* pipeline, int mode, fg_stage_routine routine,
                                void* arguments) noexcept {
  if (pipeline == nullptr || routine == nullptr) {
    return null_pointer(pipeline == nullptr ? "pipeline" : "routine");
  }
  return guarded([&] { pipeline->add(mode_of(mode), {routine, arguments}); });
}

fg_status fg_pipeline_run(fg_pipeline* pipeline) noexcept {
  if (pipeline == nullptr) {
    return null_pointer("pipeline");
  }
  return run([&] { pipeline->prepare(); }, [&] { pipeline->line->run(); });
}

fg_status fg_pipeline_run_on_relic(fg_pipeline* pipeline, fg_relic* relic,
                                   std::size_t tokens) noexcept {
  if (pipeline == nullptr || relic == nullptr) {
    return null_pointer(pipeline == nullptr ? "pipeline" : "relic");
  }
  std::size_t rooms = 0;
  return run([&] { rooms = pipeline->prepare_rooms(tokens, relic->relic); },
             [&] { pipeline->line->run(relic->relic, rooms); });
}

fg_status fg_pipeline_run_on_pool(fg_pipeline* pipeline, fg_pool* pool,
                                  std::size_t tokens) noexcept {
  if (pipeline == nullptr || pool == nullptr) {
    return null_pointer(pipeline == nullptr ? "pipeline" : "pool");
  }
  std::size_t rooms = 0;
  return run([&] { rooms = pipeline->prepare_rooms(tokens, *pool->workers); },
             [&] {
               if (pool->hybrid) {  // gives the caller an assistant, too
                 pool->hybrid->run([&] { pipeline->line->run(*pool->workers, rooms); });
               } else {
                 pipeline->line->run(*pool->plain, rooms);
               }
             });
}

fg_status fg_pipeline_explain(fg_pipeline* pipeline, const char** text) noexcept {
  if (pipeline == nullptr || text == nullptr) {
    return null_pointer(pipeline == nullptr ? "pipeline" : "text");
  }
  return guarded([&] {
    pipeline->prepare();
    pipeline->explanation = pipeline->line->explain();
    *text = pipeline->explanation.c_str();
  });
}
