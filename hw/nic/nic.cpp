#include "hw/nic/nic.h"

#include <string>

#include "hw/congestion/algorithms.h"
#include "hw/congestion/congestion_control.h"
#include "hw/nic/commands.h"
#include "hw/nic/congestion_notifier.h"
#include "hw/nic/device_parts.h"
#include "hw/nic/qp_table.h"
#include "hw/nic/rate_gate.h"
#include "hw/nic/registers.h"

namespace railyard::nic {

namespace {

class Sides : public QueuePairSides {
 public:
  Sides(const Units& units, Requester& requester, Responder& responder)
      : units_(units), requester_(requester), responder_(responder) {}

  void doorbell(std::uint32_t number, std::uint16_t posted, Time at) override {
    requester_.doorbell(number, posted, at);
  }
  void blue_field(std::uint32_t number, const std::uint8_t* wqe, std::uint32_t bytes,
                  Time at) override {
    requester_.blue_field(number, wqe, bytes, at);
  }
  // From here on it answers READs, and its priority is known.
  void ready_to_receive(Qp& qp) override {
    if (units_.congestion != nullptr) units_.congestion->reopen(qp.slot, qp.priority());
    responder_.ready(qp);
  }
  void ready_to_send(Qp& qp) override { requester_.ready(qp); }
  void flush(Qp& qp) override {
    requester_.flush(qp);
    responder_.flush(qp);
  }
  void reset(Qp& qp) override {
    requester_.reset(qp);
    responder_.reset(qp);
  }

 private:
  const Units& units_;
  Requester& requester_;
  Responder& responder_;
};

class Keys : public KeyTable {
 public:
  explicit Keys(MemoryKeys& keys) : keys_(keys) {}

  std::uint64_t memory_bytes() const override { return keys_.memory_bytes(); }
  void set_memory(std::uint64_t address) override { keys_.set_memory(address); }
  abi::CommandStatus create(const KeyShape& shape, const std::vector<std::uint64_t>& pages,
                            std::uint32_t& key) override {
    return keys_.create(shape, pages, key);
  }
  abi::CommandStatus destroy(std::uint32_t key) override { return keys_.destroy(key); }
  bool uses_pd(std::uint32_t pd) const override { return keys_.uses_pd(pd); }

 private:
  MemoryKeys& keys_;
};

class Queues : public QueueTable {
 public:
  explicit Queues(Completions& completions) : completions_(completions) {}

  void create_eq(std::uint32_t number, const EqShape& shape) override {
    completions_.create_eq(number, shape);
  }
  void destroy_eq(std::uint32_t number) override { completions_.destroy_eq(number); }
  void create_cq(std::uint32_t number, const CqShape& shape) override {
    completions_.create_cq(number, shape);
  }
  void modify_cq(std::uint32_t number, Time moderation, std::uint32_t count) override {
    completions_.modify_cq(number, moderation, count);
  }
  void destroy_cq(std::uint32_t number) override { completions_.destroy_cq(number); }
  void arm_cq(std::uint32_t number, std::uint32_t word) override {
    completions_.arm_cq(number, word);
  }
  void consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm) override {
    completions_.consume_eq(number, consumer, arm);
  }

 private:
  Completions& completions_;
};

class Contexts : public ContextTable {
 public:
  explicit Contexts(QpContexts& contexts) : contexts_(contexts) {}

  void set_memory(std::uint64_t address) override { contexts_.set_memory(address); }
  void create(std::uint32_t slot) override { contexts_.create(slot); }
  void destroy(std::uint32_t slot) override { contexts_.destroy(slot); }

 private:
  QpContexts& contexts_;
};

std::uint32_t megabits(const Rate& rate) {
  constexpr std::uint64_t kMega = 1'000'000;
  return static_cast<std::uint32_t>(rate.numerator() / rate.denominator() / kMega);
}

}  // namespace

/// Each is made when all that it needs already at its making is there; what it needs in the run, it
/// finds in `units` then.
struct Nic::Parts {
  Parts(const std::string& name, Partition& in, const NicConfig& settings,
        const NicAddress& address)
      : config(settings), objects(config.limits) {
    units.partition = &in;
    units.name = name;
    units.config = &config;
    units.address = address;
    units.qps = &objects.qps;
  }

  void make_units(pcie::Function& function, Rate line_rate, const std::string& peer,
                  Blocks& blocks);
  void make_software_side(Rate line_rate);
  void open_congestion(Rate line_rate, Blocks& blocks);
  std::string name_of_slot(std::uint32_t slot) const;

  NicConfig config;
  Units units;
  Objects objects;
  DeviceHealth health;
  std::unique_ptr<CongestionControl> congestion;
  std::unique_ptr<RateGate> rates;
  std::unique_ptr<DmaEngine> dma;
  std::unique_ptr<QpContexts> contexts;
  std::unique_ptr<MemoryKeys> keys;
  std::unique_ptr<Completions> completions;
  std::unique_ptr<Mac> mac;
  std::unique_ptr<Transmitter> transmitter;
  std::unique_ptr<Requester> requester;
  std::unique_ptr<Responder> responder;
  std::unique_ptr<CongestionNotifier> notifier;
  std::unique_ptr<ReceivePipeline> pipeline;
  std::unique_ptr<QueuePairSides> sides;
  std::unique_ptr<KeyTable> key_table;
  std::unique_ptr<QueueTable> queue_table;
  std::unique_ptr<ContextTable> context_table;
  std::unique_ptr<Commands> commands;
  std::unique_ptr<Registers> registers;
};

void Nic::Parts::open_congestion(Rate line_rate, Blocks& blocks) {
  congestion =
      make_congestion_control(config.congestion, {*units.partition, units.name, line_rate, blocks});
  units.congestion = congestion.get();
  if (!congestion) return;
  for (std::uint32_t slot = 0; slot < config.limits.qps; ++slot) {
    congestion->open({name_of_slot(slot), 0});
  }
  congestion->seal();
  rates = std::make_unique<RateGate>(units);
  units.rates = rates.get();
}

/// Of queue pairs that nobody named the first have a name, as elsewhere.
std::string Nic::Parts::name_of_slot(std::uint32_t slot) const {
  if (slot < config.qp_names.size()) return config.qp_names[slot];
  const bool shown = config.qp_names.empty() && slot < RequesterMetrics::kProbedSlots;
  return shown ? units.name + ".qp" + std::to_string(slot) : "";
}

void Nic::Parts::make_units(pcie::Function& function, Rate line_rate, const std::string& peer,
                            Blocks& blocks) {
  open_congestion(line_rate, blocks);
  dma = std::make_unique<DmaEngine>(units, function);
  units.dma = dma.get();
  contexts = std::make_unique<QpContexts>(units);
  units.contexts = contexts.get();
  keys = std::make_unique<MemoryKeys>(units);
  units.translation = keys.get();
  completions = std::make_unique<Completions>(units);
  completions->set_overrun([this] { health.report(abi::Health::kEventQueueOverrun, 0); });
  units.completions = completions.get();
  mac = std::make_unique<Mac>("mac", units, line_rate, peer, blocks);
  units.receive_buffer = mac.get();
  transmitter = std::make_unique<Transmitter>(units, *mac);
  units.transmit = transmitter.get();
  requester = std::make_unique<Requester>(units);
  units.requester = requester.get();
  responder = std::make_unique<Responder>(units);
  units.responder = responder.get();
  notifier = std::make_unique<CongestionNotifier>(units, blocks);
  pipeline = std::make_unique<ReceivePipeline>(units, *notifier);
  mac->set_source(*transmitter);
  mac->set_receiver([this](net::Packet& packet) { pipeline->take(packet); });
}

void Nic::Parts::make_software_side(Rate line_rate) {
  sides = std::make_unique<Sides>(units, *requester, *responder);
  key_table = std::make_unique<Keys>(*keys);
  queue_table = std::make_unique<Queues>(*completions);
  context_table = std::make_unique<Contexts>(*contexts);
  const DeviceParts all{*sides, *key_table, *queue_table, *context_table};
  commands = std::make_unique<Commands>(units, objects, all, health, megabits(line_rate));
  units.control = &commands->qp_control();
  registers = std::make_unique<Registers>(units, objects, all, health, *commands);
}

Nic::Nic(sc_core::sc_module_name name, Partition& partition, const NicConfig& config,
         const NicAddress& address, pcie::Function& function, Rate line_rate,
         const std::string& peer, Blocks& blocks)
    : sc_module(name), parts_(std::make_unique<Parts>(this->name(), partition, config, address)) {
  parts_->make_units(function, line_rate, peer, blocks);
  parts_->make_software_side(line_rate);
}

Nic::~Nic() = default;

Mac& Nic::mac() { return *parts_->mac; }

void Nic::set_observer(Observer& observer) { parts_->units.observer = &observer; }

void Nic::set_delivery_observer(DeliveryObserver& observer) {
  parts_->units.deliveries = &observer;
}

void Nic::start_of_simulation() {
  if (parts_->congestion) parts_->congestion->start();
  parts_->notifier->start();
}

void Nic::register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                         std::uint32_t bytes, std::uint8_t byte_enables) {
  parts_->registers->register_write(bar, offset, data, bytes, byte_enables);
}

pcie::Status Nic::register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                                std::uint32_t bytes) {
  return parts_->registers->register_read(bar, offset, data, bytes);
}

std::size_t Nic::bytes_a_queue_pair() { return sizeof(Qp); }

}  // namespace railyard::nic
