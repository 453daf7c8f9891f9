"""What the tests of incast's variants share."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402


class IncastCase(PlatformCase):
    executable = os.environ['INCAST']

    def variant(self, config, *arguments, name=None, **settings):
        """One run of platforms/incast/CONFIG.yaml without its expectations."""
        return self.run_platform('--config', source(f'platforms/incast/{config}.yaml'),
                                 '--no-expect', *arguments, name=name or config, **settings)

    def assert_lossless(self, run):
        self.assertEqual(run['total.dropped_frames'], 0)
        self.assertEqual(run['total.unfinished_flows'], 0)

    def of_hosts(self, run, metric, hosts):
        return [run[f'h{i}.nic0.{metric}'] for i in hosts]
