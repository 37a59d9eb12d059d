#!/bin/sh
# Starts Sluice in the Node that came with it, wherever this was unpacked, also through a link.
self=$(readlink -f "$0") || exit 1
home=${self%/bin/sluice}/lib/sluice
exec "$home/node" "$home/sluice.js" "$@"
