#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: record real programs of Debian, each with settings of its own, for
# selftests/tools/truth.sh on the host. NAME.fxt is a recording, NAME.said what "vitrine
# record" said of it, and NAME.lost what the kernel says was lost while it was made.

# shellcheck source-path=SCRIPTDIR/.. source=trace_lib.sh
. "$VITRINE_SELFTESTS/trace_lib.sh" || exit

# recorded NAME OPTION... -- COMMAND...: record COMMAND into NAME.fxt
recorded()
{
	local name=$1 before

	shift
	before=$(total .lost_records)
	vitrine record -o "$OUT/$name.fxt" "$@" >"$dir/output" 2>"$OUT/$name.said" ||
		{ cat "$dir/output" "$OUT/$name.said"; return 1; }
	echo $(($(total .lost_records) - before)) >"$OUT/$name.lost"
	chmod 644 "$OUT/$name.fxt"
}

serve()
{
	"$@" >"$dir/server.log" 2>&1 &
}

# files NR: make NR files that can be compressed
files()
{
	local i

	mkdir -p "$dir/files"
	for ((i = 0; i < $1; i++)); do
		seq "$i" $((i + 4000)) >"$dir/files/$i"
	done
}

python_threads()
{
	python3 -c '
import threading
def count():
    sum(i * i for i in range(300000))
threads = [threading.Thread(target=count, name=f"count{i}") for i in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()'
}

sqlite_writers()
{
	local writer

	sqlite3 "$dir/db" 'create table t(i integer)'
	for writer in 1 2 3; do
		for _ in $(seq 8); do
			echo "insert into t values($writer);"
		done | sqlite3 -cmd '.timeout 20000' "$dir/db" &
	done
	wait
}

commits()
{
	git init -q "$dir/repo"
	cp -r "$dir/files" "$dir/repo/"
	git -C "$dir/repo" add .
	git -C "$dir/repo" -c user.name=x -c user.email=x commit -qm files
}

export -f python_threads sqlite_writers commits
export dir

load
ip link set lo up
files 40

serve redis-server --port 6379 --save '' --appendonly no
until_true redis-cli ping >/dev/null 2>&1
check "redis" recorded redis --why -- redis-benchmark -q -n 400 -c 8 -t set,get
redis-cli shutdown nosave

mkdir -p /var/lib/nginx /var/log/nginx
serve nginx -g 'daemon off;'
until_true bash -c ': </dev/tcp/127.0.0.1/80' 2>/dev/null
check "nginx" recorded nginx --all -- ab -q -n 200 -c 10 http://127.0.0.1/
check "nginx, only ab" recorded nginx-ab -p ab -- ab -q -n 200 -c 10 http://127.0.0.1/
nginx -s quit 2>/dev/null

check "sqlite" recorded sqlite --why -- bash -c sqlite_writers
check "python" recorded python -- bash -c python_threads
check "tar and xz" recorded tar-xz --all -- sh -c "tar c -C '$dir' files | xz -1 >'$dir/files.tar.xz'"
check "zstd" recorded zstd -- sh -c "cat '$dir'/files/* | zstd -q -T2 >'$dir/files.zst'"
check "rsync" recorded rsync --why -- rsync -a "$dir/files/" "$dir/copy"
check "git" recorded git -- bash -c commits
check "openssl" recorded openssl -- openssl speed -seconds 1 -multi 3 sha256
check "sort" recorded sort --why -- sh -c "cat '$dir'/files/* | sort --parallel=2 -S 1M -T '$dir' | uniq | wc -l"

# The flight recorder, in which the rings of the CPUs begin at different times.
echo 256 >"$TRACE/buffer_kb"
taskset -c 0 "$WORKLOAD" crowd 20 20000 >"$dir/output"
check "a snapshot" vitrine snapshot -o "$OUT/snapshot.fxt"
chmod 644 "$OUT"/*
finish
