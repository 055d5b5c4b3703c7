import { getCurrentRow } from '#contract/verdict.ts'
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
import { readActiveSession } from '#local/session/session.ts'
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
  const sendLater = () => ports.keepAlive(sendOutbox(ports, { immediate: true }))
  const changeAndSend = (action: (db: UserDatabase) => Promise<boolean>) =>
    withDatabase(false, async (db) => {
      const isChanged = await action(db)
      if (isChanged) sendLater()
      return isChanged
    })
  const resend = (intent: Intent, toChanges: (entry: OutboxEntry) => Omit<ResendInput, 'key'> | null) =>
    changeAndSend(async (db) => {
      const entry = await db.outbox.get(intent)
      const changes = entry ? toChanges(entry) : null
      return changes !== null && (await resendEntry(db, intent, { ...changes, key: ports.newId() }, ports.clock()))
    })
  const confirmSending = (intent: Intent) => changeAndSend((db) => markEntryAllowed(db, intent, ports.clock()))
  const sendImmediately = (intent: Intent) =>
    withDatabase(false, async (db) => {
      if (!(await clearEntryDelay(db, intent))) return false
      await sendOutbox(ports, { immediate: true })
      return true
    })
  const saveEdit = (intent: Intent, input: OutboxEntry['input']) =>
    changeAndSend((db) => updateEntryInput(db, intent, input))
  const dropQueuedEntry = (intent: Intent) =>
    withDatabase('unknown' as const, async (db) => {
      const outcome = await dropStoredEntry(db, intent, { now: ports.clock(), newId: ports.newId })
      // Entries that waited for this one may be sent now. An entry that may have been sent is only marked, and must be voided on the
      // server.
      if (outcome !== 'unknown') sendLater()
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
    compare: (intent) =>
      withDatabase(null, async (db) => {
        const entry = await db.outbox.get(intent)
        return entry ? compareConflict(entry) : null
      }),
    async getWaitReason(intent) {
      const device = await ports.device()
      const session = await readActiveSession(device)
      if (!session) return null
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

/** Adds the user's confirmation to the same request (contracts 4, APP_CONFIRM). */
function withConfirmation({ input, problem }: OutboxEntry): Omit<ResendInput, 'key'> | null {
  const { confirm_key: confirmKey } = (problem?.data ?? {}) as { confirm_key?: unknown }
  if (typeof confirmKey !== 'string') return null
  return { input: { ...input, body: { ...(input.body as object | undefined), confirmKey } } }
}

/** Returns null if the row no longer exists. */
function overwriteWithOwn(entry: OutboxEntry, fields?: readonly string[]): Omit<ResendInput, 'key'> | null {
  const currentRow = getCurrentRow(entry.problem)
  if (!currentRow) return null
  const allFields = Object.keys((entry.input.body as object | undefined) ?? entry.base ?? {})
  return { ...narrowInput(entry, fields ?? allFields, toValues(currentRow)), ifMatch: currentRow.row_version }
}
