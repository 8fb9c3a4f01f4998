# shellcheck shell=bash disable=SC2154,SC2034

mongodb_image=mongo:8
ferretdb_source=$here/ferretdb

mongodb_port() { printf '%s' "${MONGODB_PORT:-37017}"; }

mongodb_running() { alive mongod || { alive ferretdb && alive postgres; } || container_running mongodb; }

# An OP_MSG {ping: 1, $db: "admin"}: a listening port alone does not show that the
# database behind it answers.
mongodb_ready() {
	# shellcheck disable=SC2016
	timeout 5 bash -c '
		exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
		printf "\x33\0\0\0\x01\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0\x1e\0\0\0\x10ping\0\x01\0\0\0\x02\$db\0\x06\0\0\0admin\0\0" >&3
		head -c 38 <&3 | tr -d "\0" | LC_ALL=C grep -aq "ok.*?"' bash "$1" 2>/dev/null
}

# The name of the binary holds its source, so that a change of it is built anew.
ferretdb_binary() { printf '%s/bin/ferretdb-%s' "$tools" "$(cat "$ferretdb_source"/{main.go,go.mod,go.sum} | cksum | cut -d' ' -f1)"; }

ferretdb_build() {
	local binary
	binary=$(ferretdb_binary)
	(cd "$ferretdb_source" && timeout 900 go build -trimpath "${go_without_debug[@]}" -o "$binary.partial" .) || return
	rm -f "$tools"/bin/ferretdb-*[0-9]
	mv "$binary.partial" "$binary"
}

mongodb_check_given() {
	local host port shown
	shown=$(hide_password "$MONGODB_URL")
	case $MONGODB_URL in
		mongodb+srv://*)
			say "mongodb: using MONGODB_URL ($shown), unchecked: its hosts are named in DNS"
			return
			;;
		mongodb://*) ;;
		*) die "mongodb: MONGODB_URL is not a mongodb:// URL: $shown" ;;
	esac
	while read -r host port; do
		if tcp_answers "$host" "$port"; then
			say "mongodb: using MONGODB_URL ($shown)"
			return
		fi
	done < <(hosts_of "$MONGODB_URL" 27017)
	die "mongodb: nothing answers at MONGODB_URL ($shown); unset it to have one started here"
}

mongodb_source=''
mongodb_path=''
mongodb_prepare() {
	local port
	port=$(mongodb_port)
	if is_given "${MONGODB_URL:-}" mongodb; then
		mongodb_check_given
		mongodb_source=given
		return
	fi
	if mongodb_running; then
		[ -z "${MONGODB_PORT:-}" ] || [ "$(get_state mongodb.url)" = "mongodb://127.0.0.1:$port/" ] ||
			die "mongodb: runs already at $(get_state mongodb.url); stop it before changing MONGODB_PORT"
		mongodb_source=running
		return
	fi
	# FerretDB may be there without PostgreSQL, or the other way round.
	alive ferretdb || require_free_port mongodb "$port" MONGODB_PORT
	if mongodb_path=$(type -P mongod); then
		mongodb_source=path
	elif docker_works; then
		mongodb_source=docker
	else
		mongodb_source=built
		alive postgres || require_free_port postgres "$(pg_port)" POSTGRES_PORT
		[ -x "$(ferretdb_binary)" ] || go_or_die mongodb MONGODB_URL mongod
		pg_require "mongodb: no MONGODB_URL, no mongod on PATH, Docker does not answer; building FerretDB's PostgreSQL"
	fi
}

mongod_start_process() {
	mkdir -p "$dir/data/mongod"
	spawn mongod "$dir/data/mongod" "$mongodb_path" --dbpath "$dir/data/mongod" --bind_ip 127.0.0.1 --port "$1" \
		--nounixsocket --pidfilepath "$dir/run/mongod-own.pid"
	wait_ready mongod 120 mongodb_ready "$1"
}

mongodb_start_container() {
	container_start mongodb "$mongodb_image" "$1" 27017 "$dir/data/mongodb-docker" /data/db &&
		container_ready mongodb 120 mongodb_ready "$1"
}

ferretdb_start_process() {
	mkdir -p "$dir/data/ferretdb"
	spawn ferretdb "$dir/data/ferretdb" "$(ferretdb_binary)" -listen "127.0.0.1:$1" -state "$dir/data/ferretdb" \
		-postgres "postgres://postgres@127.0.0.1:$(pg_port)/postgres"
	wait_ready ferretdb 60 mongodb_ready "$1"
}

mongodb_up() {
	local port log=$dir/logs/start.log
	port=$(mongodb_port)
	case $mongodb_source in
		given)
			set_state mongodb.source given
			set_state mongodb.url "$MONGODB_URL"
			return
			;;
		running)
			say "mongodb: already running ($(mongodb_how))"
			return
			;;
		docker)
			docker_has "$mongodb_image" ||
				step "$dir/logs/docker-mongodb.log" "mongodb: pulling $mongodb_image" timeout 900 docker pull "$mongodb_image"
			;;
		built)
			[ -x "$(ferretdb_binary)" ] ||
				step "$dir/logs/build-ferretdb.log" "mongodb: building FerretDB" ferretdb_build
			pg_build_rest
			;;
	esac
	set_state mongodb.source "$mongodb_source"
	set_state mongodb.url "mongodb://127.0.0.1:$port/"
	case $mongodb_source in
		path) step "$log" "mongodb: starting $mongodb_path on port $port" mongod_start_process "$port" ;;
		docker) step "$dir/logs/docker-mongodb.log" "mongodb: starting a container on port $port" mongodb_start_container "$port" ;;
		built)
			if ! alive postgres; then
				# Its pooled connections are dead, and it would show that to clients.
				stop_process ferretdb TERM 60
				pg_start
			fi
			alive ferretdb || step "$log" "mongodb: starting FerretDB on port $port" ferretdb_start_process "$port"
			;;
	esac
}

mongodb_how() {
	case $(get_state mongodb.source) in
		given) printf 'given by MONGODB_URL' ;;
		docker) printf 'container %s' "$(container_name mongodb)" ;;
		path) printf 'mongod on PATH, pid %s' "$(pid_of mongod)" ;;
		built) printf 'built FerretDB, pid %s; PostgreSQL, pid %s' "$(pid_of ferretdb)" "$(pid_of postgres)" ;;
	esac
}

mongodb_stop() {
	local found=
	if container_running mongodb; then
		container_stop mongodb
		found=1
	fi
	if alive mongod || alive ferretdb || alive postgres; then found=1; fi
	stop_process mongod TERM 60
	stop_process ferretdb TERM 60
	pg_stop
	[ -n "$found" ] || say "mongodb: not running"
}

mongodb_kill() {
	if container_running mongodb; then
		container_kill mongodb
	elif alive mongod || alive ferretdb || alive postgres; then
		stop_process mongod KILL 10
		stop_process ferretdb KILL 10
		pg_kill
	else
		die "mongodb: not running here"
	fi
}

mongodb_status() {
	local url source host port name
	url=$(hide_password "$(get_state mongodb.url)")
	source=$(get_state mongodb.source)
	if [ "$source" = given ]; then
		while read -r host port; do
			if tcp_answers "$host" "$port"; then
				print_status mongodb running "$url ($(mongodb_how))"
				return
			fi
		done < <(hosts_of "$(get_state mongodb.url)" 27017)
		print_status mongodb stopped "$url ($(mongodb_how))"
		return
	fi
	if mongodb_running; then
		print_status mongodb running "$url ($(mongodb_how))"
		return
	fi
	for name in mongod ferretdb postgres; do
		if [ -n "$(pid_of "$name")" ] && ! alive "$name"; then
			print_status mongodb stopped "$name ended by itself; log: $dir/logs/$name.log"
			return
		fi
	done
	print_status mongodb stopped "${source:+last provided: $source}"
}
