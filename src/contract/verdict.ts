/**
 * What an answer to a keyed write means: one table, by number and code, never by words. The server stores exactly the
 * outcomes that are final here (protocol 3); the device drives its outbox by it (protocol 3, 14, 16).
 */

/**
 * done: it took effect, forget the entry · later: the same bytes again, after a wait · refused: kept for the user to
 * mend · asks: waits for the user's yes · conflict: compare base, mine, theirs · sign in: waits for the same user.
 */
export type Verdict = 'done' | 'later' | 'refused' | 'asks' | 'conflict' | 'sign in'

export interface ResponseFacts {
  status: number
  code: string | null
  /** The answer repeats our key: it is from our server, not from something between. */
  echoed: boolean
  /** The answer says that its outcome is in the idempotency store, or follows from the bytes alone. */
  final: boolean
}

const neverStored = new Set([401, 408, 423, 424, 425, 429])

/** Whether the idempotency store keeps an outcome. What may turn out differently next time is not kept. */
export function isStored(status: number, code: string | null): boolean {
  if (status >= 500 || neverStored.has(status)) return false
  return code !== 'IDEMPOTENCY_IN_PROGRESS' && code !== 'WRONG_SESSION' && code !== 'STEP_UP_REQUIRED'
}

const verdictByCode: Record<string, Verdict> = {
  IDEMPOTENCY_IN_PROGRESS: 'later',
  WRONG_SESSION: 'sign in',
  APP_CONFIRM: 'asks',
  VERSION_CONFLICT: 'conflict',
  // The effect is there already; the device reads the row again.
  INTENT_DONE: 'done',
  // Its user has to give the password; the same bytes may go after it.
  STEP_UP_REQUIRED: 'refused',
  // Waiting does not teach a server what it cannot do, and the lane behind it would stand still for ever.
  NOT_SUPPORT: 'refused',
}

/** The verdict on one answer. An answer without our echo is a failure of the line, whatever it says. */
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
  // Somebody else deleted it before us: what was wanted is so. A change to a row that is gone needs the user.
  if (status === 404 || status === 410) return method === 'DELETE' ? 'done' : method === 'PUT' ? 'conflict' : 'refused'
  return 'refused'
}
