"""Fabrics that cannot be are refused before anything runs: topologies, traffic, buffers, keys."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / 'link'))

import mutants  # noqa: E402
from mutants import at, quantity  # noqa: E402
from refusals import Bench, Mutant, refused  # noqa: E402

LOAD_BALANCE = os.environ['LOAD_BALANCE']

GOOD = """\
seed: 1
data: elided
link:
  rate: 400Gbps
  length: 5m
topology:
  kind: leaf_spine
  leaves: 2
  spines: 2
  hosts_per_switch: 4
  routing: shortest
  fabric_rate: 400Gbps
switch:
  clock: 1ns
  switching: store_and_forward
  arbitration: fifo
  buffer: 32MiB
  cell: 192
  load_balance: ecmp
  pfc:
    enabled: true
    quanta: 65535
  ecn:
    enabled: true
    kmin: 150KB
    kmax: 1430KB
    pmax: 1
  headroom:
    rule: exact
    largest_frame: 9216
  lossless:
    alpha: 1/8
    xon_offset: 3KiB
  watchdog:
    enabled: false
    detection: 200ms
tester:
  receive_buffer: 256KiB
  drain_rate: 400Gbps
  response_quanta: 0
nic:
  path_mtu: 4096
  ip: ipv4
traffic:
  pattern: incast
  senders: 7
  receiver: 7
  messages: 4
  message_size: 64KiB
  rate: 100Gbps
  start: 0us
  stagger: 1us
  priority: 3
  dscp: 26
  vlan: 5
  ect: true
expect:
  - {metric: total.dropped_frames, equals: 0}
"""
mutants.BAD['share'] = quantity('1', '%', '/8')[1:] + ['0', '1/0', '1/3', '-1', '0.125', 'half']


def topologies():
    def one(name, line, says, place=at(0)):
        yield Mutant(name, f'{line}\n'.encode(), place=place, says=says)

    for name, keys, *says in (
            ('no switches', 'kind: ring, hosts_per_switch: 1', 'switches', 'required'),
            ('a key of another kind', 'kind: star, hosts: 3, spines: 2', 'spines', 'no key of kind'),
            ('an odd fat tree', 'kind: fat_tree, k: 5', 'odd'),
            ('a million hosts', 'kind: star, hosts: 1000000', 'hosts'),
            ('more hosts than ports', 'kind: star, hosts: 600', 'ports'),
            ('a ring of two', 'kind: ring, switches: 2, hosts_per_switch: 1', 'out of range'),
            ('a torus of one dimension', 'kind: torus, dims: [4], hosts_per_switch: 1', 'dims'),
            ('too many groups', 'kind: dragonfly, groups: 9, routers_per_group: 2, '
             'global_links_per_router: 1, hosts_per_switch: 1', 'groups'),
            ('dimensions of a star', 'kind: star, hosts: 3, routing: dimension_order', 'dimensions'),
            ('an unknown kind', 'kind: hypercube', 'not accepted'),
            ('nodes alone', 'kind: explicit, nodes: {a: {kind: host}}', 'links'),
            ('one host', 'kind: star, hosts: 1', 'no flows')):
        yield from one(f'topology: {name}', 'topology: {' + keys + '}', tuple(says))

    nodes = ('topology:\n  kind: explicit\n'
             '  nodes: {s: {kind: switch}, a: {kind: host}, b: {kind: host}}\n  links:\n')
    for name, links, line, *says in (
            ('a dangling link', ['{from: a.0, to: s.0}', '{from: b.0, to: t.0}'], 5, '"t'),
            ('two cables in a port', ['{from: a.0, to: s.0}', '{from: b.0, to: s.0}'], 5, 's.0'),
            ('a host without a cable', ['{from: a.0, to: s.0}'], None, 'b'),
            ('two hosts joined', ['{from: a.0, to: b.0}'], 4, ''),
            ('a cable to itself', ['{from: s.0, to: s.1}', '{from: a.0, to: s.2}'], None, ''),
            ('a port beyond the last', ['{from: a.0, to: s.0}', '{from: b.1, to: s.1}'], 5, 'b')):
        text = nodes + ''.join(f'    - {link}\n' for link in links)
        yield Mutant(f'topology: {name}', text.encode(), place='c.yaml:' if line is None
                     else at(line), says=tuple(says))


def traffic():
    def one(keys, *says):
        return Mutant(f'traffic: {keys}', b'topology: {kind: star, hosts: 4}\n'
                      + f'traffic: {{{keys}}}\n'.encode(), place=at(1), says=says)

    yield one('pattern: incast, senders: 4', 'traffic.senders', '4 endpoints')
    yield one('pattern: incast, senders: 0', 'traffic.senders')
    yield one('pattern: incast, receiver: 4', 'traffic.receiver', '0 to 3')
    yield one('pattern: ring, hops: 4', 'traffic.hops', 'itself')
    yield one('pattern: ring, senders: 2', 'no key of pattern ring')
    yield one('pattern: poisson, duration: 1000s', 'traffic.duration', 'at most 200000')
    yield one('pattern: poisson, load: 1.5', 'above 0 to 1')
    yield one('pattern: on_off, on: 0ps', 'traffic.on')
    yield one('pattern: list', 'traffic.file', 'required')
    yield one('pattern: list, file: f.csv, flows: [{source: h0, destination: h1}]', 'flows')
    yield one('pattern: list, file: no_such.csv', 'no file')
    yield one('pattern: list, file: .', 'no file')
    yield one('pattern: list, flows: [{source: h0, destination: h0}]', 'itself')
    yield one('pattern: list, flows: [{source: h0, destination: h9}]', 'no host')
    yield one('pattern: list, flows: [{source: h0}]', 'destination', 'required')
    yield one('message_size: 3GiB', 'message_size')
    yield one('messages: 0', 'messages')
    for number, (text, line, says) in enumerate((
            ('', '', 'no flows'), ('source,destination\n', '', 'no flows'),
            ('source,destination\nh0,h7\n', ':2:', 'no host'),
            ('source,destination\nh0,h1\nh1,h1\n', ':3:', 'itself'),
            ('source,destination\r\nh0,h1\r\nh1;h2\r\n', ':3:', '1 fields'),
            ('source,destination,rate\nh0,h1,fast\n', ':2:', 'rate'),
            ('\x7fELF\x01\x02\n', ':1:', 'printable'), ('h0,h1\n', ':1:', 'no such column'),
            ('source,destination,messages\nh0,h1,99999999999999999999\n', ':2:', 'messages'))):
        yield Mutant(f'list {number}', b'topology: {kind: star, hosts: 4}\n'
                     b'traffic: {pattern: list, file: f.csv}\n', place=f'f.csv{line}',
                     says=(says,),
                     prepare=lambda folder, t=text: (folder / 'f.csv').write_bytes(t.encode()))


def devices():
    for name, text, *says in (
            ('a buffer below its headrooms', 'switch: {buffer: 256KiB}', 'sum'),
            ('reserves beyond the buffer', 'switch: {lossless: {reserved: 8MiB}}', 'sum'),
            ('a rate beyond the standard', 'link: {rate: 1.6Tbps}', 'response_quanta'),
            ('XON above XOFF', 'tester: {pfc: {xoff: 1KiB, xon: 2KiB}}', 'above'),
            ('XOFF beyond the buffer', 'tester: {receive_buffer: 64KiB}', 'XOFF'),
            ('kmin above kmax', 'switch: {ecn: {kmin: 2MB, kmax: 1MB}}', 'kmax'),
            ('a poll beyond detection', 'switch: {watchdog: {detection: 100ms, poll: 200ms}}', ''),
            ('a priority that is none', 'switch: {pfc: {priorities: [8]}}', '8'),
            ('a priority twice', 'switch: {pfc: {priorities: [3, 3]}}', ''),
            ('a stuck port that is none', 'stuck: [{port: sw0, at: 1us}]', 'no host'),
            ('stuck at once and again', 'stuck: [{port: h0}, {port: h0, at: 1us}]', 'meets'),
            ('an MTU between', 'nic: {path_mtu: 1500}', 'not accepted'),
            ('an IP version', 'nic: {ip: ipv5}', 'not accepted')):
        yield Mutant(f'device: {name}', f'{text}\n'.encode(), place='c.yaml:1:',
                     says=tuple(says))


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bench = Bench(LOAD_BALANCE, GOOD, folder.name)
        described = subprocess.run([LOAD_BALANCE, '--describe=json'], capture_output=True, check=True)
        cls.document = mutants.Document(GOOD, mutants.parameters(json.loads(described.stdout)))

    def check(self, group, cases):
        cases = list(cases)
        bad = refused(self.bench, group, cases)
        self.assertFalse(bad, f'{len(bad)} of {len(cases)}\n' + '\n'.join(bad))

    def test_good_input_runs(self):
        _, _, done = self.bench.run('good', Mutant('good', GOOD.encode()))
        self.assertEqual((done.returncode, done.stderr), (0, b''))

    def test_a_wrong_key_or_value_is_refused_at_its_line(self):
        self.check('keys', mutants.keys(self.document))

    def test_a_topology_that_cannot_be_is_refused(self):
        self.check('topologies', topologies())

    def test_traffic_that_cannot_be_is_refused(self):
        self.check('traffic', traffic())

    def test_a_device_that_cannot_be_is_refused(self):
        self.check('devices', devices())


if __name__ == '__main__':
    unittest.main()
