//===- FuncOps.cpp - functions, calls and returns -------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tritium::tt;

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attrs, ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (!argAttrs.empty())
    function_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, {},
                                                  getArgAttrsAttrName(state.name),
                                                  getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  if (!isKernel() || isExternal())
    return success();
  if (!getResultTypes().empty())
    return emitOpError() << "(func_c1) a kernel returns nothing";
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isScalar(type))
      return emitOpError() << "(func_c2) argument " << i << " of a kernel must be a scalar, found "
                           << type;
  return success();
}

LogicalResult ReturnOp::verify() {
  auto func = cast<FuncOp>((*this)->getParentOp());
  if (getOperandTypes() != TypeRange(func.getResultTypes()))
    return emitOpError() << "(return_c1) returns (" << getOperandTypes() << "), but @"
                         << func.getName() << " has results (" << func.getResultTypes() << ")";
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!func)
    return emitOpError() << "(call_c1) no function @" << getCallee();
  if (TypeRange(func.getArgumentTypes()) != getOperandTypes() ||
      TypeRange(func.getResultTypes()) != getResultTypes())
    return emitOpError() << "(call_c2) operands and results must be those of @" << getCallee()
                         << ": " << func.getFunctionType();
  return success();
}
