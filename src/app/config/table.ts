/**
 * Every setting of the server, declared once: option, environment variable, meaning, default and parser. `--help` and
 * docs/configuration.md come from this table.
 */
import { API_LEVELS, DEFAULT_LEVEL_BY_CLIENT } from '#domain/levels';
import {
  type IdentityProviderConfig,
  type JwtKeysBySubdomain,
  parseIdentityProvidersSetting,
  parseJwtKeysSetting,
} from '#frontend/single-sign-on';
import { MAX_LOG_STREAMS } from '#model';
import {
  checkBearerToken,
  checkClientApiLevels,
  checkClusterNamespace,
  checkEmailAddress,
  checkFilePath,
  checkHostWithOptionalPort,
  checkListenAddress,
  checkNetworkList,
  checkOwnerName,
  checkRateLimitRules,
  checkRealmName,
  checkServerSecretStrength,
  checkWebUrl,
  makeDatabaseUrlParser,
  makeIntegerParser,
  makeOneOfParser,
  makeServerListParser,
  makeServerUrlParser,
  parseWorkerCount,
} from './parsers.js';

export interface ServerSettingDeclaration<T> {
  /** Name of the environment variable that has the setting. */
  readonly env: string;
  /** Command-line option without the dashes. */
  readonly option: string;
  /** Placeholder of the setting's value in the help text. */
  readonly value: string;
  readonly description: string;
  /** Default value; undefined: the setting stays unset. */
  readonly fallback: T;
  /** True if the setting's value contains a password and is never shown. */
  readonly secret?: true;
  /**
   * Turns the given text into the setting's value.
   *
   * @throws Error with the reason, to which the caller adds the setting's name
   */
  parse(text: string): T;
}

const declareSetting = <T>(of: ServerSettingDeclaration<T>): ServerSettingDeclaration<T> => of;

export const SERVER_SETTING_DECLARATIONS = {
  host: declareSetting({
    env: 'HOST',
    option: 'host',
    value: 'ADDRESS',
    description: 'Address to listen on; 0.0.0.0 for all.',
    fallback: '127.0.0.1',
    parse: checkListenAddress,
  }),
  port: declareSetting({
    env: 'PORT',
    option: 'port',
    value: 'N',
    description: 'Port to listen on; 0 picks a free one.',
    fallback: 9991,
    parse: makeIntegerParser(0, 65_535),
  }),
  opsHost: declareSetting({
    env: 'OPS_HOST',
    option: 'ops-host',
    value: 'ADDRESS',
    description:
      'Address to listen on for operators: /health/live, /health/ready and /metrics. Keep it off the Internet: it needs no credentials.',
    fallback: '127.0.0.1',
    parse: checkListenAddress,
  }),
  opsPort: declareSetting({
    env: 'OPS_PORT',
    option: 'ops-port',
    value: 'N',
    description: 'Port for operators; 0 picks a free one, which is printed at the start.',
    fallback: 0,
    parse: makeIntegerParser(0, 65_535),
  }),
  leaveSeconds: declareSetting({
    env: 'LEAVE_SECONDS',
    option: 'leave-seconds',
    value: 'SECONDS',
    description:
      'After SIGTERM a frontend continues to serve for this time, with /health/ready at 503, so that the load balancer notices. 0 without a load balancer.',
    fallback: 0,
    parse: makeIntegerParser(0, 600),
  }),
  dataDir: declareSetting({
    env: 'DATA_DIR',
    option: 'data-dir',
    value: 'DIR',
    description: 'Directory of the server secret, and of all data of the embedded face.',
    fallback: './data',
    parse: checkFilePath,
  }),
  role: declareSetting({
    env: 'ROLE',
    option: 'role',
    value: 'ROLE',
    description: 'http (frontend), actors (actor host) or all. http and actors need --nats and --mongodb.',
    fallback: 'all' as 'http' | 'actors' | 'all',
    parse: makeOneOfParser('http', 'actors', 'all'),
  }),
  workers: declareSetting({
    env: 'WORKERS',
    option: 'workers',
    value: 'N',
    description:
      'Processes of the embedded face that serve clients beside the one that has the data: 0 to 64; 0: that one serves them itself; auto: cores - 1, at most 8. Each takes some 100 MB of memory at rest and 130 MB under load.',
    fallback: 'auto' as number | 'auto',
    parse: parseWorkerCount,
  }),
  nats: declareSetting({
    env: 'NATS_URL',
    option: 'nats',
    value: 'URL',
    description:
      'NATS servers (2.11 or later, with JetStream) of a cluster, separated by commas; nats://user:password@host:4222 with credentials.',
    fallback: undefined as string | undefined,
    secret: true,
    parse: makeServerListParser('nats', 'tls'),
  }),
  natsReplicas: declareSetting({
    env: 'NATS_REPLICAS',
    option: 'nats-replicas',
    value: 'N',
    description:
      'Copies that JetStream keeps of the event log and of the placement: 1, 3 or 5, and at most the number of NATS servers. The same for all processes.',
    fallback: 1,
    parse: (given) => Number(makeOneOfParser('1', '3', '5')(given)),
  }),
  mongodb: declareSetting({
    env: 'MONGODB_URL',
    option: 'mongodb',
    value: 'URL',
    description: 'MongoDB of a cluster; the path names the database, default conclave.',
    fallback: undefined as string | undefined,
    secret: true,
    parse: makeDatabaseUrlParser('mongodb', 'mongodb+srv'),
  }),
  externalHost: declareSetting({
    env: 'EXTERNAL_HOST',
    option: 'external-host',
    value: 'HOST',
    description:
      'Host name under which clients reach the server, with the port unless it is the default one; organizations are its subdomains. Links in mails begin with it.',
    fallback: 'localhost',
    parse: checkHostWithOptionalPort,
  }),
  externalScheme: declareSetting({
    env: 'EXTERNAL_SCHEME',
    option: 'external-scheme',
    value: 'SCHEME',
    description: 'http, or https behind a proxy that speaks TLS.',
    fallback: 'http' as 'http' | 'https',
    parse: makeOneOfParser('http', 'https'),
  }),
  secret: declareSetting({
    env: 'CONCLAVE_SECRET',
    option: 'secret',
    value: 'TEXT',
    description:
      'Server secret. A cluster needs it, the same for all processes; the embedded face generates one in DATA_DIR/secret.',
    fallback: undefined as string | undefined,
    secret: true,
    parse: checkServerSecretStrength,
  }),
  emojiNames: declareSetting({
    env: 'EMOJI_NAMES',
    option: 'emoji-names',
    value: 'NAMES',
    description:
      'Name of the extra emoji in responses and events: conclave, or zulip for clients that know only that name. The same for all processes; both are always accepted.',
    fallback: 'conclave' as 'conclave' | 'zulip',
    parse: makeOneOfParser('conclave', 'zulip'),
  }),
  realmName: declareSetting({
    env: 'REALM_NAME',
    option: 'realm-name',
    value: 'TEXT',
    description: 'Name of the organization that the embedded face makes at its first start.',
    fallback: 'Conclave',
    parse: checkRealmName,
  }),
  ownerEmail: declareSetting({
    env: 'OWNER_EMAIL',
    option: 'owner-email',
    value: 'ADDRESS',
    description: 'Mail address of the owner of that organization.',
    fallback: 'owner@localhost',
    parse: checkEmailAddress,
  }),
  ownerName: declareSetting({
    env: 'OWNER_NAME',
    option: 'owner-name',
    value: 'TEXT',
    description: 'Name of the owner of that organization.',
    fallback: 'Owner',
    parse: checkOwnerName,
  }),
  apiLevels: declareSetting({
    env: 'API_LEVELS',
    option: 'api-levels',
    value: 'CLIENTS',
    description: `Client programs that are answered at a newer API level than 184, as NAME=LEVEL separated by commas (levels: ${API_LEVELS.map(({ level }) => level).join(', ')}; api/levels.md). off: all get level 184, whatever they ask for. The same for all frontends.`,
    fallback: DEFAULT_LEVEL_BY_CLIENT,
    parse: checkClientApiLevels,
  }),
  disposableDomains: declareSetting({
    env: 'DISPOSABLE_DOMAINS',
    option: 'disposable-domains',
    value: 'FILE',
    description: 'File with domains of disposable mail addresses, one per line, which organizations may refuse.',
    fallback: undefined as string | undefined,
    parse: checkFilePath,
  }),
  web: declareSetting({
    env: 'WEB',
    option: 'web',
    value: 'ON_OR_OFF',
    description: 'on: frontends serve the web client, and people may sign in with a browser.',
    fallback: 'on' as 'on' | 'off',
    parse: makeOneOfParser('on', 'off'),
  }),
  oidc: declareSetting({
    env: 'OIDC',
    option: 'oidc',
    value: 'FILE',
    description:
      'File with the providers of single sign-on (OpenID Connect), a JSON list, or the list itself (how-to/single-sign-on.md). The same for all frontends.',
    fallback: undefined as readonly IdentityProviderConfig[] | undefined,
    secret: true,
    parse: parseIdentityProvidersSetting,
  }),
  jwtKeys: declareSetting({
    env: 'JWT_KEYS',
    option: 'jwt-keys',
    value: 'FILE',
    description:
      'File with the keys of services whose signed tokens POST /jwt/fetch_api_key takes, JSON by subdomain, or the JSON itself (how-to/single-sign-on.md). The same for all frontends.',
    fallback: undefined as JwtKeysBySubdomain | undefined,
    secret: true,
    parse: parseJwtKeysSetting,
  }),
  webPublicStreams: declareSetting({
    env: 'WEB_PUBLIC_STREAMS',
    option: 'web-public-streams',
    value: 'YES_OR_NO',
    description: 'yes: organizations may open streams to the web; these can be read without an account.',
    fallback: 'no' as 'yes' | 'no',
    parse: makeOneOfParser('yes', 'no'),
  }),
  smtpUrl: declareSetting({
    env: 'SMTP_URL',
    option: 'smtp-url',
    value: 'URL',
    description:
      'Mail server: smtp://user:password@host:587 or smtps://…:465, with options of nodemailer as its query. Without a mail server the embedded face writes mails to DATA_DIR/mail and removes them after three days; a cluster keeps them for three days.',
    fallback: undefined as string | undefined,
    secret: true,
    parse: makeServerUrlParser('smtp', 'smtps'),
  }),
  administratorEmail: declareSetting({
    env: 'ADMINISTRATOR_EMAIL',
    option: 'administrator-email',
    value: 'ADDRESS',
    description:
      'Mail address of the operators, shown to administrators of organizations that are too large to export their data over the API. Default: admin@EXTERNAL_HOST.',
    fallback: undefined as string | undefined,
    parse: checkEmailAddress,
  }),
  mailFrom: declareSetting({
    env: 'MAIL_FROM',
    option: 'mail-from',
    value: 'ADDRESS',
    description: 'Sender of mails: an address, or Name <address>. Default: Conclave <noreply@EXTERNAL_HOST>.',
    fallback: undefined as string | undefined,
    parse: (given) => {
      if (/^([^\p{C}<>@"]*<[^\s\p{C}<>@]+@[^\s\p{C}<>@]+>|[^\s\p{C}<>@]+@[^\s\p{C}<>@]+)$/u.test(given)) return given;
      throw new Error('must be an address, or a name and an address in <>');
    },
  }),
  outgoing: declareSetting({
    env: 'OUTGOING',
    option: 'outgoing',
    value: 'ON_OR_OFF',
    description:
      'off: mails, push notifications, calls of webhooks and link previews wait in the data until a server with on runs. For a trial of a backup, which must not reach people and services. The same for all actor hosts.',
    fallback: 'on' as 'on' | 'off',
    parse: makeOneOfParser('on', 'off'),
  }),
  webPush: declareSetting({
    env: 'WEB_PUSH',
    option: 'web-push',
    value: 'ON_OR_OFF',
    description:
      'on: browsers that are signed in may subscribe to push notifications; the server sends them, encrypted, to the push services of the browsers. The same for all processes.',
    fallback: 'on' as 'on' | 'off',
    parse: makeOneOfParser('on', 'off'),
  }),
  pushGateway: declareSetting({
    env: 'PUSH_GATEWAY',
    option: 'push-gateway',
    value: 'URL',
    description:
      'Gateway that passes notifications on to mobile devices: the server posts JSON there (push.md). Without one nothing is pushed to mobile devices. The same for all processes.',
    fallback: undefined as string | undefined,
    secret: true,
    parse: checkWebUrl,
  }),
  pushGatewayToken: declareSetting({
    env: 'PUSH_GATEWAY_TOKEN',
    option: 'push-gateway-token',
    value: 'TEXT',
    description: 'Sent to the push gateway as Authorization: Bearer TEXT. The same for all processes.',
    fallback: undefined as string | undefined,
    secret: true,
    parse: checkBearerToken,
  }),
  pushContent: declareSetting({
    env: 'PUSH_CONTENT',
    option: 'push-content',
    value: 'ON_OR_OFF',
    description:
      'off: push notifications name sender and conversation, but never contain the text of messages. The same for all processes.',
    fallback: 'on' as 'on' | 'off',
    parse: makeOneOfParser('on', 'off'),
  }),
  webhookNetworks: declareSetting({
    env: 'WEBHOOK_NETWORKS',
    option: 'webhook-networks',
    value: 'NETWORKS',
    description:
      'Networks that outgoing webhooks, push notifications of browsers and the image proxy may reach besides the public Internet, separated by commas, e.g. 10.1.0.0/16. Loopback, private and other special addresses are refused otherwise.',
    fallback: '',
    parse: checkNetworkList,
  }),
  imageProxy: declareSetting({
    env: 'IMAGE_PROXY',
    option: 'image-proxy',
    value: 'MODE',
    description:
      'on: the server fetches the pictures of other hosts that messages show, so that these hosts learn nothing about the readers. off: readers load them directly. The same for all processes.',
    fallback: 'on' as 'on' | 'off',
    parse: makeOneOfParser('on', 'off'),
  }),
  maxConnections: declareSetting({
    env: 'MAX_CONNECTIONS',
    option: 'max-connections',
    value: 'N',
    description:
      'Most client connections at a time; more are refused. Keep it below the limit of open files. The uws adapter enforces it only on Linux.',
    fallback: 100_000,
    parse: makeIntegerParser(1, 10_000_000),
  }),
  maxRequests: declareSetting({
    env: 'MAX_REQUESTS',
    option: 'max-requests',
    value: 'N',
    description:
      'Most requests that a frontend processes at a time; more are answered 503. Parked polls, requests whose body is still arriving, and answers that the client has not read yet do not count.',
    fallback: 10_000,
    parse: makeIntegerParser(1, 10_000_000),
  }),
  maxPolls: declareSetting({
    env: 'MAX_POLLS',
    option: 'max-polls',
    value: 'N',
    description: 'Most polls parked in a frontend at a time; more are answered 503.',
    fallback: 100_000,
    parse: makeIntegerParser(1, 10_000_000),
  }),
  maxQueues: declareSetting({
    env: 'MAX_QUEUES',
    option: 'max-queues',
    value: 'N',
    description:
      'Most event queues of one account. One more ends the queue that has been silent for longest; queues with a waiting poll are ended last.',
    fallback: 1_000,
    parse: makeIntegerParser(1, 10_000_000),
  }),
  heartbeatSeconds: declareSetting({
    env: 'HEARTBEAT_SECONDS',
    option: 'heartbeat-seconds',
    value: 'N',
    description:
      'A poll without an event is answered with a heartbeat after this time, prolonged by a random share of up to 20 %. Keep the sum below the time after which proxies cut idle connections. The same for all processes.',
    fallback: 45,
    parse: makeIntegerParser(5, 50),
  }),
  compression: declareSetting({
    env: 'COMPRESSION',
    option: 'compression',
    value: 'WHEN',
    description:
      'on: responses of 1 KiB and more are compressed (gzip) for clients that accept it, in threads beside the event loop. off: never; for a proxy that compresses, or where traffic is cheaper than CPU.',
    fallback: 'on',
    parse: makeOneOfParser('on', 'off'),
  }),
  receiveMemoryMib: declareSetting({
    env: 'RECEIVE_MEMORY_MIB',
    option: 'receive-memory-mib',
    value: 'N',
    description:
      'Memory of a frontend for incomplete request bodies, MiB; beyond it the connections that have waited longest are cut off.',
    fallback: 512,
    parse: makeIntegerParser(1, 1_000_000),
  }),
  sendMemoryMib: declareSetting({
    env: 'SEND_MEMORY_MIB',
    option: 'send-memory-mib',
    value: 'N',
    description:
      'Memory of a frontend for responses that their clients do not read, MiB; beyond it the connections that have waited longest are cut off.',
    fallback: 256,
    parse: makeIntegerParser(1, 1_000_000),
  }),
  rateLimits: declareSetting({
    env: 'RATE_LIMITS',
    option: 'rate-limits',
    value: 'ON_OFF',
    description: 'off: frontends count no calls, whatever the rules below. Failed logins are still counted.',
    fallback: 'on' as 'on' | 'off',
    parse: makeOneOfParser('on', 'off'),
  }),
  rateLimitUser: declareSetting({
    env: 'RATE_LIMIT_USER',
    option: 'rate-limit-user',
    value: 'RULES',
    description:
      'Calls that one account may make: seconds:calls, several separated by commas, or off. Polls of event queues are counted separately, by the same rules.',
    fallback: '60:200',
    parse: checkRateLimitRules,
  }),
  rateLimitAddress: declareSetting({
    env: 'RATE_LIMIT_ADDRESS',
    option: 'rate-limit-address',
    value: 'RULES',
    description: 'Calls without an account that one network address (IPv6: one /64) may make; the same form.',
    fallback: '60:100',
    parse: checkRateLimitRules,
  }),
  rateLimitMails: declareSetting({
    env: 'RATE_LIMIT_MAILS',
    option: 'rate-limit-mails',
    value: 'RULES',
    description: 'Mails that calls without an account may cause from one network address; the same form.',
    fallback: '86400:5',
    parse: checkRateLimitRules,
  }),
  rateLimitFile: declareSetting({
    env: 'RATE_LIMIT_FILE',
    option: 'rate-limit-file',
    value: 'RULES',
    description: 'Times that visitors without an account may open one uploaded file; the same form.',
    fallback: '86400:1000',
    parse: checkRateLimitRules,
  }),
  trustedProxies: declareSetting({
    env: 'TRUSTED_PROXIES',
    option: 'trusted-proxies',
    value: 'NETWORKS',
    description:
      'Networks of the proxies in front of the server, separated by commas; the server takes the address of a client from their X-Forwarded-For.',
    fallback: '',
    parse: checkNetworkList,
  }),
  httpAdapter: declareSetting({
    env: 'HTTP_ADAPTER',
    option: 'http-adapter',
    value: 'KIND',
    description: 'uws (uWebSockets.js), node (node:http), or auto: uws if it can be loaded.',
    fallback: 'auto' as 'auto' | 'uws' | 'node',
    parse: makeOneOfParser('auto', 'uws', 'node'),
  }),
  deadlineSeconds: declareSetting({
    env: 'REQUEST_DEADLINE',
    option: 'request-deadline',
    value: 'SECONDS',
    description:
      'A request without a response after this time is answered with an error. Waiting polls have limits of their own.',
    fallback: 30,
    parse: makeIntegerParser(1, 600),
  }),
  outageSeconds: declareSetting({
    env: 'OUTAGE_SECONDS',
    option: 'outage-seconds',
    value: 'SECONDS',
    description:
      'While NATS, the database or every actor host is known to be down, a request waits this time before it is answered 503. A larger value survives longer interruptions, e.g. elections of MongoDB.',
    fallback: 3,
    parse: makeIntegerParser(1, 600),
  }),
  maxBodyMib: declareSetting({
    env: 'MAX_BODY_MIB',
    option: 'max-body-mib',
    value: 'N',
    description: 'Largest request body without files, MiB. Most operations take less (limits.md).',
    fallback: 10,
    parse: makeIntegerParser(1, 1_024),
  }),
  maxFileMib: declareSetting({
    env: 'MAX_FILE_MIB',
    option: 'max-file-mib',
    value: 'N',
    description: 'Largest uploaded file, MiB.',
    fallback: 25,
    parse: makeIntegerParser(1, 1_024),
  }),
  uploadQuotaMib: declareSetting({
    env: 'UPLOAD_QUOTA_MIB',
    option: 'upload-quota-mib',
    value: 'N',
    description: 'Space for all uploaded files of an organization, MiB; 0: no limit. The same for all processes.',
    fallback: 0,
    parse: makeIntegerParser(0, 1_000_000_000),
  }),
  uploadMemoryMib: declareSetting({
    env: 'UPLOAD_MEMORY_MIB',
    option: 'upload-memory-mib',
    value: 'N',
    description:
      'Memory of a frontend for the bytes of uploads that have arrived, MiB; uploads beyond it are answered 503. An account has room for one upload, and for more while as much stays free for others. Larger than --max-file-mib.',
    fallback: 256,
    parse: makeIntegerParser(1, 1_000_000),
  }),
  logHours: declareSetting({
    env: 'EVENT_LOG_HOURS',
    option: 'event-log-hours',
    value: 'N',
    description:
      'Hours for which events are kept for queues; at least the longest queue lifespan in use (7 days = 168).',
    fallback: 168,
    parse: makeIntegerParser(1, 10_000),
  }),
  logMib: declareSetting({
    env: 'EVENT_LOG_MIB',
    option: 'event-log-mib',
    value: 'N',
    description:
      'Most space for these events, MiB: per organization (embedded) or in total (cluster; each log stream has an equal share).',
    fallback: 4_096,
    parse: makeIntegerParser(1, 1_000_000),
  }),
  logStreams: declareSetting({
    env: 'LOG_STREAMS',
    option: 'log-streams',
    value: 'N',
    description: `Streams of a cluster's event log in JetStream, 1 to ${MAX_LOG_STREAMS}: organizations are shared out among them (scaling.md). The same for all processes, and fixed when the cluster is made.`,
    fallback: 1,
    parse: makeIntegerParser(1, MAX_LOG_STREAMS),
  }),
  namespace: declareSetting({
    env: 'NAMESPACE',
    option: 'namespace',
    value: 'NAME',
    description: 'Keeps several clusters apart on one NATS server: letters and digits.',
    fallback: '',
    parse: checkClusterNamespace,
  }),
  logLevel: declareSetting({
    env: 'LOG_LEVEL',
    option: 'log-level',
    value: 'LEVEL',
    description: 'debug, info, warn, error or silent.',
    fallback: 'info' as 'debug' | 'info' | 'warn' | 'error' | 'silent',
    parse: makeOneOfParser('debug', 'info', 'warn', 'error', 'silent'),
  }),
} as const;

export type ServerSettingName = keyof typeof SERVER_SETTING_DECLARATIONS;
export type ServerConfig = {
  readonly [K in ServerSettingName]: (typeof SERVER_SETTING_DECLARATIONS)[K] extends ServerSettingDeclaration<infer T>
    ? T
    : never;
};
