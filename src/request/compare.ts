/** What a person needs to decide about a write: the three sides of a conflict, and why one that could go does not. */
import { listTrail } from '#contract/trail.ts'
import { toWire } from '#contract/wire.ts'
import type { Entry, UserDatabase } from '#local/database.ts'
import { inLane } from '#local/around.ts'
import { isParked } from '#local/outbox.ts'
import { overlaid } from '#local/overlay.ts'
import { sendSignedIn } from '#request/bearer.ts'
import { isGood, jsonOf } from '#request/line.ts'
import { type Current, currentOf, merge, valuesOf } from '#request/merge.ts'
import type { Ports } from '#request/ports.ts'
import type { Comparison, Why } from '#request/result.ts'

/** Null: this write is in no conflict. Who changed the row is asked of the trail, where its reader may read it. */
export async function comparisonOf(ports: Ports, entry: Entry): Promise<Comparison | null> {
  if (entry.state !== 'conflict') return null
  const current = currentOf(entry.problem?.data)
  const { base } = entry
  if (!current) return { base, mine: wishOf(entry), theirs: null, fields: [], who: null, when: null }
  const mine = entry.makes === 'delete' ? null : changesOver(entry, current)
  const merged = merge(entry, current)
  const last = await lastChange(ports, entry, current)
  return { base, mine, theirs: valuesOf(current), fields: merged.is === 'overlap' ? merged.fields : [], ...last }
}

const wishOf = ({ asked, makes }: Entry) =>
  makes === 'delete' ? null : { ...(asked.body as Record<string, unknown> | undefined) }

function changesOver(entry: Entry, current: Current): Record<string, unknown> {
  const asked = Object.keys(wishOf(entry) ?? {})
  const after = valuesOf(overlaid(current, entry, 0) ?? current)
  return Object.fromEntries(asked.map((field) => [field, after[field]]))
}

const patienceMs = 3_000

type TrailRow = { exec_user_name: string; end_time: string; status: number; info: Record<string, unknown> }

/** The trail names what it is about by name, and users by id as well. Only admins read it; others learn when. */
async function lastChange(
  ports: Ports,
  { kind, forUser }: Entry,
  current: Current,
): Promise<Pick<Comparison, 'who' | 'when'>> {
  const values = valuesOf(current)
  const when = typeof values.update_time === 'string' ? values.update_time : null
  const query = { code: kind, operation: 'update', results: 50 }
  const { method, path } = toWire(listTrail, { query } as never)
  const asked = sendSignedIn(ports, { method, path, headers: { 'for-user': forUser }, body: null })
  // A name is worth a moment, not a line that hangs.
  const answer = await Promise.race([asked, ports.wait(patienceMs).then(() => null)])
  const { data } = ((answer && isGood(answer) ? jsonOf(answer) : null) ?? {}) as { data?: TrailRow[] }
  const names = [values.name, values.code].filter((name) => typeof name === 'string' && name !== '')
  const isIt = ({ status, info }: TrailRow) =>
    status === 0 &&
    (info.UserId === undefined ? Object.values(info).some((one) => names.includes(one)) : info.UserId === current.id)
  const found = data?.find(isIt)
  return found ? { who: found.exec_user_name, when: found.end_time } : { who: null, when }
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
export async function exportText(db: UserDatabase, now: number): Promise<string> {
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
  return JSON.stringify({ exported: new Date(now).toISOString(), writes }, null, 2)
}

const secret = /pass(word)?|pwd|secret|token|key$/i

/** Secrets are never queued; a field that is called like one is left out all the same. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !secret.test(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutSecrets(one)]))
}
