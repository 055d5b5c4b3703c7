/** Price lists by which customers can order: checked when one takes effect, and when the catalogue changes under one that has. */
import type { ClientType } from '#domain/access.ts'
import { findUnmetNeeds, nameModules } from '#domain/catalogue/unmet-needs.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import { findPriceListFaults } from '#domain/checks/price-list-faults.ts'
import { lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import { modulesOf } from '#server/db/catalogue/modules.ts'
import { priceListsFrom } from '#server/db/catalogue/price-lists.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

interface UsableList {
  type: ClientType
  content: PriceContent
}

/**
 * Throws VALIDATION_ERROR that names everything customers could not order. The catalogue stays as it is until the commit, so
 * nobody changes a module meanwhile.
 */
export async function requireUsable({ db }: Pick<UseCaseContext, 'db'>, { type, content }: UsableList): Promise<void> {
  await lockCatalogue(db)
  const faults = findPriceListFaults(content, await modulesOf(db, type)).filter(({ isWarning }) => !isWarning)
  if (faults.length > 0) throw invalid(faults.map(({ isWarning: _isWarning, ...problem }) => problem))
}

interface ChangedModule {
  type: ClientType
  code: string
  dependencies: string[]
}

/**
 * Throws VALIDATION_ERROR on `dependencies` if a module of a list in force, or of one confirmed for later, would need a module that the
 * list does not have. What such a list lacked before does not count.
 */
export async function requireListsStayUsable(context: UseCaseContext, changed: ChangedModule): Promise<void> {
  const { db } = context
  await lockCatalogue(db)
  const before = await modulesOf(db, changed.type)
  const after = before.map((one) => (one.code === changed.code ? { ...one, dependencies: changed.dependencies } : one))
  const broken = new Set<string>()
  const missing = new Set<string>()
  const lists: string[] = []
  for (const list of await priceListsFrom(db, changed.type, momentOf(context).today)) {
    const codes = list.content.module.map(({ code }) => code)
    const lacked = new Map(findUnmetNeeds(codes, before).map((one) => [one.code, one.missing]))
    const needs = findUnmetNeeds(codes, after).flatMap((one) => {
      const added = one.missing.filter((code) => !lacked.get(one.code)?.includes(code))
      return added.length === 0 ? [] : [{ code: one.code, added }]
    })
    if (needs.length > 0) lists.push(`${list.effective_date} (${list.description})`)
    for (const { code, added } of needs) {
      broken.add(code)
      for (const one of added) missing.add(one)
    }
  }
  if (lists.length === 0) return
  throw invalid([
    {
      field: 'dependencies',
      code: 'PRICE_LISTS_LACK',
      subject: nameModules([...broken], after),
      named: nameModules([...missing], after),
      lists: lists.join(', '),
    },
  ])
}
