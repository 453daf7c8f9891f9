// The cache of QP contexts.
#pragma once

#include "hw/nic/context_store.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class QpContexts : public ContextStore, private DmaClient {
 public:
  explicit QpContexts(Units& units);
  ~QpContexts() override;

  /// Where contexts live: kContextBytes * limits.qps from `address` on.
  void set_memory(std::uint64_t address);
  /// The context in `slot` is made, and is in the cache; or goes, unwritten.
  void create(std::uint32_t slot);
  void destroy(std::uint32_t slot);

  Time want(std::uint32_t slot, Time at, unsigned cls, ContextClient& client,
            std::uint64_t ticket) override;

 private:
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;
};

}  // namespace railyard::nic
