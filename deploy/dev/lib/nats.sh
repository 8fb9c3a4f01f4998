# shellcheck shell=bash disable=SC2154,SC2034

nats_minimum=2.11.0
nats_build_version=v2.15.2
nats_image=nats:2.11-alpine

nats_port() { printf '%s' "${NATS_PORT:-14222}"; }
nats_binary() { printf '%s' "$tools/bin/nats-server-$nats_build_version"; }

nats_running() { alive nats || container_running nats; }

# The server greets each client with one line: INFO {...}
nats_info() {
	timeout 5 bash -c "exec 3<>/dev/tcp/$1/$2 && IFS= read -r line <&3 && printf '%s\n' \"\$line\"" 2>/dev/null |
		sed -n 's/^INFO //p'
}

nats_field() { sed -n "s/.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$1"; }

nats_ready() { [ "$(nats_field "$(nats_info 127.0.0.1 "$1")" jetstream)" = true ]; }

nats_check_given() {
	local host port info version shown
	shown=$(hide_password "$NATS_URL")
	while read -r host port; do
		info=$(nats_info "$host" "$port") || true
		[ -n "$info" ] || continue
		version=$(nats_field "$info" version)
		version_at_least "$version" "$nats_minimum" ||
			die "nats: NATS_URL ($shown) is version $version; at least $nats_minimum is needed"
		[ "$(nats_field "$info" jetstream)" = true ] ||
			die "nats: NATS_URL ($shown) has JetStream off; start it with -js"
		say "nats: using NATS_URL ($shown), version $version"
		return
	done < <(hosts_of "$NATS_URL" 4222)
	die "nats: no NATS server answers at NATS_URL ($shown); unset it to have one started here"
}

nats_server_on_path() {
	local path version
	path=$(type -P nats-server) || return 1
	version=$(timeout 10 "$path" --version 2>/dev/null | sed -n 's/.*v\([0-9][0-9.]*\).*/\1/p') || true
	if [ -z "$version" ] || ! version_at_least "$version" "$nats_minimum"; then
		say "nats: passing over $path: version ${version:-unknown}, at least $nats_minimum is needed"
		return 1
	fi
	printf '%s' "$path"
}

nats_build() {
	local partial=$tools/bin/.nats-build
	rm -rf "$partial"
	mkdir -p "$partial"
	GOBIN=$partial timeout 900 go install "${go_without_debug[@]}" "github.com/nats-io/nats-server/v2@$nats_build_version" || return
	mv "$partial/nats-server" "$(nats_binary)" && rm -rf "$partial"
}

nats_source=''
nats_path=''
nats_prepare() {
	local port
	port=$(nats_port)
	if is_given "${NATS_URL:-}" nats; then
		nats_check_given
		nats_source=given
		return
	fi
	if nats_running; then
		[ -z "${NATS_PORT:-}" ] || [ "$(get_state nats.url)" = "nats://127.0.0.1:$port" ] ||
			die "nats: runs already at $(get_state nats.url); stop it before changing NATS_PORT"
		nats_source=running
		return
	fi
	require_free_port nats "$port" NATS_PORT
	if nats_path=$(nats_server_on_path); then
		nats_source=path
	elif docker_works; then
		nats_source=docker
	else
		nats_source=built
		nats_path=$(nats_binary)
		[ -x "$nats_path" ] || go_or_die nats NATS_URL nats-server
	fi
}

nats_start_process() {
	spawn nats "$dir/data/nats" "$nats_path" -js -sd "$dir/data/nats" -a 127.0.0.1 -p "$1" -P "$dir/run/nats-server.pid"
	wait_ready nats 60 nats_ready "$1"
}

nats_start_container() {
	container_start nats "$nats_image" "$1" 4222 "$dir/data/nats" /data -js -sd /data &&
		container_ready nats 60 nats_ready "$1"
}

nats_up() {
	local port
	port=$(nats_port)
	case $nats_source in
		given)
			set_state nats.source given
			set_state nats.url "$NATS_URL"
			return
			;;
		running)
			say "nats: already running ($(nats_how))"
			return
			;;
		built)
			[ -x "$nats_path" ] ||
				step "$dir/logs/build-nats.log" "nats: building nats-server $nats_build_version" nats_build
			;;
		docker)
			docker_has "$nats_image" ||
				step "$dir/logs/docker-nats.log" "nats: pulling $nats_image" timeout 900 docker pull "$nats_image"
			;;
	esac
	set_state nats.source "$nats_source"
	set_state nats.url "nats://127.0.0.1:$port"
	if [ "$nats_source" = docker ]; then
		step "$dir/logs/docker-nats.log" "nats: starting a container on port $port" nats_start_container "$port"
	else
		step "$dir/logs/start.log" "nats: starting $nats_path on port $port" nats_start_process "$port"
	fi
}

nats_how() {
	case $(get_state nats.source) in
		given) printf 'given by NATS_URL' ;;
		docker) printf 'container %s' "$(container_name nats)" ;;
		path) printf 'nats-server on PATH, pid %s' "$(pid_of nats)" ;;
		built) printf 'built nats-server, pid %s' "$(pid_of nats)" ;;
	esac
}

nats_stop() {
	if alive nats; then
		stop_process nats TERM 60
	elif container_running nats; then
		container_stop nats
	else
		forget nats
		say "nats: not running"
	fi
}

nats_kill() {
	if alive nats; then
		stop_process nats KILL 10
	elif container_running nats; then
		container_kill nats
	else
		die "nats: not running here"
	fi
}

nats_status() {
	local url source
	url=$(hide_password "$(get_state nats.url)")
	source=$(get_state nats.source)
	if [ "$source" = given ]; then
		if [ -n "$(hosts_of "$(get_state nats.url)" 4222 | while read -r h p; do nats_info "$h" "$p" || true; done)" ]; then
			print_status nats running "$url ($(nats_how))"
		else
			print_status nats stopped "$url ($(nats_how))"
		fi
	elif nats_running; then
		print_status nats running "$url ($(nats_how))"
	elif [ -n "$(pid_of nats)" ]; then
		print_status nats stopped "it ended by itself; log: $dir/logs/nats.log"
	else
		print_status nats stopped "${source:+last provided: $source}"
	fi
}
