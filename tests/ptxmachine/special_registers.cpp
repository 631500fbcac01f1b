// Names of special registers.
#include "special_registers.h"

#include <utility>

namespace ptxmachine {

std::optional<uint32_t> specialRegister(std::string_view name) {
  static constexpr std::pair<std::string_view, Special> names[] = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NwarpId},
      {"%smid", Special::SmId},
      {"%nsmid", Special::NsmId},
      {"%gridid", Special::GridId},
      {"%lanemask_eq", Special::LanemaskEq},
      {"%lanemask_le", Special::LanemaskLe},
      {"%lanemask_lt", Special::LanemaskLt},
      {"%lanemask_ge", Special::LanemaskGe},
      {"%lanemask_gt", Special::LanemaskGt},
      {"%dynamic_smem_size", Special::DynamicSharedSize},
      {"%total_smem_size", Special::TotalSharedSize},
      {"%clock", Special::Clock},
      {"%clock_hi", Special::ClockHi},
      {"%clock64", Special::Clock64},
      {"%globaltimer", Special::GlobalTimer},
      {"%globaltimer_lo", Special::GlobalTimerLo},
      {"%globaltimer_hi", Special::GlobalTimerHi},
      {"%clusterid.x", Special::CtaidX},
      {"%clusterid.y", Special::CtaidY},
      {"%clusterid.z", Special::CtaidZ},
      {"%nclusterid.x", Special::NctaidX},
      {"%nclusterid.y", Special::NctaidY},
      {"%nclusterid.z", Special::NctaidZ},
      {"%cluster_ctaid.x", Special::Zero},
      {"%cluster_ctaid.y", Special::Zero},
      {"%cluster_ctaid.z", Special::Zero},
      {"%cluster_nctaid.x", Special::One},
      {"%cluster_nctaid.y", Special::One},
      {"%cluster_nctaid.z", Special::One},
      {"%cluster_ctarank", Special::Zero},
      {"%cluster_nctarank", Special::One},
      {"%is_explicit_cluster", Special::Zero},
      {"%reserved_smem_offset_begin", Special::ReservedShared},
      {"%reserved_smem_offset_end", Special::ReservedShared},
      {"%reserved_smem_offset_cap", Special::ReservedShared},
      {"%reserved_smem_offset_0", Special::ReservedShared},
      {"%reserved_smem_offset_1", Special::ReservedShared}};
  for (const auto &[known, special] : names)
    if (known == name)
      return static_cast<uint32_t>(special);
  return std::nullopt;
}

} // namespace ptxmachine
