"""The ICRC of RoCE v2 over IPv6, which scapy does not know: masked as IBTA Vol 1 A17.3.3 says."""

import struct
import zlib


def ipv6_icrc(packet):
    """Of an IPv6 packet from its first byte to the end of the pad; in wire order."""
    masked = bytearray(packet)
    masked[0] |= 0x0F  # traffic class, flow label
    masked[1:4] = b'\xff' * 3
    masked[7] = 0xFF  # hop limit
    masked[46:48] = b'\xff' * 2  # UDP checksum
    masked[52] = 0xFF  # FECN, BECN, reserved
    return struct.pack('<I', zlib.crc32(b'\xff' * 8 + masked))
