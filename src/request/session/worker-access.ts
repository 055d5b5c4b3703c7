/**
 * The access token as a worker knows it: its cookie or, where workers see no cookies (Firefox answers null), the last value that a
 * page or a renewal named. In memory only, and gone with the worker (K-13).
 */
import { userOfAccess } from '#contract/cookies.ts'
import type { Access } from '#request/ports.ts'

export interface WorkerAccess extends Access {
  isRemembered(value: string): boolean
}

/** `cookie`: null where the worker cannot read any. */
export function createWorkerAccess(cookie: { read(): Promise<string | null>; delete(): Promise<void> }): WorkerAccess {
  let remembered: string | null = null
  let seesCookies = false
  return {
    async read(session) {
      const value = await cookie.read()
      if (value !== null) seesCookies = true
      if (seesCookies) return value
      // It may be of somebody who has logged out in a page since.
      return remembered !== null && session && userOfAccess(remembered) === session.userId ? remembered : null
    },
    renewed: (value) => void (remembered = value),
    async forget() {
      remembered = null
      await cookie.delete()
    },
    isRemembered: (value) => !seesCookies && value === remembered,
  }
}
