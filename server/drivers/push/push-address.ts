/** Decides which addresses the portal sends push messages to. A client names them, so they must not reach the portal's own network. */
import { lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Networks that are not part of the public internet (IANA special-purpose registries). */
const closedNetworks = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  closedNetworks.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  closedNetworks.addSubnet(network, prefix, 'ipv6')

export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && !closedNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Returns whether a subscription may name this address: https on its usual port, without credentials, and no address of a closed network. A
 * name is checked again when it is resolved, because its owner can change where it leads.
 */
export function isPushEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return false
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0
    ? /\.[a-z][a-z0-9-]*$/i.test(host) && !/\.(local|internal|localhost)$/i.test(host)
    : isPublicAddress(host)
}

export class ClosedAddressError extends Error {
  override name = 'ClosedAddressError'
}

/** Resolves names only to public addresses, or fails with a ClosedAddressError. Pass it to the connection itself, so that no second look-up can differ. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolveName(hostname, { ...options, all: true }, (error, addresses) => {
    const publicAddresses = error ? [] : addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = publicAddresses
    if (error || !first) return callback(error ?? new ClosedAddressError('the name leads to no public address'), '', 0)
    if (options.all) return callback(null, publicAddresses)
    return callback(null, first.address, first.family)
  })
}
