/** What the user may do with writes that wait: decided on the device, then sent like any other. */
import { getCurrentRow } from '#contract/current-row.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import {
  type ResendInput,
  markEntryAllowed,
  clearEntryDelay,
  clearAllDelays,
  dropStoredEntry,
  updateEntryInput,
  resendEntry,
} from '#local/outbox/entry-actions.ts'
import { readDependents } from '#local/outbox/dependents.ts'
import { deleteDataLoss } from '#local/outbox/data-loss.ts'
import { readSession } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { compareConflict } from '#request/writes/conflict.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { narrowInput, toValues } from '#request/writes/merge.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { OutboxActions } from '#request/call-results.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { openSeals } from '#request/session/open-seals.ts'
import { exportEntries } from '#request/writes/export-entries.ts'
import { findWaitReason } from '#request/writes/wait-reason.ts'

export function createOutboxActions(ports: PipelinePorts): OutboxActions {
  const withDatabase = async <T>(fallback: T, action: (db: UserDatabase) => Promise<T>): Promise<T> => {
    const session = await readCurrentSession(ports)
    return session ? await action(session.db) : fallback
  }
  const withEntry = <T>(intent: Intent, action: (db: UserDatabase, entry: OutboxEntry) => Promise<T>) =>
    withDatabase(null, async (db) => {
      const entry = await db.outbox.get(intent)
      return entry ? await action(db, entry) : null
    })
  const resend = (intent: Intent, toChanges: (entry: OutboxEntry) => Omit<ResendInput, 'key'> | null) =>
    withDatabase(false, async (db) => {
      const entry = await db.outbox.get(intent)
      const changes = entry ? toChanges(entry) : null
      if (!changes || !(await resendEntry(db, intent, { ...changes, key: ports.newId() }, ports.clock()))) return false
      ports.keepAlive(sendOutbox(ports, { immediate: true }))
      return true
    })
  const confirmSending = (intent: Intent) =>
    withDatabase(false, async (db) => {
      const isAllowed = await markEntryAllowed(db, intent, ports.clock())
      if (isAllowed) ports.keepAlive(sendOutbox(ports, { immediate: true }))
      return isAllowed
    })
  const sendImmediately = (intent: Intent) =>
    withDatabase(false, async (db) => {
      if (!(await clearEntryDelay(db, intent))) return false
      await sendOutbox(ports, { immediate: true })
      return true
    })
  const saveEdit = (intent: Intent, input: OutboxEntry['input']) =>
    withDatabase(false, async (db) => {
      const isEdited = await updateEntryInput(db, intent, input)
      if (isEdited) ports.keepAlive(sendOutbox(ports, { immediate: true }))
      return isEdited
    })
  const dropQueuedEntry = (intent: Intent) =>
    withDatabase('unknown' as const, async (db) => {
      const outcome = await dropStoredEntry(db, intent, { now: ports.clock(), newId: ports.newId })
      // Whoever waited behind it may go, and what was only marked is taken back.
      if (outcome !== 'unknown') ports.keepAlive(sendOutbox(ports, { immediate: true }))
      return outcome
    })
  return {
    retry: async (intent) => (await sendImmediately(intent)) || (await resend(intent, () => ({}))),
    fix: async (intent, input) => (await saveEdit(intent, input)) || (await resend(intent, () => ({ input }))),
    confirm: async (intent) => (await confirmSending(intent)) || (await resend(intent, withConfirmation)),
    keepOwnValues: (intent, fields) => resend(intent, (entry) => overwriteWithOwn(entry, fields)),
    keepServerValues: async (intent) => (await dropQueuedEntry(intent)) !== 'unknown',
    drop: dropQueuedEntry,
    findDependents: (intent) =>
      withDatabase([], async (db) => (await readDependents(db, intent)).map((dependent) => dependent.intent)),
    sendNow: () =>
      withDatabase(undefined, async (db) => {
        await clearAllDelays(db)
        await sendOutbox(ports, { immediate: true })
      }),
    compare: (intent) => withEntry(intent, async (_, entry) => compareConflict(entry)),
    async getWaitReason(intent) {
      const [session, device] = await Promise.all([readSession(await ports.device()), ports.device()])
      if (!session || session.signedOut) return null
      const db = device.getDatabase(session)
      const entry = await db.outbox.get(intent)
      return entry ? await findWaitReason(db, entry, { now: ports.clock(), session }) : null
    },
    exportAll: () => withDatabase('', (db) => exportEntries(db, ports.clock(), ports.build)),
    exportOne: (intent) => withDatabase('', (db) => exportEntries(db, ports.clock(), ports.build, intent)),
    async unseal() {
      const session = await readCurrentSession(ports)
      return session ? await openSeals(ports, { ...session, send: sendSignedIn }, { retryFailed: true }) : 0
    },
    acknowledgeLoss: () => withDatabase(undefined, deleteDataLoss),
  }
}

/** The answer to the server's question goes into the same request (contracts 4, APP_CONFIRM). */
function withConfirmation({ input, problem }: OutboxEntry): Omit<ResendInput, 'key'> | null {
  const { confirm_key: confirmKey } = (problem?.data ?? {}) as { confirm_key?: unknown }
  if (typeof confirmKey !== 'string') return null
  return { input: { ...input, body: { ...(input.body as object | undefined), confirmKey } } }
}

/** Null where there is no row any more to lay it over. */
function overwriteWithOwn(entry: OutboxEntry, fields?: readonly string[]): Omit<ResendInput, 'key'> | null {
  const currentRow = getCurrentRow(entry.problem)
  if (!currentRow) return null
  const allFields = Object.keys((entry.input.body as object | undefined) ?? entry.base ?? {})
  return { ...narrowInput(entry, fields ?? allFields, toValues(currentRow)), ifMatch: currentRow.row_version }
}
