# tritium_alone(SOURCES...): these files of the folder are compiled each by itself also where
# several files are one translation unit (CMAKE_UNITY_BUILD): names that are private to them are
# private to other files of their library too.
function(tritium_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY TRITIUM_ALONE ${ARGN})
endfunction()

# tritium_library(NAME [MLIR] SOURCES a.cpp ... [DEPENDS targets] [LINK libs])
#
# A static library of the compiler. MLIR: the library uses MLIR or LLVM headers
# heavily and shares the project's precompiled header.
function(tritium_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} Tritium::LLVM)
  add_dependencies(${name} tritium-headers ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM TritiumPCH)
  endif()
endfunction()

# tritium_executable(NAME [MLIR] SOURCES ... LINK ...)
function(tritium_executable name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  add_dependencies(${name} tritium-headers)
  if(ARG_MLIR)
    # -fPIE would not match the precompiled header, which is built with -fPIC.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
    target_precompile_headers(${name} REUSE_FROM TritiumPCH)
  endif()
endfunction()
