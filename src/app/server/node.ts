/**
 * The wiring of one process: the ports of its face, the kinds of actors, and `ConclaveNode`, which holds the directory
 * replicas, the actor host (where actors run), and the client and gateway that reach actors on any host.
 */
import { readFileSync } from 'node:fs';
import { queueKind } from '#actors/event-queue';
import { linkPreviewKind } from '#actors/link-preview';
import { loginGuardKind } from '#actors/login-guard';
import { mailKind } from '#actors/mail';
import { presenceKind } from '#actors/presence';
import { realmKind } from '#actors/realm';
import { directKind, streamKind } from '#actors/stream';
import { userKind } from '#actors/user';
import { webhookKind } from '#actors/webhook';
import { type Config, isClusterConfig } from '#app/config';
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { Metrics } from '#base/metrics';
import { RealmFeeds, RecipientFieldResolver } from '#delivery';
import { DirectoryReplicas } from '#directory';
import { extraEmojiNamed } from '#domain/emoji';
import { PageFetcher } from '#domain/link-previews';
import { MailDispatcher } from '#domain/mail';
import { MessageRenderer } from '#domain/messages';
import { parseDisposableDomains } from '#domain/people';
import { PasswordStrengthThread, type ServerCryptography } from '#domain/secrets';
import { AddressFilter, WebhookCaller } from '#domain/webhooks';
import { FrontendGateway } from '#frontend/gateway';
import { ImageFetcher, ImageProxy } from '#frontend/image-proxy';
import { type EventLog, MeteredLog } from '#ports/log';
import { ActorClient, ActorHost, type AnyActorKind } from '#runtime';
import type { ActorServices } from '../../../actors/services.js';
import type { ProcessPorts } from './ports.js';
import { openClusterPorts } from './ports-cluster.js';
import { openEmbeddedPorts } from './ports-embedded.js';

/** The kinds of actors, by the first part of their keys. */
export const actorKindsByName = (): Readonly<Record<string, AnyActorKind<ActorServices>>> => ({
  realm: realmKind,
  user: userKind,
  stream: streamKind,
  dm: directKind,
  mail: mailKind,
  presence: presenceKind,
  webhook: webhookKind,
  links: linkPreviewKind,
  stranger: loginGuardKind,
  queue: queueKind,
});

/**
 * Opens the ports of the configured face, which are its interfaces to Store, log, bus and other services.
 *
 * @throws ConfigError when its data was written under another secret
 */
export const openProcessPorts = (
  config: Config,
  secrets: ServerCryptography,
  clock: Clock,
  logger: Logger,
): Promise<ProcessPorts> =>
  isClusterConfig(config)
    ? openClusterPorts(config, secrets, clock, logger)
    : openEmbeddedPorts(config, secrets, clock);

export class ConclaveNode {
  readonly client: ActorClient;
  readonly directories: DirectoryReplicas;
  readonly gateway: FrontendGateway;
  readonly host: ActorHost<ActorServices> | undefined;
  readonly metrics = new Metrics();
  readonly log: EventLog;
  readonly imageProxy: ImageProxy;
  readonly #renderer: MessageRenderer;
  readonly #passwords = new PasswordStrengthThread();

  constructor(
    readonly ports: ProcessPorts,
    config: Config,
    readonly secrets: ServerCryptography,
    logger: Logger,
  ) {
    const { clock, bus } = ports;
    const log = new MeteredLog(ports.log, clock, this.metrics);
    this.log = log;
    const reachable = new AddressFilter(config.webhookNetworks);
    const proxies = config.imageProxy === 'on';
    const { imageProxyKey } = secrets;
    this.imageProxy = new ImageProxy(clock, imageProxyKey, proxies ? new ImageFetcher(clock, reachable) : undefined);
    this.#renderer = new MessageRenderer(proxies ? imageProxyKey : '');
    const outageMs = config.outageSeconds * 1000;
    this.client = new ActorClient(bus, clock, this.metrics, { limitMs: outageMs, hosts: ports.hosts });
    this.directories = new DirectoryReplicas(this.client, log, clock, extraEmojiNamed(config.emojiNames));
    this.gateway = new FrontendGateway({
      clock,
      log: logger,
      directories: this.directories,
      client: this.client,
      secrets: this.secrets,
      blobs: ports.blobs,
      site: {
        scheme: config.externalScheme,
        externalHost: config.externalHost,
        host: config.host,
        port: config.port,
      },
      deadlineMs: config.deadlineSeconds * 1000,
    });
    if (ports.actors) {
      const { store, placement, mailer } = ports.actors;
      this.host = new ActorHost<ActorServices>({
        clock,
        store,
        log,
        bus,
        placement,
        logger,
        metrics: this.metrics,
        directory: this.directories,
        kinds: actorKindsByName(),
        outageMs,
        services: {
          clock,
          random: ports.random ?? Math.random,
          heartbeatMs: config.heartbeatSeconds * 1000,
          maxQueues: config.maxQueues,
          secrets: this.secrets,
          passwords: this.#passwords,
          disposable: parseDisposableDomains(
            config.disposableDomains === undefined ? '' : readFileSync(config.disposableDomains, 'utf8'),
          ),
          renderer: this.#renderer,
          blobs: ports.blobs,
          mail: new MailDispatcher(mailer, clock, logger),
          limits: { maxFileMib: config.maxFileMib, uploadQuotaMib: config.uploadQuotaMib },
          feeds: new RealmFeeds(this.directories, log, store, clock),
          webhooks: new WebhookCaller(clock, reachable),
          pages: new PageFetcher(clock, reachable, proxies ? imageProxyKey : ''),
          personal: new RecipientFieldResolver(store, this.secrets),
        },
      });
    }
  }

  async start(): Promise<void> {
    await this.host?.start();
  }

  /** Stops the node: actors finish and hand over first; the interfaces to Store, log and bus close last. */
  async stop(): Promise<void> {
    await this.host?.stop();
    await this.#renderer.close();
    await this.#passwords.close();
    this.directories.close();
    await this.ports.close();
  }
}
