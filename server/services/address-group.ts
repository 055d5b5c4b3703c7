/** Whom an address is counted as: of IPv6 its first 64 bits, because whoever has one address there has all of them. */
import { isIPv6 } from 'node:net'

/** IPv4 stays as it is, also inside IPv6 (`::ffff:203.0.113.7`); anything that is no address too. */
export function addressGroup(address: string): string {
  const plain = address.replace(/%.*/, '')
  if (!isIPv6(plain)) return plain
  // The URL parser writes every spelling of one address alike.
  const spelled = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [head = [], tail] = spelled.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head
  const [high = '0', low = '0'] = groups.slice(6)
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return ipv4Of(high, low)
  return `${groups.slice(0, 4).join(':')}::/64`
}

const ipv4Of = (high: string, low: string): string =>
  [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
