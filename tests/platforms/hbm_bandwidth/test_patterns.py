"""What each pattern asks for, as the commands of the controller show it: with one request in flight
they come in its order."""

import unittest

from hbm_case import HbmCase


class Patterns(HbmCase):
    def accesses(self, requests, **settings):
        """(address, 'RD' or 'WR') of each access of one channel, by its default map."""
        path = self.folder / 'commands.txt'
        settings = {'traffic__outstanding': 1, 'hbm__write_response': 'written',
                    'hbm__drain__idle': '0ns', 'hbm__forward': False, **settings}
        self.run_one(traffic__requests=requests, command_trace=str(path), **settings)
        found = []
        for line in path.read_text().splitlines():
            if line.startswith('#'):
                continue
            _, _, pc, command, _, group, bank, row, column = line.split()
            if command in ('RD', 'WR'):
                address = (int(row) << 15 | int(bank) << 13 | int(column) << 8 | int(group) << 6 |
                           int(pc) << 5)
                found.append((address, command))
        return found

    def addresses(self, requests, **settings):
        return [address for address, _ in self.accesses(requests, **settings)]

    def test_sequential_goes_round_in_its_footprint(self):
        self.assertEqual(self.addresses(10, traffic__base='4KiB', traffic__footprint='256B'),
                         [4096 + 32 * (i % 8) for i in range(10)])

    def test_stride_goes_round_in_its_footprint(self):
        self.assertEqual(self.addresses(5, traffic__pattern='stride', traffic__stride='96KiB',
                                        traffic__footprint='300KiB'),
                         [98304 * (i % 4) for i in range(5)])

    def test_random_is_everywhere_in_its_footprint(self):
        found = self.addresses(600, traffic__pattern='random', traffic__base='1MiB',
                               traffic__footprint='2KiB')
        self.assertEqual(set(found), {(1 << 20) + 32 * i for i in range(64)})

    def test_blocks_are_aligned_and_whole(self):
        for bulk in (False, True):
            found = self.addresses(8 if bulk else 256, traffic__pattern='blocks',
                                   traffic__block='1KiB', traffic__bulk=bulk, name=f'bulk{bulk}')
            self.assertEqual(len(found), 256)
            blocks = [found[i:i + 32] for i in range(0, 256, 32)]
            for block in blocks:
                first = min(block)
                self.assertEqual(first % 1024, 0)
                self.assertEqual(sorted(block), [first + 32 * i for i in range(32)])
            self.assertEqual(len({min(block) for block in blocks}), 8)

    def test_streams_take_turns(self):
        found = self.accesses(9, traffic__pattern='streams', traffic__footprint='24KiB',
                              traffic__arrays='[read, write, read]')
        self.assertEqual(found, [(8192 * (i % 3) + 32 * (i // 3), 'WR' if i % 3 == 1 else 'RD')
                                 for i in range(9)])

    def test_a_share_of_requests_are_reads(self):
        found = self.accesses(2000, traffic__reads=0.75, traffic__pattern='random')
        reads = sum(command == 'RD' for _, command in found)
        self.assertLess(abs(reads / 2000 - 0.75), 0.03)

    def test_a_request_of_more_bytes_is_all_accesses_that_it_touches(self):
        found = self.addresses(2, traffic__size='100B', traffic__footprint='200B')
        self.assertEqual(sorted(found), [0, 32, 64, 96, 96, 128, 160, 192])

    def test_open_loop_gives_its_load_whatever_is_done(self):
        run = self.run_one(traffic__pattern='random', traffic__load=0.6, traffic__requests=20000)
        # More than the device can do: what is given is not slowed.
        self.assertLess(run['total.of_peak_pct'], 40)
        self.assertGreater(run['total.latency_ns_max'], 5000)


if __name__ == '__main__':
    unittest.main()
