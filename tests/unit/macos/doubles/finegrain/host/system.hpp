// host/system.hpp of macOS, on any system: what it asks the test answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/host/macos.hpp"
