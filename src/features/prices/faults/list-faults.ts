import type { TFunction } from 'i18next'
import type { CatalogueModule } from '#domain/catalogue/unmet-needs.ts'
import { findPriceListFaults, type PriceListFault } from '#domain/checks/price-list-faults.ts'
import { getFaultText } from '#features/prices/faults/fault-text.ts'
import {
  addIds,
  placeProblem,
  getProblemKey,
  type PlacedProblem,
  type PriceFormResult,
} from '#features/prices/sent-list.ts'

export type PlacedFault = PriceListFault & PlacedProblem

/** Returns the faults of the list, errors first. Skips empty and invalid cells, which are reported when the list is saved. */
export function findFormFaults(
  { list, keys, problems }: PriceFormResult,
  catalogue: readonly CatalogueModule[] | null,
): PlacedFault[] {
  const problemKeys = new Set(problems.map(getProblemKey))
  return findPriceListFaults({ ...list, ...addIds(list) }, catalogue)
    .map((fault) => placeProblem(fault, keys))
    .filter((fault) => !problemKeys.has(getProblemKey(fault)))
    .toSorted((a, b) => Number(a.isWarning) - Number(b.isWarning))
}

export interface FaultNotes {
  moduleNotes: ReadonlyMap<number, string>
  concurrentUser: string
  namedUser: string
  header: Readonly<Record<string, string>>
}

/** Returns the texts of the faults for the rows and fields. The summary shows all of them too. */
export function buildFaultNotes(t: TFunction<'prices'>, faults: readonly PlacedFault[]): FaultNotes {
  const notesByModule = new Map<number, string>()
  const header: Record<string, string> = {}
  for (const fault of faults) {
    const { table, key, name } = fault
    if (table === 'module' && !notesByModule.has(key)) notesByModule.set(key, getRowNote(t, fault))
    if (table === null && name.startsWith('min_') && !fault.isWarning) header[name] = getFaultText(t, fault)
  }
  const getTableNote = (tableName: 'concurrentUser' | 'namedUser') =>
    faults
      // The end of the last range has a note of its own.
      .filter(({ table, name, code }) => (table ?? name) === tableName && code !== 'RANGES_END')
      .map((fault) => getFaultText(t, fault))
      .join(' ')
  return {
    moduleNotes: notesByModule,
    header,
    concurrentUser: getTableNote('concurrentUser'),
    namedUser: getTableNote('namedUser'),
  }
}

/** The row already shows the code, so the note uses only names. */
function getRowNote(t: TFunction<'prices'>, problem: PriceListFault): string {
  const { code, subject = '', named: moduleNames = '' } = problem
  if (code !== 'NEEDS_UNLISTED' && code !== 'NEEDS_UNLISTED_MODULES') return getFaultText(t, problem)
  const removeCodes = (text: string) => text.replaceAll(/ \(\w+\)(?=, |$)/g, '')
  const params = { name: removeCodes(subject), needs: removeCodes(moduleNames) }
  return t(code === 'NEEDS_UNLISTED' ? 'check.needs' : 'check.needsSeveral', params)
}
