// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precompiled for every room above the dialects; never included by name.
#pragma once

#include "MlirHeaders.h"
#include "graph/GraphOps.h"
#include "host/HostOps.h"
#include "python/machine/Machine.h"
#include "sym/SymDialect.h"
#include "tile/TileOps.h"
