/**
 * Meaning of the response to a keyed write, decided by status and code, never by text. The server stores exactly the outcomes that are
 * final here (protocol 3). The device processes its outbox by these verdicts (protocol 3, 14, 16).
 * It also reads the data of a conflict (412): the current row, and the user who last changed it (protocol 14).
 */
import type { VersionedRow } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'

/**
 * done: the write took effect, remove the entry. later: send the same bytes again after a wait. refused: stays in the outbox for the user
 * to fix. asks: waits for the user's confirmation. conflict: the user compares the base, the device's version and the server's version.
 * sign in: waits for the same user.
 */
export type Verdict = 'done' | 'later' | 'refused' | 'asks' | 'conflict' | 'sign in'

export interface ResponseFacts {
  status: number
  code: string | null
  /** The response repeats the device's idempotency key, so it is from the portal's server and not from a proxy. */
  echoed: boolean
  /** The response is marked as final: its outcome is in the idempotency store, or follows from the bytes alone. */
  final: boolean
}

const neverStored = new Set([401, 408, 423, 424, 425, 429])
const unstoredCodes = new Set<string | null>([
  'IDEMPOTENCY_IN_PROGRESS',
  'WRONG_SESSION',
  'STEP_UP_REQUIRED',
  'ACTING_READ_ONLY',
  'ACTING_ENDED',
])

/** Whether the idempotency store stores an outcome. An outcome that may differ next time is not stored. */
export function isStored(status: number, code: string | null): boolean {
  if (status >= 500 || neverStored.has(status)) return false
  return !unstoredCodes.has(code)
}

const verdictByCode: Record<string, Verdict> = {
  IDEMPOTENCY_IN_PROGRESS: 'later',
  WRONG_SESSION: 'sign in',
  APP_CONFIRM: 'asks',
  VERSION_CONFLICT: 'conflict',
  // The write already took effect. The device reads the row again.
  INTENT_DONE: 'done',
  // The user has to enter the password. After that the same bytes may be sent again.
  STEP_UP_REQUIRED: 'refused',
  // Waiting would not help, because acting for a customer is over, or allows no changes.
  ACTING_READ_ONLY: 'refused',
  ACTING_ENDED: 'refused',
  // Waiting would not help, because the server does not support the call. The entries behind it would be blocked forever.
  NOT_SUPPORT: 'refused',
}

/** Returns the verdict for a response. A response without the device's key is treated as a connection failure. */
export function getVerdict(method: string, facts: ResponseFacts): Verdict {
  const { status, code } = facts
  if (!facts.echoed) return 'later'
  if (status === 401) return 'sign in'
  if (status === 412) return 'conflict'
  const fixedVerdict = code && Object.hasOwn(verdictByCode, code) ? verdictByCode[code] : undefined
  if (fixedVerdict) return fixedVerdict
  if (!isStored(status, code)) return 'later'
  if (!facts.final) return 'later'
  if (status >= 200 && status < 300) return 'done'
  // Another user has deleted the row: a DELETE is `done`, a PUT is a `conflict`, and other methods are `refused`.
  if (status === 404 || status === 410) return method === 'DELETE' ? 'done' : method === 'PUT' ? 'conflict' : 'refused'
  return 'refused'
}

export type CurrentRow = VersionedRow & { id: number; row_version: number }

export const isCurrentRow = (body: unknown): body is CurrentRow =>
  typeof body === 'object' &&
  body !== null &&
  'id' in body &&
  typeof body.id === 'number' &&
  'row_version' in body &&
  typeof body.row_version === 'number'

/** Returns null if the row is deleted. */
export function getCurrentRow(problem: Problem | null): CurrentRow | null {
  const { current } = (problem?.data ?? {}) as { current?: unknown }
  return isCurrentRow(current) ? current : null
}

/** Returns null if the problem has no user: an older server does not send one, and a row restored from a backup has none. */
export function getLastEditor(problem: Problem | null): { id: number; name: string } | null {
  const { changed_by: editor } = (problem?.data ?? {}) as { changed_by?: { id?: unknown; name?: unknown } | null }
  return typeof editor?.id === 'number' && typeof editor.name === 'string' ? { id: editor.id, name: editor.name } : null
}
