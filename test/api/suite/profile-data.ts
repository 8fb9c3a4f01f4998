import type { Facts } from './facts.js';

export const profileData: Facts = async () => {};
