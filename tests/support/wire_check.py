"""Judges frames of our encoder by others' decoders: wire_check.py PROGRAM.

PROGRAM prints "NAME HEX" lines. scapy computes the ICRC of IPv4 packets, zlib that of IPv6 packets
(masked as IBTA annex A17.3.3 says) and every FCS, and tshark must dissect all without complaint.
"""

import os
import struct
import subprocess
import sys
import tempfile
import zlib

from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether

from icrc import ipv6_icrc


def ip_offset(frame):
    return 18 if frame[12:14] == b"\x81\x00" else 14


def write_pcap(path, frames):
    with open(path, "wb") as out:
        # Link type 1 with a 4-byte FCS: bits 28-31 the length in 16-bit words, bit 26 "present".
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 2 << 28 | 1 << 26 | 1))
        for frame in frames:
            out.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


def tshark_rows(frames):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frames.pcap")
        write_pcap(path, frames)
        fields = ["infiniband.bth.opcode", "_ws.expert.message", "_ws.malformed", "eth.fcs.status"]
        # RoCE v2 sends UDP checksum 0 over IPv6 too; tshark takes that as an error unless told.
        command = ["tshark", "-r", path, "-T", "fields", "-E", "separator=|",
                   "-o", "eth.check_fcs:TRUE", "-o", "ip.check_checksum:TRUE",
                   "-o", "udp.ignore_ipv6_zero_checksum:TRUE",
                   "--disable-heuristic", "eth_over_ib"]
        # The protocols above RoCE would guess at random payload.
        for guess in ("rpcordma", "smc", "smb_direct", "nvme-rdma", "lnet", "iser", "fcoib",
                      "infiniband.eoib", "infiniband_sdp"):
            command += ["--disable-protocol", guess]
        for field in fields:
            command += ["-e", field]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [line.split("|") for line in text.splitlines()]


def main():
    environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True,
                           env=environment).stdout.split("\n")
    named = [line.split() for line in lines if line.strip()]
    frames = [bytes.fromhex(text) for _, text in named]
    rows = tshark_rows(frames)
    assert len(rows) == len(frames) > 400, (len(rows), len(frames))
    judged = {4: 0, 6: 0}
    for (name, text), frame, row in zip(named, frames, rows):
        assert struct.pack("<I", zlib.crc32(frame[:-4])) == frame[-4:], f"FCS of {name} {text}"
        ip = ip_offset(frame)
        version = frame[ip] >> 4
        length = (struct.unpack_from(">H", frame, ip + 2)[0] if version == 4
                  else 40 + struct.unpack_from(">H", frame, ip + 4)[0])
        packet = frame[ip:ip + length]
        if version == 4:
            bth = Ether(frame[:ip + length])[BTH]
            expected = bth.compute_icrc(bytes(bth)[:-4])
        else:
            expected = ipv6_icrc(packet[:-4])
        assert packet[-4:] == expected, f"ICRC of {name} {text}: expected {expected.hex()}"
        judged[version] += 1
        opcode, complaint, malformed, fcs = row
        assert int(opcode, 0) == packet[28 if version == 4 else 48], (name, row)
        assert not complaint and not malformed and fcs == "1", (name, text, row)
    print(f"{judged[4]} IPv4 and {judged[6]} IPv6 frames agree")


main()
