# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the selftests of trace/stacks share. They record into files of $dir.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# arm WORDS: write the settings
arm()
{
	echo "$1" >"$TRACE/stacks"
}

# says WORDS: the settings read back as WORDS
says()
{
	local said

	said=$(<"$TRACE/stacks")
	echo "$said"
	[ "$said" = "$1" ]
}

# save: save the content of the rings, and decode it
save()
{
	cat "$TRACE/trace.fxt" >"$dir/trace.fxt" &&
		vitrine check "$dir/trace.fxt" &&
		vitrine print --json "$dir/trace.fxt" >"$dir/trace.json"
}

# events FILTER: print the events of the category that the jq filter selects, one per line; in a
# slow guest, jq alone would take half a minute for a large trace
events()
{
	grep -F '"stacks"' "$dir/trace.json" | jq -c "select(.category == \"stacks\") | $1"
}

# some FILTER, none FILTER: check that there is such an event, or that there is none
some()
{
	events "$1" >"$dir/some"
	tail -n 20 "$dir/some"
	[ -s "$dir/some" ] || { events . | tail -n 20; return 1; }
}

none()
{
	events "$1" >"$dir/none"
	tail -n 20 "$dir/none"
	[ ! -s "$dir/none" ]
}

# stat NAME: print a counter of the tree "vitrine"
stat()
{
	value vitrine ".root.trace.stacks.$1"
}
