"""Captures as Wireshark's command line sees them."""

import subprocess

# RoCE v2 sends UDP checksum 0 over IPv6 too; tshark takes that as an error unless told.
OPTIONS = ['-o', 'eth.check_fcs:TRUE', '-o', 'ip.check_checksum:TRUE',
           '-o', 'udp.ignore_ipv6_zero_checksum:TRUE', '--disable-heuristic', 'eth_over_ib']
# The protocols above RoCE would guess at payload.
for _guess in ('rpcordma', 'smc', 'smb_direct', 'nvme-rdma', 'lnet', 'iser', 'fcoib',
               'infiniband.eoib', 'infiniband_sdp'):
    OPTIONS += ['--disable-protocol', _guess]

FIELDS = {
    'interface': 'frame.interface_name',
    'direction': 'frame.packet_flags_direction',  # 1 inbound, 2 outbound
    'time': 'frame.time_epoch',
    'bytes': 'frame.len',
    'captured': 'frame.cap_len',
    'fcs': 'eth.fcs.status',  # 1 good, 0 bad
    'crc_error': 'frame.packet_flags_crc_error',
    'opcode': 'infiniband.bth.opcode',
    'psn': 'infiniband.bth.psn',
    'classes': 'macc.cbfc.enbv',
    'quanta': 'macc.cbfc.pause_time.c3',
    'priority': 'vlan.priority',
    'vid': 'vlan.id',
    'protocols': 'frame.protocols',
    'severity': '_ws.expert.severity',
    'complaint': '_ws.expert.message',
    'malformed': '_ws.malformed',
}
# Of RC, beside the above.
RC_FIELDS = {
    'destination_qp': 'infiniband.bth.destqp',
    'acknowledge': 'infiniband.bth.a',
    'pad': 'infiniband.bth.padcnt',
    'p_key': 'infiniband.bth.p_key',
    'solicited': 'infiniband.bth.se',
    'address': 'infiniband.reth.va',
    'rkey': 'infiniband.reth.r_key',
    'length': 'infiniband.reth.dmalen',
    'syndrome': 'infiniband.aeth.syndrome',
    'msn': 'infiniband.aeth.msn',
    'immediate': 'infiniband.immdt',
}
INBOUND, OUTBOUND = 1, 2


def packets(path, *options, more=None):
    """One dictionary of FIELDS, and of `more`, a packet: whole numbers as int, nothing as None,
    `time` in ns."""
    fields = {**FIELDS, **(more or {})}
    command = ['tshark', '-r', path, '-T', 'fields', '-E', 'separator=|', *OPTIONS, *options]
    for field in fields.values():
        command += ['-e', field]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [_packet(fields, line.split('|')) for line in lines]


def _packet(fields, cells):
    packet = {name: _value(cell) for name, cell in zip(fields, cells)}
    seconds, fraction = packet['time'].split('.')
    packet['time'] = int(seconds) * 10**9 + int(fraction)
    return packet


def _value(cell):
    if not cell:
        return None
    try:
        return int(cell, 0)
    except ValueError:
        return cell


def complaints(packets_seen):
    """What Wireshark has against packets: malformed, or an expert's word, whatever its severity."""
    return [p for p in packets_seen if p['malformed'] or p['complaint'] or p['severity']]


def count(path):
    """Packets in a file, by reading all of it."""
    out = subprocess.run(['capinfos', '-T', '-r', '-c', '-M', path], check=True,
                         capture_output=True, text=True).stdout
    return int(out.split('\t')[-1])
