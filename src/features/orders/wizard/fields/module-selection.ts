/** The module list as it is shown: what can be chosen, what stands chosen and cannot be had any more, what comes by itself. */
import { chooseModule, dropModule, joined } from '#domain/catalogue/modules.ts'
import { findUnmetNeeds } from '#domain/catalogue/unmet-needs.ts'
import type { Currency } from '#domain/money.ts'
import type { ListInForce, ModuleInfo } from '#features/orders/quote/local-quote.ts'

export interface Choosable {
  code: string
  name: string
  /** Names of what it needs. */
  needs: string
  /** A year; null: it has no price on the list in force. */
  price: string | null
  /** Names of what it needs, directly or not, and the list in force does not have; empty: it can be ordered. */
  lacks: string
}

/** In the order of the price list, which the provider's staff have put them in (contracts 3). */
export function choosable(
  list: ListInForce,
  modules: readonly ModuleInfo[],
  chosen: readonly string[],
  currency: Currency,
): Choosable[] {
  const own = currency.toLowerCase() as Lowercase<Currency>
  const known = new Map(modules.filter(({ hidden }) => !hidden).map((one) => [one.code, one]))
  const nameOf = (code: string) => known.get(code)?.name ?? code
  const unmet = findUnmetNeeds(
    list.module.map(({ code }) => code),
    modules,
  )
  const lacking = new Map(unmet.map(({ code, missing }) => [code, missing.map(nameOf).join(', ')]))
  const priced = list.module
    .filter(({ code }) => known.has(code))
    .map((row) => ({ ...rowOf(row.code), price: row[own] }))
  const listed = new Set(priced.map(({ code }) => code))
  const lost = chosen.filter((code) => !listed.has(code)).map((code) => ({ ...rowOf(code), price: null }))
  return [...lost, ...priced]

  function rowOf(code: string) {
    const needs = (known.get(code)?.dependencies ?? []).map(nameOf).join(', ')
    return { code, name: nameOf(code), needs, lacks: lacking.get(code) ?? '' }
  }
}

/** By code or name; empty text finds all. */
export function matching(rows: readonly Choosable[], text: string): readonly Choosable[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter(({ code, name }) => code.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted))
}

export interface Toggle {
  kind: 'adding' | 'removing'
  code: string
  /** What comes or goes along. */
  along: string[]
  chosen: string[]
}

/** What one click makes of the choice, dependencies both ways (contracts 2). */
export function toggled(modules: readonly ModuleInfo[], chosen: readonly string[], code: string): Toggle {
  const visible = modules.filter(({ hidden }) => !hidden)
  const isThere = chosen.includes(code)
  const { along, chosen: after } = (isThere ? dropModule : chooseModule)(visible, chosen, code)
  return { kind: isThere ? 'removing' : 'adding', code, along, chosen: after }
}

/** Hidden modules that the choice brings in (D5). */
export const joining = (modules: readonly ModuleInfo[], chosen: readonly string[]): ModuleInfo[] =>
  joined(
    modules.filter(({ hidden }) => hidden),
    chosen,
  )
