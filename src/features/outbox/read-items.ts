import type { Intent, RowRef } from '#contract/endpoint.ts'
import { getDisplayName } from '#domain/text.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { readRow, readStoredRow } from '#local/lists/read-row.ts'
import { readEntries, type EntryView } from '#local/outbox/read-entries.ts'

export interface OutboxItem {
  entry: EntryView
  /** Null if the device does not know the name. */
  name: string | null
}

export const getAnchorId = (intent: Intent) => `write-${intent}`

/** `needsYou`: the entry waits for a decision of its user. */
export type EntryGroupName = 'needsYou' | 'byItself'

export interface EntryGroupItems {
  items: OutboxItem[]
  count: number
}

export interface WaitingItems extends Record<EntryGroupName, EntryGroupItems> {
  /** Whether an attempt to send now could send at least one entry. */
  canSend: boolean
}

export async function readWaitingItems(visibleCounts: Record<EntryGroupName, number>): Promise<WaitingItems> {
  const entries = await readEntries()
  const readItem = createItemReader(entries)
  const readGroup = async (groupEntries: EntryView[], visibleCount: number): Promise<EntryGroupItems> => ({
    items: await Promise.all(groupEntries.slice(0, visibleCount).map(readItem)),
    count: groupEntries.length,
  })
  const sendableEntries = entries.filter((entry) => !isParked(entry))
  return {
    needsYou: await readGroup(entries.filter(isParked), visibleCounts.needsYou),
    byItself: await readGroup(sendableEntries, visibleCounts.byItself),
    canSend: sendableEntries.some(({ state }) => state === 'waiting'),
  }
}

/** `entries`: all waiting entries, because an earlier one may create the row of a later one. */
const createItemReader =
  (entries: readonly EntryView[]) =>
  async (entry: EntryView): Promise<OutboxItem> => ({ entry, name: await readName(entry, entries) })

/** Returns the old name if this write changes it, the typed name if it creates the row, or the row's name. */
async function readName(entry: EntryView, entries: readonly EntryView[]): Promise<string | null> {
  const { table, target, intent, input, base, action } = entry
  const typedName = getDisplayName(input.body)
  if (action === 'create' && typedName !== null) return typedName
  const row = table === '' ? null : await readDeviceRow(table, target ?? `~${intent}`)
  const creation = entries.find((other) => other.action === 'create' && `~${other.intent}` === target)
  return getDisplayName({ ...row, ...base }) ?? getDisplayName(creation?.input.body) ?? typedName
}

/** Also finds a row that a waiting deletion hides. */
const readDeviceRow = async (table: string, id: RowRef) =>
  (await readRow(table, id))?.row ?? (await readStoredRow(table, id))

export async function readItems(intents: readonly Intent[]): Promise<OutboxItem[]> {
  const entries = await readEntries()
  return await Promise.all(entries.filter(({ intent }) => intents.includes(intent)).map(createItemReader(entries)))
}
