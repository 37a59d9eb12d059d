#!/bin/sh
# Starts Sluice in the Node that ships with it, wherever it was unpacked, even through a link.
self=$(readlink -f "$0") || exit 1
home=${self%/bin/sluice}/lib/sluice
# The C library would keep separate memory for each thread: a tenth more, for no benefit.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
exec "$home/node" "$home/sluice.js" "$@"
