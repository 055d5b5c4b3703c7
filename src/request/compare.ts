/** What a person needs to decide about a write: the three sides of a conflict, and why one that could go does not. */
import { type Current, changedBy, currentIn } from '#contract/conflict.ts'
import type { Entry, UserDatabase } from '#local/database.ts'
import { inLane } from '#local/around.ts'
import { isParked } from '#local/outbox.ts'
import { overlaid } from '#local/overlay.ts'
import { merge, valuesOf } from '#request/merge.ts'
import type { Comparison, Why } from '#request/result.ts'

/** Null: this write is in no conflict. All of it came with the 412, so it can be compared without a line as well. */
export function comparisonOf(entry: Entry): Comparison | null {
  if (entry.state !== 'conflict') return null
  const current = currentIn(entry.problem)
  const { base } = entry
  if (!current) return { base, mine: wishOf(entry), theirs: null, fields: [], who: null, isOwn: false, when: null }
  const mine = entry.makes === 'delete' ? null : changesOver(entry, current)
  const merged = merge(entry, current)
  return {
    base,
    mine,
    theirs: valuesOf(current),
    fields: merged.is === 'overlap' ? merged.fields : [],
    ...authorOf(entry, current),
  }
}

const wishOf = ({ asked, makes }: Entry) =>
  makes === 'delete' ? null : { ...(asked.body as Record<string, unknown> | undefined) }

function changesOver(entry: Entry, current: Current): Record<string, unknown> {
  const asked = Object.keys(wishOf(entry) ?? {})
  const after = valuesOf(overlaid(current, entry, 0) ?? current)
  return Object.fromEntries(asked.map((field) => [field, after[field]]))
}

function authorOf({ forUser, problem }: Entry, current: Current): Pick<Comparison, 'who' | 'isOwn' | 'when'> {
  const { update_time: time } = valuesOf(current)
  const by = changedBy(problem)
  const when = typeof time === 'string' ? time : null
  // The entry is its user's own, whichever of their devices did the other change.
  return { who: by?.name ?? null, isOwn: by?.id === Number(forUser.split(':')[1]), when }
}

/** Null: it does not wait, or is not there. */
export async function whyWaits(db: UserDatabase, entry: Entry, now: number): Promise<Why | null> {
  if (isParked(entry)) return { why: 'user' }
  if (entry.state === 'dropping') return { why: 'dropping' }
  if (entry.state === 'sign in') return { why: 'sign in' }
  if (entry.state === 'sending') return { why: 'sending' }
  const ahead = await inLane(db, entry.lane).first()
  if (ahead && ahead.intent !== entry.intent) return { why: 'earlier', intent: ahead.intent }
  const [other] = await db.outbox.where('intent').anyOf(entry.dependsOn).primaryKeys()
  if (other !== undefined) return { why: 'needs', intent: other }
  const pause = await db.meta.get('pause')
  if (pause?.name === 'pause' && pause.until > now && pause.since <= now) return { why: 'server', until: pause.until }
  if (entry.problem?.code === 'RESOURCE_LOCKED') {
    const { user, action } = (entry.problem.data ?? {}) as { user?: unknown; action?: unknown }
    return { why: 'locked', who: textOf(user), what: textOf(action), until: entry.notBefore }
  }
  if (entry.held === 'line') return { why: 'line', until: entry.notBefore }
  return entry.notBefore > now ? { why: 'server', until: entry.notBefore } : { why: 'turn' }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/** What waits, as text for a person or their support: no keys of the protocol, nothing of other users, no bytes of files. */
export async function exportText(db: UserDatabase, now: number, build: string): Promise<string> {
  const entries = await db.outbox.orderBy('seq').toArray()
  const writes = entries.map(
    ({ intent, endpoint, table, target, makes, asked, base, state, attempts, since, problem }) => ({
      intent,
      endpoint,
      table,
      target,
      makes,
      asked: withoutSecrets(asked),
      base: withoutSecrets(base),
      state,
      attempts,
      since: new Date(since).toISOString(),
      problem: problem && { status: problem.status, code: problem.code, requestId: problem.requestId },
    }),
  )
  return JSON.stringify({ exported: new Date(now).toISOString(), build, writes }, null, 2)
}

const secret = /pass(word)?|pwd|secret|token|key$/i

/** Secrets are never queued; a field that is called like one is left out all the same. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !secret.test(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutSecrets(one)]))
}
