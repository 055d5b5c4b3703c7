/** What is noted of the preparation of this device for work offline, per user: their choice, and what was brought here for it. */
import type { Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'

export const preparationPartNames = [
  'account',
  'contracts',
  'prices',
  'services',
  'backups',
  'users',
  'priceLists',
  'modules',
  'apps',
  'trail',
] as const
export type PreparationPartName = (typeof preparationPartNames)[number]

/** How one part was left by the latest run that got to it. */
export interface PreparedPart {
  /**
   * When it was last fetched or found unchanged, but for what the server refused, epoch ms by this device's clock; null: it must be
   * tried again soon.
   */
  completedAt: number | null
  /** Server time of its latest response, epoch ms. */
  asOf: number
  /** Session generation of that run: a logout wipes what is cached. */
  generation: number
  bytes: number
  /** How many rows or answers could not be fetched, and the first reason; null: nothing is missing. */
  missing: number
  problem: Problem | null
  /** Ids of its lists, as `toListId` makes them. */
  lists: string[]
  /** One of its responses: if it is gone, so are the others. */
  path: string | null
}

export type PreparationEnd =
  | { kind: 'done' | 'stopped' }
  | { kind: 'problem'; problem: Problem }
  /** In bytes; null: the browser does not say how much is free. */
  | { kind: 'no space'; free: number | null; needed: number }

export interface PreparationRecord {
  name: 'preparation'
  isOn: boolean
  /** The offer on the home page was accepted or dismissed. */
  isOfferClosed: boolean
  /** End of the latest run, epoch ms by this device's clock; null: none has ended. */
  endedAt: number | null
  end: PreparationEnd | null
  parts: Partial<Record<PreparationPartName, PreparedPart>>
}

const emptyPreparation: PreparationRecord = {
  name: 'preparation',
  isOn: false,
  isOfferClosed: false,
  endedAt: null,
  end: null,
  parts: {},
}

export const getPreparationTable = (db: UserDatabase) => db.table<PreparationRecord, string>('meta')

export const readPreparationRecord = async (db: UserDatabase): Promise<PreparationRecord> =>
  (await getPreparationTable(db).get('preparation')) ?? emptyPreparation

/** Ids of the lists that make way after all others; none once the preparation is turned off. */
export async function readPreparedLists(db: UserDatabase): Promise<ReadonlySet<string>> {
  const { isOn, parts } = await readPreparationRecord(db)
  return new Set(isOn ? Object.values(parts).flatMap(({ lists }) => lists) : [])
}
