/** Builds the module list: selectable modules, selected ones no longer available, and automatic ones. */
import { selectModule, deselectModule } from '#domain/catalogue/modules.ts'
import { findUnmetNeeds } from '#domain/catalogue/unmet-needs.ts'
import type { Currency } from '#domain/money.ts'
import type { PriceListInForce, ModuleChoice } from '#features/orders/quote/local-quote.ts'
import { joinList } from '#ui/i18n/messages.ts'

export interface SelectableModule {
  code: string
  name: string
  neededNames: string
  /** Annual price. Null if the price list in force has no price for the module. */
  price: string | null
  /** Names of modules that this module needs, directly or not, but that are not on the list in force. Empty if it can be ordered. */
  missingNames: string
}

/** Returns the modules in the order of the price list, as the provider's staff have arranged them (contracts 3). */
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
    unmetNeeds.map(({ code, missingCodes }) => [code, joinList(missingCodes.map(getName))]),
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
    const neededNames = joinList((modulesByCode.get(code)?.dependencies ?? []).map(getName))
    return { code, name: getName(code), neededNames, missingNames: missingNamesByCode.get(code) ?? '' }
  }
}

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
  dependentCodes: string[]
  selectedCodes: string[]
}

/** Returns the selection after one click, which includes dependencies in both directions (contracts 2). */
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
