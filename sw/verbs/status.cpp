// Names of values, and rates.
#include "sw/verbs/objects.h"

namespace {

/// The name at `index`, or what is said of others.
template <std::size_t N>
const char* name_at(const std::array<const char*, N>& names, int index, const char* other) {
  return index >= 0 && static_cast<std::size_t>(index) < N ? names[index] : other;
}

struct RateRow {
  ibv_rate rate;
  int multiple;  // of 2.5 Gb/s, rounded as the names are
  int mbps;
};

constexpr std::array<RateRow, 23> kRates{{
    {IBV_RATE_2_5_GBPS, 1, 2500},       {IBV_RATE_5_GBPS, 2, 5000},
    {IBV_RATE_10_GBPS, 4, 10000},       {IBV_RATE_20_GBPS, 8, 20000},
    {IBV_RATE_30_GBPS, 12, 30000},      {IBV_RATE_40_GBPS, 16, 40000},
    {IBV_RATE_60_GBPS, 24, 60000},      {IBV_RATE_80_GBPS, 32, 80000},
    {IBV_RATE_120_GBPS, 48, 120000},    {IBV_RATE_14_GBPS, 6, 14062},
    {IBV_RATE_56_GBPS, 22, 56250},      {IBV_RATE_112_GBPS, 45, 112500},
    {IBV_RATE_168_GBPS, 67, 168750},    {IBV_RATE_25_GBPS, 10, 25781},
    {IBV_RATE_100_GBPS, 41, 103125},    {IBV_RATE_200_GBPS, 82, 206250},
    {IBV_RATE_300_GBPS, 124, 309375},   {IBV_RATE_28_GBPS, 11, 28125},
    {IBV_RATE_50_GBPS, 20, 53125},      {IBV_RATE_400_GBPS, 170, 425000},
    {IBV_RATE_600_GBPS, 255, 637500},   {IBV_RATE_800_GBPS, 340, 850000},
    {IBV_RATE_1200_GBPS, 510, 1275000},
}};

}  // namespace

const char* ibv_wc_status_str(ibv_wc_status status) {
  static constexpr std::array<const char*, 24> kNames{
      "success",
      "local length error",
      "local QP operation error",
      "local EE context operation error",
      "local protection error",
      "Work Request Flushed Error",
      "memory management operation error",
      "bad response error",
      "local access error",
      "remote invalid request error",
      "remote access error",
      "remote operation error",
      "transport retry counter exceeded",
      "RNR retry counter exceeded",
      "local RDD violation error",
      "remote invalid RD request",
      "aborted error",
      "invalid EE context number",
      "invalid EE context state",
      "fatal error",
      "response timeout error",
      "general error",
      "TM error",
      "TM software rendezvous",
  };
  return name_at(kNames, status, "unknown");
}

const char* ibv_node_type_str(ibv_node_type node_type) {
  static constexpr std::array<const char*, 8> kNames{
      "unknown",           "InfiniBand channel adapter",
      "InfiniBand switch", "InfiniBand router",
      "iWARP NIC",         "usNIC",
      "usNIC UDP",         "unspecified",
  };
  return name_at(kNames, node_type, "unknown");
}

const char* ibv_port_state_str(ibv_port_state port_state) {
  static constexpr std::array<const char*, 6> kNames{
      "no state change (NOP)", "down", "init", "armed", "active", "active defer",
  };
  return name_at(kNames, port_state, "invalid state");
}

const char* ibv_event_type_str(ibv_event_type event) {
  static constexpr std::array<const char*, 20> kNames{
      "CQ error",
      "local work queue catastrophic error",
      "invalid request local work queue error",
      "local access violation work queue error",
      "communication established",
      "send queue drained",
      "path migrated",
      "path migration request error",
      "local catastrophic error",
      "port active",
      "port error",
      "LID change",
      "P_Key change",
      "SM change",
      "SRQ catastrophic error",
      "SRQ limit reached",
      "last WQE reached",
      "client reregistration",
      "GID table change",
      "WQ fatal",
  };
  return name_at(kNames, event, "unknown event");
}

int ibv_rate_to_mult(ibv_rate rate) {
  for (const RateRow& row : kRates) {
    if (row.rate == rate) return row.multiple;
  }
  return -1;
}

ibv_rate mult_to_ibv_rate(int mult) {
  for (const RateRow& row : kRates) {
    if (row.multiple == mult) return row.rate;
  }
  return IBV_RATE_MAX;
}

int ibv_rate_to_mbps(ibv_rate rate) {
  for (const RateRow& row : kRates) {
    if (row.rate == rate) return row.mbps;
  }
  return -1;
}

ibv_rate mbps_to_ibv_rate(int mbps) {
  for (const RateRow& row : kRates) {
    if (row.mbps == mbps) return row.rate;
  }
  return IBV_RATE_MAX;
}
