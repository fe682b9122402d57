// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame in which statements run as they do at the top of a module.
#pragma once

#include "python/machine/Frame.h"

namespace nereid::machine {

/// What it binds goes to `locals`; other names are those of the module.
struct ModuleFrame : Frame {
  ModuleFrame(const python::ParsedFile &file, ModuleObject &module, Namespace *locals) {
    own.file = &file;
    own.node = &file.getModule();
    kind = FrameKind::Module;
    code = &own;
    this->module = &module;
    this->locals = locals;
  }
  ModuleFrame(const ModuleFrame &) = delete;

private:
  CodeInfo own;
};

} // namespace nereid::machine
