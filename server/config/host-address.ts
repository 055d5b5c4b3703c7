import { isIP } from 'node:net'

/** Returns whether the text is an IP address without brackets, or a host name (RFC 1123). A port is not allowed. */
export function isHostAddress(text: string): boolean {
  if (isIP(text) !== 0) return true
  const isName = text.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
  // The last part of a name is never a number (RFC 1123), so this is an incomplete IP address.
  return isName && !/(^|\.)\d+$/.test(text)
}
