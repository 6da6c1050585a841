"""Teams of threads that share a loop: a whole block, or a warp, or a part of one."""

from __future__ import annotations

from numba import float64

from ._cuda import WARP, cuda

TEAM, TEAMS = 4, 1
"""Threads that feed a network, and such teams in a block. `feed_kernel` puts others in their place,
and functions for teams within a warp in the place of those for a whole block."""


def lane():
    """The thread's number in its team."""
    return cuda.threadIdx.x


def team_number():
    return 0


def sync():
    """Let the team's threads wait for each other."""
    cuda.syncthreads()


def any_of(flag):
    return cuda.syncthreads_or(flag) != 0


def sum_of(x):
    """The sum over the team, the same for all of its threads and always in the same order."""
    parts = cuda.shared.array(TEAM, float64)
    here = cuda.threadIdx.x
    parts[here] = x
    cuda.syncthreads()
    half = TEAM // 2
    while half > 0:
        if here < half:
            parts[here] += parts[here + half]
        cuda.syncthreads()
        half //= 2
    total = parts[0]
    cuda.syncthreads()
    return total


# The same for teams that are a warp or a part of one.


def lane_of_warp():
    return cuda.threadIdx.x & (TEAM - 1)


def team_of_block():
    return cuda.threadIdx.x // TEAM


def members():
    """A bit for each thread of the warp that is in the team."""
    return ((1 << TEAM) - 1) << (cuda.threadIdx.x & (WARP - TEAM))


def sync_warp():
    cuda.syncwarp(members())


def any_of_warp(flag):
    return cuda.any_sync(members(), flag != 0)


def sum_of_warp(x):
    half = TEAM // 2
    while half > 0:
        x += cuda.shfl_xor_sync(members(), x, half)
        half //= 2
    return x


IN_WARP = {
    "lane": lane_of_warp, "team_number": team_of_block, "sync": sync_warp, "any_of": any_of_warp,
    "sum_of": sum_of_warp, "members": members,
}  # fmt: skip
IN_BLOCK = {
    "lane": lane, "team_number": team_number, "sync": sync, "any_of": any_of, "sum_of": sum_of,
}  # fmt: skip
