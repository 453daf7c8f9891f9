// DMA of a NIC: bounds the reads outstanding by use, keeps writes in order, counts both.
#pragma once

#include "hw/nic/dma_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class DmaEngine : public DmaPath, private pcie::DmaListener {
 public:
  DmaEngine(Units& units, pcie::Function& function);
  ~DmaEngine() override;

  void read(const DmaRead& read, DmaClient& client) override;
  void write(const DmaWrite& write, DmaClient* client) override;
  bool payload_room(std::uint32_t bytes) const override;
  void interrupt(unsigned vector) override;

 private:
  void dma_done(const pcie::DmaDone& done) override;
};

}  // namespace railyard::nic
