"""What is wrong in a configuration is refused before anything runs: exit code 2, one line that names
the place and the remedy, and no file made or changed."""

import os
import tempfile
import unittest

import rdma_case  # noqa: F401  (finds the support folder)
from refusals import Bench, Mutant, refused

GOOD = """test: write
sizes: [64B]
iterations: 20
topology: {kind: star, hosts: 3}
"""


def assigned(name, *assignments, says=()):
    arguments = tuple(word for a in assignments for word in ('--set', a))
    return Mutant(name, arguments=arguments, place='--set', says=says)


CASES = (
    assigned('an unknown test', 'test=atomic', says=('write',)),
    assigned('an unknown profile', 'nic.profile=connectx4', says=('connectx7_400g',)),
    assigned('a size twice', 'sizes=[64B, 64B]', says=('twice',)),
    assigned('a size too large', 'sizes=[16MiB]'),
    assigned('inline beyond a WQE', 'inline=221'),
    assigned('an inline READ', 'test=read', 'inline=64', says=('write or send',)),
    assigned('a completion too seldom', 'signal_every=200', says=('depth',)),
    assigned('mixed with one size', 'mixed=true', says=('two or more',)),
    assigned('latency of two queue pairs', 'measure=latency', 'qps=2'),
    assigned('a latency that nobody sees', 'measure=latency', 'data=elided', says=('carried',)),
    assigned('more queue pairs than there are', 'qps=5000', says=('nic.limits.qps',)),
    assigned('a path MTU beyond the interface', 'nic.interface_mtu=1500', says=('nic.path_mtu',)),
    assigned('XON above XOFF', 'nic.receive.xon=1MiB', says=('receive.xon',)),
    assigned('a cache of no sets', 'nic.qp_cache.ways=3', says=('divisor',)),
    assigned('congestion control that is not there', 'congestion.algorithm=dctcp'),
    assigned('more queue pairs than congestion control holds', 'congestion.algorithm=dcqcn',
             'nic.limits.qps=8192', says=('4096',)),
    assigned('a set for no algorithm', 'congestion.parameters=tuned', says=('dcqcn',)),
    assigned('a host that is nobody', 'pairs=[{client: h0, server: h9}]', says=('h9',)),
    assigned('a host on both sides', 'pairs=[{client: h0, server: h1}, {client: h1, server: h2}]',
             says=('client and server',)),
    assigned('a slow host that is not slow', 'slow=[{host: h1}]', says=('slow',)),
    assigned('a slow host with an ideal link', 'pcie=ideal', 'slow=[{host: h1, pcie_lanes: 8}]'),
    assigned('a key of another topology', 'topology={kind: back_to_back, hosts: 2}'),
    Mutant('a warm-up', arguments=('--set', 'warm_up=1us'), place='', says=('warm_up',)),
)


class BadInput(unittest.TestCase):
    def test_wrong_configurations_are_refused_at_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.environ['RDMA_PERF'], GOOD, folder)
            bad = refused(bench, 'rdma', CASES)
        self.assertFalse(bad, f'{len(bad)} of {len(CASES)}\n' + '\n'.join(bad))


if __name__ == '__main__':
    unittest.main()
