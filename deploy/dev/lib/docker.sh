# shellcheck shell=bash disable=SC2154,SC2034

docker_works() {
	if [ -z "${docker_state:-}" ]; then
		docker_state=no
		if command -v docker >/dev/null && timeout 10 docker info >/dev/null 2>&1; then docker_state=yes; fi
	fi
	[ "$docker_state" = yes ]
}

docker_has() { timeout 20 docker image inspect "$1" >/dev/null 2>&1; }

# The name holds the folder, so that two checkouts do not take each other's container.
container_name() { printf 'conclave-%s-%s' "$1" "$(printf '%s' "$dir" | cksum | cut -d' ' -f1)"; }

container_running() {
	[ "$(get_state "$1.source")" = docker ] || return 1
	[ "$(timeout 20 docker inspect -f '{{.State.Running}}' "$(container_name "$1")" 2>/dev/null)" = true ]
}

container_remove() { timeout 60 docker rm -f "$(container_name "$1")" >/dev/null 2>&1 || true; }

# container_start SERVICE IMAGE PORT INNER_PORT DATA INNER_DATA ARGUMENT...
container_start() {
	local service=$1 image=$2 port=$3 inner_port=$4 data=$5 inner_data=$6 user=()
	shift 6
	mkdir -p "$data"
	# The data folder stays ours, so that --wipe can delete it. A rootless engine maps
	# its root to us already.
	if ! timeout 10 docker info -f '{{.SecurityOptions}}' | grep -q rootless; then
		user=(--user "$(id -u):$(id -g)")
	fi
	container_remove "$service"
	timeout 120 docker run -d --name "$(container_name "$service")" "${user[@]}" \
		-p "127.0.0.1:$port:$inner_port" -v "$data:$inner_data" "$image" "$@"
}

# container_ready SERVICE SECONDS COMMAND...
container_ready() {
	local service=$1 limit=$2 end
	shift 2
	end=$((SECONDS + limit))
	until "$@"; do
		if ! container_running "$service" || [ "$SECONDS" -ge "$end" ]; then
			echo "container $(container_name "$service") is not ready; its log:"
			timeout 20 docker logs --tail 15 "$(container_name "$service")"
			return 1
		fi
		sleep 0.2
	done
}

container_stop() {
	local started=${EPOCHREALTIME/[.,]/}
	timeout 90 docker stop -t 60 "$(container_name "$1")" >/dev/null ||
		die "$1: docker could not stop container $(container_name "$1")"
	container_remove "$1"
	say "$1: stopped (container $(container_name "$1"), $(elapsed "$started"))"
}

container_kill() {
	timeout 30 docker kill "$(container_name "$1")" >/dev/null ||
		die "$1: docker could not kill container $(container_name "$1")"
	say "$1: killed (container $(container_name "$1"))"
}
