"""Bandwidth is that of the closed form, less what DLLPs and skip ordered sets took, or that of
Little's law; and each line's time sums to the whole."""

import re
import unittest

from pcie_case import (MANY_TAGS, USES, PcieCase, raw, read_ceiling, write_ceiling)

# GB/s at a payload of 256 B and a read request of 512 B: write, read with completions as large as the
# payload, read with completions of 64 B. Published forms of PCIe's overhead.
TABLE = {64: (45.83, 48.01, 48.01), 128: (53.07, 54.50, 48.01), 256: (57.61, 58.45, 48.01),
         512: (57.61, 58.45, 48.01), 4096: (57.61, 58.45, 48.01)}
SIZES = (64, 128, 256, 257, 512, 513, 1024, 2048, 4096)


class Bandwidth(PcieCase):
    def assert_near(self, value, wanted, share, text=''):
        self.assertLess(abs(value / wanted - 1), share, f'{value} is not {wanted} {text}')

    def assert_at_ceiling(self, run, kind, size, wanted):
        text = f'{kind} of {size} B'
        ceiling = run[f'size{size}.{kind}_ceiling_gbytes_s']
        self.assert_near(ceiling, wanted, 1e-9, text)
        overhead = run[f'size{size}.{kind}_overhead_pct'] / 100
        self.assertGreater(overhead, 0.0005, text)
        self.assertLess(overhead, 0.03, text)
        measured = run[f'size{size}.{kind}_gbytes_s']
        self.assert_near(measured, ceiling * (1 - overhead), 0.01, text)
        self.assert_near(run[f'size{size}.{kind}_of_ceiling'],
                         measured / ceiling / (1 - overhead), 1e-9, text)
        self.assertEqual(run['total.unfinished_transfers'], 0)
        self.assertEqual(run['total.errors'], 0)

    def test_ceilings_are_those_of_the_table(self):
        for size, (write, read, read_64) in TABLE.items():
            self.assert_near(write_ceiling(size), write, 2e-4)
            self.assert_near(read_ceiling(size), read, 2e-4)
            self.assert_near(read_ceiling(size, at_each=True), read_64, 2e-4)

    def test_each_direction_alone(self):
        for kind, ceiling in (('write', write_ceiling), ('read', read_ceiling)):
            run = self.run_sizes(kind, SIZES, **MANY_TAGS)
            for size in SIZES:
                self.assert_at_ceiling(run, kind, size, ceiling(size))

    def test_both_at_once(self):
        run = self.run_sizes('both', SIZES, **MANY_TAGS)
        for size in SIZES:
            for kind in ('write', 'read'):
                self.assert_at_ceiling(run, kind, size,
                                       run[f'size{size}.{kind}_ceiling_gbytes_s'])
        # Requests take turns with writes on the way up: one of 24 B and one of 88 B.
        self.assert_near(run['size64.read_ceiling_gbytes_s'], raw() * 64 / 112, 1e-9)
        self.assert_near(run['size4096.read_ceiling_gbytes_s'], read_ceiling(4096), 1e-9)
        left = raw() - run['size4096.read_gbytes_s'] * 24 / 512
        self.assert_near(run['size4096.write_ceiling_gbytes_s'],
                         left / raw() * write_ceiling(4096), 1e-9)

    def test_writes_beside_reads_that_are_kept_back(self):
        for name, sets in (('tags', {'device__dma__tags': 32}),
                           ('fences', {'traffic__fenced': True, 'traffic__outstanding': 8})):
            run = self.run_sizes('both', (64, 512), name=name, **sets)
            for size in (64, 512):
                self.assertLess(run[f'size{size}.read_of_ceiling'], 0.9)
                self.assert_at_ceiling(run, 'write', size,
                                       run[f'size{size}.write_ceiling_gbytes_s'])

    def test_a_byte_more_than_a_payload_costs_a_tlp(self):
        run = self.run_sizes('write', (256, 257, 512, 513))
        self.assertLess(run['size257.write_gbytes_s'], 0.93 * run['size256.write_gbytes_s'])
        self.assertLess(run['size513.write_gbytes_s'], 0.97 * run['size512.write_gbytes_s'])

    def test_payload_and_request_sizes(self):
        for payload, request in ((128, 128), (512, 4096), (256, 256)):
            with self.subTest(payload=payload, request=request):
                sets = {**MANY_TAGS, 'device__max_payload': str(payload),
                        'host__root__max_payload': '512',
                        'host__enumeration__max_read_request': f'{request}B'}
                run = self.run_sizes('write', (300, 4096), name='write', **sets)
                for size in (300, 4096):
                    self.assert_at_ceiling(run, 'write', size, write_ceiling(size, payload=payload))
                run = self.run_sizes('read', (300, 4096), name='read', **sets)
                for size in (300, 4096):
                    self.assert_at_ceiling(run, 'read', size, read_ceiling(
                        size, payload=payload, request=request))

    def test_completions_at_each_boundary(self):
        for boundary in (64, 128):
            run = self.run_sizes('read', (64, 257, 4096), **MANY_TAGS,
                                 host__root__completer__completion_split='rcb',
                                 host__root__completer__rcb=str(boundary))
            for size in (64, 257, 4096):
                self.assert_at_ceiling(run, 'read', size, read_ceiling(
                    size, boundary=boundary, at_each=True))

    def test_unaligned_transfers(self):
        for offset in (1, 30, 4000):
            with self.subTest(offset=offset):
                sets = {**MANY_TAGS, 'traffic__offset': f'{offset}B', 'traffic__stride': '8KiB',
                        'data': 'carried'}
                run = self.run_sizes('write', (64, 257, 4096), name='write', **sets)
                for size in (64, 257, 4096):
                    self.assert_at_ceiling(run, 'write', size, write_ceiling(size, offset))
                run = self.run_sizes('read', (64, 257, 4096), name='read', **sets)
                for size in (64, 257, 4096):
                    self.assert_at_ceiling(run, 'read', size, read_ceiling(size, offset))

    def test_other_links(self):
        for generation, lanes in ((3, 8), (4, 4), (5, 1)):
            with self.subTest(generation=generation, lanes=lanes):
                sets = {'link__generation': str(generation), 'link__lanes': str(lanes)}
                line = raw(generation, lanes)
                run = self.run_sizes('write', (64, 513), name='write', **sets)
                for size in (64, 513):
                    self.assert_at_ceiling(run, 'write', size, write_ceiling(size, line=line))
                run = self.run_sizes('read', (64, 513), name='read', **sets, **MANY_TAGS)
                for size in (64, 513):
                    self.assert_at_ceiling(run, 'read', size, read_ceiling(size, line=line))

    def test_few_tags_are_bound_by_littles_law(self):
        run = self.run_sizes('read', (64, 512, 4096), device__dma__tags=32)
        for size in (64, 512, 4096):
            bound = 32 * min(size, 512) / run[f'size{size}.read_alone_ns']
            self.assert_near(run[f'size{size}.read_tag_bound_gbytes_s'], bound, 1e-9)
            self.assert_near(run[f'size{size}.read_gbytes_s'], bound, 0.02)
            lost = run[f'size{size}.time.dev0.port.tags_ns']
            self.assertGreater(lost, 0.9 * run[f'size{size}.time_ns'])

    def test_devices_of_their_own_add_up_and_those_below_a_switch_share(self):
        apart = self.run_sizes('write', (256,), devices=3)
        self.assert_at_ceiling(apart, 'write', 256, 3 * write_ceiling(256))
        shared = self.run_sizes('write', (256,), devices=3, topology='switch', name='shared')
        self.assert_at_ceiling(shared, 'write', 256, write_ceiling(256))

    def test_a_crossing_of_a_switch_adds_to_latency_what_it_takes(self):
        alone = {}
        for name, sets in (('switch', {'topology': 'switch'}),
                           ('root', {'topology': 'direct'}),
                           ('redirect', {'topology': 'switch',
                                         'host__enumeration__acs_redirect': True})):
            run = self.run_sizes('peer', (64,), name=name, devices=2, **sets)
            alone[name] = run['size64.read_alone_ns']
        # The root complex takes 130 ns where the switch takes 110, each way.
        self.assertAlmostEqual(alone['root'] - alone['switch'], 2 * (130 - 110), delta=0.01)
        # Redirected, both ways go up a link and down again, to the root complex and through the
        # switch once more; so do 24 B of request and 84 B of completion, two lines each.
        self.assertAlmostEqual(alone['redirect'] - alone['switch'],
                               2 * (2 * 80 + 110 + 130) + 2 * (24 + 84) / raw(), delta=0.01)

    def test_the_time_of_each_line_sums_to_the_whole(self):
        many = self.run_pcie(name='many')
        starved = self.run_sizes('both', (64, 512), name='starved', link__bit_error_rate=1e-6,
                                 host__root__credits__posted_data=64)
        reads = self.run_sizes('read', (64, 512), name='reads', device__dma__tags=32)
        writes = self.run_sizes('write', (64, 512), name='writes', link__replay_buffer='5KiB',
                                host__root__credits__posted_headers=64)
        for run in (many, starved, writes, reads):
            lines = {m[1] for m in (re.match(r'(size\d+\.time\.[\w.]+)\.data_ns', name)
                                    for name in run.metrics) if m}
            self.assertGreaterEqual(len(lines), 4)
            for line in lines:
                spent = sum(round(1000 * run[f'{line}.{use}_ns']) for use in USES)
                whole = round(1000 * run[f"{line.split('.')[0]}.time_ns"])
                self.assertEqual(spent, whole, line)
        for run, uses in ((starved, ('replay', 'ordering')), (reads, ('tags',)),
                          (writes, ('credits', 'acknowledge'))):
            for use in uses:
                self.assertGreater(sum(run[f'size{size}.time.dev0.port.{use}_ns']
                                       for size in (64, 512)), 0, use)


if __name__ == '__main__':
    unittest.main()
