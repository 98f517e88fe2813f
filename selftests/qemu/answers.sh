#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: answers.sh [PROGRAM]...
# Runs in a guest: programs of Debian, each with a cause of slowness put in on purpose. "vitrine why"
# must name the cause on its first screen, with times within 10 % of what the program or the kernel
# says. NAME.answer is what it said.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "$VITRINE_SELFTESTS/lib.sh" || exit

work=$(mktemp -d)
chmod 755 "$work"
export work
cgroups=/sys/fs/cgroup

# answered COMMAND...: record COMMAND, and ask why it took so long; the answer fits on a screen.
# The recorder runs behind the words of recorder, if this is set.
answered()
{
	rm -f "$work/told"
	"${recorder[@]}" vitrine record --why -o "$work/$name.fxt" -- "$@" >"$OUT/$name.output" 2>"$OUT/$name.said" ||
		{ cat "$OUT/$name.output" "$OUT/$name.said"; return 1; }
	vitrine why "$work/$name.fxt" >"$OUT/$name.answer" &&
		vitrine why --json "$work/$name.fxt" >"$OUT/$name.json" &&
		awk 'length($0) > 100 || NR > 40 { print; bad = 1 } END { exit bad }' "$OUT/$name.answer"
}

# tells PATTERN...: the answer has a line for each PATTERN
tells()
{
	has_lines "$OUT/$name.answer" "$@"
}

# near FILTER NS [LATE]: what the filter finds in the JSON is within 10 % of NS, of which LATE may be
# the time until the program had a CPU again to see that the wait was over
near()
{
	local found

	found=$(jq "$1 | floor" "$OUT/$name.json") || return
	within $((($2 - ${3:-0}) * 9 / 10)) "$found" $(($2 * 11 / 10)) ||
		{ cat "$OUT/$name.answer"; return 1; }
}

# waited FILTER NS [LATE]: the same of the sum of the waits that the filter selects
waited()
{
	near "[.waits[] | select($1).sum_ns] | add" "${@:2}"
}

# told: print the sum of what the program has told with measure.py
told()
{
	awk '{ sum += $1 } END { printf "%.0f\n", sum }' "$work/told"
}

# copied: print how long dd says that it took, in nanoseconds
copied()
{
	sed -n 's/.* copied, \([0-9.]*\) s, .*/\1/p' "$OUT/$name.said" | awk '{ printf "%.0f\n", $1 * 1e9 }'
}

# quiet COMMAND...: nothing is wrong, and the answer says so in less than ten lines, unless QEMU
# lets a processor of the guest stand still
quiet()
{
	retried is_quiet "$@"
}

is_quiet()
{
	answered "$@" && tells "^Nothing is wrong" &&
		awk '{ print } END { exit NR >= 10 }' "$OUT/$name.answer"
}

# serve COMMAND...: run a server
serve()
{
	"$@" >>"$work/server.log" 2>&1 &
}

# cgroup NAME CONTROLLER SETTING VALUE: create a cgroup; in.sh runs a command in it
cgroup()
{
	mkdir -p "$cgroups/$1"
	echo "+$2" >"$cgroups/cgroup.subtree_control"
	echo "$4" >"$cgroups/$1/$3"
}

# disk PARAMETER...: make the disk /dev/nullb0, in memory
disk()
{
	! grep -q '^null_blk ' /proc/modules || rmmod null_blk
	modprobe null_blk memory_backed=1 gb=1 "$@"
}

# cpu_ns CGROUP usage|throttled: print for how long threads of the cgroup have run, or could not
cpu_ns()
{
	awk -v field="$2_usec" '$1 == field { print $2 "000" }' "$cgroups/$1/cpu.stat"
}

# delays PROGRAM: tell for how long each process of the program has waited for a CPU so far
delays()
{
	local pid

	for pid in $(pgrep -x "$1"); do
		awk '{ print $2 }' "/proc/$pid/schedstat"
	done >"$work/told"
}
export -f delays

cat >"$work/in.sh" <<'END'
echo $$ >"/sys/fs/cgroup/$1/cgroup.procs" && shift && exec "$@"
END

# What a thread of Python knows of its own time, most of it from the kernel.
cat >"$work/measure.py" <<'END'
import os, time

def blocked_ns():
    "Return a clock that goes on while this thread neither runs nor waits for a CPU"
    with open("/proc/thread-self/schedstat") as file:
        running, runnable, _ = map(int, file.read().split())
    return time.monotonic_ns() - running - runnable

def tell(ns):
    with open(os.environ["work"] + "/told", "a") as file:
        print(ns, file=file)
END
export PYTHONPATH=$work

# ---- locks ------------------------------------------------------------------

cat >"$work/insert.py" <<'END'
import sqlite3, sys, threading
from measure import blocked_ns, tell
path = sys.argv[1]
begin = blocked_ns()
db = sqlite3.connect(path); db.execute("create table t(i, s)"); db.commit(); db.close()
def run():
    begin = blocked_ns()
    db = sqlite3.connect(path, timeout=60)
    for i in range(40):
        db.execute("insert into t values(?, ?)", (i, "x" * 500)); db.commit()
    tell(blocked_ns() - begin)
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
tell(blocked_ns() - begin)
END

program_sqlite()
{
	rm -f /var/tmp/db
	answered python3 "$work/insert.py" /var/tmp/db &&
		tells "^[0-9]\. python3.* waiting for an SQLite lock, by naps" &&
		waited '.group == "python3" and .kind != "cpu"' "$(told)"
}

program_gil()
{
	answered taskset -c 1 python3 -c '
import threading
from measure import blocked_ns, tell
def count():
    begin = blocked_ns()
    sum(i for i in range(1000000))
    tell(blocked_ns() - begin)
threads = [threading.Thread(target=count) for _ in range(4)]
begin = blocked_ns()
for thread in threads: thread.start()
for thread in threads: thread.join()
tell(blocked_ns() - begin)' &&
		tells "^[0-9]\. python3.* waiting for Python's global lock" &&
		waited '.group == "python3" and .kind != "cpu"' "$(told)"
}

# Three processes wait for a semaphore, one after the other, and a fourth one naps with it.
program_convoy()
{
	answered python3 -c '
import multiprocessing, time
from measure import tell
lock = multiprocessing.Lock()
def wait():
    begin = time.monotonic_ns()
    with lock:
        tell(time.monotonic_ns() - begin)
        time.sleep(.05)
waiters = [multiprocessing.Process(target=wait) for _ in range(3)]
with lock:
    for waiter in waiters: waiter.start()
    for waiter in waiters:
        while "futex" not in open(f"/proc/{waiter.pid}/wchan").read(): time.sleep(.01)
    time.sleep(.2)
for waiter in waiters: waiter.join()' &&
		tells "^[0-9]\. python3 \([34] threads\): .* sleeping: a nap" &&
		waited '.what == "a futex"' "$(told)" &&
		jq -e '[.waits[] | select(.what == "a futex").longest.path[] | select(.kind == "sleep").thread.tid] |
			unique | length == 3' "$OUT/$name.json"
}

as_postgres()
{
	runuser -u postgres -- "$@" >>"$work/server.log" 2>&1
}

# Row locks: eight clients, and one row of pgbench_branches, which each of them locks until its
# commit is on a disk that takes 40 ms to write. The server writes down how long each of them waited,
# if it was for 20 ms or more.
program_pgbench()
{
	local programs settings="-c log_lock_waits=on -c deadlock_timeout=20ms"

	programs=$(echo /usr/lib/postgresql/*/bin)
	rm -rf "$work/db"
	mkdir -p "$work/db" "$work/wal" /run/postgresql
	disk queue_mode=2 irqmode=2 completion_nsec=40000000 && mkfs.ext4 -q /dev/nullb0 &&
		mount /dev/nullb0 "$work/wal" && mkdir "$work/wal/pg" || return
	chown postgres "$work/db" "$work/wal/pg" /run/postgresql
	cd / || return
	trap 'as_postgres "$programs/pg_ctl" -D "$work/db" -w stop -m immediate; umount "$work/wal"' RETURN
	as_postgres "$programs/initdb" -D "$work/db" -X "$work/wal/pg" -N -A trust &&
		as_postgres "$programs/pg_ctl" -D "$work/db" -w -l "$work/db/log" -o "$settings" start &&
		as_postgres "$programs/pgbench" -i -s 1 postgres &&
		answered runuser -u postgres -- "$programs/pgbench" -c 8 -T 5 postgres &&
		tells "^[0-9]\. postgres \([0-9]+ threads\): .* waiting for a lock of PostgreSQL" &&
		waited '.what == "a lock of PostgreSQL"' \
			"$(sed -n 's/.* acquired .* after \([0-9.]*\) ms$/\1/p' "$work/db/log" |
				awk '{ sum += $1 } END { printf "%.0f\n", sum * 1e6 }')" \
			"$(jq '[.waits[] | select(.group == "postgres" and .kind == "cpu").sum_ns] |
				add // 0 | floor' "$OUT/$name.json")"
}

# ---- CPUs -------------------------------------------------------------------

# The recorder has another CPU: while it had the one of the program, the limit would not show.
program_cpu_max()
{
	local before recorder=(taskset -c 0)

	cgroup limited cpu cpu.max "20000 100000"
	before=$(cpu_ns limited throttled)
	answered taskset -c 1 sh "$work/in.sh" limited perl -e '1 while (times)[0] < .5' &&
		tells "throttled by cgroup /limited, cpu.max 20 %" &&
		waited '.kind == "throttled"' $(($(cpu_ns limited throttled) - before))
}

# A program waits in a loop for one that it has started, and that is a real-time thread on the same
# CPU. Both tell for how long they waited for the CPU. A switch has the priority of the thread that it
# switches to, so the other one becomes a real-time thread while it sleeps.
program_real_time()
{
	cat >"$work/starved.pl" <<-'END'
	pipe my $read, my $write;
	my $pid = fork // die;
	if ($pid) {
		system "chrt -f -p 50 $pid";
		syswrite $write, "x";
		1 until waitpid $pid, 1;
	} else {
		sysread $read, my $byte, 1;
		1 while (times)[0] + (times)[1] < 1;
	}
	open my $schedstat, "/proc/self/schedstat";
	open my $told, ">>", "$ENV{work}/told";
	print $told +(split " ", <$schedstat>)[1], "\n";
	END
	answered taskset -c 1 perl "$work/starved.pl" &&
		tells "^[0-9]\. perl.*: .* waiting for a CPU" "behind perl \([0-9]+ %, real-time priority 50\)" &&
		waited '.group == "perl" and .kind == "cpu"' "$(told)"
}

# Compilers wait for two CPUs.
program_make()
{
	local i j

	rm -rf "$work/many"
	mkdir -p "$work/many" "$cgroups/make"
	for ((i = 0; i < 10; i++)); do
		for ((j = 0; j < 10; j++)); do
			echo "int f$j(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * $j; return s; }"
		done >"$work/many/$i.c"
	done
	# shellcheck disable=SC2016	# of make
	printf '%s\n' 'all: $(patsubst %.c,%.o,$(wildcard *.c))' >"$work/many/Makefile"
	answered sh "$work/in.sh" make make -s -C "$work/many" -j8 &&
		tells "^[0-9]\. cc1.* waiting for a CPU" "behind cc1" &&
		near '[.groups[] | select(.selected).kinds_ns.running] | add' "$(cpu_ns make usage)"
}

# ---- memory and disks -------------------------------------------------------

program_memory_high()
{
	cgroup high memory memory.high 20M
	answered sh "$work/in.sh" high python3 -c '
from measure import blocked_ns, tell
begin = blocked_ns()
memory = bytearray(22 << 20)
for i in range(0, len(memory), 4096): memory[i] = 1
tell(blocked_ns() - begin)' &&
		tells "reclaim, above memory.high" &&
		waited '.what // "" | startswith("reclaim")' "$(told)"
}

# SQLite commits to a disk on which its cgroup may write 30 times a second.
program_io_max()
{
	cgroup slow io io.max "$(mountpoint -d /) wiops=30"
	cat >"$work/commit.py" <<-'END'
	import sqlite3
	from measure import blocked_ns, tell
	db = sqlite3.connect("/var/tmp/throttled.db")
	begin = blocked_ns()
	db.execute("create table t(i)")
	for i in range(8):
	    db.execute("insert into t values(?)", (i,))
	    db.commit()
	tell(blocked_ns() - begin)
	END
	rm -f /var/tmp/throttled.db
	# Have Python in memory, so that it does not wait for the disk before it measures.
	python3 -c 'import sqlite3'
	answered sh "$work/in.sh" slow python3 "$work/commit.py" &&
		tells "^ .* python3 waiting for a disk \(vda\)" "^[0-9]\. python3: .* waiting for a disk \(vda\)" &&
		fails grep "kworker.*not known" <(sed '/^$/,$d' "$OUT/$name.answer") &&
		waited '.kind == "disk"' "$(told)"
}

# The memory of a program is on a disk that takes 4 ms to read a few pages.
program_swap()
{
	disk queue_mode=2 irqmode=2 completion_nsec=4000000 &&
		mkswap /dev/nullb0 && swapon /dev/nullb0 || return
	trap 'swapoff /dev/nullb0' RETURN
	cgroup swapped memory memory.max 100M
	cat >"$work/swap.py" <<-'END'
	import os
	from measure import blocked_ns, tell
	pages = range(0, 12 << 20, 4096)
	memory = bytearray(12 << 20)
	for i in pages:
	    memory[i] = 1
	begin = blocked_ns()
	try:
	    with open("/sys/fs/cgroup/swapped/memory.reclaim", "w") as file:
	        file.write("12M")
	except OSError:
	    pass	# less than that
	sum(memory[i] for i in pages)
	tell(blocked_ns() - begin)
	os._exit(0)
	END
	answered sh "$work/in.sh" swapped python3 "$work/swap.py" &&
		tells "^[0-9]\. python3: .* waiting for swap \(nullb0\)" &&
		waited '.what // "" | startswith("swap") or startswith("reclaim")' \
			"$(told)"
}

# thaw: unfreeze the file system, half a second after dd has begun to wait for that
thaw()
{
	until_true bash -c '[[ $(ps -C dd -o state=,wchan:30=) = D*percpu* ]]' && sleep .5 && fsfreeze -u "$work/mnt"
}

# A process is in the state D while its file system is frozen.
program_frozen()
{
	disk && mkfs.ext4 -q /dev/nullb0 && mkdir -p "$work/mnt" &&
		mount /dev/nullb0 "$work/mnt" && touch "$work/mnt/file" && fsfreeze -f "$work/mnt" || return
	thaw &
	trap 'wait $!; umount "$work/mnt"' RETURN
	answered dd if=/dev/zero of="$work/mnt/file" conv=notrunc,nocreat bs=4k count=1 &&
		tells "^[0-9]\. dd: .* waiting for a lock of the kernel in " "ended by fsfreeze" &&
		waited '.kind == "lock"' "$(copied)"
}

# ---- other programs ---------------------------------------------------------

# xz runs, and tar waits until it has read from the pipe.
program_tar_xz()
{
	head -c 1000000 "$work/random" >"$work/big"
	mkdir -p "$cgroups/xz"
	answered sh -c "tar c -C '$work' big | sh '$work/in.sh' xz xz >'$work/big.tar.xz'" &&
		tells "^ .* xz running" "^[0-9]\. tar: .* waiting for a pipe" &&
		near '[.groups[] | select(.group == "xz").kinds_ns.running] | add' "$(cpu_ns xz usage)"
}

# serve_redis COMMAND...: COMMAND runs a server with many keys
serve_redis()
{
	rm -f "$work/dump.rdb"
	serve "$@" redis-server --port 6379 --save '' --appendonly no --dir "$work" --enable-debug-command yes
	until_true redis-cli ping >/dev/null 2>&1
	redis-cli debug populate 200000 >/dev/null
}

stop_redis()
{
	redis-cli shutdown nosave 2>/dev/null
}

program_redis()
{
	serve_redis env
	trap stop_redis RETURN
	answered redis-cli -r 20 keys 'nothing*' &&
		tells "^ .* redis-server running" &&
		near '.groups[] | select(.group == "redis-server").kinds_ns | .running + .cpu' \
			"$(redis-cli info commandstats | sed -n 's/^cmdstat_keys:.*usec=\([0-9]*\),.*/\1000/p')"
}

cat >"$work/slow.py" <<'END'
import http.server, time
from measure import blocked_ns, tell
class Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        begin = blocked_ns()
        time.sleep(.3)
        tell(blocked_ns() - begin)
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers()
        self.wfile.write(b"ok")
http.server.HTTPServer(("127.0.0.1", 8000), Slow).serve_forever()
END
cat >"$work/nginx.conf" <<END
worker_processes 1; daemon off; pid $work/nginx.pid; error_log $work/nginx.log;
events { }
http { access_log off; server { listen 127.0.0.1:80; location / { proxy_pass http://127.0.0.1:8000; } } }
END

# A file system in user space that reads 200 kB a second.
program_fuse()
{
	mkdir -p "$work/real" "$work/fuse"
	head -c 300000 /dev/urandom >"$work/real/file"
	modprobe fuse
	bindfs --read-rate=200k "$work/real" "$work/fuse" || return
	trap 'umount "$work/fuse"' RETURN
	answered python3 -c '
import os
from measure import blocked_ns, tell
begin = blocked_ns()
open(os.environ["work"] + "/fuse/file", "rb").read()
tell(blocked_ns() - begin)' &&
		tells "^ .* bindfs sleeping: a nap" &&
		waited '.group == "python3" and .kind == "thread"' "$(told)"
}

# The server behind nginx naps for 300 ms in each of five requests.
program_nginx()
{
	local upstream

	serve python3 "$work/slow.py"
	upstream=$!
	serve nginx -c "$work/nginx.conf"
	trap 'kill "$upstream" "$(<"$work/nginx.pid")"' RETURN
	until_true bash -c ': </dev/tcp/127.0.0.1/80 </dev/tcp/127.0.0.1/8000' 2>/dev/null
	answered ab -q -n 5 http://127.0.0.1/ &&
		tells "^ .* python3 sleeping: a nap" &&
		near '[.command.path[] | select(.kind == "sleep").sum_ns] | add' "$(told)"
}

# The process that saves has the same CPU as the server, so that one of them waits. So have the clients:
# the kernel does not count the time until a CPU has been told by another one to wake a thread. When
# the last client is done, the process that saves is not.
program_bgsave()
{
	local before

	serve_redis taskset -c 1
	trap stop_redis RETURN
	delays redis-server
	before=$(told)
	answered taskset -c 1 bash -c 'redis-cli bgsave; redis-benchmark -q -n 200 -c 1 -t set; delays redis-server' &&
		tells "^[0-9]\. redis-server \(2 threads\): .* waiting for a CPU" &&
		waited '.group == "redis-server" and .kind == "cpu"' \
			$(($(told) - before)) &&
		jq -e '.waits[] | select(.group == "redis-server" and .kind == "cpu").behind[] |
			select(.group == "redis-server")' "$OUT/$name.json"
}

# ---- a busy machine ---------------------------------------------------------

# Waits that a timer ends, with nothing to wait for, and requests to a peer over the loopback device.
cat >"$work/waits.py" <<'END'
import os, select, signal, socket, threading, time
kinds = [socket.SOCK_STREAM, socket.SOCK_DGRAM]
pairs = []
for kind in kinds:
    server = socket.socket(socket.AF_INET, kind)
    server.bind(("127.0.0.1", 0))
    client = socket.socket(socket.AF_INET, kind)
    if kind == socket.SOCK_STREAM:
        server.listen()
        client.connect(server.getsockname())
        server = server.accept()[0]
    else:
        client.bind(("127.0.0.1", 0))
        client.connect(server.getsockname())
        server.connect(client.getsockname())
    pairs.append((client, server))
if os.fork() == 0:
    open("/proc/self/comm", "w").write("peery")
    for _, server in pairs:
        for _ in range(10):
            server.recv(1)
            time.sleep(.02)
            server.send(b"x")
    os._exit(0)
event, condition = select.epoll(), threading.Condition()
event.register(pairs[0][0], select.EPOLLIN)
for client, _ in pairs:
    for _ in range(10):
        client.send(b"x")
        client.recv(1)
os.wait()
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
silent.bind(("127.0.0.1", 0))
silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, b"\0" * 8 + (60000).to_bytes(8, "little"))
with condition:
    for _ in range(10):
        condition.wait(.06)
        event.poll(.06)
        time.sleep(.06)
        signal.sigtimedwait([signal.SIGUSR1], .06)
        try: silent.recv(1)
        except OSError: pass
END

# innocent WHAT ARGUMENT...: what vitrine why tells of waits names the busy loops only where a thread
# waited for a CPU
innocent()
{
	vitrine why "${@:2}" >"$OUT/busy-$1.answer" && vitrine why --json "${@:2}" >"$OUT/busy-$1.json" || return
	# shellcheck disable=SC2016	# of jq
	jq -e '[(.command.path // [] | .[].group),
		(.waits[] | select(.kind != "cpu" and .group != "hoggy") |
			(.ended_by[].group, (.longest.path // [] | .[].thread.name)))] |
		length > 0 and (index("hoggy") | not)' "$OUT/busy-$1.json" || { cat "$OUT/busy-$1.answer"; return 1; }
}

# peers WHAT: most of the path of the requests is in the peer, which naps
peers()
{
	jq -e '[.command.path[] | select(.group == "peery" and .kind == "sleep").sum_ns] | add > 3e8' \
		"$OUT/busy-$1.json" || { cat "$OUT/busy-$1.answer"; return 1; }
}

program_busy()
{
	local cpu hogs=()

	cp /usr/bin/perl "$work/hoggy"
	for cpu in 0 1; do
		taskset -c "$cpu" "$work/hoggy" -e '1 while 1' &
		hogs+=($!)
	done
	trap 'kill "${hogs[@]}"' RETURN
	vitrine record -o "$work/plain.fxt" -- python3 "$work/waits.py" 2>"$OUT/busy.said" &&
		innocent plain "$work/plain.fxt" &&
		vitrine record --why -o "$work/why.fxt" -- python3 "$work/waits.py" 2>>"$OUT/busy.said" &&
		innocent why "$work/why.fxt" && peers why || return
	unload && load events=sched stacks=blocked_us=10000 buffer_kb=8192 || return
	python3 "$work/waits.py" && innocent last --last 10s -p python3
}

# ---- nothing is wrong -------------------------------------------------------

# By name, what is run.
declare -A quiet_programs=(
	[seq]="seq 300000"
	[python]="python3 -c 'print(sum(range(2000000)))'"
	[gzip]="gzip -c $work/random"
	[sha256sum]="sha256sum /usr/bin/python3*"
	[sort]="sh -c 'seq 50000 | sort -r >$work/sorted'"
)
head -c 3000000 /dev/urandom >"$work/random"

# -----------------------------------------------------------------------------

load
! command -v ip >/dev/null || ip link set lo up
mount -t cgroup2 none "$cgroups" 2>/dev/null
if [ $# = 0 ]; then
	# shellcheck disable=SC2046	# names of functions
	set -- $(compgen -A function | sed -n 's/^program_//p') "${!quiet_programs[@]}"
fi
for name; do
	if [ -n "${quiet_programs[$name]:-}" ]; then
		check "$name" eval "quiet ${quiet_programs[$name]}"
	else
		check "$name" "program_$name"
	fi
done
chmod 644 "$OUT"/*
finish
