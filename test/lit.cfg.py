# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the tools on small inputs. NEREID_BUILD names the build folder; without it the release
# build is used, else the dev build.
import os

import lit.formats

config.name = "nereid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

root = os.path.dirname(config.test_source_root)


def find_build():
    given = os.environ.get("NEREID_BUILD")
    if given:
        return os.path.abspath(given)
    for preset in ("release", "dev"):
        folder = os.path.join(root, "build", preset)
        if os.path.exists(os.path.join(folder, "nereid-opt")):
            return folder
    lit_config.fatal("no build found: run scripts/build release nereid-opt, or set NEREID_BUILD")


build = find_build()
config.test_exec_root = os.path.join(build, "test")
llvm = os.environ.get("NEREID_LLVM", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([build, llvm, config.environment.get("PATH", "")])
config.environment["NEREID_BUILD"] = build
# `check` keeps results there: each test looks anew, and none writes to the user's folder.
config.environment["XDG_CACHE_HOME"] = "/dev/null"
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all"
config.substitutions.append(("%root", root))
