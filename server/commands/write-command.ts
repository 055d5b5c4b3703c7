/** A write on its way: what was asked, what every step of it may know, and what it leaves. */
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { WriteOutcome, WriteOwner } from '#server/db/idempotency-store.ts'
import type { TransactionScope } from '#server/db/transaction.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseResponse, UseCaseContext, AppContext } from '#server/context/context.ts'

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
  predecessorIntent: string | null
  /** As received, parsed, before unknown fields are stripped: what the print is made of. */
  body: unknown
  caller: Caller | null
  sessionId: string | null
  requestId: string
  /** Of the words in an error answer. */
  language: Language
  /** Throws FORBIDDEN or NOT_FOUND. Run after the idempotency store, so that a repeat after a lost role is still answered. */
  checkPermission: () => void
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

export type WriteUseCase = (
  context: UseCaseContext,
  input: ParsedInputOf<Endpoint>,
) => Promise<UseCaseResponse<unknown>>

/** One write on its way: what is the same in every attempt at its transaction. */
export interface WriteCommand {
  app: AppContext
  request: WriteRequest
  useCase: WriteUseCase
  scope: TransactionScope
  owner: WriteOwner
  intent: string | null
  ifMatch: number | `~${string}` | null
  now: number
}

export interface CompletedWrite {
  outcome: WriteOutcome
  entries: readonly AuditEntry[]
  /** For when it is committed. */
  commitCallbacks: readonly (() => void)[]
}
