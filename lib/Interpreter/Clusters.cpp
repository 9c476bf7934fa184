//===- Clusters.cpp - CTAs of a program that take turns -------------------===//

#include "Clusters.h"
#include "Builder.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace tritium::interpreter {

Cluster::Cluster(std::vector<std::unique_ptr<Machine>> &machines) : members(machines.size()) {
  for (size_t rank = 0; rank < machines.size(); ++rank) {
    members[rank].machine = machines[rank].get();
    machines[rank]->cluster = this;
    machines[rank]->rank = rank;
  }
}

bool Cluster::run() {
  for (Member &member : members)
    member = {member.machine};
  return turns.run(members.size(), [&](size_t rank) {
    Machine &m = *members[rank].machine;
    if (!m.stopped)
      m.program.body.run(m);
    members[rank].isOver = true;
    if (!m.error.empty() || m.ended)
      for (Member &other : members)
        other.machine->stopped = true;
    handOn();
  });
}

bool Cluster::hasMet(int64_t phase) const {
  // Who has ended counts as one that has arrived.
  return std::all_of(members.begin(), members.end(), [&](const Member &member) {
    return member.isOver || member.arrivals > phase;
  });
}

bool Cluster::canRun(const Member &member) const {
  return !member.isOver && (member.machine->stopped || !member.site || hasMet(member.waits));
}

void Cluster::handOn() {
  for (size_t i = 1; i <= members.size(); ++i) {
    size_t next = (turns.turn() + i) % members.size();
    if (canRun(members[next]))
      return turns.handTo(next);
  }
}

void Cluster::arrive(Machine &m, bool releases) {
  Member &me = members[m.rank];
  if (releases)
    for (Member &other : members)
      for (Element &element : other.coming)
        if (element.from == m.rank && element.released < 0)
          element.released = me.arrivals;
  ++me.arrivals;
}

void Cluster::wait(Machine &m, const Site &site) {
  Member &me = members[m.rank];
  me.site = &site;
  if (!hasMet(me.waits)) {
    handOn();
    turns.await(m.rank);
  }
  me.site = nullptr;
  int64_t phase = me.waits++;
  if (m.stopped)
    return;
  std::erase_if(me.coming, [&](const Element &element) {
    if (element.released < 0 || element.released > phase)
      return false;
    m.cta->receive(element.address, element.access->element.bytes());
    element.access->write(m, element.address, element.slot);
    return true;
  });
}

void Cluster::store(Machine &m, size_t to, const SharedAccess &access, size_t element,
                    uint64_t address, Slot slot) {
  Member &other = members[to];
  if (other.machine->cta->expect(m, access, address, element))
    other.coming.push_back({&access, address, slot, m.rank});
}

std::vector<Slot> Cluster::gather(Machine &m, std::vector<Slot> own, const Site &site) {
  members[m.rank].brought = std::move(own);
  arrive(m, /*releases=*/true);
  wait(m, site);
  std::vector<Slot> all;
  for (const Member &member : members)
    all.insert(all.end(), member.brought.begin(), member.brought.end());
  // Before one brings what comes next.
  arrive(m, /*releases=*/true);
  wait(m, site);
  return all;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {
void buildWait(Builder &b, ttng::ClusterWaitOp op) {
  b.add([site = Builder::siteOf(op.getLoc())](Machine &m) {
    if (!std::exchange(m.cta->hasArrivedAtCluster, false))
      return m.fail("the program waits for its cluster before it has arrived; a "
                    "ttng.cluster_arrive must stand before",
                    site);
    if (m.cluster)
      m.cluster->wait(m, site);
    m.cta->order.barrier();
  });
}

/// The slice of the memory of each CTA that has the rank's number.
void buildStore(Builder &b, ttng::ClusterStoreOp op) {
  ttg::MemDescType type = op.getDst().getType();
  auto whole = RankedTensorType::get(type.getTileShape(), type.getElementType());
  auto to = std::make_shared<const SharedAccess>(b.accessOf(op, whole, op.getDst()));
  Tile x = b.get(op.getSrc());
  b.add([=](Machine &m) {
    m.cta->order.nextOperation();
    for (int64_t i = 0; i < x.count; ++i) {
      size_t element = m.rank * x.count + i;
      uint64_t address = to->base(m) + to->offsets[element];
      if (!m.cluster)
        to->write(m, address, m.at(x)[i]);
      for (size_t rank = 0; m.cluster && rank < m.program.ctas; ++rank)
        m.cluster->store(m, rank, *to, element, address, m.at(x)[i]);
    }
  });
}

void buildGather(Builder &b, ttng::ClusterGatherOp op) {
  Tile x = b.get(op.getSrc()), r = b.define(op.getResult());
  b.add([=, site = Builder::siteOf(op.getLoc())](Machine &m) {
    std::vector<Slot> all(m.at(x), m.at(x) + x.count);
    if (m.cluster)
      all = m.cluster->gather(m, std::move(all), site);
    if (!m.stopped)
      std::copy(all.begin(), all.end(), m.at(r));
  });
}
} // namespace

bool buildClusters(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](ttng::ClusterArriveOp op) {
        return b.add([releases = !op.getRelaxed()](Machine &m) {
          m.cta->hasArrivedAtCluster = true;
          if (m.cluster)
            m.cluster->arrive(m, releases);
        }),
               true;
      })
      .Case([&](ttng::ClusterWaitOp op) { return buildWait(b, op), true; })
      .Case([&](ttng::ClusterStoreOp op) { return buildStore(b, op), true; })
      .Case([&](ttng::ClusterGatherOp op) { return buildGather(b, op), true; })
      .Case([&](ttng::ClusterRankOp op) {
        Tile r = b.define(op.getResult());
        return b.add([=](Machine &m) { std::fill_n(m.at(r), r.count, m.rank); }), true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
