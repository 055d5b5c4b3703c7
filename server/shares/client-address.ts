/**
 * Finds the client's address behind proxies. Each proxy appends the address of its client to X-Forwarded-For. Only the entries of trusted
 * proxies are used (`TRUST_PROXY`), because anyone can write earlier entries.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** Returns a function for Fastify's option `trustProxy`. Hop 0 is the peer of the socket. */
export const createHopTrust =
  (trustedProxies: number) =>
  (_address: string, hop: number): boolean =>
    hop < trustedProxies

/** Returns the same as Fastify's `request.ip` with `createHopTrust`. Empty if the connection is closed. */
export function getClientAddress({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',')
  const hops = [socket.remoteAddress ?? '', ...splitForwarded(forwarded).toReversed()]
  return hops[Math.min(trustedProxies, hops.length - 1)] ?? ''
}

const splitForwarded = (header: string): string[] =>
  header
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')

/**
 * Returns the first 64 bits of an IPv6 address, because a client with one address of such a network has all of them. IPv4 addresses, also
 * inside IPv6, are returned in full.
 */
export function getAddressGroup(address: string): string {
  const bareAddress = stripPort(address).replace(/%.*/, '')
  if (!isIPv6(bareAddress)) return bareAddress
  // The URL parser normalises every spelling of an address.
  const canonicalAddress = new URL(`http://[${bareAddress}]`).hostname.slice(1, -1)
  const [head = [], tail] = canonicalAddress.split('::').map((half) => half.split(':').filter(Boolean))
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head
  const [high = '0', low = '0'] = groups.slice(6)
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return toIpv4(high, low)
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Removes the port that some proxies add (`192.0.2.1:5678`). Otherwise each connection would count as another client. */
const stripPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d{1,5})?$/.exec(address)?.[1] ??
  /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(address)?.[1] ??
  address

const toIpv4 = (high: string, low: string): string =>
  [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
