/**
 * Whom this process has looked up before. A request that brings such a token is begun on that word, and its transaction
 * asks again as its first statement (`Word` in db/scope.ts): who asks then costs no exchange of its own, and still nothing
 * is done or told on an old word.
 */
import { isDeepStrictEqual } from 'node:util'
import { isOutdated } from '#server/db/scope.ts'
import { bearerOf, type Visitor } from '#server/http/session.ts'
import { hashToken } from '#server/services/tokens.ts'

const most = 10_000

export class Seen {
  /** By the token's hash, the one that was looked up longest ago first. */
  readonly #visitors = new Map<string, Visitor>()

  /** Null where it has to be looked up: never seen, or by now over. */
  find(authorization: string | undefined, now: number): Visitor | null {
    const token = bearerOf(authorization)
    if (token === null) return null
    const tokenHash = hashToken(token)
    const visitor = this.#visitors.get(tokenHash)
    if (!visitor?.caller || visitor.until <= now) return null
    return { ...visitor, word: { tokenHash, caller: visitor.caller, now } }
  }

  /** What a look into the database said of the token. */
  keep(authorization: string | undefined, visitor: Visitor): void {
    const token = bearerOf(authorization)
    if (token === null) return
    const tokenHash = hashToken(token)
    this.#visitors.delete(tokenHash)
    if (!visitor.caller) return
    this.#visitors.set(tokenHash, visitor)
    const [oldest] = this.#visitors.size > most ? this.#visitors.keys() : []
    if (oldest !== undefined) this.#visitors.delete(oldest)
  }
}

/** Whether what came of the word of before is void: it did not hold, or the one who asks is another by `now`. */
export const isVoid = (before: Visitor | null, now: Visitor | null, failure: unknown): boolean =>
  isOutdated(failure) || !isDeepStrictEqual(before?.caller, now?.caller)
