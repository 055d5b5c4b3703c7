/** The session's two cookies (D85, K-03, K-10): set by the token call, cleared by logout, read where the path lets them. */
import { fastifyCookie } from '@fastify/cookie'
import type { IncomingHttpHeaders } from 'node:http'
import { cookies, refreshPath } from '#contract/cookies.ts'
import { isSameOrigin } from '#server/http/cross-site.ts'

const nameOf = (cookie: { tls: string; plain: string }, tls: boolean) => (tls ? cookie.tls : cookie.plain)

export interface Held {
  access: string
  refresh: string
  accessSeconds: number
  refreshSeconds: number
}

export function setCookies(held: Held, tls: boolean): string[] {
  const always = { secure: tls, sameSite: 'strict' } as const
  return [
    fastifyCookie.serialize(nameOf(cookies.access, tls), held.access, {
      ...always,
      path: '/',
      maxAge: held.accessSeconds,
    }),
    fastifyCookie.serialize(nameOf(cookies.refresh, tls), held.refresh, {
      ...always,
      path: refreshPath,
      httpOnly: true,
      maxAge: held.refreshSeconds,
    }),
  ]
}

export const clearCookies = (tls: boolean): string[] =>
  setCookies({ access: '', refresh: '', accessSeconds: 0, refreshSeconds: 0 }, tls)

/** Only a page of our own origin may make use of it; any other request is as if it had none. */
export function refreshCookieOf(headers: IncomingHttpHeaders, tls: boolean): string | null {
  if (!headers.cookie || !isSameOrigin(headers)) return null
  const value = fastifyCookie.parse(headers.cookie)[nameOf(cookies.refresh, tls)]
  return value && value.length <= 200 ? value : null
}
