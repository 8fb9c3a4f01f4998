/** Providers of identities that an organization uses. */
import type { IdentityProviderConfig } from '#frontend/single-sign-on';
import { isLoginMethodOn, SINGLE_SIGN_ON_METHOD } from '#model';
import type { ApiCall } from './operation.js';

const NONE: readonly IdentityProviderConfig[] = [];

/** Providers that people may sign in with now. */
export function listProviders({
  identityProviders,
  directory,
}: Pick<ApiCall<unknown>, 'identityProviders' | 'directory'>): readonly IdentityProviderConfig[] {
  if (!identityProviders || directory.deactivated) return NONE;
  const on = isLoginMethodOn(directory.settings.authentication_methods, SINGLE_SIGN_ON_METHOD);
  return on ? identityProviders.of(directory.subdomain) : NONE;
}

/** Path that begins a sign-in. @param id of the provider */
export const signInPath = (id: string): string => `/accounts/login/oidc/${id}`;
