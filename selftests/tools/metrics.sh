#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine metrics': the metrics of trees, by the rules of Documentation/metrics.rst,
# checked with promtool and the parser of prometheus_client.

. "$(dirname "$0")/command" || exit

# tree NAME <JSON: make the tree NAME.inspect
tree()
{
	mktree "$1.inspect"
}

# made FILTER NAME JSON LINES: FILTER prints LINES of the metrics of the tree NAME, made of JSON
made()
{
	tree "$2" <<<"$3"
	filtered "$4" "$1" metrics "./$2.inspect"
}

# becomes, types, helps NAME JSON LINES: samples, types or help of the tree NAME are LINES
becomes()
{
	made "grep -v '^#' | sed 's/tree=\"$1\",\?//; s/{}//'" "$@"
}

types()
{
	made "sed -n 's/^# TYPE vitrine_$1_//p'" "$@"
}

helps()
{
	made "sed -n 's/^# HELP vitrine_$1//p'" "$@"
}

# ---- names and labels ----

check "a number is a label, called as its node in singular" becomes t '{"cpus": {"online": 2, "0": {"idle": 1}, "1": {"idle": 2}}}' \
'vitrine_t_cpu_idle{cpu="0"} 1
vitrine_t_cpu_idle{cpu="1"} 2
vitrine_t_cpus_online 2'
check "nodes below a plural are labels" becomes t '{"processes": {"7": {"threads": {"8": {"runs": 4}}}},
	"entries": {"a": {"v": 1}}, "bus": {"a": {"v": 1}}, "list": {"0": 5, "3": 6}}' \
'vitrine_t_bus_a_v 1
vitrine_t_entry_v{entry="a"} 1
vitrine_t_list{list="0"} 5
vitrine_t_list{list="3"} 6
vitrine_t_process_thread_runs{process="7",thread="8"} 4'
check "labels that are taken" becomes t '{"0": {"1": {"z": 7}}, "trees": {"x": {"a": 1}}, "les": {"5": {"a": 2}}}' \
'vitrine_t_le_a{le_name="5"} 2
vitrine_t_tree_a{tree_name="x"} 1
vitrine_t_z{number="0",number_name="1"} 7'
check "words of a name" becomes t '{"rxErrors": 1, "a.x-y": 2, "über": 3, "": 4, "2x": 5}' \
'vitrine_t 4
vitrine_t_2x 5
vitrine_t_a_x_y 2
vitrine_t_ber 3
vitrine_t_rx_errors 1'
check "a number behind a tree's name is in the label only" \
	made "grep -v '^#'" eth.12 '{"a": 1}' 'vitrine_eth_a{tree="eth.12"} 1'
check "devices" becomes devices '{"block": {"sda": {"reads": 1}}, "net": {"eth0": {"up": true}}}' \
'vitrine_devices_block_reads_total{device="sda"} 1
vitrine_devices_net_up{device="eth0"} 1'
mkdir -p b; tree b/t <<<'{"a": 1}'; tree t <<<'{"a": 2}'
check "two trees of one name" diff - <("$vitrine" metrics ./t.inspect ./b/t.inspect | grep -v '^#') <<'EOF'
vitrine_t_a{tree="t"} 2
vitrine_t_a{tree="t#2"} 1
EOF

# ---- values ----

check "units, exactly" becomes t '{"a_ns": 1500000001, "u_us": -1500, "c_ms": 7, "w_seconds": 2, "e_bytes": 9,
	"f_ns_total": 10, "g_ns": 2.5, "max": 18446744073709551615, "min": -9223372036854775808,
	"size_ns": [1, 20]}' \
'vitrine_t_a_seconds 1.500000001
vitrine_t_c_seconds 0.007
vitrine_t_e_bytes 9
vitrine_t_f_seconds_total 0.00000001
vitrine_t_g_seconds 2.5e-09
vitrine_t_max 18446744073709551615
vitrine_t_min -9223372036854775808
vitrine_t_size_seconds{index="0"} 0.000000001
vitrine_t_size_seconds{index="1"} 0.00000002
vitrine_t_u_seconds -0.0015
vitrine_t_w_seconds 2'
check "doubles and bools" becomes t '{"a": {"$double": "nan"}, "b1": {"$double": "inf"}, "c1": {"$double": "-inf"}, "x": 0.1,
	"y": true, "z": false}' \
'vitrine_t_a NaN
vitrine_t_b1 +Inf
vitrine_t_c1 -Inf
vitrine_t_x 0.1
vitrine_t_y 1
vitrine_t_z 0'
check "strings are labels, escaped, cut to 128 bytes" becomes t '{"name": "a\"b\\c\ne", "bad": "\udcff", "n": {"long": "'"$(printf '%0126d' 0)éé"'"}}' \
'vitrine_t_info{bad="�",name="a\"b\\c\ne"} 1
vitrine_t_n_info{long="'"$(printf '%0126d' 0)é"'"} 1'

check "types" types system '{"uptime_ns": 5, "cpus": {"0": {"user_ns": 1, "name": "x"}}, "rx_total": 1, "signed_total": -1,
	"total": 5, "list_count": 4, "lat": {"$linear": [0, 10, 0, 1, 0]}}' \
'cpu_info gauge
cpu_user_seconds_total counter
lat histogram
rx_total counter
uptime_seconds gauge'

# ---- histograms ----

check "bounds: of integers the largest in the bucket" becomes t '{"lin": {"$linear": [10, 5, 1, 2, 3, 4]}, "exp": {"$exponential": [0, 1, 2, 0, 1, 2, 3, 4]},
	"neg": {"$linear": [-10, 10, 1, 2, 4]}, "dbl": {"$linear": [0.5, 0.25, 1.0, 2.0, 4.0]}}' \
'vitrine_t_dbl_bucket{le="0.5"} 1
vitrine_t_dbl_bucket{le="0.75"} 3
vitrine_t_dbl_bucket{le="+Inf"} 7
vitrine_t_dbl_count 7
vitrine_t_exp_bucket{le="0.0"} 1
vitrine_t_exp_bucket{le="1.0"} 3
vitrine_t_exp_bucket{le="3.0"} 6
vitrine_t_exp_bucket{le="+Inf"} 10
vitrine_t_exp_count 10
vitrine_t_lin_bucket{le="9.0"} 1
vitrine_t_lin_bucket{le="14.0"} 3
vitrine_t_lin_bucket{le="19.0"} 6
vitrine_t_lin_bucket{le="+Inf"} 10
vitrine_t_lin_count 10
vitrine_t_neg_bucket{le="-11.0"} 1
vitrine_t_neg_bucket{le="-1.0"} 3
vitrine_t_neg_bucket{le="+Inf"} 7
vitrine_t_neg_count 7'
check "a sum beside it" becomes t '{"lat_ns": {"$linear": [0, 1000, 0, 1, 2, 3]}, "lat_sum_ns": 12000, "x": {"$linear": [0, 1, 0, 1, 2]}, "x_sum": 3}' \
'vitrine_t_lat_seconds_bucket{le="9.99e-07"} 1
vitrine_t_lat_seconds_bucket{le="1.999e-06"} 3
vitrine_t_lat_seconds_bucket{le="+Inf"} 6
vitrine_t_lat_seconds_count 6
vitrine_t_lat_seconds_sum 0.000012
vitrine_t_x_bucket{le="0.0"} 1
vitrine_t_x_bucket{le="+Inf"} 3
vitrine_t_x_count 3
vitrine_t_x_sum 3'
check "sums behind those of others" becomes t '{"x_ns": {"$linear": [0, 1000, 0, 1]}, "x_n": {"y_ns": {"$linear": [0, 1000, 0, 3]}, "y_sum_ns": 5}, "x_o_ns": {"$linear": [0, 1000, 0, 3]}, "x_o_sum_ns": 3, "x_sum_ns": 4}' \
'vitrine_t_x_n_y_seconds_bucket{le="+Inf"} 3
vitrine_t_x_n_y_seconds_count 3
vitrine_t_x_n_y_seconds_sum 0.000000005
vitrine_t_x_o_seconds_bucket{le="+Inf"} 3
vitrine_t_x_o_seconds_count 3
vitrine_t_x_o_seconds_sum 0.000000003
vitrine_t_x_seconds_bucket{le="+Inf"} 1
vitrine_t_x_seconds_count 1
vitrine_t_x_seconds_sum 0.000000004'
check "bounds that do not grow, or wrap" becomes t '{"same": {"$linear": [5, 0, 1, 2, 3, 4]}, "big": {"$exponential": [1, 18446744073709551615, 18446744073709551615, 0, 1, 2, 3, 4]}}' \
'vitrine_t_big_bucket{le="0.0"} 0
vitrine_t_big_bucket{le="+Inf"} 10
vitrine_t_big_count 10
vitrine_t_same_bucket{le="4.0"} 1
vitrine_t_same_bucket{le="+Inf"} 10
vitrine_t_same_count 10'
tree t <<<'{"bad": {"$linear": [0, 1, -1, 2, 3]}, "nan": {"$linear": [0.0, 1.0, NaN, 2.0, 3.0]}}'
check "counts that are none are left out, and that is said" has \
	"t.inspect: 2 values left out" metrics ./t.inspect

# ---- links ----

golden_tree v1-links
golden_tree v1-links-leaf
# v1-links has values only through links to v1-links-leaf, which has a link back.
samples='vitrine_v1_links_leaf_gone{tree="v1-links-leaf"} 5
vitrine_v1_links_leaf_kid_root{tree="v1-links-leaf"} -1'
advice="links are not followed: the trees that they lead to have metrics under their own names, if they are selected"
check "a tree that a link leads to has metrics once, under its own name" filtered \
"vitrine: ./v1-links.inspect: $advice
vitrine: ./v1-links-leaf.inspect: $advice
$samples" "grep -v '^#'" metrics ./v1-links.inspect ./v1-links-leaf.inspect

mkdir -p vitrine/inspect
mv v1-links*.inspect vitrine/inspect/
check "so it has if no trees are selected, and nothing is said" filtered "$samples" "grep -v '^#'" metrics

# ---- limit of a list ----

# many NR FIRST: print a tree with two lists of NR entries, numbered from FIRST on
many()
{
	python3 -c 'import json, sys
nr, first = map(int, sys.argv[1:])
entry = {str(first + i): {"v": first + i} for i in range(nr)}
print(json.dumps({"events": entry, "others": {"x": {"y": {"z": 1}}, "1": {"log": entry}}}))' "$@"
}

# lists NR: the metrics of the tree t have NR entries of each list, among them the last one
lists()
{
	"$vitrine" metrics ./t.inspect >t.prom 2>err
	prints "$1 $1 1" awk '/^vitrine_t_event_v{/ { nr++ } /^vitrine_t_other_log_v{/ { others++ }
		/event="2123"} 2123$/ { last++ } END { print nr, others, last }' t.prom
}

many 1124 1000 | tree t
check "a list of more than 1024 entries has its last 1024" lists 1024
check "how many are missing is a metric" grep -qxF 'vitrine_metrics_entries_left_out{tree="t"} 200' t.prom
check "that is said once" prints \
	"vitrine: ./t.inspect: 200 entries left out: a list has more than 1024; select the entries that are needed" \
	cat err
check "a selector is applied before the limit" filtered 'vitrine_t_event_v{tree="t",event="1000"} 1000' \
	"grep -v '^#'" metrics ./t.inspect:events/1000
many 1024 1100 | tree t
check "a list of 1024 entries is complete" lists 1024
check "nothing is said then" same /dev/null err
tree t <<<"{$(seq -s, -f '"%.0f": "x"' 2000)}"
check "strings do not count, as they are labels of one series" fails has 'entries left out' metrics ./t.inspect

# ---- help ----

check "help is in words" helps system '{"release": "6", "uptime_ns": 5, "cpus": {"0": {"user_ns": 1, "context_switches": 1, "name": "x"}},
	"load": {"1_min": 0.5}, "lat_ns": {"$linear": [0, 10, 0, 1, 0]}, "rx.signed_total": -1, "kilobytes": 5, "": 1}' \
' Value of system
_cpu_context_switches_total Number of cpu context switches
_cpu_info Text of cpu
_cpu_user_seconds_total Total of cpu user, in seconds
_info Text of system
_lat_seconds Distribution of lat, in seconds
_load_1_min Value of load 1 min
_rx_signed_total Value of rx signed total
_uptime_seconds Value of uptime, in seconds
kilobytes Value of kilobytes'

# ---- duplicate series ----

check "the same series several times: numbered" becomes t '{"$children": [["a x", 1], ["a_x", 2], ["a_x", 3], ["A-X", 4],
	["lat", {"$linear": [0, 10, 0, 1, 0]}], ["lat", {"$linear": [0, 20, 0, 1, 0]}],
	["lat_count", 5], ["foo", 1], ["foo_total", 2]]}' \
'vitrine_t_a_x 4
vitrine_t_a_x{duplicate="2"} 1
vitrine_t_a_x{duplicate="3"} 2
vitrine_t_a_x{duplicate="4"} 3
vitrine_t_foo 1
vitrine_t_foo_total 2
vitrine_t_lat_bucket{le="9.0"} 1
vitrine_t_lat_bucket{le="+Inf"} 1
vitrine_t_lat_bucket{duplicate="2",le="19.0"} 1
vitrine_t_lat_bucket{duplicate="2",le="+Inf"} 1
vitrine_t_lat_count 1
vitrine_t_lat_count{duplicate="2"} 1
vitrine_t_lat_count{duplicate="3"} 5'
check "families that clash have no type" filtered "a_x gauge" "sed -n 's/^# TYPE vitrine_t_//p'" metrics ./t.inspect

# ---- words that promtool warns of ----

check "such words are joined with those before" becomes t '{"counter": 1, "a_ms_b": 2, "x": {"bits": 3, "mega": {"bits": 4}}, "kilobytes": 5, "load": {"1_min": 0.5}}' \
'vitrine_t_amsb 2
vitrine_t_load_1_min 0.5
vitrine_t_xbits 3
vitrine_t_xmegabits 4
vitrine_tcounter 1
vitrine_tkilobytes 5'

# ---- random trees, read by other programs ----

# random_tree SEED: print a tree with random names and values that are hard to represent
random_tree()
{
	python3 - "$1" <<'EOF' | python3 "$here/mktree.py"
import json
import random
import sys

random.seed(int(sys.argv[1]))
words = ["cpus", "0", "1", "12", "ns", "total", "count", "sum", "bucket", "info", "b", "counter",
         "mega", "bits", "le", "quantile", "tree", "number", "created", "x", "\udcff", "\n", "\"", "é",
         "X", "_", "", "seconds", "bytes", "processes", "s", "value", "index", "name", "duplicate"]

def name():
    return random.choice(["", "_", " "]).join(random.choices(words, k=random.choice([1, 1, 1, 2, 3])))

def histogram():
    number = random.choice([lambda: random.randrange(4), lambda: random.choice([0.0, 0.5, 2.0, 1e300]),
                            lambda: random.choice([0, 2**63, 2**64 - 1])])
    kind, nr = random.choice([("$linear", 2), ("$exponential", 3)])
    return {kind: [number() for _ in range(nr + random.randrange(2, 9))]}

def value(depth):
    choice = random.randrange(10 if depth else 6)
    if choice >= 6:
        return {"$children": [[name(), value(depth - 1)] for _ in range(random.randrange(9))]}
    return [random.randrange(2**64), -random.randrange(2**63), random.random() < 0.5, name(),
            [random.randrange(9) for _ in range(random.randrange(1, 4))], histogram()][choice]

print(json.dumps({"$children": [[name(), value(4)] for _ in range(60)]}))
EOF
}

# agrees PROGRAM WHAT FILE...: a PROGRAM that reads metrics prints nothing about those of FILEs
agrees()
{
	check "${1%% *} has nothing against $2" filtered "" "grep -v ^vitrine: | $1" metrics "${@:3}"
}

# The parser is a Debian package, so it needs Debian's Python.
programs=()
! type promtool >/dev/null 2>&1 || programs+=("promtool check metrics 2>&1")
! /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null || programs+=("/usr/bin/python3 -c '
import sys
from prometheus_client.parser import text_string_to_metric_families
list(text_string_to_metric_families(sys.stdin.read()))' 2>&1")
echo "# ${#programs[@]} of promtool, from the package prometheus, and prometheus_client are here"

for file in "$golden"/inspect/v*.words; do
	golden_tree "$(basename "$file" .words)" "golden-$(basename "$file" .words).inspect"
done
for seed in 1 2 3 4 "$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')"; do
	random_tree "$seed" >"random-$seed.inspect"
done
for program in "${programs[@]}"; do
	agrees "$program" "golden trees" ./golden-*.inspect
	for file in ./random-*.inspect; do
		agrees "$program" "$file" "$file"
	done
	agrees "$program" "all of them" ./*.inspect
done
check "no series twice" filtered "" "grep -v '^#\|^vitrine:' | sed 's/ [^ ]*$//' | LC_ALL=C sort | uniq -d" \
	metrics ./*.inspect
# ---- a file for node_exporter ----

tree t <<<'{"a": 1}'
check "textfile" bash -c "umask 022; '$vitrine' metrics --textfile x.prom ./t.inspect && grep -qx 'vitrine_t_a{tree=\"t\"} 1' x.prom"
check "the file is readable for everyone" test "$(stat -c %a x.prom)" = 644
check "no temporary file is left beside it" test "$(echo x.prom*)" = x.prom
# replaced: x.prom is replaced by a new file; a reader of the old file still reads all of it
replaced()
{
	local old

	exec 7<x.prom
	old=$(cat x.prom)
	tree t <<<'{"a": 2}'
	"$vitrine" metrics --textfile x.prom ./t.inspect || return
	[ "$(cat <&7)" = "$old" ] && grep -q ' 2$' x.prom
}
check "replaced, not written over" replaced
check "no such directory" refuses 3 "no/x.prom: cannot create a temporary file in its directory: No such file" \
	"$vitrine" metrics --textfile no/x.prom ./t.inspect
check "disk full" limited 0 refuses 3 "x.prom: cannot write: File too large" \
	"$vitrine" metrics --textfile x.prom ./t.inspect
check "disk full: the old file stays" grep -q ' 2$' x.prom
check "disk full: no temporary file is left" test "$(echo x.prom*)" = x.prom
mkdir d.prom
check "cannot replace a directory" exits 3 "d.prom: cannot replace: " metrics --textfile d.prom ./t.inspect
check "a selector" filtered 2 "sed -n 's/^vitrine.* //p'" metrics ./t.inspect:root:a
check "no tree: no metrics" fails has "^vitrine_" metrics ./absent.inspect
check "one tree of two: the other, and the status says so" refuses 3 'vitrine_t_a{tree="t"} 2' \
	"$vitrine" metrics ./absent.inspect ./t.inspect

# A link to nothing is found in the directory, but cannot be opened, like a tree that is removed
# at that moment.
rm vitrine/inspect/*
cp t.inspect vitrine/inspect/
ln -s nowhere vitrine/inspect/gone.inspect
for pattern in "" '*'; do
	check "a tree that is gone when it is read is left out, selected by '$pattern'" filtered \
		'vitrine_t_a{tree="t"} 2' "grep -v '^#'" metrics ${pattern:+"$pattern"}
done
check "a tree that was named is missed" refuses 1 "gone: no tree or file has this name; there are 2 trees" "$vitrine" metrics gone

plan
