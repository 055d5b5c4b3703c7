/** Describes a sign-in's device and network, without anything that the client can choose freely. */
import { isIPv4 } from 'node:net'
import bowser from 'bowser'
import { inputLimits } from '#server/config/input-limits.ts'

export interface DeviceDescription {
  browser: string | null
  system: string | null
  form: 'desktop' | 'mobile' | 'tablet' | null
}

const browsers = new Set(Object.values(bowser.BROWSER_MAP))
const systems = new Set(Object.values(bowser.OS_MAP))
const forms = ['desktop', 'mobile', 'tablet'] as const

const unknownDevice: DeviceDescription = { browser: null, system: null, form: null }

/** Returns only names from a list, because a User-Agent is free text and the result goes into a mail. */
export function parseUserAgent(userAgent: string): DeviceDescription {
  if (userAgent === '') return unknownDevice
  const { browser, os, platform } = bowser.parse(userAgent.slice(0, inputLimits.userAgent))
  return {
    browser: findKnownName(browsers, browser.name),
    system: findKnownName(systems, os.name),
    form: forms.find((form) => form === platform.type) ?? null,
  }
}

const findKnownName = (names: ReadonlySet<string>, name: string | undefined) =>
  name !== undefined && name !== 'Generic' && names.has(name) ? name : null

/** Replaces the last part of the address: `203.0.113.*`, `2001:db8:85a3::*`. */
export function maskAddress(address: string): string {
  const plainAddress = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(plainAddress)) return plainAddress.replace(/\d+$/, '*')
  // The network of a site is the first 48 bits of the address. Loopback and similar addresses have only zeros there.
  const networkStart = plainAddress.split('::')[0]?.split(':').filter(Boolean).slice(0, 3).join(':') ?? ''
  return `${networkStart}::*`
}
