"""A run is a function of configuration and seed, and of nothing else."""

import unittest

from pcie_case import PcieCase

# Everything that draws random numbers is at work, and devices share a switch.
EVENTFUL = {'topology': 'switch', 'devices': 2, 'traffic__pattern': 'both',
            'traffic__sizes': '[64B, 513B]', 'traffic__transfers': 300,
            'link__bit_error_rate': 1e-6, 'link__receive_stall__probability': 0.1}
# As a run goes that nothing forces to be on time.
PLAIN = {'topology': 'switch', 'devices': 2, 'traffic__pattern': 'both',
         'traffic__sizes': '[64B, 513B, 4096B]', 'traffic__transfers': 300}


class Determinism(PcieCase):
    def assert_same(self, first, second, outputs=('report',)):
        for output in outputs:
            self.assertTrue(first.bytes(output) == second.bytes(output), f'{output} differs')

    def test_the_same_seed_gives_the_same_bytes(self):
        outputs = ('report', 'trace', 'timeline')
        first, again = (self.run_pcie(name=name, outputs=outputs, **EVENTFUL)
                        for name in ('first', 'again'))
        self.assertGreater(first['dev0.port.replays'], 0)
        self.assert_same(first, again, outputs)

    def test_another_seed_gives_another_run(self):
        first, other = (self.run_pcie('--seed', seed, name=f'seed{seed}', **EVENTFUL)
                        for seed in (1, 2))
        self.assertNotEqual(first.metrics, other.metrics)

    def test_a_trace_and_a_timeline_change_no_metric(self):
        for name, settings in (('plain', PLAIN), ('eventful', EVENTFUL)):
            watched = self.run_pcie(name=f'{name}_watched', outputs=('report', 'trace', 'timeline'),
                                    **settings)
            self.assert_same(watched, self.run_pcie(name=name, **settings))

    def test_checkers_change_no_metric(self):
        checked, unchecked = (self.run_pcie(name=f'checks_{on}', checks=on, **PLAIN)
                              for on in (True, False))
        self.assertEqual(checked.metrics, unchecked.metrics)

    def test_carried_and_elided_data_take_the_same_times(self):
        for pattern in ('both', 'peer_both'):
            carried, elided = (self.run_pcie(name=f'{pattern}_{data}', **{
                **PLAIN, 'data': data, 'traffic__pattern': pattern})
                for data in ('carried', 'elided'))
            self.assertEqual(carried.metrics, elided.metrics)
            self.assertEqual(carried['total.errors'], 0)

    def test_partitions_change_nothing(self):
        one, two = (self.run_pcie('--partitions', n, name=f'p{n}', **PLAIN) for n in (1, 2))
        self.assert_same(one, two)


if __name__ == '__main__':
    unittest.main()
