/**
 * A cookie that a service sets is for the host that set it: without `Domain`, which would send it to other services and to a portal below
 * the same domain. Over TLS it is `Secure`.
 */
export function confineCookie(cookie: string, isSecure: boolean): string {
  const [pair = '', ...attributes] = cookie.split(';')
  const allowedAttributes = attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))
  const hasSecure = allowedAttributes.some((attribute) => /^\s*secure\s*(?:=|$)/i.test(attribute))
  return [pair, ...allowedAttributes, ...(isSecure && !hasSecure ? [' Secure'] : [])].join(';')
}
