# Finds LLVM and MLIR and makes their targets fit to be linked statically.

set(LLVM_DIR /usr/lib/llvm-22/lib/cmake/llvm CACHE PATH "LLVM's CMake package")
set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "MLIR's CMake package")
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Debian's MLIR targets name the shared libLLVM. Two LLVMs in one process abort at start, so that
# name is replaced by the static component libraries that MLIR's core needs.
foreach(target IN LISTS MLIR_ALL_LIBS MLIR_EXPORTED_TARGETS)
  if(TARGET ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(TRANSFORM links REPLACE "^LLVM$" "LLVMSupport;LLVMCore;LLVMRemarks;LLVMBinaryFormat")
      list(TRANSFORM links REPLACE "^\\$<LINK_ONLY:LLVM>$" "LLVMSupport;LLVMCore;LLVMRemarks;LLVMBinaryFormat")
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS})
