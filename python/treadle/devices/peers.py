"""Access of one device's kernels to another device's memory."""

from _operator import index

from treadle import _core


def ordinal_of(peer):
    """The number of a device: an int, or that of a Device or a Context. TypeError for anything else."""
    device = getattr(peer, "device", peer)
    return index(getattr(device, "id", device))


def can_access(context, peer):
    """`Context.can_access_peer`."""
    ordinal = ordinal_of(peer)
    if not 0 <= ordinal < _core.device_count() or ordinal == context.device.id:
        return False
    return _core.can_access_peer(context.device.id, ordinal)


def enable(context, peer, flags):
    """`Context.enable_peer_access`."""
    if index(flags) != 0:
        raise ValueError(f"flags must be 0, which CUDA keeps for later versions; found {flags}")
    _core.enable_peer(context.device.id, ordinal_of(peer))
