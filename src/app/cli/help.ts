import { describeSettingsForHelp } from '#app/config';

/** Text of `conclave --help`. */
export const CLI_HELP_TEXT = `Conclave, a team-chat server.

Usage: conclave COMMAND [OPTIONS]

Commands:
  serve                 Run the server. Without options: everything in one process, data in ./data.
  realm create          Create an organization.  --subdomain NAME --name TEXT --email ADDRESS --full-name TEXT
                        [--type business|school|…] [--password TEXT] [--zuliprc FILE] [--site URL]
  realm list            List organizations.
  realm deactivate      Close an organization to all its users.  [--realm SUBDOMAIN]
  realm reactivate      Open the organization again.  [--realm SUBDOMAIN]
  user create           Create an account.  --email ADDRESS --full-name TEXT --password TEXT
                        [--user-role owner|administrator|moderator|member|guest] [--realm SUBDOMAIN]
  user key              Print an account's API key.  --email ADDRESS [--realm SUBDOMAIN] [--zuliprc FILE --site URL]
  user new-key          Give an account a new API key and print it; the old key becomes void.
                        --email ADDRESS [--realm SUBDOMAIN] [--zuliprc FILE --site URL]
  user password         Set an account's password, read from the first line of the input; ends its browser sessions.
                        --email ADDRESS [--password TEXT] [--realm SUBDOMAIN]
  user forget-identities    Let an account be signed in to by another identity of the same provider.
                        --email ADDRESS [--realm SUBDOMAIN]
  user sign-in-link     Print a link that signs a person in with a browser, once, within an hour.
                        --email ADDRESS [--realm SUBDOMAIN] [--site URL]
  user role EMAIL ROLE          Change an account's role.  [--realm SUBDOMAIN]
  user billing EMAIL on|off     Whether the account manages the organization's billing.  [--realm SUBDOMAIN]
  user rate-limit EMAIL RULES   Calls an account may make: seconds:calls,…, usual (as all others) or off.  [--realm SUBDOMAIN]
  user deactivate EMAIL         Deactivate an account and its bots.  [--realm SUBDOMAIN]
  user reactivate EMAIL         Make the account active again.  [--realm SUBDOMAIN]
  cluster status                Hosts and their partitions; exit code 1 if a partition has no living owner.  [--json]
  cluster drain HOST            Make a host hand over all its partitions and take no more; waits until it is done.
                                HOST is an id or a name in 'cluster status', or the beginning of one.
  cluster undrain HOST          Let the host take its share of partitions again.
  import FILE|DIR       Make an organization of another server's or Slack's export (docs/how-to/move-in.md).  --subdomain NAME
                        [--check: only say what would come] [--passwords FILE] [--no-invitations]
                        [--former-site URL] [--site URL]
                        [--drop: give up an import that has not ended]
                        [--usual-priority: compete with other processes for the processor]
  export FILE|DIR       Write an organization into a folder or a .tar.gz.  [--subdomain NAME] [--usual-priority]
  backup DIR            Write a backup of the data directory into DIR; its server may be running.
  restore DIR           Create a data directory from a backup.  --data-dir NEW
  store format          Show the format of a cluster's database, and the newest that this program knows.
  store raise-format    Raise the format to this program's, once no process of an older version is left.
  store restored        Run after a cluster's database was restored, before any process starts.
  store log-streams     Change the number of log streams of a stopped cluster to that of --log-streams;
                        clients register their event queues again.
  secret changed        Run after the server secret was changed or lost, before any process starts with the
                        new one: all earlier API keys and links in mails become void.
  check-config          Show the configuration, or what is wrong with it.

For a cluster, give these commands the --nats, --mongodb and --secret of its servers. Without them they work on the data
directory, whose server may be running.

Options (in parentheses: the environment variable for the same setting):
${describeSettingsForHelp()}
  --help                        Show this text.

A cluster: start any number of 'conclave serve --role actors' and 'conclave serve --role http', all with the same
--nats, --mongodb and --secret; then 'conclave realm create' with the same three.
`;
