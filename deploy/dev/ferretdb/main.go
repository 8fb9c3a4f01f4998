// Command ferretdb serves the MongoDB wire protocol from a PostgreSQL server that has the
// DocumentDB extension. It exists because the module publishes no installable command:
// only its embeddable package can be fetched by "go build" alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/v2/ferretdb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:37017", "address to listen on")
	postgres := flag.String("postgres", "", "PostgreSQL URL")
	state := flag.String("state", "", "folder for FerretDB's own state")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	telemetry := false
	server, err := ferretdb.New(&ferretdb.Config{
		PostgreSQLURL: *postgres,
		ListenAddr:    *listen,
		StateDir:      *state,
		LogLevel:      slog.LevelWarn,
		LogOutput:     os.Stderr,
		Telemetry:     &telemetry,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
	server.Run(ctx)
}
