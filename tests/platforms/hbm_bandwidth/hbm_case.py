"""What the tests of hbm_bandwidth share: its runs on one channel, and the times of its set."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402

CK = 4 / 5.2375    # ns
REFI = 5106 * CK   # from an all-bank refresh to the next
PEAK = 2 * 20.95   # GB/s of a channel
ONE = """hbm:
  organisation: {stacks: 1, channels: 1, sids: 1}
"""


class HbmCase(PlatformCase):
    executable = os.environ['HBM_BANDWIDTH']

    def config(self, text, name='c.yaml'):
        path = pathlib.Path(self.folder) / name
        path.write_text(text)
        return path

    def run_one(self, *arguments, **settings):
        """A run on one channel of two pseudo-channels with one SID."""
        return self.run_platform('--config', self.config(ONE), *arguments, **settings)

    def run_shipped(self, name, *arguments, **settings):
        """A configuration that is shipped, without its expectations."""
        return self.run_platform('--no-expect', '--config',
                                 source(f'platforms/hbm_bandwidth/{name}.yaml'), *arguments,
                                 name=name, **settings)
