/** What the user may do with writes that wait: decided on the device, then sent like any other. */
import { currentIn } from '#contract/conflict.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Again, allow, clearDelay, clearDelays, drop, edit, sendAgain } from '#local/outbox/user-actions.ts'
import { dependentsOf } from '#local/outbox/dependents.ts'
import { forgetLoss } from '#local/outbox/data-loss.ts'
import { readSession } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { comparisonOf } from '#request/writes/conflict.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { narrowed, valuesOf } from '#request/writes/merge.ts'
import type { Ports } from '#request/ports.ts'
import type { OutboxActions } from '#request/results.ts'
import { currentSession } from '#request/session/current-session.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { openSeals } from '#request/session/open-seals.ts'
import { exportText } from '#request/writes/export-entries.ts'
import { whyWaits } from '#request/writes/wait-reason.ts'

export function createOutboxActions(ports: Ports): OutboxActions {
  const on = async <T>(otherwise: T, act: (db: UserDatabase) => Promise<T>): Promise<T> => {
    const desk = await currentSession(ports)
    return desk ? await act(desk.db) : otherwise
  }
  const of = <T>(intent: Intent, act: (db: UserDatabase, entry: OutboxEntry) => Promise<T>) =>
    on(null, async (db) => {
      const entry = await db.outbox.get(intent)
      return entry ? await act(db, entry) : null
    })
  const again = (intent: Intent, how: (entry: OutboxEntry) => Omit<Again, 'key'> | null) =>
    on(false, async (db) => {
      const entry = await db.outbox.get(intent)
      const changes = entry ? how(entry) : null
      if (!changes || !(await sendAgain(db, intent, { ...changes, key: ports.newId() }, ports.clock()))) return false
      ports.lasting(sendOutbox(ports, { hurry: true }))
      return true
    })
  const allowed = (intent: Intent) =>
    on(false, async (db) => {
      const isAllowed = await allow(db, intent, ports.clock())
      if (isAllowed) ports.lasting(sendOutbox(ports, { hurry: true }))
      return isAllowed
    })
  const hurried = (intent: Intent) =>
    on(false, async (db) => {
      if (!(await clearDelay(db, intent))) return false
      await sendOutbox(ports, { hurry: true })
      return true
    })
  const edited = (intent: Intent, asked: OutboxEntry['input']) =>
    on(false, async (db) => {
      const isEdited = await edit(db, intent, asked)
      if (isEdited) ports.lasting(sendOutbox(ports, { hurry: true }))
      return isEdited
    })
  const dropNow = (intent: Intent) =>
    on('unknown' as const, async (db) => {
      const how = await drop(db, intent, { now: ports.clock(), newId: ports.newId })
      // Whoever waited behind it may go, and what was only marked is taken back.
      if (how !== 'unknown') ports.lasting(sendOutbox(ports, { hurry: true }))
      return how
    })
  return {
    retry: async (intent) => (await hurried(intent)) || (await again(intent, () => ({}))),
    mend: async (intent, asked) => (await edited(intent, asked)) || (await again(intent, () => ({ input: asked }))),
    confirm: async (intent) => (await allowed(intent)) || (await again(intent, confirmed)),
    keepMine: (intent, fields) => again(intent, (entry) => mineOver(entry, fields)),
    keepTheirs: async (intent) => (await dropNow(intent)) !== 'unknown',
    drop: dropNow,
    dependents: (intent) => on([], async (db) => (await dependentsOf(db, intent)).map((one) => one.intent)),
    sendNow: () =>
      on(undefined, async (db) => {
        await clearDelays(db)
        await sendOutbox(ports, { hurry: true })
      }),
    compare: (intent) => of(intent, async (_, entry) => comparisonOf(entry)),
    async whyWaits(intent) {
      const [session, device] = await Promise.all([readSession(await ports.device()), ports.device()])
      if (!session || session.signedOut) return null
      const db = device.of(session)
      const entry = await db.outbox.get(intent)
      return entry ? await whyWaits(db, entry, { now: ports.clock(), session }) : null
    },
    exportAll: () => on('', (db) => exportText(db, ports.clock(), ports.build)),
    exportOne: (intent) => on('', (db) => exportText(db, ports.clock(), ports.build, intent)),
    async unseal() {
      const session = await currentSession(ports)
      return session ? await openSeals(ports, { ...session, send: sendSignedIn }, { again: true }) : 0
    },
    acknowledgeLoss: () => on(undefined, forgetLoss),
  }
}

/** The answer to the server's question goes into the same request (contracts 4, APP_CONFIRM). */
function confirmed({ input: asked, problem }: OutboxEntry): Omit<Again, 'key'> | null {
  const { confirm_key: confirmKey } = (problem?.data ?? {}) as { confirm_key?: unknown }
  if (typeof confirmKey !== 'string') return null
  return { input: { ...asked, body: { ...(asked.body as object | undefined), confirmKey } } }
}

/** Null where there is no row any more to lay it over. */
function mineOver(entry: OutboxEntry, fields?: readonly string[]): Omit<Again, 'key'> | null {
  const current = currentIn(entry.problem)
  if (!current) return null
  const all = Object.keys((entry.input.body as object | undefined) ?? entry.base ?? {})
  return { ...narrowed(entry, fields ?? all, valuesOf(current)), ifMatch: current.row_version }
}
