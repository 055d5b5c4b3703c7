#!/bin/sh
# Runs a command of the portal with the portal's user and settings: portal server/cli/list-nodes.ts. Install it as /usr/local/bin/portal.
# PORTAL_DIR names another folder of the program, for example the one of a new version.
cd "${PORTAL_DIR:-/opt/portal}" || exit 1
exec runuser -u portal -- sh -c 'set -a; . /etc/portal/portal.env; exec node_modules/.bin/node "$@"' sh "$@"
