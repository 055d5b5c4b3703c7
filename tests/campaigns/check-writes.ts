/** Compares the server's database at the end with the writes that were sent. The database is read while the server is stopped. */
import pino from 'pino'
import { readFolderConfig } from '#tests/support/server/read-folder-config.ts'
import { openDatabase } from '#server/db/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import type { WritePlan, WriteQueue } from '#tests/campaigns/write-plan.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

export interface WriteCheck {
  doneCount: number
  lostWrites: string[]
  doubledWrites: string[]
  misorderedWrites: string[]
  /** Writes by or for the wrong user, and writes with an unknown intent. */
  foreignWrites: string[]
  /** Writes for which the idempotency store, the audit trail and the rows differ. */
  tornWrites: string[]
}

interface ServerContent {
  idempotency: Map<string, { state: string; row_id: number | null; company_id: number; user_id: number }>
  /** Effects of the writes, in commit order, each with its intent and the id of its audit entry. */
  effects: { intent: string; entryId: number }[]
  rows: Map<number, { name: string; row_version: number; company_id: number }>
  brokenCount: number
}

/** Compares the database with `plan`. `author` is the company and user that made the writes. */
export async function checkWrites(
  env: Record<string, string>,
  plan: WritePlan,
  author: { companyId: number; userId: number },
): Promise<WriteCheck> {
  const content = await readContent(env)
  const entryIdsByIntent = new Map<string, number[]>()
  for (const { intent, entryId } of content.effects)
    entryIdsByIntent.set(intent, [...(entryIdsByIntent.get(intent) ?? []), entryId])
  const queues = [...plan.queues.values()]
  const plannedIntents = new Set(queues.flatMap(({ writes }) => writes.map(({ intent }) => intent)))
  const isDone = (intent: string) => content.idempotency.get(intent)?.state === 'done'
  return {
    doneCount: [...plannedIntents].filter(isDone).length,
    lostWrites: [...new Set([...plan.recorded, ...plan.acknowledged])].filter((intent) => !isDone(intent)),
    doubledWrites: [...entryIdsByIntent]
      .filter(([, entryIds]) => entryIds.length > 1)
      .map(([intent, entryIds]) => `${intent} ${entryIds.length} times`),
    misorderedWrites: queues.flatMap((queue) => findOutOfOrder(queue, entryIdsByIntent)),
    foreignWrites: [...content.idempotency]
      .filter(([intent, row]) => {
        const isAuthors = row.company_id === author.companyId && row.user_id === author.userId
        return plannedIntents.has(intent) ? !isAuthors : isAuthors
      })
      .map(([intent]) => intent),
    tornWrites: [
      ...queues.flatMap((queue) => findTorn(queue, content, isDone)),
      ...findTrailDifferences(entryIdsByIntent, content),
      ...findBroken(content),
    ],
  }
}

async function readContent(env: Record<string, string>): Promise<ServerContent> {
  const config = await readFolderConfig(env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
  try {
    const app = {
      config,
      database,
      log,
      clock: Date.now,
      payments: noPaymentMethods,
      hosting: noHosting,
      backups: noBackups,
      files: openTestFiles(config),
      checkpointStore: noCheckpointStore,
    }
    return await runInTransaction(app, { role: 'portal_system' }, async (db) => {
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
        effects: trail.map(({ id, intent }) => ({ intent: intent ?? '', entryId: id })),
        rows: new Map(users.map((row) => [row.id, row])),
        brokenCount: (await findBrokenEntries({ config }, db)).length,
      }
    })
  } finally {
    await database.close()
  }
}

/** Returns writes that took effect out of order or after a gap. */
function findOutOfOrder({ writes }: WriteQueue, entryIdsByIntent: Map<string, number[]>): string[] {
  const doneWrites = writes.map(({ intent }) => ({ intent, entryId: entryIdsByIntent.get(intent)?.[0] ?? Infinity }))
  return doneWrites
    .filter(({ entryId }, index) => entryId < (doneWrites[index - 1]?.entryId ?? 0))
    .map(({ intent }) => intent)
}

/** Returns differences of the user row: its name must be that of the last write, and its version must equal the number of its writes. */
function findTorn(
  { creationIntent, writes }: WriteQueue,
  { idempotency, rows }: ServerContent,
  isDone: (intent: string) => boolean,
): string[] {
  const doneWrites = writes.filter(({ intent }) => isDone(intent))
  if (doneWrites.length === 0) return []
  const row = rows.get(idempotency.get(creationIntent)?.row_id ?? 0)
  if (!row) return [`${creationIntent} created no user`]
  const lastWrite = doneWrites.at(-1)
  return [
    ...(row.row_version === doneWrites.length
      ? []
      : [`${creationIntent} has version ${row.row_version} after ${doneWrites.length} writes`]),
    ...(row.name === lastWrite?.name
      ? []
      : [`${creationIntent} has the name ${row.name} instead of ${lastWrite?.name}`]),
  ]
}

/** Compares the executed writes of the idempotency store with the entries of the audit trail, in both directions. */
function findTrailDifferences(entryIdsByIntent: Map<string, number[]>, { idempotency }: ServerContent): string[] {
  const doneIntents = [...idempotency].filter(([, { state }]) => state === 'done').map(([intent]) => intent)
  return [
    ...doneIntents.filter((intent) => !entryIdsByIntent.has(intent)).map((intent) => `${intent} has no audit entry`),
    ...[...entryIdsByIntent.keys()]
      .filter((intent) => idempotency.get(intent)?.state !== 'done')
      .map((intent) => `${intent} is only in the audit trail`),
  ]
}

const findBroken = ({ brokenCount }: ServerContent) =>
  brokenCount > 0 ? [`the audit trail has ${brokenCount} broken entries`] : []
