"""What the tests of the link platform share."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase  # noqa: E402

PREAMBLE, GAP = 8, 12  # bytes, IEEE 802.3
# Of a RoCE v2 packet in an untagged IPv4 frame: Ethernet, IPv4, UDP, BTH, ICRC, FCS.
HEADERS = 14 + 20 + 8 + 12 + 4 + 4
RETH = 16  # in the first packet of an RDMA write
PFC_BYTES = 64


class LinkCase(PlatformCase):
    executable = os.environ['LINK']

    def run_link(self, *arguments, **settings):
        """The shipped configuration without its expectations, which its changes would miss."""
        return self.run_platform('--no-expect', *arguments, **settings)

    def run_one_way(self, *arguments, **settings):
        """Node a sends to b, which takes all that arrives at once."""
        return self.run_link('--config', self.one_way(), *arguments, **settings)

    def one_way(self, extra=''):
        path = self.folder / 'one_way.yaml'
        path.write_text(ONE_WAY + extra)
        return path


ONE_WAY = """
data: elided
traffic: {messages: 64, message_size: 64KiB}
nodes:
  a: {mac: "02:00:00:00:00:0a", ip: 10.0.0.1}
  b: {mac: "02:00:00:00:00:0b", ip: 10.0.0.2, sends: false}
"""
