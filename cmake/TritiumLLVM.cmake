# Finds LLVM and MLIR 19 and offers them as one target, Tritium::LLVM.
#
# Development builds link the shared libraries. With TRITIUM_STATIC_LLVM the
# static ones are linked; MLIR's exported static libraries drag in the LLVM shared
# library, which must be dropped or every command-line option registers twice.

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
if(LLVM_VERSION_MAJOR AND NOT LLVM_VERSION_MAJOR EQUAL 19)
  message(FATAL_ERROR "Tritium needs LLVM 19, found ${LLVM_VERSION}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${llvm_definitions})

add_library(TritiumLLVM INTERFACE)
add_library(Tritium::LLVM ALIAS TritiumLLVM)
if(TRITIUM_STATIC_LLVM)
  get_property(mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(lib ${MLIR_EXPORTED_TARGETS})
    if(TARGET ${lib})
      get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
      if(deps)
        list(REMOVE_ITEM deps LLVM "$<LINK_ONLY:LLVM>")
        set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
      endif()
    endif()
  endforeach()
  # Self-contained: compression from archives, and no Z3, which only clang's analyser calls.
  find_library(TRITIUM_ZLIB_ARCHIVE libz.a REQUIRED)
  find_library(TRITIUM_ZSTD_ARCHIVE libzstd.a REQUIRED)
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES
    "rt;dl;m;${TRITIUM_ZLIB_ARCHIVE};${TRITIUM_ZSTD_ARCHIVE};LLVMDemangle")
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--exclude-libs,ALL)
  llvm_map_components_to_libnames(llvm_libs
    Core Support Passes OrcJIT X86 AArch64 NVPTX Target MC MCA MCParser AsmParser BitReader)
  target_link_libraries(TritiumLLVM INTERFACE
    MLIRIR MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRInferTypeOpInterface
    MLIRArithDialect MLIRMathDialect MLIRSCFDialect MLIRSCFTransforms MLIRSCFUtils
    MLIRControlFlowDialect MLIRGPUDialect MLIRFuncDialect MLIRFunctionInterfaces MLIRVectorDialect
    MLIRLLVMDialect MLIRUBDialect MLIRSCFToControlFlow MLIRControlFlowToLLVM
    MLIRArithToLLVM MLIRMathToLLVM MLIRVectorToLLVM MLIRVectorTransforms MLIRFuncToLLVM
    MLIRIndexToLLVM MLIRUBToLLVM MLIRLLVMIRTransforms
    MLIRLLVMCommonConversion MLIRReconcileUnrealizedCasts MLIRTargetLLVMIRExport
    MLIRLLVMToLLVMIRTranslation MLIRBuiltinToLLVMIRTranslation MLIRNVVMDialect
    MLIRNVVMToLLVMIRTranslation MLIROptLib
    ${llvm_libs})
else()
  target_link_libraries(TritiumLLVM INTERFACE MLIR LLVM)
endif()

# clang's lexer and preprocessor, which are static libraries in either case: their
# exported targets would drag in the LLVM shared library.
add_library(TritiumClangLex INTERFACE)
add_library(Tritium::ClangLex ALIAS TritiumClangLex)
foreach(lib clangLex clangBasic)
  find_library(TRITIUM_${lib} ${lib} HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(TritiumClangLex INTERFACE ${TRITIUM_${lib}})
endforeach()
target_link_libraries(TritiumClangLex INTERFACE Tritium::LLVM)
