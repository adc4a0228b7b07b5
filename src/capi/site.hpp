// A call site's controller, in storage that the C program provides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>

#include "capi/status.hpp"
#include "finegrain/controller/call_site.hpp"
#include "finegrain/controller/loop_site.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/finegrain.h"

namespace fg::capi {

/// First word of fg_site::state: zero before the first use, then the kind of site that follows it.
template <class Site>
inline constexpr std::uint64_t kSiteKind = std::is_same_v<Site, fg::call_site> ? 1 : 2;

/// Returns the site in `storage`, constructing it at the first use; null if it is of the other
/// kind.
template <class Site>
Site* site_in(fg_site& storage) noexcept {
  static_assert(sizeof(Site) <= sizeof(fg_site) - sizeof(std::uint64_t) &&
                alignof(Site) <= alignof(std::uint64_t) && std::is_trivially_destructible_v<Site>);
  std::uint64_t& kind = storage.state[0];
  void* const place = &storage.state[1];
  if (kind == kSiteKind<Site>) [[likely]] {
    return std::launder(static_cast<Site*>(place));
  }
  if (kind != 0) {
    return nullptr;
  }
  kind = kSiteKind<Site>;
  return ::new (place) Site{};
}

/// Calls `run(site, mode)`, which runs tasks: with the caller's site or, if that is null, in the
/// mode that always hands over.
template <class Site, class Run>
fg_status with_site(fg_site* storage, Run run) noexcept {
  if (storage == nullptr) {
    Site unused;
    return guarded_tasks([&] { run(unused, offload::always); });
  }
  Site* const site = site_in<Site>(*storage);
  if (site == nullptr) {
    return fail(FG_INVALID_ARGUMENT, "the site belongs to calls of another kind");
  }
  return guarded_tasks([&] { run(*site, offload::adaptive); });
}

}  // namespace fg::capi
