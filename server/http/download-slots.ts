/** Limits concurrent downloads that read the database while they are sent, per user, company and node (S-25). */
import type { Caller } from '#domain/access.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/**
 * Kinds of downloads, each with its own limit. `file`: an export. `device`: data for a device, which retries. `list`: a list as a stream.
 */
export type DownloadKind = 'file' | 'device' | 'list'

const limits = { perUser: 2, perCompany: 4 }
const retryAfterSeconds = 5

export class DownloadSlots {
  readonly #counts = new Map<string, number>()

  acquire(kind: DownloadKind, { userId, companyId }: Caller): () => void {
    const userKey = `${kind} user ${userId}`
    const companyKey = `${kind} company ${companyId}`
    if (this.#getCount(userKey) >= limits.perUser) throw createTooManyProblem('user', limits.perUser)
    if (this.#getCount(companyKey) >= limits.perCompany) throw createTooManyProblem('company', limits.perCompany)
    this.#add(userKey, 1)
    this.#add(companyKey, 1)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#add(userKey, -1)
      this.#add(companyKey, -1)
    }
  }

  #getCount(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(key: string, change: number): void {
    const count = this.#getCount(key) + change
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

const createTooManyProblem = (exportsOf: 'user' | 'company', max: number) =>
  new ProblemError('RATE_LIMITED', { exportsOf, most: max, retry_after: retryAfterSeconds }, retryAfterSeconds)
