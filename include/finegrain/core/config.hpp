// Build-time switches, and the version.
#pragma once

#include "finegrain/core/cxx20.hpp"
#include "finegrain/version.h"

/// 1 where misuse (a call from the wrong thread) is checked and ends the program with one clear
/// line. Follows NDEBUG unless set. It changes no class layout, so mixed builds still link.
#ifndef FINEGRAIN_DEBUG_CHECKS
#ifdef NDEBUG
#define FINEGRAIN_DEBUG_CHECKS 0
#else
#define FINEGRAIN_DEBUG_CHECKS 1
#endif
#endif
