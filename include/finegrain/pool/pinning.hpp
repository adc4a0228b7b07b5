// Whether the threads of a pool are tied to CPUs.
#pragma once

#include <array>
#include <string_view>

#include "finegrain/core/choice_by_name.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Whether a pool ties its threads to CPUs, one each: never the callers of `run` and the spare
/// thread, and nobody where the placement is `untied` or there are more workers than CPUs.
enum class worker_pinning {
  automatic,  ///< to CPUs that no other pool and no relic of the process has; else not tied
  always,     ///< whoever else is tied there
  never       ///< the system puts them where it likes
};

/// A name of the environment.
struct named_pinning {
  std::string_view name;
  worker_pinning value;
};

/// All of them, the default first. The names are those of FINEGRAIN_PINNING.
inline constexpr std::array kPinnings{
    named_pinning{"automatic", worker_pinning::automatic},
    named_pinning{"always", worker_pinning::always},
    named_pinning{"never", worker_pinning::never},
};

/// That of FINEGRAIN_PINNING; the default where it is not set, or after a line on standard error,
/// once a process, where there is none of that name. Any thread that may call getenv. Throws
/// std::bad_alloc.
inline worker_pinning pinning_of_environment() {
  return detail::choice_of_environment(kPinnings, "pinning", "FINEGRAIN_PINNING").value;
}

}  // namespace fg::inline FINEGRAIN_ABI
