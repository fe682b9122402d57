# Compiler and linker flags, ccache, sanitizers.

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers are cached by content: their time stamps are left out of them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type -Werror=switch
                    -fno-rtti -ffunction-sections -fdata-sections
                    -Xclang -fno-pch-timestamp)
# LLVM's own headers are system headers below: their warnings are not ours.
add_link_options(-fuse-ld=lld -Wl,--as-needed -Wl,--gc-sections -Wl,--icf=all)

if(NEREID_SANITIZE)
  string(REPLACE ";" "," flags "${NEREID_SANITIZE}")
  add_compile_options(-fsanitize=${flags} -fno-omit-frame-pointer -fno-sanitize=vptr)
  add_link_options(-fsanitize=${flags})
endif()
if(NEREID_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
