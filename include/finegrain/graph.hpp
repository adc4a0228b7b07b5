// Graphs of tasks, built once and run often, and the relics and pools that run them. Not part of
// finegrain.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/graph/graph.hpp"
#include "finegrain/graph/graph_recorder.hpp"
#include "finegrain/pool.hpp"
#include "finegrain/relic.hpp"
