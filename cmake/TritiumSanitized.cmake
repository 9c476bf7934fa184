# tritium_sanitized(TARGET KIND [SOURCES ...]): the target once more, or these sources of it, as
# TARGET-KIND, built with the sanitizer KIND: asan or tsan. It links the -KIND forms of the
# libraries that have one, declared before, and the others as they are: so the runtime and the
# bindings run instrumented on the compiler that is built already, where the trees of the presets
# asan and tsan instrument everything. Not part of `all`. The sanitizer's own library is shared,
# because the extension module is loaded by a Python that knows nothing of it.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
  OUTPUT_VARIABLE TRITIUM_ASAN_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(GET TRITIUM_ASAN_LIBRARY PARENT_PATH TRITIUM_SANITIZER_DIR)

# Flags for a target that exists.
function(tritium_instrument target kind)
  if(kind STREQUAL "asan")
    set(flags -fsanitize=address,undefined -fno-sanitize=vptr,function
              -fno-sanitize-recover=undefined)
  else()
    set(flags -fsanitize=thread)
  endif()
  target_compile_options(${target} PRIVATE ${flags} -fno-omit-frame-pointer -O1 -g1)
  target_link_options(${target} PRIVATE ${flags} -shared-libsan
    LINKER:-rpath,${TRITIUM_SANITIZER_DIR})
endfunction()

function(tritium_sanitized target kind)
  cmake_parse_arguments(ONLY "" "" "SOURCES" ${ARGN})
  set(copy ${target}-${kind})
  foreach(property TYPE SOURCE_DIR SOURCES LINK_LIBRARIES INCLUDE_DIRECTORIES
                   COMPILE_DEFINITIONS COMPILE_OPTIONS LINK_OPTIONS
                   MANUALLY_ADDED_DEPENDENCIES)
    get_target_property(${property} ${target} ${property})
    if(NOT ${property})
      set(${property})
    endif()
  endforeach()
  if(ONLY_SOURCES)
    set(SOURCES ${ONLY_SOURCES})
  endif()
  set(sources)
  foreach(source ${SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${SOURCE_DIR})
    list(APPEND sources ${source})
  endforeach()
  set(libraries)
  foreach(library ${LINK_LIBRARIES})
    if(TARGET ${library}-${kind})
      set(library ${library}-${kind})
    endif()
    list(APPEND libraries ${library})
  endforeach()
  if(TYPE STREQUAL "EXECUTABLE")
    add_executable(${copy} EXCLUDE_FROM_ALL ${sources})
  elseif(TYPE STREQUAL "SHARED_LIBRARY")
    add_library(${copy} SHARED EXCLUDE_FROM_ALL ${sources})
  else()
    add_library(${copy} STATIC EXCLUDE_FROM_ALL ${sources})
  endif()
  get_target_property(interface ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(interface)
    target_include_directories(${copy} INTERFACE ${interface})
  endif()
  target_link_libraries(${copy} PRIVATE ${libraries})
  target_include_directories(${copy} PRIVATE ${INCLUDE_DIRECTORIES})
  target_compile_definitions(${copy} PRIVATE ${COMPILE_DEFINITIONS})
  target_compile_options(${copy} PRIVATE ${COMPILE_OPTIONS})
  target_link_options(${copy} PRIVATE ${LINK_OPTIONS})
  add_dependencies(${copy} tritium-headers ${MANUALLY_ADDED_DEPENDENCIES})
  tritium_instrument(${copy} ${kind})
endfunction()
