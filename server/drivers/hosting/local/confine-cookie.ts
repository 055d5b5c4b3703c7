/** Removes `Domain`, which would share the cookie with other services and the portal. Adds `Secure` over TLS. */
export function confineCookie(cookie: string, isSecure: boolean): string {
  const [pair = '', ...attributes] = cookie.split(';')
  const allowedAttributes = attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))
  const hasSecure = allowedAttributes.some((attribute) => /^\s*secure\s*(?:=|$)/i.test(attribute))
  return [pair, ...allowedAttributes, ...(isSecure && !hasSecure ? [' Secure'] : [])].join(';')
}
