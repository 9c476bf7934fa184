//===- Rates.cpp - what a GPU does in a clock -----------------------------===//

#include "tritium/Simulator/Rates.h"

using namespace tritium::sim;

/// 9.0: memory is what a copy reaches, 3.3 TB/s on an H100 and 4.5 on an H200 at 1755 MHz, without
/// the launch; L2 what kernels reach that it bounds, 6800 bytes a clock of the whole GPU; the rest
/// is documented, the share of mma.sync published. Others: documented bandwidth, of which a copy
/// reaches nine tenths.
static constexpr Rates rates[] = {{75, "", 1590, 2.5, 22, 2, 64, 1024, 1, 6},
                                  {80, "", 1410, 9.2, 47, 4, 128, 2048, 1, 40},
                                  {86, "", 1695, 5.9, 24, 4, 128, 1024, 1, 6},
                                  {89, "", 2520, 2.5, 24, 4, 128, 1024, 1, 96},
                                  {90, "H100", 1755, 14.2, 51.8, 4, 128, 4096, 0.62, 50},
                                  {90, "H200", 1755, 19.4, 51.8, 4, 128, 4096, 0.62, 50}};

std::span<const Rates> tritium::sim::knownRates() { return rates; }

const Rates &tritium::sim::ratesOf(unsigned capability, std::string_view gpu) {
  const Rates *found = &rates[0];
  for (const Rates &each : rates)
    if (each.capability <= capability &&
        (found->capability != capability || gpu.empty() || gpu == each.gpu))
      found = &each;
  return *found;
}
