// Everything that finegrain offers to C++ programs.
#pragma once

#include "finegrain/core/config.hpp"
#include "finegrain/relic/relic.hpp"
