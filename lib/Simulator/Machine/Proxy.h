//===- Proxy.h - what the async proxy does for a warp -----------*- C++ -*-===//
//
// Bulk copies and wgmma touch memory through the async proxy, between their issue and a
// completion that somebody waits for.
//
//   AsyncUse *use = beginAsync(warp, op, lane, AsyncUse::Reads, parts);  // at the issue
//   ...                                  // others go on; the bytes belong to the operation
//   Completion done = machine.complete(cta, actor);                      // when it is over
//   endAsync(warp.machine, use, done);
//   learn(warp, done);                           // each warp whose wait the completion ends
//
// From beginAsync() to endAsync() a write to what is read, and any access to what is
// written, is a race, whoever makes it and whatever orders it. Before, all that touched the
// bytes has to happen before the issue, and what the generic proxy wrote has to be brought
// to the async proxy by a fence.proxy.async of the thread that wrote, which has to happen
// before the issue, too. Behind, an access races unless its warp has learnt the completion,
// itself or by a barrier or mbarrier from one that has.
//
// An actor is a party of its own, beside the warps of its CTA: what completes in order and
// is waited for in order (one mbarrier, the wgmma of one warp group). A warp that learns a
// completion learns all earlier ones of the same actor, and nothing of the warp that issued
// the operation. Where several warps issue an operation together (wgmma), who waits for it
// knows that all of them have issued it: join what they knew then (Warp::known at the issue,
// with its own time) into what the waiting warp knows.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_PROXY_H
#define TRITIUM_SIMULATOR_PROXY_H

#include "Machine.h"

namespace tritium::sim {

/// Parts must lie within shared memory or their ranges. The use lives until endAsync().
AsyncUse *beginAsync(Warp &warp, const Op &op, unsigned lane, AsyncUse::Kind kind,
                     std::vector<AsyncPart> parts);
/// The operation has ended; `use` is no more.
void endAsync(Machine &machine, AsyncUse *use, const Completion &done);
/// The warp has waited for the completion.
void learn(Warp &warp, const Completion &done);
/// The issuing thread itself waits for its operations: they end as its own accesses.
Completion completeByThread(Warp &warp, unsigned lane);

/// fence.proxy.async by the active lanes, or one that releases tensor maps. spaces: a mask of
/// ProxySpaces.
enum ProxySpaces : uint8_t { ProxyShared = 1, ProxyGlobal = 2, ProxyTensorMap = 4 };
void fenceProxy(Warp &warp, uint8_t spaces);
/// Whether a fence by the thread that made `earlier` follows it and happens before what the lane
/// does now.
bool isProxyFenced(const Warp &warp, unsigned lane, const Access &earlier, uint8_t space);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_PROXY_H
