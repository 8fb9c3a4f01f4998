/** Identity providers that an organization uses for single sign-on. */
import type { IdentityProviderConfig } from '#frontend/single-sign-on';
import { isLoginMethodOn, SINGLE_SIGN_ON_LOGIN_METHOD } from '#model';
import type { ApiCall } from './operation.js';

const NO_IDENTITY_PROVIDERS: readonly IdentityProviderConfig[] = [];

type ProvidersCall = Pick<ApiCall<unknown>, 'identityProviders' | 'directory'>;

/** True if the server is configured with an identity provider of the organization. */
export const hasIdentityProvider = ({ identityProviders, directory }: ProvidersCall): boolean =>
  (identityProviders?.providerConfigsOfOrganization(directory.subdomain) ?? []).length > 0;

/** Lists the identity providers with which people may sign in now. */
export function listUsableIdentityProviders({
  identityProviders,
  directory,
}: ProvidersCall): readonly IdentityProviderConfig[] {
  if (!identityProviders || directory.deactivated) return NO_IDENTITY_PROVIDERS;
  const on = isLoginMethodOn(directory.settings.authentication_methods, SINGLE_SIGN_ON_LOGIN_METHOD);
  return on ? identityProviders.providerConfigsOfOrganization(directory.subdomain) : NO_IDENTITY_PROVIDERS;
}

/** Returns the path that begins a sign-in. @param id id of the identity provider */
export const makeSingleSignOnPath = (id: string): string => `/accounts/login/oidc/${id}`;

/** Returns the path of the provider's icon on this host; null: the provider has none. */
export const makeProviderIconPath = ({ id, icon }: IdentityProviderConfig): string | null =>
  icon === null ? null : `${makeSingleSignOnPath(id)}/icon`;
