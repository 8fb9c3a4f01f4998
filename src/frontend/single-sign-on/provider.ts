/** Identity providers: openid-client with the configuration of the server. */
import * as oidc from 'openid-client';
import { type Logger, OutgoingAddressFilter } from '#base';
import type { Clock } from '#base/clock';
import { type ExternalIdentity, lacksIdentityClaims, makeExternalIdentity } from './claims.js';
import type { IdentityProviderConfig } from './config.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS, IdentityProviderUnavailableError, makeIdentityProviderFetch } from './fetch.js';

export { IdentityProviderUnavailableError };

/** Error of a sign-in that is refused, because the provider, or a browser on its behalf, sent an unexpected answer. */
export class SingleSignOnRefusedError extends Error {
  override name = 'SingleSignOnRefusedError';
}

/** Secrets of a sign-in while the browser is at the provider. */
export interface SignInFlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Milliseconds after which the metadata of an issuer is read again. */
const ISSUER_METADATA_VALID_MS = 3_600_000;

/** True if the error, or one of its causes, means that the provider gave no answer. */
function isProviderOutage(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof IdentityProviderUnavailableError) return true;
  return false;
}

/** Words for the log: the message, and the error code of the provider or the error that caused this one. */
function describeErrorForLog(error: unknown): string {
  const { message, cause, error: code } = error as Error & { readonly error?: unknown };
  return [message, code, cause instanceof Error && cause.message].filter((one) => typeof one === 'string').join(': ');
}

class IdentityProvider {
  #cachedIssuerConfiguration: { readonly at: number; readonly configuration: Promise<oidc.Configuration> } | undefined;
  readonly #limitedFetch: ReturnType<typeof makeIdentityProviderFetch>;

  constructor(
    readonly config: IdentityProviderConfig,
    private readonly clock: Clock,
  ) {
    this.#limitedFetch = makeIdentityProviderFetch(new OutgoingAddressFilter(config.networks));
  }

  /** Returns the metadata of the issuer. All sign-ins share one request; a failed request is not cached. */
  #getOrDiscoverIssuerConfiguration(): Promise<oidc.Configuration> {
    const now = this.clock.monotonic();
    if (this.#cachedIssuerConfiguration && now - this.#cachedIssuerConfiguration.at < ISSUER_METADATA_VALID_MS)
      return this.#cachedIssuerConfiguration.configuration;
    const { issuer, client_id, client_secret, insecure } = this.config;
    const configuration = oidc.discovery(
      new URL(issuer),
      client_id,
      {},
      client_secret === null ? oidc.None() : oidc.ClientSecretBasic(client_secret),
      {
        [oidc.customFetch]: this.#limitedFetch,
        timeout: IDENTITY_PROVIDER_TIMEOUT_MS / 1000,
        execute: [oidc.enableNonRepudiationChecks, ...(insecure ? [oidc.allowInsecureRequests] : [])],
      },
    );
    const metadata = { at: now, configuration };
    this.#cachedIssuerConfiguration = metadata;
    configuration.catch(() => {
      if (this.#cachedIssuerConfiguration === metadata) this.#cachedIssuerConfiguration = undefined;
    });
    return configuration;
  }

  /** Returns the URL at the provider to which the browser is redirected. */
  async makeAuthorizationUrl(redirectUri: string, { state, nonce, verifier }: SignInFlowSecrets): Promise<string> {
    return oidc.buildAuthorizationUrl(await this.#getOrDiscoverIssuerConfiguration(), {
      redirect_uri: redirectUri,
      scope: this.config.scopes.join(' '),
      response_type: 'code',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /**
   * Exchanges the code with which the browser came back for an identity.
   * @param query query of the browser's request
   */
  async exchangeCodeForIdentity(
    redirectUri: string,
    query: string,
    flow: SignInFlowSecrets,
  ): Promise<ExternalIdentity> {
    const configuration = await this.#getOrDiscoverIssuerConfiguration();
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims: Record<string, unknown> = { ...tokens.claims() };
    if (lacksIdentityClaims(claims, this.config) && configuration.serverMetadata().userinfo_endpoint !== undefined) {
      const more = await oidc.fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
      return makeExternalIdentity({ ...more, ...claims }, this.config);
    }
    return makeExternalIdentity(claims, this.config);
  }
}

export class IdentityProviders {
  readonly #providersById: ReadonlyMap<string, IdentityProvider>;

  constructor(
    configs: readonly IdentityProviderConfig[],
    clock: Clock,
    private readonly logger: Logger,
  ) {
    this.#providersById = new Map(configs.map((config) => [config.id, new IdentityProvider(config, clock)]));
  }

  /** Lists the identity providers of an organization. */
  providerConfigsOfOrganization(subdomain: string): readonly IdentityProviderConfig[] {
    return [...this.#providersById.values()]
      .map(({ config }) => config)
      .filter(({ organizations }) => organizations === null || organizations.includes(subdomain));
  }

  static makeSignInFlowSecrets(): SignInFlowSecrets {
    return { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
  }

  /**
   * Begins a sign-in at a provider, and returns the URL for the browser. @throws IdentityProviderUnavailableError,
   * SingleSignOnRefusedError
   */
  makeSignInUrl(id: string, redirectUri: string, flow: SignInFlowSecrets): Promise<string> {
    return this.#callProvider(id, (provider) => provider.makeAuthorizationUrl(redirectUri, flow));
  }

  /**
   * Ends a sign-in at a provider, and returns the person's identity. @throws IdentityProviderUnavailableError,
   * SingleSignOnRefusedError
   */
  fetchIdentityOfSignIn(
    id: string,
    redirectUri: string,
    query: string,
    flow: SignInFlowSecrets,
  ): Promise<ExternalIdentity> {
    return this.#callProvider(id, (provider) => provider.exchangeCodeForIdentity(redirectUri, query, flow));
  }

  async #callProvider<T>(id: string, action: (provider: IdentityProvider) => Promise<T>): Promise<T> {
    const provider = this.#providersById.get(id);
    if (!provider) throw new SingleSignOnRefusedError('there is no such provider');
    try {
      return await action(provider);
    } catch (error) {
      const outage = isProviderOutage(error);
      const reason = describeErrorForLog(error);
      this.logger.warn({ provider: id, reason }, outage ? 'a provider does not answer' : 'a sign-in was refused');
      throw outage ? new IdentityProviderUnavailableError(reason) : new SingleSignOnRefusedError(reason);
    }
  }
}
