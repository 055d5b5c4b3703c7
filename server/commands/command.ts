/** A write on its way: what was asked, what every step of it may know, and what it leaves. */
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Outcome, Owner } from '#server/db/idempotency.ts'
import type { Scope } from '#server/db/transaction.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { Answer, UseCaseContext, AppContext } from '#server/context/context.ts'

export interface WriteRequest<E extends Endpoint = Endpoint> {
  endpoint: E
  /** As sent, with its query. */
  path: string
  key: string | null
  intent: string | null
  forUser: string | null
  /** The raw header. */
  ifMatch: string | null
  /** The intent it must not overtake; batches only. */
  after: string | null
  /** As received, parsed, before unknown fields are stripped: what the print is made of. */
  body: unknown
  caller: Caller | null
  sessionId: string | null
  requestId: string
  /** Of the words in an error answer. */
  language: Language
  /** Throws FORBIDDEN or NOT_FOUND. Run after the idempotency store, so that a repeat after a lost role is still answered. */
  permit: () => void
  /** Throws STEP_UP_REQUIRED where the password was not given lately (S-48). */
  requirePassword: () => void
  input: ParsedInputOf<E>
}

/** An answer whose bytes are final. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  /** Exact bytes; null: none. */
  body: string | null
}

export type Act = (context: UseCaseContext, input: ParsedInputOf<Endpoint>) => Promise<Answer<unknown>>

/** One write on its way: what is the same in every attempt at its transaction. */
export interface Write {
  app: AppContext
  request: WriteRequest
  useCase: Act
  scope: Scope
  owner: Owner
  intent: string | null
  ifMatch: number | `~${string}` | null
  now: number
}

export interface Made {
  outcome: Outcome
  notes: readonly AuditEntry[]
  /** For when it is committed. */
  learn: readonly (() => void)[]
}
