// A platform that is a tester fabric: what is left to say is its name and what it is shipped with.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "platforms/common/fabric/fabric_config.h"
#include "platforms/common/platform.h"

namespace railyard {

class FabricPlatform : public Platform {
 public:
  /// `defaults` are the keys that no configuration writes. `config` is the path of the one that it
  /// is shipped with.
  FabricPlatform(std::string name, std::string doc, std::string config, FabricConfig defaults)
      : name_(std::move(name)),
        doc_(std::move(doc)),
        config_path_(std::move(config)),
        config_(std::move(defaults)) {}

  std::string name() const override { return name_; }
  std::string doc() const override { return doc_; }
  std::string default_config() const override { return config_path_; }
  void declare(Parameters& p) override { config_.declare(p); }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& run) override;

 private:
  std::string name_;
  std::string doc_;
  std::string config_path_;
  FabricConfig config_;
};

}  // namespace railyard
