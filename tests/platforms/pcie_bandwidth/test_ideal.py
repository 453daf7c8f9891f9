"""PCIe without packets: what is configured is what is measured, with the bytes and the order that the
modelled way has too, for fewer events."""

import os
import pathlib
import unittest

from pcie_case import PcieCase
from refusals import Bench, Mutant, refused

IDEAL = {'pcie': 'ideal'}
# GB/s of each direction of each device, ns.
BANDWIDTH, LATENCY, READ, REGISTER, MEMORY, STORE = 57.6, 150, 50, 350, 90, 10
SIZES = (64, 513, 4096)
PLAIN = """pcie: ideal
devices: 2
traffic:
  pattern: both
  sizes: [64B]
"""


class Ideal(PcieCase):
    def run_ideal(self, pattern, sizes=SIZES, **settings):
        folder = pathlib.Path(self.folder)
        path = folder / 'plain.yaml'
        path.write_text(PLAIN)
        settings = {'devices': 1, 'data': 'carried', **settings}
        return self.run_sizes(pattern, sizes, '--config', path, **settings)

    def assert_good(self, run):
        self.assertEqual(run['total.unfinished_transfers'], 0)
        self.assertEqual(run['total.errors'], 0)

    def assert_bandwidth(self, run, kind, size, wanted):
        self.assertAlmostEqual(run[f'size{size}.{kind}_ceiling_gbytes_s'], wanted, delta=1e-9)
        measured = run[f'size{size}.{kind}_gbytes_s']
        self.assertLess(abs(measured / wanted - 1), 0.01, f'{kind} of {size} B: {measured}')
        self.assertAlmostEqual(run[f'size{size}.{kind}_of_ceiling'], measured / wanted, places=9)

    def test_each_direction_of_each_device_has_the_configured_bandwidth(self):
        for devices in (1, 3):
            run = self.run_ideal('both', devices=devices, name=f'both{devices}',
                                 host__memory__bandwidth='10Tbps')
            self.assert_good(run)
            for size in SIZES:
                for kind in ('write', 'read'):
                    self.assert_bandwidth(run, kind, size, devices * BANDWIDTH)
        slow = self.run_ideal('both', name='slow', host__ideal__bandwidth='80Gbps')
        self.assert_bandwidth(slow, 'write', 4096, 10)
        self.assert_bandwidth(slow, 'read', 4096, 10)

    def test_peers_write_into_each_others_memory(self):
        run = self.run_ideal('peer_both', devices=2)
        self.assert_good(run)
        for size in SIZES:
            self.assert_bandwidth(run, 'write', size, 2 * BANDWIDTH)

    def test_single_accesses_take_what_is_configured(self):
        for name, latency, read, register in (('usual', LATENCY, READ, REGISTER),
                                              ('other', 270, 31, 77)):
            run = self.run_ideal('latency', (64, 4096), name=name, traffic__transfers=50,
                                 host__ideal__latency=f'{latency}ns',
                                 host__ideal__read_latency=f'{read}ns',
                                 host__ideal__register_read_latency=f'{register}ns')
            self.assert_good(run)
            for end in ('min', 'max'):
                self.assertAlmostEqual(run[f'doorbell_latency_ns_{end}'],
                                       STORE + latency + 8 / BANDWIDTH, delta=0.002)
                self.assertAlmostEqual(run[f'register_read_latency_ns_{end}'],
                                       2 * latency + register + 8 / BANDWIDTH, delta=0.002)
                for size in (64, 4096):
                    # Memory of 200 GB/s.
                    self.assertAlmostEqual(run[f'size{size}.read_latency_ns_{end}'],
                                           2 * latency + MEMORY + read + size / BANDWIDTH,
                                           delta=0.002)

    def test_it_stands_in_for_the_modelled_way_for_fewer_events(self):
        for pattern, devices in (('both', 1), ('peer_both', 2)):
            sizes = (513, 4096)
            settings = {'devices': devices, 'data': 'carried'}
            ideal = self.run_ideal(pattern, sizes, name=f'{pattern}_ideal', **settings)
            modelled = self.run_sizes(pattern, sizes, name=f'{pattern}_modelled', **settings)
            for run in (ideal, modelled):
                self.assert_good(run)  # every byte was checked
            events = [run.report['host']['kernel_events'] for run in (ideal, modelled)]
            self.assertLess(2 * events[0], events[1], pattern)
            # What TLP overhead and DLLPs leave of a read's bandwidth is about as much.
            share = ideal['size4096.write_gbytes_s'] / modelled['size4096.write_gbytes_s']
            self.assertGreater(share, 1)
            self.assertLess(share, 1.07)

    def test_what_has_no_meaning_is_not_measured(self):
        names = set(self.run_ideal('both', (64,)).metrics)
        self.assertFalse([n for n in names if '.port' in n or '.time.' in n or 'tag' in n
                          or 'overhead' in n])
        self.assertIn('size64.write_latency_ns_mean', names)
        self.assertIn('size64.read_latency_ns_mean', names)

    def test_the_same_seed_gives_the_same_bytes(self):
        outputs = ('report', 'trace', 'timeline')
        first, again = (self.run_ideal('both', name=name, outputs=outputs)
                        for name in ('first', 'again'))
        for output in outputs:
            self.assertTrue(first.bytes(output) == again.bytes(output), f'{output} differs')
        bare = self.run_ideal('both', name='bare')
        self.assertTrue(bare.bytes('report') == first.bytes('report'))

    def test_carried_and_elided_data_take_the_same_times(self):
        carried, elided = (self.run_ideal('both', name=data, data=data)
                           for data in ('carried', 'elided'))
        self.assertEqual(carried.metrics, elided.metrics)


def of_other_way(key, value, way='modelled'):
    sets = (f'{key}={value}',) + (('pcie=modelled',) if way == 'ideal' else ())
    return Mutant(key, arguments=tuple(word for s in sets for word in ('--set', s)), place='--set',
                  says=(key, f'pcie: {way}'))


CASES = (
    of_other_way('topology', 'switch'),
    of_other_way('host.root.iommu.enabled', 'true'),
    of_other_way('host.ideal.latency', '1us', 'ideal'),
    of_other_way('host.ideal.bandwidth', '400Gbps', 'ideal'),
    Mutant('another way', arguments=('--set', 'pcie=cxl'), place='--set', says=('modelled',)),
)


class Refused(PcieCase):
    def test_keys_of_the_other_way_are_refused(self):
        bench = Bench(os.environ['PCIE_BANDWIDTH'], PLAIN, self.folder)
        bad = refused(bench, 'pcie', CASES)
        self.assertFalse(bad, f'{len(bad)} of {len(CASES)}\n' + '\n'.join(bad))


if __name__ == '__main__':
    unittest.main()
