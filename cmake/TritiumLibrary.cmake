# tritium_alone(SOURCES...): these files of the folder are compiled each by itself also where
# several files are one translation unit (CMAKE_UNITY_BUILD): names that are private to them are
# private to other files of their library too.
function(tritium_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tritium_precompiled_header(NAME): a precompiled header for what includes MLIR: it takes a plain
# dialect file from 12 s to 2 s.
function(tritium_precompiled_header name)
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/lib/PCH.cpp)
  target_precompile_headers(${name} PRIVATE
    <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
    <mlir/IR/BuiltinAttributes.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
    <mlir/IR/Matchers.h> <mlir/IR/IRMapping.h> <mlir/IR/MLIRContext.h>
    <mlir/IR/Verifier.h> <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Interfaces/InferTypeOpInterface.h> <mlir/Interfaces/FunctionInterfaces.h>
    <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <llvm/ADT/TypeSwitch.h> <llvm/Support/raw_ostream.h> <llvm/Support/Error.h>
    <map> <memory> <optional> <string> <variant> <vector>)
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

# tritium_executable(NAME [MLIR] SOURCES ... LINK ... [PCH target])
#
# PCH: the target whose precompiled header it shares, if that is not TritiumPCH.
function(tritium_executable name)
  cmake_parse_arguments(ARG "MLIR" "PCH" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH TritiumPCH)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  add_dependencies(${name} tritium-headers)
  if(ARG_MLIR)
    # -fPIE would not match the precompiled header, which is built with -fPIC.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
    target_precompile_headers(${name} REUSE_FROM ${ARG_PCH})
  endif()
endfunction()
