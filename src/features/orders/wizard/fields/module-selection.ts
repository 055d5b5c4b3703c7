/** The module list as it is shown: what can be chosen, what stands chosen and cannot be had any more, what comes by itself. */
import { selectModule, deselectModule } from '#domain/catalogue/modules.ts'
import { findUnmetNeeds } from '#domain/catalogue/unmet-needs.ts'
import type { Currency } from '#domain/money.ts'
import type { PriceListInForce, ModuleChoice } from '#features/orders/quote/local-quote.ts'

export interface SelectableModule {
  code: string
  name: string
  /** Names of what it needs. */
  neededNames: string
  /** A year; null: it has no price on the list in force. */
  price: string | null
  /** Names of what it needs, directly or not, and the list in force does not have; empty: it can be ordered. */
  missingNames: string
}

/** In the order of the price list, which the provider's staff have put them in (contracts 3). */
export function buildSelectableModules(
  list: PriceListInForce,
  modules: readonly ModuleChoice[],
  selectedCodes: readonly string[],
  currency: Currency,
): SelectableModule[] {
  const currencyKey = currency.toLowerCase() as Lowercase<Currency>
  const modulesByCode = new Map(modules.filter(({ hidden }) => !hidden).map((module) => [module.code, module]))
  const getName = (code: string) => modulesByCode.get(code)?.name ?? code
  const unmetNeeds = findUnmetNeeds(
    list.module.map(({ code }) => code),
    modules,
  )
  const missingNamesByCode = new Map(
    unmetNeeds.map(({ code, missingCodes }) => [code, missingCodes.map(getName).join(', ')]),
  )
  const pricedRows = list.module
    .filter(({ code }) => modulesByCode.has(code))
    .map((row) => ({ ...toRow(row.code), price: row[currencyKey] }))
  const listedCodes = new Set(pricedRows.map(({ code }) => code))
  const unlistedRows = selectedCodes
    .filter((code) => !listedCodes.has(code))
    .map((code) => ({ ...toRow(code), price: null }))
  return [...unlistedRows, ...pricedRows]

  function toRow(code: string) {
    const neededNames = (modulesByCode.get(code)?.dependencies ?? []).map(getName).join(', ')
    return { code, name: getName(code), neededNames, missingNames: missingNamesByCode.get(code) ?? '' }
  }
}

/** By code or name; empty text finds all. */
export function filterModules(rows: readonly SelectableModule[], text: string): readonly SelectableModule[] {
  const searchText = text.trim().toLowerCase()
  if (searchText === '') return rows
  return rows.filter(
    ({ code, name }) => code.toLowerCase().includes(searchText) || name.toLowerCase().includes(searchText),
  )
}

export interface ModuleToggle {
  kind: 'adding' | 'removing'
  code: string
  /** What comes or goes along. */
  dependentCodes: string[]
  selectedCodes: string[]
}

/** What one click makes of the choice, dependencies both ways (contracts 2). */
export function toggleModule(
  modules: readonly ModuleChoice[],
  selectedCodes: readonly string[],
  code: string,
): ModuleToggle {
  const visibleModules = modules.filter(({ hidden }) => !hidden)
  const isSelected = selectedCodes.includes(code)
  const { alsoChangedCodes: dependentCodes, selectedCodes: newSelectedCodes } = (
    isSelected ? deselectModule : selectModule
  )(visibleModules, selectedCodes, code)
  return { kind: isSelected ? 'removing' : 'adding', code, dependentCodes, selectedCodes: newSelectedCodes }
}
