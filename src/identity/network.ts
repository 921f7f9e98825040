import { isIPv4 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'

/**
 * Returns what is counted as one client: an IPv4 address, or an IPv6 network of 64 bits, which belongs to
 * one client.
 */
export const networkOf = (address: string): string =>
  address.includes(':') ? normalizeIP(address) : address

/** Whether a network is this machine: a trial, or a proxy that is not trusted. */
export const isLoopback = (network: string): boolean =>
  (isIPv4(network) && network.startsWith('127.')) || network === networkOf('::1')
