import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { WriteOutcome, WriteOwner } from '#server/db/idempotency-store.ts'
import type { TransactionScope } from '#server/db/transaction.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseResponse, UseCaseContext, AppContext } from '#server/context/context.ts'

export interface WriteRequest<E extends Endpoint = Endpoint> {
  endpoint: E
  path: string
  key: string | null
  intent: string | null
  forUser: string | null
  ifMatch: string | null
  /** Intent of the batch item that must be done first. Set only in batches. */
  predecessorIntent: string | null
  /** Whether the write has waited on the device for so long that the user may not see its outcome. */
  hasWaited: boolean
  /** Parsed body before unknown fields are removed. The fingerprint is computed from it. */
  body: unknown
  caller: Caller | null
  sessionId: string | null
  requestId: string
  language: Language
  /**
   * Throws FORBIDDEN or NOT_FOUND. Runs after the replay, so that a caller who has lost a role still gets the response of an earlier write.
   */
  checkPermission: () => void
  /** Throws STEP_UP_REQUIRED if the password was not entered recently (S-48). */
  requirePassword: () => void
  input: ParsedInputOf<E>
}

export interface StoredResponse {
  status: number
  headers: Record<string, string>
  /** Exact text of the response body. Null if there is no body. */
  body: string | null
}

export type WriteUseCase = (
  context: UseCaseContext,
  input: ParsedInputOf<Endpoint>,
) => Promise<UseCaseResponse<unknown>>

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
  commitCallbacks: readonly (() => void)[]
}
