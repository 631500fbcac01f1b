// One signature of a function: the choice of facts for its kernels.
#include "launch/overload.h"

#include "launch/launch_facts.h"

namespace treadle {

Facts DeviceVariants::wanted(const Facts &facts) const {
  if (find(facts.key()))
    return facts;
  unsigned specific = 0, forRows = 0;
  for (unsigned i = 0, published = count(); i < published; ++i) {
    specific += variants[i]->image->facts != Facts{};
    forRows += variants[i]->factsKey.rows != 0;
  }
  Facts kept = facts;
  if (forRows >= maxForRows)
    kept.rows = 0;
  return specific < maxSpecific || find(kept.key()) ? kept : Facts{};
}

Facts Overload::factsOf(const ConfigFacts &config, std::span<const ArgumentLeaf> leaves, const Device &device) const {
  const bool hasWorkers = (wanted.lanes.preferred != 0 || !wanted.tables.empty()) && device.code().runsOnWorkers();
  Facts facts = treadle::factsOf(hasWorkers ? config.of(wanted.lanes) : config.facts, leaves);
  if (hasWorkers)
    facts.tables = tablesOf(leaves, wanted.tables, config.threads);
  if (wanted.rows.useful != 0)
    facts.rows = rowsOf(leaves, wanted.rows);
  return facts;
}

Facts Overload::likelyFacts(const Device &device) const {
  Facts facts = treadle::likelyFacts();
  if (device.code().runsOnWorkers())
    facts.laneAxis = wanted.lanes.preferred;
  return facts;
}

} // namespace treadle
