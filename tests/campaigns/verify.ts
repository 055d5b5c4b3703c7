/** What the server's own database says in the end, against what was asked of it. Opened while the server is stopped. */
import pino from 'pino'
import { configOf } from '#tests/campaigns/config-of.ts'
import { openDatabase } from '#server/db/open.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { noBackups } from '#server/context/backup-places.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPayments } from '#server/context/payment-methods.ts'
import type { Deeds, Lane } from '#tests/campaigns/operations.ts'

export interface Reckoning {
  /** Writes that took effect. */
  done: number
  lost: string[]
  doubled: string[]
  disordered: string[]
  /** By whom or for whom it was not meant, or known to no one. */
  foreign: string[]
  /** Ledger, trail and rows do not agree. */
  torn: string[]
}

interface Found {
  idempotency: Map<string, { state: string; row_id: number | null; company_id: number; user_id: number }>
  /** Effects by intent, in the order in which they were committed. */
  effects: { intent: string; at: number }[]
  rows: Map<number, { name: string; row_version: number; company_id: number }>
  broken: number
}

/** `author` is whose writes they are: company and user. */
export async function reckon(
  env: Record<string, string>,
  deeds: Deeds,
  author: { companyId: number; userId: number },
): Promise<Reckoning> {
  const found = await look(env)
  const times = new Map<string, number[]>()
  for (const { intent, at } of found.effects) times.set(intent, [...(times.get(intent) ?? []), at])
  const lanes = [...deeds.lanes.values()]
  const known = new Set(lanes.flatMap(({ deeds: all }) => all.map(({ intent }) => intent)))
  const isDone = (intent: string) => found.idempotency.get(intent)?.state === 'done'
  return {
    done: [...known].filter(isDone).length,
    lost: [...new Set([...deeds.recorded, ...deeds.heard])].filter((intent) => !isDone(intent)),
    doubled: [...times].filter(([, all]) => all.length > 1).map(([intent, all]) => `${intent} ${all.length} times`),
    disordered: lanes.flatMap((lane) => outOfOrder(lane, times)),
    foreign: [...found.idempotency]
      .filter(([intent, row]) => {
        const isAuthors = row.company_id === author.companyId && row.user_id === author.userId
        return known.has(intent) ? !isAuthors : isAuthors
      })
      .map(([intent]) => intent),
    torn: [...lanes.flatMap((lane) => torn(lane, found, isDone)), ...unlike(times, found), ...broken(found)],
  }
}

async function look(env: Record<string, string>): Promise<Found> {
  const config = await configOf(env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
  try {
    const app = {
      config,
      database,
      log,
      clock: Date.now,
      payments: noPayments,
      hosting: noHosting,
      backups: noBackups,
      checkpointStore: noCheckpointStore,
    }
    return await inTransaction(app, { role: 'portal_system' }, async (db) => {
      const idempotency = await db
        .selectFrom('idempotency')
        .select(['intent', 'state', 'row_id', 'company_id', 'user_id'])
        .execute()
      const trail = await db
        .selectFrom('audit_entry')
        .select(['id', 'intent'])
        .where('intent', 'is not', null)
        .where('status', '=', 0)
        .execute()
      const users = await db.selectFrom('portal_user').select(['id', 'name', 'row_version', 'company_id']).execute()
      return {
        idempotency: new Map(idempotency.map((row) => [row.intent, row])),
        effects: trail.map(({ id, intent }) => ({ intent: intent ?? '', at: id })),
        rows: new Map(users.map((row) => [row.id, row])),
        broken: (await brokenEntries({ config }, db)).length,
      }
    })
  } finally {
    await database.close()
  }
}

/** What took effect must have done so in the order in which it was made, and without a gap before it. */
function outOfOrder({ deeds }: Lane, times: Map<string, number[]>): string[] {
  const done = deeds.map(({ intent }) => ({ intent, at: times.get(intent)?.[0] ?? Infinity }))
  return done.filter(({ at }, n) => at < (done[n - 1]?.at ?? 0)).map(({ intent }) => intent)
}

/** The user is called as the last write called it, and was changed as often as there were writes. */
function torn({ maker, deeds }: Lane, { idempotency, rows }: Found, isDone: (intent: string) => boolean): string[] {
  const done = deeds.filter(({ intent }) => isDone(intent))
  if (done.length === 0) return []
  const row = rows.get(idempotency.get(maker)?.row_id ?? 0)
  if (!row) return [`${maker} made no user`]
  const last = done.at(-1)
  return [
    ...(row.row_version === done.length ? [] : [`${maker} has version ${row.row_version} after ${done.length} writes`]),
    ...(row.name === last?.name ? [] : [`${maker} is called ${row.name} and not ${last?.name}`]),
  ]
}

/** Each deed that the idempotency store knows has its effect in the trail, and the other way round. */
function unlike(times: Map<string, number[]>, { idempotency }: Found): string[] {
  const done = [...idempotency].filter(([, { state }]) => state === 'done').map(([intent]) => intent)
  return [
    ...done.filter((intent) => !times.has(intent)).map((intent) => `${intent} left no trail`),
    ...[...times.keys()]
      .filter((intent) => idempotency.get(intent)?.state !== 'done')
      .map((intent) => `${intent} is only in the trail`),
  ]
}

const broken = ({ broken: links }: Found) => (links > 0 ? [`the trail is broken in ${links} places`] : [])
