import { describeSettings } from '#app/config';

export const HELP = `Conclave, a team-chat server.

Usage: conclave COMMAND [OPTIONS]

Commands:
  serve                 Run the server. Without options: everything in this process, data in ./data.
  realm create          Make an organization.  --subdomain NAME --name TEXT --email ADDRESS --full-name TEXT
                        [--type business|school|…] [--password TEXT] [--zuliprc FILE] [--site URL]
  realm list            List organizations.
  realm deactivate      Let nobody into an organization any more.  [--realm SUBDOMAIN]
  realm reactivate      Let everybody in again.  [--realm SUBDOMAIN]
  user create           Make an account.       --email ADDRESS --full-name TEXT --password TEXT
                        [--user-role owner|administrator|moderator|member|guest] [--realm SUBDOMAIN]
  user key              Print an account's API key.  --email ADDRESS [--realm SUBDOMAIN] [--zuliprc FILE --site URL]
  user new-key          Give an account another API key and print it; the old one opens nothing any more.
                        --email ADDRESS [--realm SUBDOMAIN] [--zuliprc FILE --site URL]
  user role EMAIL ROLE          Change an account's role.  [--realm SUBDOMAIN]
  user billing EMAIL on|off     Whether it looks after what the organization pays.  [--realm SUBDOMAIN]
  user rate-limit EMAIL RULES   How often it may call: seconds:calls,…, usual (as all others) or off.  [--realm SUBDOMAIN]
  user deactivate EMAIL         Deactivate an account and its bots.  [--realm SUBDOMAIN]
  user reactivate EMAIL         Make it active again.  [--realm SUBDOMAIN]
  cluster status                Hosts, what each of them owns, and whether all is owned; exit code 1 if not.  [--json]
  cluster drain HOST            Let a host hand over all that it owns, and take nothing more. HOST is an id or a
                                name of 'cluster status', or how one of them begins. Waits until it is done.
  cluster undrain HOST          Let it take its share again.
  backup DIR            Write a backup of the data directory into DIR, also while its server runs.
  restore DIR           Make a data directory from a backup.  --data-dir NEW
  store format          Show in which format a cluster's database is, and which this program knows.
  store raise-format    Raise it to this program's, once no process of an older version is left.
  store restored        After a cluster's database was restored, before any process starts.
  secret changed        After the server secret was changed or lost, before any process starts with the new one:
                        every API key and link in a mail of before is void.
  check-config          Say what the configuration is, or what is wrong with it.

Commands for a cluster take --nats and --mongodb as serve does, and the same secret. Without them they work on the data
directory, also while its server runs.

Options (and the environment variables that mean the same):
${describeSettings()}
  --help                        This text.

A cluster: start any number of 'conclave serve --role actors' and 'conclave serve --role http', all with the same
--nats, --mongodb and --secret; then 'conclave realm create' with the same three.
`;
