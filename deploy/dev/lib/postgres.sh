# shellcheck shell=bash disable=SC2154,SC2034
# PostgreSQL with the DocumentDB extension. Debian has packages of both, but only in its
# newest suite, so they live in a root folder of their own instead of on this machine.

pg_suite=sid
pg_major=18
pg_packages=("postgresql-$pg_major" "postgresql-$pg_major-documentdb")

pg_port() { printf '%s' "${POSTGRES_PORT:-35432}"; }
pg_root() { printf '%s' "$tools/pgroot"; }
pg_data() { printf '%s' "$dir/data/postgres"; }

# In a mount namespace of their own, /dev and /proc vanish with the last process in it:
# nothing is left to unmount, and no "rm -rf" can reach the machine's /dev through them.
# shellcheck disable=SC2016
pg_enter_script='
set -e
root=$1 data=$2 user=$3
shift 3
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mkdir -p "$root$data"
mount --bind "$data" "$root$data"
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/
exec chroot --groups= --userspec="$user" "$root" "$@"'

# The command that runs the rest in the root folder; the data folder has the same path there.
pg_enter() {
	local user=$1
	shift
	pg_command=(unshare --mount --propagation private sh -c "$pg_enter_script" sh
		"$(pg_root)" "$dir/data" "$user" "$@")
}

# The user is one of the root folder, unknown to this machine.
pg_user() { awk -F: '$1 == "postgres" { print $3 ":" $4 }' "$(pg_root)/etc/passwd"; }

pg_run() {
	pg_enter "$@"
	"${pg_command[@]}"
}

pg_bin() { printf '/usr/lib/postgresql/%s/bin/%s' "$pg_major" "$1"; }

pg_require() {
	local id=
	[ "$(id -u)" -eq 0 ] || die "$1 needs root"
	# shellcheck disable=SC1091
	id=$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-}") || true
	[ "$id" = debian ] || die "$1 works on Debian only"
	unshare --mount true 2>/dev/null ||
		die "$1 needs mount namespaces (unshare --mount), which this machine refuses"
}

pg_mirror() {
	local uri
	if [ -n "${DEBIAN_MIRROR:-}" ]; then
		printf '%s' "$DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
	case $uri in
		# Debian's cloud images name a file that lists mirrors.
		mirror+file:*) uri=$(grep -m 1 -oE 'https?://[^[:space:]]+' "${uri#mirror+file:}") ;;
	esac
	case $uri in
		http://* | https://* | file:/*) printf '%s' "${uri%/}" ;;
		*)
			echo "found no Debian mirror in the configuration of apt; set DEBIAN_MIRROR" >&2
			return 1
			;;
	esac
}

pg_install_debootstrap() {
	export DEBIAN_FRONTEND=noninteractive
	timeout 300 apt-get update || return
	command -v debootstrap >/dev/null ||
		timeout 600 apt-get install -y --no-install-recommends debootstrap
}

pg_bootstrap() {
	local mirror partial=$tools/pgroot.partial
	mirror=$(pg_mirror) || return
	rm -rf --one-file-system "$partial" || return
	mkdir -p "$tools/cache/debs" "$partial" || return
	# It is a throw-away root: a power cut during the installation costs one more run.
	export DPKG_FORCE=unsafe-io
	timeout 1200 unshare --mount --propagation private \
		debootstrap --variant=minbase --cache-dir="$tools/cache/debs" "$pg_suite" "$partial" "$mirror" || {
		tail -n 20 "$partial/debootstrap/debootstrap.log"
		return 1
	}
	mv "$partial" "$(pg_root)" && rm -rf "$tools/cache"
}

pg_install() {
	local root
	root=$(pg_root)
	cp -L /etc/resolv.conf "$root/etc/resolv.conf" || return
	grep -q localhost "$root/etc/hosts" 2>/dev/null || echo '127.0.0.1 localhost' >>"$root/etc/hosts" || return
	{
		apt-config dump | grep -E '^Acquire::((http|https)::|Check-|Retries|ForceIPv)' | grep -viE 'Auto-?Detect|CaInfo' || true
		echo 'Acquire::Check-Valid-Until "false";'
		if [ -r /etc/ssl/certs/ca-certificates.crt ]; then
			cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/apt/machine-ca.crt" || return
			echo 'Acquire::https::CaInfo "/etc/apt/machine-ca.crt";'
		fi
	} >"$root/etc/apt/apt.conf.d/99machine"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
	# The package would make and start a server of its own.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod +x "$root/usr/sbin/policy-rc.d"
	mkdir -p "$root/etc/postgresql-common"
	echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.conf"

	export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1
	# An earlier run may have been cut off in the middle of dpkg.
	pg_run 0:0 dpkg --configure -a || return
	timeout 300 "${pg_as_root[@]}" apt-get -o Acquire::Check-Valid-Until=false update || return
	timeout 1200 "${pg_as_root[@]}" apt-get -o Acquire::Check-Valid-Until=false -o Dpkg::Options::=--force-confold \
		install -y --no-install-recommends "${pg_packages[@]}" || return
	pg_run 0:0 apt-get clean
}

pg_build() {
	local log=$dir/logs/build-postgres.log
	if ! command -v debootstrap >/dev/null || ! pg_mirror >/dev/null 2>&1; then
		step "$log" "postgres: installing debootstrap" pg_install_debootstrap
	fi
	[ -d "$(pg_root)" ] ||
		step "$log" "postgres: Debian $pg_suite base system by debootstrap" pg_bootstrap
	pg_enter 0:0
	pg_as_root=("${pg_command[@]}")
	step "$log" "postgres: installing ${pg_packages[*]}" pg_install
	touch "$tools/stamps/postgres-$pg_major"
}

pg_built() { [ -e "$tools/stamps/postgres-$pg_major" ]; }

# Beside the builds of NATS and FerretDB, which take the cores: this one waits for downloads and dpkg.
pg_build_beside() {
	pg_build 2>"$dir/run/pg-build.said" &
	beside_pid=$!
}

pg_build_rest() {
	local rc=0
	if [ -n "$beside_pid" ]; then
		wait "$beside_pid" || rc=$?
		beside_pid=
		cat "$dir/run/pg-build.said" >&2
		rm -f "$dir/run/pg-build.said"
		[ "$rc" -eq 0 ] || exit "$rc"
	fi
	pg_built || pg_build
}

pg_init() {
	local data
	data=$(pg_data)
	rm -rf "$data.partial"
	mkdir -m 700 "$data.partial" || return
	chown "$(pg_user)" "$data.partial" || return
	# Without a password: it listens on loopback only, as an open mongod would.
	pg_run "$(pg_user)" "$(pg_bin initdb)" -D "$data.partial" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 || return
	echo "include 'conclave.conf'" >>"$data.partial/postgresql.conf"
	pg_configure "$data.partial"
	mv "$data.partial" "$data"
}

pg_configure() {
	cat >"$1/conclave.conf" <<EOF
listen_addresses = '127.0.0.1'
port = $(pg_port)
unix_socket_directories = ''
max_connections = 120

shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'
cron.database_name = 'postgres'
cron.host = '127.0.0.1'
cron.log_run = off
cron.log_statement = off

# Commits stay durable; only what a single server without replicas does not need is cut.
fsync = on
synchronous_commit = on
wal_level = minimal
max_wal_senders = 0
wal_compression = on
max_wal_size = 1GB
checkpoint_timeout = 15min
shared_buffers = 256MB
jit = off
log_checkpoints = off
EOF
	chown "$(pg_user)" "$1/conclave.conf"
}

pg_psql() {
	pg_run "$(pg_user)" "$(pg_bin psql)" -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(pg_port)" -U postgres -d postgres "$@"
}

pg_ready() {
	pg_run "$(pg_user)" "$(pg_bin pg_isready)" -q -h 127.0.0.1 -p "$(pg_port)" -t 3
}

# A killed server that its parent has not yet waited for is dead, but PostgreSQL takes its
# pid for a running server and will not start. Some containers never wait for orphans.
pg_drop_dead_lock() {
	local lock pid
	lock=$(pg_data)/postmaster.pid
	pid=$(head -n 1 "$lock" 2>/dev/null) || return 0
	if grep -q '^State:[[:space:]]*Z' "/proc/$pid/status" 2>/dev/null; then rm -f "$lock"; fi
}

pg_start_process() {
	pg_drop_dead_lock
	pg_configure "$(pg_data)" || return
	pg_enter "$(pg_user)" "$(pg_bin postgres)" -D "$(pg_data)"
	spawn postgres "$(pg_data)" "${pg_command[@]}"
	wait_ready postgres 120 pg_ready || return
	pg_psql -c 'set client_min_messages = warning; create extension if not exists documentdb cascade'
}

pg_start() {
	[ -d "$(pg_data)" ] ||
		step "$dir/logs/start.log" "postgres: making an empty database" pg_init
	step "$dir/logs/start.log" "postgres: starting on port $(pg_port)" pg_start_process
}

pg_stop() { stop_process postgres INT 60; }

pg_kill() {
	local pid child children end
	alive postgres || return 0
	pid=$(pid_of postgres)
	children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null) || true
	stop_process postgres KILL 10
	# The children see that their parent is gone and end; until then they hold its shared memory.
	end=$((SECONDS + 10))
	for child in $children; do
		while grep -q '^postgres' "/proc/$child/cmdline" 2>/dev/null; do
			[ "$SECONDS" -lt "$end" ] || kill -KILL "$child" 2>/dev/null || true
			sleep 0.05
		done
	done
}
