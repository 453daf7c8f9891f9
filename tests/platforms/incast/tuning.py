"""Runs of incast that differ in DCQCN's parameters, and what is asked of each: one row of a table."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402

# initial alpha and 1 - g, both in 1/1024
REGIMES = {'low': (64, 1023), 'middle': (1024, 1020), 'high': (1024, 768)}
PAYLOAD = 4096 / 4178  # of the line's bytes, at a path MTU of 4,096


class Row:
    """One run."""

    def __init__(self, run, senders, gbps):
        self.utilisation = run['total.goodput_gbps'] / (gbps * PAYLOAD)
        self.queue_kb = run[f'sw0.port{senders}.queue_bytes_mean'] / 1000
        self.xoffs = sum(value for name, value in run.metrics.items()
                         if name.startswith('sw0.') and name.endswith('.pfc_xoff_sent'))
        self.pause_us = sum(run[f'h{i}.nic0.pause_us'] for i in range(senders)) / senders
        self.jain = run['total.fairness_jain']
        self.variation = run['total.goodput_variation']

    def cells(self):
        return (f'{self.utilisation:.3f}', f'{self.queue_kb:.0f}', f'{self.xoffs:.0f}',
                f'{self.pause_us:.0f}', f'{self.jain:.3f}', f'{self.variation:.3f}')


class TuningCase(PlatformCase):
    def regime(self, rules, senders, regime):
        alpha, kept = REGIMES[regime]
        run = self.run_platform(
            '--config', source('platforms/incast/gain.yaml'), '--no-expect',
            name=f'{rules}_{senders}_{regime}',
            **{'congestion.parameters': rules, 'traffic.senders': senders,
               'congestion.dcqcn.rp_initial_alpha_value': alpha,
               'congestion.dcqcn.rp_dce_tcp_g': kept})
        return Row(run, senders, 100)

    def oscillation(self, which, seed):
        run = self.run_platform('--config', source(f'platforms/incast/oscillation_{which}.yaml'),
                                '--no-expect', '--seed', seed, name=f'{which}_{seed}')
        return Row(run, 4, 400)
