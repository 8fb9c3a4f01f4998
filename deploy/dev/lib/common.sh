# shellcheck shell=bash disable=SC2154,SC2034
# Sourced by ../services, which sets $dir and $tools.

run_started=${EPOCHREALTIME/[.,]/}

elapsed() {
	local us=$((${EPOCHREALTIME/[.,]/} - $1))
	printf '%d.%d s' $((us / 1000000)) $((us / 100000 % 10))
}

# Progress goes to stderr, so that stdout holds only what other programs read.
say() { printf 'services: %s\n' "$*" >&2; }

die() {
	printf 'services: error: %s\n' "$*" >&2
	[ -z "${beside_pid:-}" ] || kill_tree "$beside_pid"
	exit 1
}

kill_tree() {
	local child
	# shellcheck disable=SC2013
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do kill_tree "$child"; done
	kill "$1" 2>/dev/null || true
}

# "timeout" gives a step a process group of its own, which Ctrl-C does not reach.
step_pid=
# A build that runs beside the steps.
beside_pid=
on_signal() {
	local pid
	for pid in $step_pid $beside_pid; do kill_tree "$pid"; done
	printf '\nservices: interrupted; the next run goes on from here\n' >&2
	exit 130
}
trap on_signal INT TERM HUP

# step LOG TEXT COMMAND...: runs one long step, its output going to LOG.
step() {
	local log=$1 text=$2 started=${EPOCHREALTIME/[.,]/} rc=0 seen
	shift 2
	printf 'services: %s ... ' "$text" >&2
	printf '\n==> %s: %s\n' "$(date -u +%FT%TZ)" "$text" >>"$log"
	seen=$(stat -c %s "$log")
	("$@") >>"$log" 2>&1 </dev/null &
	step_pid=$!
	wait "$step_pid" || rc=$?
	step_pid=
	if [ "$rc" -eq 0 ]; then
		elapsed "$started" >&2
		printf '\n' >&2
		return
	fi
	printf 'failed after %s\n' "$(elapsed "$started")" >&2
	tail -c "+$((seen + 1))" "$log" | tail -n 15 | sed 's/^/    /' >&2
	[ "$rc" -ne 124 ] || die "$text: ran out of time; log: $log"
	die "$text: exit code $rc; log: $log"
}

get_state() { cat "$dir/run/$1" 2>/dev/null || true; }
set_state() { printf '%s\n' "$2" >"$dir/run/$1"; }

# version_at_least HAVE WANT
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

tcp_answers() { timeout 5 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null; }

port_owner() {
	command -v ss >/dev/null || return 0
	ss -Hltnp "sport = :$1" 2>/dev/null | sed -n 's/.*users:((\(.*\)))$/ by \1/p' | head -n 1
}

# require_free_port NAME PORT VARIABLE
require_free_port() {
	[[ $2 =~ ^[1-9][0-9]{0,4}$ && $2 -le 65535 ]] || die "$3 is not a port: $2"
	! tcp_answers 127.0.0.1 "$2" ||
		die "$1: port $2 is taken$(port_owner "$2"), not by a service of $dir; free it or set $3"
}

pid_of() { get_state "$1.pid"; }

# A pid may have been reused since: it is ours only if its command line holds the marker
# (a path under $dir) that was written down when it was started.
alive() {
	local pid marker
	pid=$(pid_of "$1")
	marker=$(get_state "$1.marker")
	[ -n "$pid" ] && [ -n "$marker" ] || return 1
	tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$marker"
} 2>/dev/null

# spawn NAME MARKER COMMAND...: starts a daemon that outlives this script.
spawn() {
	local name=$1 marker=$2 pid
	shift 2
	# No controlling terminal, no inherited locks: else the daemon would hold them for good.
	setsid nohup "$@" </dev/null >>"$dir/logs/$name.log" 2>&1 8>&- 9>&- &
	pid=$!
	disown "$pid"
	set_state "$name.marker" "$marker"
	set_state "$name.pid" "$pid"
}

# wait_ready NAME SECONDS COMMAND...: until COMMAND succeeds; fails as soon as NAME has died.
wait_ready() {
	local name=$1 limit=$2 end
	shift 2
	end=$((SECONDS + limit))
	until "$@"; do
		# Just after the fork the command line is still this script's.
		if ! alive "$name" && ! { sleep 0.2 && alive "$name"; }; then
			echo "$name ended; the end of its log, $dir/logs/$name.log:"
			tail -n 8 "$dir/logs/$name.log"
			return 1
		fi
		if [ "$SECONDS" -ge "$end" ]; then
			echo "$name does not answer after $limit s; the end of its log, $dir/logs/$name.log:"
			tail -n 8 "$dir/logs/$name.log"
			return 1
		fi
		sleep 0.1
	done
}

forget() { rm -f "$dir/run/$1.pid" "$dir/run/$1.marker"; }

# wait_gone NAME SECONDS
wait_gone() {
	local end=$((SECONDS + $2))
	while alive "$1"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# stop_process NAME SIGNAL SECONDS
stop_process() {
	local name=$1 started=${EPOCHREALTIME/[.,]/} pid
	if ! alive "$name"; then
		forget "$name"
		return 0
	fi
	pid=$(pid_of "$name")
	kill "-$2" "$pid" 2>/dev/null || true
	wait_gone "$name" "$3" || die "$name (pid $pid) still runs $3 s after SIG$2; log: $dir/logs/$name.log"
	forget "$name"
	say "$name: stopped (pid $pid, SIG$2, $(elapsed "$started"))"
}

# print_status SERVICE STATE DETAIL
print_status() { printf '%-8s %-8s %s\n' "$1" "$2" "$3"; }

# hosts_of URL: one "host port" a line. Several servers may be given, parted by commas,
# as one URL with many hosts (MongoDB) or as many URLs (NATS).
hosts_of() {
	local default_port=$2 part parts host port
	IFS=, read -ra parts <<<"$1"
	for part in "${parts[@]}"; do
		part=${part#*://}
		part=${part%%[/?]*}
		part=${part##*@}
		if [[ $part =~ ^\[(.*)\](:([0-9]+))?$ ]]; then
			host=${BASH_REMATCH[1]} port=${BASH_REMATCH[3]:-$default_port}
		else
			host=${part%%:*} port=$default_port
			[[ $part != *:* ]] || port=${part##*:}
		fi
		# These go into a /dev/tcp path that another bash reads.
		[[ $host =~ ^[A-Za-z0-9._:-]+$ && $port =~ ^[0-9]+$ ]] && printf '%s %s\n' "$host" "$port"
	done
	return 0
}

# given URL RECORD: whether the environment names a server of its own. After
# ". .services/env" it names the one this script runs, which is not the same.
is_given() {
	[ -n "$1" ] || return 1
	[ "$(get_state "$2.source")" = given ] || [ "$1" != "$(get_state "$2.url")" ]
}

hide_password() { sed -E 's#(://[^:/@]*):[^@/]*@#\1:***@#g' <<<"$1"; }

# Information for debuggers takes 9 % of the CPU of a build (NATS, two builds of each kind by turns).
go_without_debug=(-gcflags=all=-dwarf=false '-ldflags=-s -w')

go_or_die() {
	command -v go >/dev/null ||
		die "$1: nothing to provide it with: $2 is not set, no $3 on PATH, Docker does not answer, and no Go compiler to build it with"
}
