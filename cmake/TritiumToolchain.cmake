# Compiler launcher, linker, warnings and sanitizers: everything that applies to
# every target of the project.

option(TRITIUM_ASSERTIONS "Keep assert() in optimised builds" OFF)

find_program(TRITIUM_CCACHE ccache)
if(TRITIUM_CCACHE)
  # pch_defines,time_macros: a precompiled header is safe to cache with
  # -fno-pch-timestamp, which makes it a function of its content.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TRITIUM_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(TRITIUM_MOLD mold)
if(TRITIUM_MOLD)
  add_link_options(-fuse-ld=mold)
else()
  add_link_options(-fuse-ld=lld)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                    $<$<COMPILE_LANGUAGE:CXX>:-Wno-ambiguous-reversed-operator>
                    -fdiagnostics-color=auto)
add_compile_options("SHELL:-Xclang -fno-pch-timestamp")

# LLVM's headers change layout with NDEBUG only through LLVM_ENABLE_ABI_BREAKING_CHECKS,
# which the installed llvm-config.h fixes, so asserting against release LLVM is safe.
if(TRITIUM_ASSERTIONS)
  foreach(config RELEASE RELWITHDEBINFO)
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
    string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${config} "${CMAKE_C_FLAGS_${config}}")
  endforeach()
endif()
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

if(TRITIUM_SANITIZER)
  add_compile_options(-fsanitize=${TRITIUM_SANITIZER} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TRITIUM_SANITIZER})
  if(TRITIUM_SANITIZER MATCHES "undefined")
    # vptr and function checks need type information that the prebuilt LLVM does not carry.
    add_compile_options(-fno-sanitize=vptr,function -fno-sanitize-recover=undefined)
  endif()
endif()
