/**
 * The access token as a worker knows it: its cookie or, where workers see no cookies (Firefox answers null), the last value that a
 * page or a renewal named. In memory only, and gone with the worker (K-13).
 */
import { parseAccessUserId } from '#contract/cookies.ts'
import type { TokenAccess } from '#request/ports.ts'

export interface WorkerAccess extends TokenAccess {
  isRemembered(value: string): boolean
}

/** `cookie`: null where the worker cannot read any. */
export function createWorkerAccess(cookie: { read(): Promise<string | null>; delete(): Promise<void> }): WorkerAccess {
  let rememberedToken: string | null = null
  let canReadCookies = false
  return {
    async read(session) {
      const value = await cookie.read()
      if (value !== null) canReadCookies = true
      if (canReadCookies) return value
      // It may be of somebody who has logged out in a page since.
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
