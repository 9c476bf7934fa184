//===- TileGPUOpInterfaces.td - what reads shared memory late --*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_OPINTERFACES_TD
#define TRITIUM_TILEGPU_OPINTERFACES_TD

include "mlir/IR/OpBase.td"

def TileGPU_AsyncReader : OpInterface<"AsyncReader"> {
  let cppNamespace = "::tritium::ttg";
  let description = [{
    An operation that starts something which reads memory on its own, up to a wait for it. Threads
    must not write there before; and what they have written is there for it behind a `ProxyFence`
    of those that wrote, and a barrier.
  }];
  let methods = [InterfaceMethod<"The memory that it reads",
                                 "::llvm::SmallVector<::mlir::Value, 2>", "getAsyncReads">];
}

def TileGPU_AsyncReadWait : OpInterface<"AsyncReadWait"> {
  let cppNamespace = "::tritium::ttg";
  let description = [{ Waits until at most `getPendings` of the operations started last go on. }];
  let methods = [InterfaceMethod<"How many may go on", "uint32_t", "getPendings">];
}

def TileGPU_ProxyFence : OpInterface<"ProxyFence"> {
  let cppNamespace = "::tritium::ttg";
  let description = [{ Makes what each thread has written visible to what reads on its own. }];
}

#endif
