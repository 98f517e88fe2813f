# SPDX-License-Identifier: GPL-2.0
#
# The properties of a tree, one a line, from what `vitrine show --json' prints, or with -R from
# what samples/reader prints. Numbers are compared as doubles: jq 1.7 prints a number with the
# digits that it was read with, unless 0 is added. Bytes that are not ASCII are not compared.

def comparable:
	if test("[^ -~]|\\\\|^b64:") then "bytes"
	else split(", ") | map(((tonumber? | . + 0) // .) | tostring) | join(", ") end;

def text:
	if type == "array" then map(text) | join(", ")
	elif type == "boolean" then if . then "1" else "0" end
	else tostring end;

def lines($above):
	to_entries[] | ($above + .key) as $path | .value |
	if type != "object" then "\($path) = \(text | comparable)"
	elif has("counts") then
		[.floor, .step // .initial_step, .step_multiplier // empty] + .counts |
		"\($path) = \(text | comparable)"
	elif has("disposition") then "\($path) = \(.link)"
	else lines($path + "/") end;

if type == "string" then capture("^(?<path>.*?) = (?<text>.*)$") | "\(.path) = \(.text | comparable)"
else .root | lines("") end
