/** The session's cookies (D85). On plain HTTP, which is loopback only, browsers would refuse the prefixes. */
export const cookies = {
  /** Read by page and worker, sent as bearer; the server never takes it as authentication (K-02). */
  access: { tls: '__Host-portal-access', plain: 'portal-access' },
  /** HttpOnly; taken by the token and logout calls alone (K-10). */
  refresh: { tls: '__Secure-portal-refresh', plain: 'portal-refresh' },
} as const

/**
 * How many writes wait on this device, by user: written and read by its own pages and worker, and with this path never
 * sent to a call of the API.
 */
export const unsentCountCookie = { name: 'portal-unsent', path: '/saas/', maxAgeSeconds: 400 * 86_400 } as const

/** Path of the refresh cookie: the only calls that it travels to. */
export const refreshPath = '/api/m18s'

/** The user an access value belongs to; null for anything malformed. */
export function parseAccessUserId(value: string): number | null {
  const match = /^(\d{1,10})\.[\w-]{16,}$/.exec(value)
  return match ? Number(match[1]) : null
}
