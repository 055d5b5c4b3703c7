/** How many downloads that read the database while they are sent one user and one company may have at a time, on this node (S-25). */
import type { Caller } from '#domain/access.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/**
 * Each kind is counted by itself. `file`: a person's export. `device`: what a device fetches to keep, which tries again by itself.
 * `list`: a whole list as a stream.
 */
export type DownloadKind = 'file' | 'device' | 'list'

const limits = { perUser: 2, perCompany: 4 }
const retryAfterSeconds = 5

export class DownloadSlots {
  readonly #counts = new Map<string, number>()

  /** Returns what frees the slot. Throws RATE_LIMITED. */
  take(kind: DownloadKind, { userId, companyId }: Caller): () => void {
    const ofUser = `${kind} user ${userId}`
    const ofCompany = `${kind} company ${companyId}`
    if (this.#countOf(ofUser) >= limits.perUser) throw tooMany('user', limits.perUser)
    if (this.#countOf(ofCompany) >= limits.perCompany) throw tooMany('company', limits.perCompany)
    this.#add(ofUser, 1)
    this.#add(ofCompany, 1)
    let isFree = false
    return () => {
      if (isFree) return
      isFree = true
      this.#add(ofUser, -1)
      this.#add(ofCompany, -1)
    }
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(key: string, change: number): void {
    const count = this.#countOf(key) + change
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

const tooMany = (exportsOf: 'user' | 'company', most: number) =>
  new ProblemError('RATE_LIMITED', { exportsOf, most, retry_after: retryAfterSeconds }, retryAfterSeconds)
