//===- TileNVGPUDialect.td - the ttng dialect ------------------*- tablegen -*-===//

#ifndef TRITIUM_TILENVGPU_DIALECT_TD
#define TRITIUM_TILENVGPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def TileNVGPU_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::tritium::ttng";
  let summary = "What only NVIDIA's GPUs have";
  let description = [{
    Operations beside those of `ttg` from Hopper (sm_90) on: barriers in memory that count arrivals
    and bytes, copies of boxes of a tensor (TMA), dots of a warp group that go on while it does
    something else (wgmma), and clusters of CTAs.

    Memory has two proxies. Ordinary accesses are the generic one's; TMA and the operands of
    `ttng.warp_group_dot` in shared memory are the asynchronous one's. What was written through the
    generic one is there for the asynchronous one behind a `ttng.fence_async_proxy` of the group
    that wrote it; what TMA has brought is there for both once its barrier says so.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

#endif
