import { isIPv4 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/** The bits of an IPv6 address that a provider gives to a home at least, and to a site at most. */
export const prefixes = { home: 56, site: 48 } as const

type Prefix = (typeof prefixes)[keyof typeof prefixes]

/**
 * Returns what is counted as one client: an IPv4 address, or an IPv6 network. An IPv6 address that stands for an
 * IPv4 address counts as that. The network of a home can be widened to that of its site.
 */
export const networkOf = (address: string, prefix: Prefix): string =>
  address.includes(':') ? normalizeIP(address, prefix) : address

/** Whether a network is this machine: a trial, or a proxy that is not trusted. */
export const isLoopback = (network: string): boolean =>
  (isIPv4(network) && network.startsWith('127.')) || network === '::'
