/** What the page reads of the device: each waiting write with what its row was called before it. */
import type { Intent, RowRef } from '#contract/endpoint.ts'
import { getDisplayName } from '#domain/text.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { readRow, readStoredRow } from '#local/lists/read-row.ts'
import { readEntries, type EntryView } from '#local/outbox/read-entries.ts'

export interface OutboxItem {
  entry: EntryView
  /** Null: the device does not know its name. */
  name: string | null
}

/** Where a link to an entry leads. */
export const getAnchorId = (intent: Intent) => `write-${intent}`

/** Names are looked up for so many of each kind; the others are only counted until somebody wants to see them. */
export interface VisibleCounts {
  yours: number
  others: number
}

export interface WaitingItems {
  /** Waits for a decision. */
  needsUserItems: OutboxItem[]
  /** Goes by itself. */
  automaticItems: OutboxItem[]
  needsUserCount: number
  automaticCount: number
  /** Something could be sent if somebody tried now. */
  canSend: boolean
}

export async function readWaitingItems({ yours, others }: VisibleCounts): Promise<WaitingItems> {
  const entries = await readEntries()
  const parkedEntries = entries.filter(isParked)
  const sendableEntries = entries.filter((entry) => !isParked(entry))
  const readItem = createItemReader(entries)
  return {
    needsUserItems: await Promise.all(parkedEntries.slice(0, yours).map(readItem)),
    automaticItems: await Promise.all(sendableEntries.slice(0, others).map(readItem)),
    needsUserCount: parkedEntries.length,
    automaticCount: sendableEntries.length,
    canSend: sendableEntries.some(({ state }) => state === 'waiting'),
  }
}

/** `entries`: all that wait, among them the one that is to make the row of a later one. */
const createItemReader =
  (entries: readonly EntryView[]) =>
  async (entry: EntryView): Promise<OutboxItem> => ({ entry, name: await readName(entry, entries) })

/** The old name where this write changes it; what it was to be called where it makes it; else the row's. */
async function readName(entry: EntryView, entries: readonly EntryView[]): Promise<string | null> {
  const { table, target, intent, input, base, action } = entry
  const typedName = getDisplayName(input.body)
  if (action === 'create' && typedName !== null) return typedName
  const row = table === '' ? null : await readDeviceRow(table, target ?? `~${intent}`)
  const creation = entries.find((other) => other.action === 'create' && `~${other.intent}` === target)
  return getDisplayName({ ...row, ...base }) ?? getDisplayName(creation?.input.body) ?? typedName
}

/** Also one that a waiting deletion hides. */
const readDeviceRow = async (table: string, id: RowRef) =>
  (await readRow(table, id))?.row ?? (await readStoredRow(table, id))

/** Those of these that still wait, in the order they were made. */
export async function readItems(intents: readonly Intent[]): Promise<OutboxItem[]> {
  const entries = await readEntries()
  return await Promise.all(entries.filter(({ intent }) => intents.includes(intent)).map(createItemReader(entries)))
}
