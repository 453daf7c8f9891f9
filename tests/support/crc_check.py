"""Every CRC of a capture computed anew: FCS by zlib, ICRC by scapy (IPv4) or zlib (IPv6)."""

import struct
import zlib

from icrc import ipv6_icrc
from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapNgReader


def raw_frames(path):
    reader = RawPcapNgReader(str(path))
    try:
        return [data for data, _ in reader]
    finally:
        reader.close()


def icrc(frame):
    """Of a frame of RoCE v2 with its FCS; with what may pad it to 64 B."""
    ip = 18 if frame[12:14] == b'\x81\x00' else 14
    version = frame[ip] >> 4
    length = (struct.unpack_from('>H', frame, ip + 2)[0] if version == 4
              else 40 + struct.unpack_from('>H', frame, ip + 4)[0])
    packet = frame[ip:ip + length]
    if version == 6:
        return packet[-4:], ipv6_icrc(packet[:-4])
    bth = Ether(frame[:ip + length])[BTH]
    return packet[-4:], bth.compute_icrc(bytes(bth)[:-4])


def wrong_crcs(frames):
    """What is wrong with them, a line each; MAC control frames have no ICRC."""
    wrong = []
    for number, frame in enumerate(frames):
        if struct.pack('<I', zlib.crc32(frame[:-4])) != frame[-4:]:
            wrong.append(f'frame {number}: FCS')
        if frame[12:14] == b'\x88\x08':
            continue
        has, wanted = icrc(frame)
        if has != wanted:
            wrong.append(f'frame {number}: ICRC is {has.hex()}, not {wanted.hex()}')
    return wrong
