/**
 * Whose request it is, where proxies are in front of us (`TRUST_PROXY`): the same for the portal and for hosted services. Each proxy adds
 * the address of whoever it speaks with at the end of X-Forwarded-For; what stands further to the front, anybody can have written.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** For Fastify. Hop 0 is whoever holds the socket. */
export const createHopTrust =
  (trustedProxies: number) =>
  (_address: string, hop: number): boolean =>
    hop < trustedProxies

/** As Fastify's `request.ip` with `createHopTrust`. Empty where the connection is gone. */
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
 * Whom an address is counted as: of IPv6 its first 64 bits, because whoever has one address there has all of them. IPv4 stays as it is,
 * also inside IPv6 (`::ffff:203.0.113.7`); anything that is no address too.
 */
export function getAddressGroup(address: string): string {
  const bareAddress = stripPort(address).replace(/%.*/, '')
  if (!isIPv6(bareAddress)) return bareAddress
  // The URL parser writes every spelling of one address alike.
  const canonicalAddress = new URL(`http://[${bareAddress}]`).hostname.slice(1, -1)
  const [head = [], tail] = canonicalAddress.split('::').map((half) => half.split(':').filter(Boolean))
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head
  const [high = '0', low = '0'] = groups.slice(6)
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return toIpv4(high, low)
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Some proxies write `192.0.2.1:5678` or `[2001:db8::1]:5678`: each connection would be somebody else. */
const stripPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d{1,5})?$/.exec(address)?.[1] ??
  /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(address)?.[1] ??
  address

const toIpv4 = (high: string, low: string): string =>
  [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
