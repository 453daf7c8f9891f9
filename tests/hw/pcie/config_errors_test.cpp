// Advanced error reporting: what is logged, and when the log gives way.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "hw/pcie/config_space.h"
#include "tests/hw/pcie/config_tools.h"

namespace railyard::pcie {
namespace {

namespace cfg = config;
using Header = std::array<std::uint32_t, 4>;

constexpr Header kFirstHeader = {0x11, 0x22, 0x33, 0x44};
constexpr Header kSecondHeader = {0x55, 0x66, 0x77, 0x88};

class ConfigErrors : public testing::Test {
 protected:
  ConfigErrors() {
    space_.add_express({});
    space_.add_error_reporting();
    aer_ = test::extended_capability(space_, cfg::kAerCapability);
  }

  Header log() const {
    Header header{};
    for (unsigned i = 0; i < 4; ++i) header[i] = space_.read(aer_ + cfg::kHeaderLog + 4 * i);
    return header;
  }
  std::uint32_t status() const { return space_.read(aer_ + cfg::kUncorrectableStatus); }
  unsigned first_error() const { return space_.read(aer_ + cfg::kAerControl) & 31U; }
  std::uint32_t device_status() const { return space_.read(0x40 + cfg::kDeviceControl) >> 16; }

  ConfigSpace space_ = ConfigSpace::endpoint("nic0", {0x15B3, 1, 0, 0, false}, {});
  unsigned aer_ = 0;
};

TEST_F(ConfigErrors, EachErrorHasItsBit) {
  EXPECT_EQ(status(), 0U);
  space_.log_error(UncorrectableError::kCompletionTimeout, {});
  EXPECT_EQ(status(), 1U << 14);
  space_.log_error(UncorrectableError::kCompleterAbort, {});
  EXPECT_EQ(status(), 3U << 14);
  space_.log_error(UncorrectableError::kUnexpectedCompletion, {});
  EXPECT_EQ(status(), 7U << 14);
  EXPECT_EQ(device_status(), cfg::kNonFatalDetected >> 16);
  space_.log_error(UncorrectableError::kUnsupportedRequest, {});
  EXPECT_EQ(status(), 7U << 14 | 1U << 20);
  EXPECT_EQ(device_status(), (cfg::kNonFatalDetected | cfg::kUnsupportedDetected) >> 16);
}

TEST_F(ConfigErrors, TheFirstHeaderStaysUntilItsErrorIsCleared) {
  space_.log_error(UncorrectableError::kUnsupportedRequest, kFirstHeader);
  EXPECT_EQ(first_error(), 20U);
  EXPECT_EQ(log(), kFirstHeader);
  space_.log_error(UncorrectableError::kCompleterAbort, kSecondHeader);
  EXPECT_EQ(first_error(), 20U);
  EXPECT_EQ(log(), kFirstHeader);
  space_.write(aer_ + cfg::kUncorrectableStatus, 1U << 15);
  space_.log_error(UncorrectableError::kCompleterAbort, kSecondHeader);
  EXPECT_EQ(log(), kFirstHeader) << "another error was cleared";
  space_.write(aer_ + cfg::kUncorrectableStatus, 1U << 20);
  EXPECT_EQ(status(), 1U << 15);
  space_.log_error(UncorrectableError::kCompletionTimeout, kSecondHeader);
  EXPECT_EQ(first_error(), 14U);
  EXPECT_EQ(log(), kSecondHeader);
}

TEST_F(ConfigErrors, AMaskedErrorIsNotedButNotLogged) {
  space_.write(aer_ + cfg::kUncorrectableMask, ~0U);
  EXPECT_EQ(space_.read(aer_ + cfg::kUncorrectableMask), 7U << 14 | 1U << 20);
  space_.write(aer_ + cfg::kUncorrectableMask, 1U << 15);
  space_.log_error(UncorrectableError::kCompleterAbort, kFirstHeader);
  EXPECT_EQ(status(), 1U << 15);
  EXPECT_EQ(log(), Header{});
  EXPECT_EQ(first_error(), 0U);
  space_.log_error(UncorrectableError::kUnsupportedRequest, kSecondHeader);
  EXPECT_EQ(log(), kSecondHeader);
}

TEST_F(ConfigErrors, AMaskedErrorDoesNotKeepTheLogForAnError) {
  space_.log_error(UncorrectableError::kCompleterAbort, kFirstHeader);
  space_.write(aer_ + cfg::kUncorrectableStatus, 1U << 15);
  space_.write(aer_ + cfg::kUncorrectableMask, 1U << 15);
  space_.log_error(UncorrectableError::kCompleterAbort, {});
  space_.log_error(UncorrectableError::kUnsupportedRequest, kSecondHeader);
  EXPECT_EQ(log(), kSecondHeader);
  EXPECT_EQ(first_error(), 20U);
}

TEST_F(ConfigErrors, SeverityMakesAnErrorFatal) {
  space_.write(aer_ + cfg::kUncorrectableSeverity, 1U << 16);
  space_.log_error(UncorrectableError::kUnexpectedCompletion, {});
  EXPECT_EQ(device_status(), cfg::kFatalDetected >> 16);
}

TEST_F(ConfigErrors, TheLogCannotBeWritten) {
  space_.log_error(UncorrectableError::kUnsupportedRequest, kFirstHeader);
  const std::uint32_t control = space_.read(aer_ + cfg::kAerControl);
  for (unsigned i = 0; i < 4; ++i) space_.write(aer_ + cfg::kHeaderLog + 4 * i, ~0U);
  space_.write(aer_ + cfg::kAerControl, 0);
  EXPECT_EQ(log(), kFirstHeader);
  EXPECT_EQ(space_.read(aer_ + cfg::kAerControl), control);
  EXPECT_EQ(control, cfg::kTimeoutLogCapable | 20U);
}

TEST(ConfigErrorsReceived, AnAnswerThatIsNoSuccessShowsInStatusUntilItIsCleared) {
  ConfigSpace nic = ConfigSpace::endpoint("nic0", {0x15B3, 1, 0, 0, false}, {});
  ConfigSpace root = ConfigSpace::bridge("port0", {0x1D0F, 1, 0, 0, false});
  for (const auto& [space, offset] :
       {std::pair{&nic, cfg::kCommand}, std::pair{&root, cfg::kSecondaryStatus}}) {
    space->log_completion(Status::kSuccess);
    EXPECT_EQ(space->read(offset), 0U);
    space->log_completion(Status::kUnsupportedRequest);
    EXPECT_EQ(space->read(offset), 1U << 29);
    space->log_completion(Status::kCompleterAbort);
    EXPECT_EQ(space->read(offset), 3U << 28);
    space->write(offset, 1U << 29, 0xC);
    EXPECT_EQ(space->read(offset), 1U << 28);
  }
  EXPECT_EQ(root.read(cfg::kCommand), 0U);
}

TEST(ConfigErrorsWithout, AFunctionWithoutTheCapabilityStillSaysThatItSawAnError) {
  ConfigSpace space = ConfigSpace::endpoint("nic0", {0x15B3, 1, 0, 0, false}, {});
  space.log_error(UncorrectableError::kUnsupportedRequest, kFirstHeader);
  space.add_express({});
  space.log_error(UncorrectableError::kUnsupportedRequest, kFirstHeader);
  EXPECT_EQ(space.read(0x40 + cfg::kDeviceControl) >> 16, 0xAU);
  EXPECT_EQ(space.read(cfg::kExtendedCapabilities), 0U);
}

}  // namespace
}  // namespace railyard::pcie
