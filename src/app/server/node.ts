/**
 * The wiring of one process: the ports of its face, the kinds of actors, and `ConclaveNode`, which holds the directory
 * replicas, the actor host (where actors run), and the client and gateway that reach actors on any host.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventQueueActorKind } from '#actors/event-queue';
import { linkPreviewActorKind } from '#actors/link-preview';
import { loginGuardActorKind } from '#actors/login-guard';
import { mailActorKind } from '#actors/mail';
import { presenceActorKind } from '#actors/presence';
import { pushNotificationActorKind } from '#actors/push';
import { realmActorKind } from '#actors/realm';
import { directMessageActorKind, streamActorKind } from '#actors/stream';
import { userActorKind } from '#actors/user';
import { webhookActorKind } from '#actors/webhook';
import { BusSystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig, ServerConfigError } from '#app/config';
import { BackgroundExporter } from '#app/exchange';
import { type Logger, OutgoingAddressFilter } from '#base';
import type { Clock } from '#base/clock';
import { MetricsRegistry } from '#base/metrics';
import { RealmEventFeeds, RecipientFieldResolver } from '#delivery';
import { castToDirectorySnapshot, DirectoryReplicas } from '#directory';
import { productEmojiForm } from '#domain/emoji';
import { WebPageHeadFetcher } from '#domain/link-previews';
import { MailDispatcher } from '#domain/mail';
import { MessageRenderer } from '#domain/messages';
import { makeDisposableDomainTest } from '#domain/people';
import { deriveVapidKeys, PushNotificationSender } from '#domain/push';
import { PasswordStrengthThread, type ServerCryptography } from '#domain/secrets';
import { WebhookCaller } from '#domain/webhooks';
import type { BrowserPushSubscriptionRules } from '#frontend/api';
import { FrontendGateway, siteUrlOfRealm } from '#frontend/gateway';
import { ImageFetcher, ImageProxy } from '#frontend/image-proxy';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { type EventLog, MeteredEventLog } from '#ports/log';
import { ActorClient, ActorHost, type AnyActorKindDefinition } from '#runtime';
import type { ActorServices } from '../../../actors/services.js';
import type { ProcessPorts } from './ports.js';
import { openClusterPorts } from './ports-cluster.js';
import { openEmbeddedPorts } from './ports-embedded.js';

/** The kinds of actors, by the first part of their keys. */
export const actorKindsByName = (): Readonly<Record<string, AnyActorKindDefinition<ActorServices>>> => ({
  realm: realmActorKind,
  user: userActorKind,
  stream: streamActorKind,
  dm: directMessageActorKind,
  mail: mailActorKind,
  presence: presenceActorKind,
  push: pushNotificationActorKind,
  webhook: webhookActorKind,
  links: linkPreviewActorKind,
  stranger: loginGuardActorKind,
  queue: eventQueueActorKind,
});

/**
 * Opens the ports of the configured face, which are its interfaces to Store, log, bus and other services.
 *
 * @throws ServerConfigError when its data was written under another secret
 */
export const openProcessPorts = (
  config: ServerConfig,
  secrets: ServerCryptography,
  clock: Clock,
  logger: Logger,
): Promise<ProcessPorts> =>
  isClusterConfig(config)
    ? openClusterPorts(config, secrets, clock, logger)
    : openEmbeddedPorts(config, secrets, clock);

/** Commands reach this without the checks of a start. @throws ServerConfigError if the file can't be read */
function readDisposableDomains({ disposableDomains: file }: ServerConfig): string {
  if (file === undefined) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ServerConfigError(`--disposable-domains (DISPOSABLE_DOMAINS): ${file} can't be read: ${code}`);
  }
}

/** The operator chose the address of the push gateway, so it may be anywhere. */
const EVERY_NETWORK_CIDRS = '0.0.0.0/0,::/0';

export class ConclaveNode {
  readonly actorClient: ActorClient;
  readonly directoryReplicas: DirectoryReplicas;
  readonly frontendGateway: FrontendGateway;
  readonly actorHost: ActorHost<ActorServices> | undefined;
  readonly metrics = new MetricsRegistry();
  readonly eventLog: EventLog;
  readonly imageProxy: ImageProxy;
  readonly browserPush: BrowserPushSubscriptionRules | undefined;
  readonly messageRenderer: MessageRenderer;
  readonly #exporter: BackgroundExporter | undefined;
  readonly #passwordStrengthThread = new PasswordStrengthThread();

  constructor(
    readonly ports: ProcessPorts,
    config: ServerConfig,
    readonly secrets: ServerCryptography,
    logger: Logger,
  ) {
    // First of all, so that a file that can't be read leaves nothing open.
    const disposableDomains = ports.actors ? readDisposableDomains(config) : '';
    const { clock, bus } = ports;
    const log = new MeteredEventLog(ports.log, clock, this.metrics);
    this.eventLog = log;
    const reachable = new OutgoingAddressFilter(config.webhookNetworks);
    const { publicKey: key } = deriveVapidKeys(secrets.pushKeySeed);
    this.browserPush = config.webPush === 'on' ? { key, reachable } : undefined;
    const proxies = config.imageProxy === 'on';
    const { imageProxyKey } = secrets;
    this.imageProxy = new ImageProxy(clock, imageProxyKey, proxies ? new ImageFetcher(clock, reachable) : undefined);
    this.messageRenderer = new MessageRenderer(proxies ? imageProxyKey : '');
    const outageMs = config.outageSeconds * 1000;
    this.actorClient = new ActorClient(bus, clock, this.metrics, { limitMs: outageMs, hosts: ports.hosts });
    this.directoryReplicas = new DirectoryReplicas(this.actorClient, log, clock, productEmojiForm(config.emojiNames));
    this.frontendGateway = new FrontendGateway({
      clock,
      log: logger,
      directories: this.directoryReplicas,
      client: this.actorClient,
      secrets: this.secrets,
      blobs: ports.blobs,
      siteUrlOptions: {
        scheme: config.externalScheme,
        externalHost: config.externalHost,
        listenAddress: config.host,
        listenPort: config.port,
      },
      deadlineMs: config.deadlineSeconds * 1000,
    });
    if (ports.actors) {
      const { store, placement, mailer } = ports.actors;
      const system = new BusSystemActorCaller(this.actorClient, async () => {});
      const exporter = new BackgroundExporter({
        store,
        blobs: ports.blobs,
        logger,
        productEmoji: productEmojiForm(config.emojiNames),
        workFolder: isClusterConfig(config) ? tmpdir() : join(config.dataDir, 'export'),
        ownsWorkFolder: !isClusterConfig(config),
        readSnapshot: async (realm) =>
          castToDirectorySnapshot(
            await system.sendForValueOrThrow(realmActorKey(realm), realmActorCommands.snapshot, {}),
          ),
      });
      this.#exporter = exporter;
      this.actorHost = new ActorHost<ActorServices>({
        clock,
        store,
        log,
        bus,
        placement,
        logger,
        metrics: this.metrics,
        directory: this.directoryReplicas,
        kinds: actorKindsByName(),
        outageMs,
        holdsOutgoingWork: config.outgoing === 'off',
        services: {
          clock,
          random: ports.random ?? Math.random,
          heartbeatMs: config.heartbeatSeconds * 1000,
          maxQueues: config.maxQueues,
          secrets: this.secrets,
          passwords: this.#passwordStrengthThread,
          disposable: makeDisposableDomainTest(disposableDomains),
          renderer: this.messageRenderer,
          productEmoji: productEmojiForm(config.emojiNames),
          blobs: ports.blobs,
          mail: new MailDispatcher(mailer, clock, logger),
          limits: { maxFileMib: config.maxFileMib, uploadQuotaMib: config.uploadQuotaMib },
          feeds: new RealmEventFeeds(this.directoryReplicas, log, store, clock),
          webhooks: new WebhookCaller(clock, reachable),
          push: this.#makePushSender(config, reachable, logger),
          pages: new WebPageHeadFetcher(clock, reachable, proxies ? imageProxyKey : ''),
          personal: new RecipientFieldResolver(store, this.secrets),
          exporter,
        },
      });
    }
  }

  #makePushSender(config: ServerConfig, reachable: OutgoingAddressFilter, logger: Logger): PushNotificationSender {
    const { clock } = this.ports;
    const { pushGateway: url, pushGatewayToken: token, externalHost, externalScheme: scheme, host, port } = config;
    return new PushNotificationSender({
      clock,
      logger,
      metrics: this.metrics,
      keys: deriveVapidKeys(this.secrets.pushKeySeed),
      contact: `mailto:${config.administratorEmail ?? `admin@${externalHost.replace(/:\d+$/, '')}`}`,
      caller: new WebhookCaller(clock, reachable),
      gatewayCaller: new WebhookCaller(clock, new OutgoingAddressFilter(EVERY_NETWORK_CIDRS)),
      browsers: config.webPush === 'on',
      gateway: url === undefined ? undefined : { url, token },
      content: config.pushContent === 'on',
      site: (subdomain) =>
        siteUrlOfRealm({ scheme, externalHost, listenAddress: host, listenPort: port }, '', subdomain),
    });
  }

  async start(): Promise<void> {
    await this.actorHost?.start();
  }

  /** Stops the node: actors finish and hand over first; the interfaces to Store, log and bus close last. */
  async stop(): Promise<void> {
    await this.actorHost?.stop();
    await this.#exporter?.close();
    await this.messageRenderer.close();
    await this.#passwordStrengthThread.close();
    this.directoryReplicas.closeAllReplicas();
    await this.ports.close();
  }
}
