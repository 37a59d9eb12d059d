#!/bin/sh
# Starts Sluice in the Node that came with it, wherever this was unpacked, also through a link.
self=$(readlink -f "$0") || exit 1
home=${self%/bin/sluice}/lib/sluice
# The C library would keep memory apart for each thread: a tenth more of it, for nothing.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
exec "$home/node" "$home/sluice.js" "$@"
