/**
 * Orders writes of different rows that refer to each other by name (decision 82): a module by its code, a user by an e-mail address. A
 * write that needs a name waits for the write that creates it. A write that removes a name waits for those that need it.
 */
import { findEndpoint, type RowRef, type Intent } from '#contract/endpoint.ts'
import { getFieldProblems } from '#contract/problem.ts'
import type { RowNames } from '#domain/row-names.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { getQueueSpec } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

type Write = Pick<OutboxEntry, 'intent' | 'endpoint' | 'table' | 'target' | 'action' | 'input' | 'base'>
type QueuedWrite = Write & Pick<OutboxEntry, 'queueKey' | 'seq' | 'dependsOn'>
type Fields = Record<string, unknown>

const getNames = ({ endpoint }: Pick<Write, 'endpoint'>): RowNames | undefined =>
  getQueueSpec(findEndpoint(endpoint))?.names

const catalogue = ['modules', 'price_lists', 'orders']
const isCatalogue = ({ table }: Pick<Write, 'table'>) => catalogue.includes(table)

export const getNameTables = (writes: readonly Pick<Write, 'endpoint' | 'table'>[]): string[] =>
  writes.some((write) => isCatalogue(write) && getNames(write)) ? catalogue : []

export interface NameOrder {
  findEarlier(entry: QueuedWrite): Intent[]
  add(entry: QueuedWrite): void
}

/** Must run inside a transaction over outbox, rowIds and the writes' tables. Returns null if no draft has names. */
export async function readNameOrder(db: UserDatabase, drafts: readonly Write[]): Promise<NameOrder | null> {
  const namedWrites = drafts.filter(getNames)
  if (namedWrites.length === 0) return null
  const entries = new Map<Intent, QueuedWrite>()
  for (const entry of await readWritesSharingNames(db, namedWrites)) entries.set(entry.intent, entry)
  const fields = await readFields(db, [...namedWrites, ...entries.values()])
  const usedNames = new Map<Intent, UsedNames | undefined>()
  const nameOrder: NameOrder = {
    add: (entry) => void (getNames(entry) && entries.set(entry.intent, entry)),
    findEarlier(entry) {
      const ownNames = getUsedNames(entry, fields, entries)
      if (!ownNames) return []
      const earlierWrites = [...entries.values()].filter((otherWrite) => {
        if (otherWrite.intent === entry.intent || otherWrite.queueKey === entry.queueKey) return false
        if (!usedNames.has(otherWrite.intent))
          usedNames.set(otherWrite.intent, getUsedNames(otherWrite, fields, entries))
        const names = usedNames.get(otherWrite.intent)
        if (!names) return false
        // An entry that is resent keeps its position in the queue. It may need a row whose creation was recorded after it.
        const doesProvideName = hasShared(names.ownNames, ownNames.neededNames)
        if (otherWrite.seq > entry.seq) return doesProvideName && !isWaitingFor(otherWrite, entry.intent, entries)
        const doesFreeName =
          hasShared(names.ownNames, ownNames.ownNames) && (otherWrite.action !== 'create' || entry.action !== 'create')
        return (
          doesProvideName ||
          doesFreeName ||
          (entry.action !== 'create' && hasShared(names.neededNames, ownNames.ownNames))
        )
      })
      return earlierWrites.map(({ intent }) => intent)
    },
  }
  return nameOrder
}

const hasShared = (names: readonly string[], otherNames: readonly string[]) =>
  names.some((name) => otherNames.includes(name))

/**
 * Reads the entries that may share names with the drafts. Invitations share names only with deletions, and those are based on a row
 * version.
 */
async function readWritesSharingNames(db: UserDatabase, drafts: readonly Write[]): Promise<OutboxEntry[]> {
  const isInviting = drafts.some(({ table, action }) => table === 'users' && action === 'create')
  const [catalogueWrites, deletions] = await Promise.all([
    drafts.some(isCatalogue) ? db.outbox.where('table').anyOf(catalogue).toArray() : [],
    isInviting
      ? db.outbox
          .where('ifMatch')
          .aboveOrEqual(Number.NEGATIVE_INFINITY)
          .filter(({ table, action }) => table === 'users' && action === 'delete')
          .toArray()
      : [],
  ])
  return [...catalogueWrites, ...deletions].filter(getNames)
}

async function readFields(db: UserDatabase, writes: readonly Write[]): Promise<Map<string, Fields>> {
  const targets = writes.flatMap(({ table, target }) => (target === null ? [] : [{ table, target }]))
  const intents = [...new Set(targets.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : [])))]
  const [creations, ids] = await Promise.all([
    intents.length > 0 ? db.outbox.bulkGet(intents) : [],
    intents.length > 0 ? db.rowIds.bulkGet(intents) : [],
  ])
  const bodiesByIntent = new Map(creations.flatMap((entry) => (entry ? [[entry.intent, getBody(entry)] as const] : [])))
  const idsByIntent = new Map(ids.flatMap((row) => (row ? [[row.intent, row.id] as const] : [])))
  const fieldsByRow = new Map<string, Fields>()
  for (const table of new Set(targets.map((target) => target.table))) {
    const tableTargets = targets.filter((target) => target.table === table)
    const getId = (target: RowRef) => (typeof target === 'number' ? target : idsByIntent.get(target.slice(1)))
    const rows = await getRowTable(db, table).bulkGet(tableTargets.map(({ target }) => getId(target) ?? -1))
    tableTargets.forEach(({ target }, index) => {
      const body = typeof target === 'string' ? bodiesByIntent.get(target.slice(1)) : undefined
      fieldsByRow.set(getRowKey(table, target), body ?? { ...rows[index]?.row })
    })
  }
  return fieldsByRow
}

const getRowKey = (table: string, target: RowRef | null) => `${table} ${target}`
const getBody = ({ input }: Pick<Write, 'input'>): Fields => ({ ...(input.body as object | undefined) })

interface UsedNames {
  ownNames: string[]
  neededNames: string[]
}

/** Returns undefined if the write uses no names, or was recorded by a newer build. */
function getUsedNames(
  write: QueuedWrite,
  rows: ReadonlyMap<string, Fields>,
  entries: ReadonlyMap<Intent, QueuedWrite>,
): UsedNames | undefined {
  const names = getNames(write)
  if (!names) return undefined
  const { getOwnNames, getNeededNames = () => [] } = names
  const body = getBody(write)
  if (write.action === 'create') return { ownNames: getOwnNames(body), neededNames: getNeededNames(body) }
  const queuedWrites = [...entries.values()].filter(
    ({ queueKey, seq }) => queueKey === write.queueKey && seq < write.seq,
  )
  const previousFields = Object.assign(
    {},
    rows.get(getRowKey(write.table, write.target)),
    ...queuedWrites.toSorted((a, b) => a.seq - b.seq).map(getBody),
    write.base,
  ) as Fields
  if (write.action === 'delete')
    return { ownNames: getOwnNames(previousFields), neededNames: getNeededNames(previousFields) }
  const nextFields = { ...previousFields, ...body }
  return {
    ownNames: getChanged(getOwnNames(previousFields), getOwnNames(nextFields)),
    neededNames: getChanged(getNeededNames(previousFields), getNeededNames(nextFields)),
  }
}

/** Returns an empty array if the names stay the same, because such a change affects no other write. */
const getChanged = (previousNames: string[], nextNames: string[]) =>
  JSON.stringify(previousNames) === JSON.stringify(nextNames) ? [] : [...previousNames, ...nextNames]

/** Returns true if the entry waits for the write `intent`, directly or indirectly. If both waited for each other, both would be blocked. */
function isWaitingFor(entry: QueuedWrite, intent: Intent, entries: ReadonlyMap<Intent, QueuedWrite>): boolean {
  const visitedIntents = new Set<Intent>()
  const dependsOnIntent = (write: QueuedWrite): boolean => {
    if (write.intent === intent || write.dependsOn.includes(intent)) return true
    if (visitedIntents.has(write.intent)) return false
    visitedIntents.add(write.intent)
    const earlierWrites = [...entries.values()].filter(
      (otherWrite) =>
        write.dependsOn.includes(otherWrite.intent) ||
        (otherWrite.queueKey === write.queueKey && otherWrite.seq < write.seq),
    )
    return earlierWrites.some(dependsOnIntent)
  }
  return dependsOnIntent(entry)
}

/**
 * Returns true if the write depends on the row that the creation creates. Returns false if the write only waits for its turn, or if the
 * creation was refused because the row already exists.
 */
export function needsCreation(write: OutboxEntry, creation: OutboxEntry): boolean {
  if (JSON.stringify(write.input).includes(`~${creation.intent}`)) return true
  const [getOwnNames, getNeededNames] = [getNames(creation)?.getOwnNames, getNames(write)?.getNeededNames]
  // One of the writes was recorded by a newer build, which knows why the write waits.
  if (!getOwnNames || !getNames(write)) return !findEndpoint(write.endpoint) || !findEndpoint(creation.endpoint)
  const body = getBody(creation)
  const { type, client_type } = body
  const neededNames =
    getNeededNames?.({ ...write.base, ...getBody(write), type, client_type: type ?? client_type }) ?? []
  const isRowPresent =
    creation.problem !== null && getFieldProblems(creation.problem).some(({ code }) => code === 'DUPLICATE')
  return !isRowPresent && hasShared(getOwnNames(body), neededNames)
}
