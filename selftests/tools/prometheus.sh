#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A real Prometheus scrapes the output of `vitrine metrics', from a web server in both text
# formats, and by way of node_exporter's textfile collector; then it is queried for the
# values.

. "$(dirname "$0")/command" || exit
started=()
trap 'kill "${started[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT

for program in prometheus prometheus-node-exporter; do
	type "$program" >/dev/null 2>&1 ||
		skip "no $program here: packages prometheus, prometheus-node-exporter"
done

explain_failure()
{
	tail -n 10 "$dir"/*.log
}

# Serve this directory over HTTP, *.om as OpenMetrics, and write the port to the file "port".
# exec, because the caller kills this process: a shell around the server would not pass the
# signal on.
serve()
{
	exec python3 - <<'EOF'
import http.server
import os

class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".prom": "text/plain; version=0.0.4",
                      ".om": "application/openmetrics-text; version=1.0.0; charset=utf-8"}

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as file:
    file.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
EOF
}

# launch LOG READY COMMAND...: start a server on a port that is free, and set $port. When it serves,
# it writes READY to LOG; if another program takes the port first, it ends, and begins again.
launch()
{
	local log=$1 ready=$2 tries=0

	shift 2
	serves_or_ended() { grep -q "$ready" "$log" || ! kill -0 "$server" 2>/dev/null; }
	while [ $((++tries)) -le 10 ]; do
		port=$(python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
		"$@" --web.listen-address="127.0.0.1:$port" >"$log" 2>&1 &
		server=$!
		started+=("$server")
		until_true serves_or_ended && grep -q "$ready" "$log" && return
	done
	tail -n 10 "$log"
	exit 1
}

# value QUERY: print Prometheus' result of QUERY, or nothing if there is none
value()
{
	python3 - "http://127.0.0.1:$port/api/v1/query" "$1" <<'EOF' 2>/dev/null
import json
import sys
import urllib.parse
import urllib.request

url, query = sys.argv[1:]
with urllib.request.urlopen(url + "?" + urllib.parse.urlencode({"query": query})) as answer:
    print(*(r["value"][1] for r in json.load(answer)["data"]["result"]))
EOF
}

# is QUERY VALUE: Prometheus' result of QUERY is VALUE
is()
{
	local said

	said=$(value "$1")
	[ "$said" = "$2" ] || { echo "$1 is '$said', not '$2'"; return 1; }
}

# becomes QUERY VALUE: wait until it is. If a machine is too busy to answer Prometheus within
# a second, the values are missing for a moment.
becomes()
{
	until_true is "$@"
}

# publish <JSON: make the tree "system", and its metrics in both formats
publish()
{
	mktree system.inspect && "$vitrine" metrics --textfile all.prom ./system.inspect &&
		"$vitrine" metrics ./system.inspect >all.om
}
publish <<'EOF' || exit 1
{"uptime_ns": 1234567890123, "release": "6.12 \"x\"", "cpus": {"0": {"user_ns": 2500000000}, "1": {"user_ns": 1}},
 "lat_ns": {"$exponential": [0, 1000, 2, 0, 100, 0, 0, 0, 0]}, "lat_sum_ns": 50000, "nothing": {"$double": "nan"}}
EOF
serve >serve.log 2>&1 &
started+=($!)
launch node.log "Listening on" prometheus-node-exporter --collector.disable-defaults \
	--collector.textfile --collector.textfile.directory="$dir"
until_true test -e port || exit 1
cat >prometheus.yml <<EOF
global: {scrape_interval: 1s}
scrape_configs:
- {job_name: text, metrics_path: /all.prom, static_configs: [{targets: ["127.0.0.1:$(cat port)"]}]}
- {job_name: openmetrics, metrics_path: /all.om, static_configs: [{targets: ["127.0.0.1:$(cat port)"]}]}
- {job_name: node, static_configs: [{targets: ["127.0.0.1:$port"]}]}
EOF
launch prometheus.log "Server is ready" prometheus --config.file=prometheus.yml \
	--storage.tsdb.path="$dir/tsdb"

while IFS='|' read -r what query value; do
	for job in text openmetrics node; do
		check "$job: $what" becomes "${query//JOB/job=\"$job\"}" "$value"
	done
done <<'END'
scraped|up{JOB}|1
a gauge in seconds|vitrine_system_uptime_seconds{JOB}|1234.567890123
a counter of one CPU|vitrine_system_cpu_user_seconds_total{JOB,cpu="0",tree="system"}|2.5
a string|vitrine_system_info{JOB,release="6.12 \"x\""}|1
a quantile|histogram_quantile(1, vitrine_system_lat_seconds_bucket{JOB})|9.99e-07
a mean|vitrine_system_lat_seconds_sum{JOB} / on() vitrine_system_lat_seconds_count{JOB}|5e-07
not a number|vitrine_system_nothing{JOB}|NaN
END
check "node_exporter has no complaint" becomes 'node_textfile_scrape_error' 0

check "the next moment" publish <<<'{"cpus": {"0": {"user_ns": 3500000000}}}'
for job in text node; do
	counter="vitrine_system_cpu_user_seconds_total{job=\"$job\",cpu=\"0\"}"
	check "$job: has arrived" becomes "$counter" 3.5
	check "$job: an increase" becomes "max_over_time(${counter}[1h]) - min_over_time(${counter}[1h])" 1
done

plan
