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

export interface PreparedPart {
  /** Time when the part was last fetched or found unchanged (device clock, epoch ms). Null if it must be fetched again soon. */
  completedAt: number | null
  /** Server time of the part's latest response (epoch ms). */
  asOf: number
  /** Session generation in which the part was fetched. A logout deletes the cache, so the part is then invalid. */
  generation: number
  bytes: number
  /** Number of rows or responses that could not be fetched. `problem` is the first reason, or null if nothing is missing. */
  missing: number
  problem: Problem | null
  lists: string[]
  /** Path of one of the part's responses. If that response is no longer stored, the others are not stored either. */
  path: string | null
}

export type PreparationEnd =
  | { kind: 'done' | 'stopped' }
  | { kind: 'problem'; problem: Problem }
  /** Free and needed space in bytes. `free` is null if the browser does not report it. */
  | { kind: 'no space'; free: number | null; needed: number }

export interface PreparationRecord {
  name: 'preparation'
  isOn: boolean
  isOfferClosed: boolean
  /** End of the latest run (device clock, epoch ms), or null if no run has ended. */
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

/** Returns ids of the lists that are evicted last. Empty if the preparation is turned off. */
export async function readPreparedLists(db: UserDatabase): Promise<ReadonlySet<string>> {
  const { isOn, parts } = await readPreparationRecord(db)
  return new Set(isOn ? Object.values(parts).flatMap(({ lists }) => lists) : [])
}
