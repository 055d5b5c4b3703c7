/** The session's cookies (D85). Browsers reject the prefixes on plain HTTP, which is used on loopback only. */
export const cookies = {
  /** Read by page and worker, sent as bearer token. The server never accepts the cookie itself (K-02). */
  access: { tls: '__Host-portal-access', plain: 'portal-access' },
  /** HttpOnly. Only the token and logout calls accept it (K-10). */
  refresh: { tls: '__Secure-portal-refresh', plain: 'portal-refresh' },
} as const

/** Number of unsent writes on this device by user. Because of its path the cookie is never sent with an API call. */
export const unsentCountCookie = { name: 'portal-unsent', path: '/saas/', maxAgeSeconds: 400 * 86_400 } as const

/** Path of the refresh cookie. The browser sends the cookie only with calls under it. */
export const refreshPath = '/api/m18s'

/** Returns the user id of an access token, or null if the token is malformed. */
export function parseAccessUserId(value: string): number | null {
  const match = /^(\d{1,10})\.[\w-]{16,}$/.exec(value)
  return match ? Number(match[1]) : null
}
