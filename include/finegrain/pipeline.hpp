// Pipelines, and the relics and pools that run them. Not part of finegrain.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/pipeline/pipeline.hpp"
#include "finegrain/pool.hpp"
#include "finegrain/relic.hpp"
