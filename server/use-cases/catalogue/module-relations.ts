import { findModuleFaults } from '#domain/catalogue/apps.ts'
import type { Caller } from '#domain/access.ts'
import { findDependents } from '#domain/catalogue/modules.ts'
import { toPlainDate } from '#domain/time.ts'
import type { getModuleRelations, listJoinedContracts, validateModules } from '#contract/modules.ts'
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import { listLatestApps } from '#server/db/catalogue/apps.ts'
import * as modules from '#server/db/catalogue/modules.ts'
import { findContractsWithModules } from '#server/db/orders/contracts-with-modules.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'

export const readModuleRelations: UseCase<typeof getModuleRelations> = async ({ db, caller }, { query }) => {
  requireType(caller, query.type)
  return { body: findDependentModules(await modules.listModulesOfType(db, query.type), query.code) }
}

/** Returns hidden and visible modules in two lists, because the staff see them differently. */
export function findDependentModules(allModules: readonly modules.ModuleRecord[], code: string) {
  const toNamedRows = (rows: readonly modules.ModuleRecord[]) =>
    rows.map(({ id, code: moduleCode, name }) => ({ id, code: moduleCode, name }))
  const { hidden, visible } = findDependents(allModules, code)
  return { hidden: toNamedRows(hidden), visible: toNamedRows(visible) }
}

/** Lists contracts that an automatic module with these conditions would join at their next change or extension, and not earlier. */
export async function listContractsWithModules(
  app: AppContext,
  caller: Caller,
  { query: { type, conditions, any: matchesAny } }: ParsedInputOf<typeof listJoinedContracts>,
): Promise<OutputOf<typeof listJoinedContracts>> {
  requireType(caller, type)
  const today = toPlainDate(app.config.timeZone, app.clock())
  const filter = { type, codes: conditions.split(','), matchesAny, endsAfter: today }
  return readAsSystem(app, (db) => findContractsWithModules(db, filter))
}

export const validateModuleSet: UseCase<typeof validateModules> = async ({ db, caller }, { query, body }) => {
  requireType(caller, query.type)
  const allModules = await modules.listModulesOfType(db, query.type)
  const unknownModules = body.flatMap((code, index) =>
    allModules.some((module) => module.code === code)
      ? []
      : [{ field: `${index}`, code: 'MODULE_UNKNOWN' as const, named: code }],
  )
  if (unknownModules.length > 0) throw createValidationProblem(unknownModules)
  const { missing: missingApps, loops, incompatible } = findModuleFaults(allModules, await listLatestApps(db), body)
  return {
    body: {
      apps_missing: missingApps,
      apps_loop: loops,
      apps_incompatible: incompatible.map(({ code, requires }) => ({ app_code: code, err_data: requires })),
    },
  }
}
