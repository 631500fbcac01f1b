// One signature of a function: under which facts its kernels are compiled.
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

Facts Overload::factsOf(const Facts &configFacts, std::span<const ArgumentLeaf> leaves) const {
  Facts facts = treadle::factsOf(configFacts, leaves);
  if (rows.useful != 0)
    facts.rows = rowsOf(leaves, rows);
  return facts;
}

} // namespace treadle
