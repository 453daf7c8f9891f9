"""Wireshark, scapy and zlib agree with a capture of every opcode, and it with what was posted:
capture_check.py PROGRAM, which is transfer_capture."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from crc_check import raw_frames, wrong_crcs  # noqa: E402
import tshark  # noqa: E402

PSNS = 1 << 24
READ_REQUEST, READ_FIRST, ACKNOWLEDGE = 0x0C, 0x0D, 0x11
# FIRST, MIDDLE, LAST, ONLY.
OPCODES = {'SEND': (0, 1, 2, 4), 'SEND_WITH_IMM': (0, 1, 3, 5), 'WRITE': (6, 7, 8, 0xA),
           'WRITE_WITH_IMM': (6, 7, 9, 0xB), 'READ': (0xD, 0xE, 0xF, 0x10)}
P_KEY, ACK = 0xFFFF, 0x1F


def cut(size, mtu, opcodes):
    """(opcode, payload) of each packet of a message."""
    first, middle, last, only = opcodes
    if size <= mtu:
        return [(only, size)]
    count = -(-size // mtu)
    payloads = [mtu] * (count - 1) + [size - (count - 1) * mtu]
    return list(zip([first] + [middle] * (count - 2) + [last], payloads))


def immediate_of(packet):
    """tshark writes hexadecimal digits, and those twice."""
    told = packet['immediate']
    if told is None:
        return None
    text = f'{told:08d}' if isinstance(told, int) else told.split(',')[0]
    return int(text, 16)


class Check:
    def __init__(self, mtu, version, data, program, path):
        self.mtu, self.version, self.data = mtu, version, data
        out = subprocess.run([program, path, str(mtu), str(version), data], check=True,
                             capture_output=True, text=True,
                             env={**os.environ, 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'}).stdout
        lines = [line.split() for line in out.splitlines() if line.strip()]
        self.qps = [int(line[0]) for line in lines[:2]]
        self.psn = [int(line[1]) for line in lines[:2]][0]  # the poster's
        self.messages = [(line[0], *map(int, line[1:])) for line in lines[2:]]
        self.packets = tshark.packets(path, more=tshark.RC_FIELDS)
        self.frames = raw_frames(path)

    def expect(self, packet, **wanted):
        for field, value in wanted.items():
            assert packet[field] == value, (self.mtu, self.version, self.data, field, value, packet)

    def on_line(self, extra, payload):
        headers = 14 + {4: 20, 6: 40}[self.version] + 8 + 12
        return max(64, headers + extra + -(-payload // 4) * 4 + 4 + 4)

    def common(self, packet, side, opcode, psn, payload, extra):
        self.expect(packet, opcode=opcode, psn=psn % PSNS, pad=-payload % 4, p_key=P_KEY,
                    destination_qp=self.qps[1 - side], solicited=0,
                    bytes=self.on_line(extra, payload))

    def run(self):
        complaints = tshark.complaints(self.packets)
        assert not complaints, complaints[:3]
        if self.data == 'carried':
            wrong = wrong_crcs(self.frames)
            assert not wrong, wrong[:3]
            assert {p['fcs'] for p in self.packets} == {1}
        ends = [[p for p in self.packets if p['interface'] == f'h{side}.link0'
                 and p['direction'] == tshark.OUTBOUND] for side in (0, 1)]
        assert len(self.packets) == 2 * sum(map(len, ends)), 'a packet is lost'
        requests, responses = map(iter, ends)
        for msn, message in enumerate(self.messages, 1):
            if message[0] == 'READ':
                self.read(requests, responses, msn, *message)
            else:
                self.write_or_send(requests, responses, msn, *message)
        assert next(requests, None) is None and next(responses, None) is None, 'packets more'
        return len(self.packets)

    def reth(self, packet, present, size, address, rkey):
        self.expect(packet, address=address if present else None, rkey=rkey if present else None,
                    length=size if present else None)

    def write_or_send(self, requests, responses, msn, name, size, immediate, address, rkey,
                      inline):
        cuts = cut(size, self.mtu, OPCODES[name])
        for index, (opcode, payload) in enumerate(cuts):
            packet = next(requests)
            last = index + 1 == len(cuts)
            has_reth = 'WRITE' in name and index == 0
            has_immediate = 'IMM' in name and last
            self.common(packet, 0, opcode, self.psn, payload, 16 * has_reth + 4 * has_immediate)
            self.reth(packet, has_reth, size, address, rkey)
            assert immediate_of(packet) == (immediate if has_immediate else None), packet
            self.expect(packet, acknowledge=int(last), syndrome=None, msn=None)
            self.captured(packet, 0 if inline else payload)
            self.psn += 1
        answer = next(responses)
        self.common(answer, 1, ACKNOWLEDGE, self.psn - 1, 0, 4)
        self.expect(answer, syndrome=ACK, msn=msn)

    def read(self, requests, responses, msn, name, size, _, address, rkey, inline):
        packet = next(requests)
        self.common(packet, 0, READ_REQUEST, self.psn, 0, 16)
        self.reth(packet, True, size, address, rkey)
        for opcode, payload in cut(size, self.mtu, OPCODES[name]):
            answer = next(responses)
            has_aeth = opcode != OPCODES['READ'][1]
            self.common(answer, 1, opcode, self.psn, payload, 4 * has_aeth)
            self.expect(answer, syndrome=ACK if has_aeth else None, msn=msn if has_aeth else None,
                        immediate=None)
            self.captured(answer, payload)
            self.psn += 1

    def captured(self, packet, payload):
        """Elided payload is cut off, with what follows it; inline is in the WQE, which is not."""
        whole = self.data == 'carried' or payload == 0
        assert (packet['captured'] == packet['bytes']) == whole, packet


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'transfers.pcapng')
        for mtu, version, data in ((256, 4, 'carried'), (1024, 4, 'elided'), (4096, 4, 'carried'),
                                   (1024, 6, 'carried'), (2048, 6, 'elided')):
            count = Check(mtu, version, data, sys.argv[1], path).run()
            print(f'path MTU {mtu}, IPv{version}, {data}: {count} packets agree')


if __name__ == '__main__':
    main()
