/**
 * Reads the worker's access token: from its cookie or, where workers cannot read cookies (Firefox), the last value from a page or a
 * renewal. The value is in memory only, and is lost when the worker ends (K-13).
 */
import { parseAccessUserId } from '#contract/cookies.ts'
import type { TokenAccess } from '#request/ports.ts'

export interface WorkerAccess extends TokenAccess {
  isRemembered(value: string): boolean
}

/** `cookie.read` returns null if the worker cannot read cookies. */
export function createWorkerAccess(cookie: { read(): Promise<string | null>; delete(): Promise<void> }): WorkerAccess {
  let rememberedToken: string | null = null
  let canReadCookies = false
  return {
    async read(session) {
      const value = await cookie.read()
      if (value !== null) canReadCookies = true
      if (canReadCookies) return value
      // The remembered token may belong to a user who has logged out in a page since.
      return rememberedToken !== null && session && parseAccessUserId(rememberedToken) === session.userId
        ? rememberedToken
        : null
    },
    onRenewed: (value) => void (rememberedToken = value),
    async forget() {
      rememberedToken = null
      await cookie.delete()
    },
    isRemembered: (value) => !canReadCookies && value === rememberedToken,
  }
}
