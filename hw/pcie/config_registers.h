// Offsets and bits of configuration space: PCI Express Base Specification 5.0, chapter 7. Offsets
// are in bytes; those of a capability's registers count from the capability. Masks are those of a
// whole dword at the offset rounded down to 4, unless they say that they are of 16 bits.
#pragma once

#include <cstdint>

namespace railyard::pcie::config {

constexpr unsigned kBytes = 4096;
constexpr unsigned kNoVendor = 0xFFFF;  // what a read of a function that is not there gives

// Both headers (7.5.1.1)
constexpr unsigned kVendorId = 0x00;
constexpr unsigned kCommand = 0x04;                       // 16 bits (7.5.1.1.3)
constexpr std::uint32_t kMemorySpace = 1U << 1;           // answers memory requests
constexpr std::uint32_t kBusMaster = 1U << 2;             // may send requests
constexpr std::uint32_t kParityResponse = 1U << 6;        //
constexpr std::uint32_t kSystemError = 1U << 8;           // SERR# enable
constexpr std::uint32_t kInterruptDisable = 1U << 10;     //
constexpr std::uint32_t kCapabilityList = 1U << 20;       // status, 16 bits above (7.5.1.1.4)
constexpr std::uint32_t kStatusDetected = 0xF900U << 16;  // what a write of 1 clears
constexpr std::uint32_t kReceivedTargetAbort = 1U << 28;
constexpr std::uint32_t kReceivedMasterAbort = 1U << 29;
constexpr unsigned kRevision = 0x08;                    // 8 bits, class code above (7.5.1.1.6)
constexpr unsigned kCacheLine = 0x0C;                   // header type in bits 23:16
constexpr std::uint32_t kHeaderTypeMask = 0x7FU << 16;  // 0: function, 1: bridge (7.5.1.1.9)
constexpr std::uint32_t kMultiFunction = 1U << 23;      //
constexpr unsigned kCapabilityPointer = 0x34;           // (7.5.1.1.11)
constexpr unsigned kInterruptLine = 0x3C;               // 8 bits, software's own

// Base address registers (7.5.1.2.1)
constexpr unsigned kBar0 = 0x10;
constexpr unsigned kBars = 6;
constexpr std::uint32_t kBarIo = 1U << 0;
constexpr std::uint32_t kBar64 = 2U << 1;
constexpr std::uint32_t kBarPrefetchable = 1U << 3;
constexpr std::uint32_t kBarAddress = ~0xFU;

// Type 1 header (7.5.1.3)
constexpr unsigned kBusNumbers = 0x18;        // primary, secondary, subordinate: 8 bits each
constexpr unsigned kSecondaryStatus = 0x1C;   // the upper 16 bits; I/O base and limit below
constexpr unsigned kMemoryBase = 0x20;        // limit in the upper 16 bits (7.5.1.3.8)
constexpr unsigned kPrefetchableBase = 0x24;  // likewise (7.5.1.3.9)
constexpr unsigned kPrefetchableBaseUpper = 0x28;
constexpr unsigned kPrefetchableLimitUpper = 0x2C;
constexpr std::uint32_t kWindowBits = 0xFFF0FFF0;  // address bits 31:20 of base and limit
constexpr std::uint32_t kWindow64 = 0x00010001;    // bits that say: 64-bit addresses
constexpr std::uint64_t kWindowGranularity = 1ULL << 20;
constexpr std::uint32_t kBridgeControl = 0x3C;               // the upper 16 bits (7.5.1.3.13)
constexpr std::uint32_t kBridgeControlBits = 0x0043U << 16;  // parity, SERR#, secondary bus reset

// Capability identities
constexpr unsigned kExpressCapability = 0x10;
constexpr unsigned kMsixCapability = 0x11;
constexpr unsigned kAerCapability = 0x0001;  // extended
constexpr unsigned kAcsCapability = 0x000D;  // extended
constexpr unsigned kExtendedCapabilities = 0x100;

// PCI Express capability (7.5.3)
constexpr unsigned kExpressBytes = 0x3C;
constexpr unsigned kDeviceCapabilities = 0x04;              // (7.5.3.3)
constexpr std::uint32_t kPayloadSupported = 0x7;            // 128 B << value
constexpr std::uint32_t kExtendedTagSupported = 1U << 5;    //
constexpr std::uint32_t kRoleBasedErrors = 1U << 15;        // must be set since 1.1
constexpr unsigned kDeviceControl = 0x08;                   // 16 bits (7.5.3.4)
constexpr std::uint32_t kErrorReporting = 0xF;              //
constexpr std::uint32_t kRelaxedOrdering = 1U << 4;         //
constexpr unsigned kPayloadShift = 5;                       // bits 7:5
constexpr std::uint32_t kExtendedTag = 1U << 8;             //
constexpr std::uint32_t kNoSnoop = 1U << 11;                //
constexpr unsigned kReadRequestShift = 12;                  // bits 14:12
constexpr std::uint32_t kSizeMask = 0x7;                    // of both sizes
constexpr std::uint32_t kDeviceStatusBits = 0xFU << 16;     // 16 bits above (7.5.3.5)
constexpr std::uint32_t kNonFatalDetected = 1U << 17;       //
constexpr std::uint32_t kFatalDetected = 1U << 18;          //
constexpr std::uint32_t kUnsupportedDetected = 1U << 19;    //
constexpr unsigned kLinkCapabilities = 0x0C;                // (7.5.3.6)
constexpr unsigned kLinkControl = 0x10;                     // 16 bits (7.5.3.7)
constexpr std::uint32_t kReadCompletionBoundary = 1U << 3;  // 128 B, not 64 B
constexpr std::uint32_t kLinkSpeedMask = 0xF;               // generation
constexpr unsigned kLinkWidthShift = 4;                     // bits 9:4
constexpr std::uint32_t kLinkWidthMask = 0x3F;              //
constexpr unsigned kLinkStatusShift = 16;                   // status: 16 bits above (7.5.3.8)
constexpr std::uint32_t kLinkActive = 1U << 29;             // data link layer link active
constexpr std::uint32_t kLinkActiveReporting = 1U << 20;    // link capabilities
constexpr unsigned kDeviceCapabilities2 = 0x24;             // (7.5.3.15)
constexpr std::uint32_t kTimeoutRanges = 0xF;               // A, B, C and D
constexpr std::uint32_t kTimeoutDisableSupported = 1U << 4;
constexpr std::uint32_t kTenBitCompleterSupported = 1U << 16;
constexpr std::uint32_t kTenBitRequesterSupported = 1U << 17;
constexpr unsigned kDeviceControl2 = 0x28;    // 16 bits (7.5.3.16)
constexpr std::uint32_t kTimeoutValue = 0xF;  //
constexpr std::uint32_t kTimeoutDisable = 1U << 4;
constexpr std::uint32_t kTenBitTag = 1U << 12;  // requester enable
constexpr unsigned kLinkCapabilities2 = 0x2C;   // supported speeds from bit 1 (7.5.3.18)

// MSI-X (7.7.2)
constexpr unsigned kMsixBytes = 0x0C;
constexpr std::uint32_t kMsixSizeMask = 0x7FFU << 16;  // entries less one
constexpr std::uint32_t kMsixFunctionMask = 1U << 30;
constexpr std::uint32_t kMsixEnable = 1U << 31;
constexpr unsigned kMsixTable = 0x04;    // bits 2:0 the BAR, the others the offset (7.7.2.3)
constexpr unsigned kMsixPending = 0x08;  // likewise (7.7.2.4)
constexpr std::uint32_t kMsixBarMask = 0x7;

// Advanced error reporting (7.8.4)
constexpr unsigned kAerBytes = 0x48;
constexpr unsigned kUncorrectableStatus = 0x04;
constexpr unsigned kUncorrectableMask = 0x08;
constexpr unsigned kUncorrectableSeverity = 0x0C;
constexpr unsigned kAerControl = 0x18;  // first error pointer in bits 4:0 (7.8.4.7)
constexpr std::uint32_t kFirstErrorMask = 0x1F;
constexpr std::uint32_t kTimeoutLogCapable = 1U << 12;
constexpr unsigned kHeaderLog = 0x1C;  // four dwords (7.8.4.8)

// Access control services (7.7.8)
constexpr unsigned kAcsBytes = 0x08;
constexpr unsigned kAcs = 0x04;  // capability; control in the upper 16 bits
constexpr unsigned kAcsControlShift = 16;
constexpr std::uint32_t kAcsRequestRedirect = 1U << 2;
constexpr std::uint32_t kAcsCompletionRedirect = 1U << 3;

}  // namespace railyard::pcie::config
