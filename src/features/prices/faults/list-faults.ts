/** What would keep a list from being confirmed, placed at the rows and fields of its form. */
import type { TFunction } from 'i18next'
import type { CatalogueModule } from '#domain/catalogue/unmet-needs.ts'
import { findPriceListFaults, type PriceListFault } from '#domain/checks/price-list-faults.ts'
import { faultText } from '#features/prices/faults/fault-text.ts'
import { placed, placeOf, type PlacedProblem, type Reading } from '#features/prices/sent-list.ts'

export interface PlacedFault extends PlacedProblem {
  problem: PriceListFault
}

/** Errors first. Cells that are empty or cannot be read are left out: what is wrong with them is said on saving. */
export function findFormFaults(
  { list, keys, wrong }: Reading,
  catalogue: readonly CatalogueModule[] | null,
): PlacedFault[] {
  const known = new Set(wrong.map(placeOf))
  const rows = <R>(all: readonly R[]) => all.map((row, at) => ({ id: at + 1, ...row }))
  const content = { ...list, concurrentUser: rows(list.concurrentUser), namedUser: rows(list.namedUser) }
  return findPriceListFaults(content, catalogue)
    .map((problem): PlacedFault => ({ ...placed(problem, keys), problem }))
    .filter((fault) => !known.has(placeOf(fault)))
    .toSorted((a, b) => Number(a.problem.isWarning) - Number(b.problem.isWarning))
}

export interface FaultNotes {
  /** By the key of the module's row. */
  modules: ReadonlyMap<number, string>
  concurrentUser: string
  namedUser: string
  /** By the name of the header's field. */
  header: Readonly<Record<string, string>>
}

/** In words for the places where they stand; all of them are in the summary too. */
export function noteFaults(t: TFunction<'prices'>, faults: readonly PlacedFault[]): FaultNotes {
  const modules = new Map<number, string>()
  const header: Record<string, string> = {}
  for (const { table, key, name, problem } of faults) {
    if (table === 'module' && !modules.has(key)) modules.set(key, rowNote(t, problem))
    if (table === null && name.startsWith('min_') && !problem.isWarning) header[name] = faultText(t, problem)
  }
  const ofTable = (wanted: 'concurrentUser' | 'namedUser') =>
    faults
      // The end of the last range has a note of its own.
      .filter(({ table, name, problem }) => (table ?? name) === wanted && problem.code !== 'RANGES_END')
      .map(({ problem }) => faultText(t, problem))
      .join(' ')
  return { modules, header, concurrentUser: ofTable('concurrentUser'), namedUser: ofTable('namedUser') }
}

/** The code stands in the row already, so names are enough. */
function rowNote(t: TFunction<'prices'>, problem: PriceListFault): string {
  const { code, subject = '', named = '' } = problem
  if (code !== 'NEEDS_UNLISTED' && code !== 'NEEDS_UNLISTED_MODULES') return faultText(t, problem)
  const withoutCodes = (text: string) => text.replaceAll(/ \(\w+\)(?=, |$)/g, '')
  const words = { name: withoutCodes(subject), needs: withoutCodes(named) }
  return t(code === 'NEEDS_UNLISTED' ? 'check.needs' : 'check.needsSeveral', words)
}
