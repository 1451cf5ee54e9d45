#!/usr/bin/env bash
# A new node with one fault after the other, against controls that are named, that hpcbench chooses,
# or against a baseline: never accepted, and its controls are never blamed.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
