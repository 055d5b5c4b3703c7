/** What the page reads of the device: each waiting write with what its row was called before it. */
import type { Intent } from '#contract/endpoint.ts'
import { nameIn } from '#domain/text.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { readRow, readStoredRow } from '#local/lists/read-row.ts'
import { readEntries, type EntryView } from '#local/outbox/read-entries.ts'

export interface Item {
  entry: EntryView
  /** Null: nobody ever told its name. */
  name: string | null
}

/** Where a link to an entry leads. */
export const anchorOf = (intent: Intent) => `write-${intent}`

/** Names are looked up for so many of each kind; the others are only counted until somebody wants to see them. */
export interface Shares {
  yours: number
  others: number
}

export interface Waitings {
  /** Waits for a decision. */
  yours: Item[]
  /** Goes by itself. */
  others: Item[]
  yoursCount: number
  othersCount: number
  /** Something could be sent if somebody tried now. */
  canGo: boolean
}

export async function readWaitings({ yours, others }: Shares): Promise<Waitings> {
  const entries = await readEntries()
  const parked = entries.filter(isParked)
  const going = entries.filter((entry) => !isParked(entry))
  const readItem = itemReader(entries)
  return {
    yours: await Promise.all(parked.slice(0, yours).map(readItem)),
    others: await Promise.all(going.slice(0, others).map(readItem)),
    yoursCount: parked.length,
    othersCount: going.length,
    canGo: going.some(({ state }) => state === 'waiting'),
  }
}

/** `entries`: all that wait, among them the one that is to make the row of a later one. */
const itemReader =
  (entries: readonly EntryView[]) =>
  async (entry: EntryView): Promise<Item> => ({ entry, name: await readName(entry, entries) })

/** The old name where this write changes it; what it was to be called where it makes it; else the row's. */
async function readName(entry: EntryView, entries: readonly EntryView[]): Promise<string | null> {
  const { table, target, intent, input, base, action } = entry
  const typed = nameIn(input.body)
  if (action === 'create' && typed !== null) return typed
  const id = target ?? (`~${intent}` as const)
  const shown = table === '' ? null : await readRow(table, id)
  const row = shown?.row ?? (table === '' ? null : await readStoredRow(table, id))
  const creation = entries.find((one) => one.action === 'create' && `~${one.intent}` === target)
  return nameIn({ ...row, ...base }) ?? nameIn(creation?.input.body) ?? typed
}

/** Those of these that still wait, in the order they were made. */
export async function readItems(intents: readonly Intent[]): Promise<Item[]> {
  const entries = await readEntries()
  return await Promise.all(entries.filter(({ intent }) => intents.includes(intent)).map(itemReader(entries)))
}
