/** Why an entry of the outbox has not been sent yet. */
import { inQueue } from '#local/outbox/enqueue-context.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { WaitReason } from '#request/results.ts'
import { isBlocked } from '#request/transport/blocked.ts'
import { textOf } from '#request/writes/export-entries.ts'

/** Null: it does not wait, or is not there. */
export async function whyWaits(db: UserDatabase, entry: OutboxEntry, now: number): Promise<WaitReason | null> {
  if (isParked(entry)) return { why: 'user' }
  if (entry.state === 'dropping') return { why: 'dropping' }
  if (entry.state === 'sign in') return { why: 'sign in' }
  if (entry.state === 'sending') return { why: 'sending' }
  const ahead = await inQueue(db, entry.queueKey).first()
  if (ahead && ahead.intent !== entry.intent) return { why: 'earlier', intent: ahead.intent }
  const [other] = await db.outbox.where('intent').anyOf(entry.dependsOn).primaryKeys()
  if (other !== undefined) return { why: 'needs', intent: other }
  const pause = await db.meta.get('pause')
  if (pause?.name === 'pause' && pause.until > now && pause.since <= now) return { why: 'server', until: pause.until }
  if (entry.problem?.code === 'RESOURCE_LOCKED') {
    const { user, action } = (entry.problem.data ?? {}) as { user?: unknown; action?: unknown }
    return { why: 'locked', who: textOf(user), what: textOf(action), until: entry.notBefore }
  }
  if (entry.problem?.code === 'COMPANY_MAIL_LIMIT') return { why: 'mails', until: entry.notBefore }
  if (isBlocked(entry.problem)) return { why: 'blocked', problem: entry.problem, until: entry.notBefore }
  if (entry.delayedBy === 'network') return { why: 'line', until: entry.notBefore }
  return entry.notBefore > now ? { why: 'server', until: entry.notBefore } : { why: 'turn' }
}
