/** Removes `Domain`, with which other services and the portal would get the cookie. Adds `Secure` if clients use TLS. */
export function confineCookie(cookie: string, isSecure: boolean): string {
  const [pair = '', ...attributes] = cookie.split(';')
  const allowedAttributes = attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))
  const hasSecure = allowedAttributes.some((attribute) => /^\s*secure\s*(?:=|$)/i.test(attribute))
  return [pair, ...allowedAttributes, ...(isSecure && !hasSecure ? [' Secure'] : [])].join(';')
}
