export { Gateway, type GatewayOptions } from './gateway.js';
export { hostName, realmAtHost, subdomainOf } from './realms.js';
export { type SiteOptions, siteOf } from './site.js';
