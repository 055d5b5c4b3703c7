/** Checks that customers can order by a price list: when it is confirmed or reinstated, and when a module of the catalogue changes. */
import type { ClientType } from '#domain/access.ts'
import { findUnmetNeeds, nameModules } from '#domain/catalogue/unmet-needs.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import { findPriceListFaults } from '#domain/checks/price-list-faults.ts'
import { lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import { listModulesOfType } from '#server/db/catalogue/modules.ts'
import { listPriceListsFrom } from '#server/db/catalogue/price-lists.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

interface UsableList {
  type: ClientType
  content: PriceContent
}

/** Throws VALIDATION_ERROR with all faults. Locks the catalogue until the commit, so that no module changes. */
export async function requireUsableList(
  { db }: Pick<UseCaseContext, 'db'>,
  { type, content }: UsableList,
): Promise<void> {
  await lockCatalogue(db)
  const faults = findPriceListFaults(content, await listModulesOfType(db, type)).filter(({ isWarning }) => !isWarning)
  if (faults.length > 0) throw createValidationProblem(faults.map(({ isWarning: _isWarning, ...problem }) => problem))
}

interface ChangedModule {
  type: ClientType
  code: string
  dependencies: string[]
}

/**
 * Throws VALIDATION_ERROR on `dependencies` if a module in a list in force, or confirmed for later, would need a module that the list does
 * not have. Modules that the list lacked before the change are ignored.
 */
export async function requireListsStayUsable(context: UseCaseContext, changedModule: ChangedModule): Promise<void> {
  const { db } = context
  await lockCatalogue(db)
  const modulesBefore = await listModulesOfType(db, changedModule.type)
  const modulesAfter = modulesBefore.map((module) =>
    module.code === changedModule.code ? { ...module, dependencies: changedModule.dependencies } : module,
  )
  const affectedCodes = new Set<string>()
  const missingCodes = new Set<string>()
  const listNames: string[] = []
  for (const list of await listPriceListsFrom(db, changedModule.type, getBusinessMoment(context).today)) {
    const codes = list.content.module.map(({ code }) => code)
    const missingByCode = new Map(findUnmetNeeds(codes, modulesBefore).map((need) => [need.code, need.missingCodes]))
    const needs = findUnmetNeeds(codes, modulesAfter).flatMap((need) => {
      const added = need.missingCodes.filter((code) => !missingByCode.get(need.code)?.includes(code))
      return added.length === 0 ? [] : [{ code: need.code, added }]
    })
    if (needs.length > 0) listNames.push(`${list.effective_date} (${list.description})`)
    for (const { code, added } of needs) {
      affectedCodes.add(code)
      for (const missingCode of added) missingCodes.add(missingCode)
    }
  }
  if (listNames.length === 0) return
  throw createValidationProblem([
    {
      field: 'dependencies',
      code: 'PRICE_LISTS_LACK',
      subject: nameModules([...affectedCodes], modulesAfter),
      named: nameModules([...missingCodes], modulesAfter),
      lists: listNames.join(', '),
    },
  ])
}
