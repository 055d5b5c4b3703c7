/** What hangs together in the catalogue: modules that need each other, contracts that modules join, apps that modules lack. */
import { moduleFaults } from '#domain/catalogue/apps.ts'
import type { Caller } from '#domain/access.ts'
import { dependentsOf } from '#domain/catalogue/modules.ts'
import { dateIn } from '#domain/time.ts'
import type { getModuleRelations, listJoinedContracts, validateModules } from '#contract/modules.ts'
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import { newestApps } from '#server/db/catalogue/apps.ts'
import * as modules from '#server/db/catalogue/modules.ts'
import { contractsWithModules } from '#server/db/orders/joined-contracts.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'

export const relations: UseCase<typeof getModuleRelations> = async ({ db, caller }, { query }) => {
  requireType(caller, query.type)
  return { body: dependents(await modules.modulesOf(db, query.type), query.code) }
}

/** Hidden and visible apart, as people know them. */
export function dependents(all: readonly modules.ModuleRecord[], code: string) {
  const named = (rows: readonly modules.ModuleRecord[]) =>
    rows.map(({ id, code: own, name }) => ({ id, code: own, name }))
  const { hidden, visible } = dependentsOf(all, code)
  return { hidden: named(hidden), visible: named(visible) }
}

/** Whose contracts an automodule joins at their next change or extension; what was sold stays as it is until then. */
export async function joinedContracts(
  app: AppContext,
  caller: Caller,
  { query: { type, conditions, any } }: ParsedInputOf<typeof listJoinedContracts>,
): Promise<OutputOf<typeof listJoinedContracts>> {
  requireType(caller, type)
  const today = dateIn(app.config.timeZone, app.clock())
  const wanted = { type, codes: conditions.split(','), any, after: today }
  return inTransaction(app, { role: 'portal_system' }, (db) => contractsWithModules(db, wanted), 'reading')
}

/** The set with what it requires and the hidden modules that it brings in. */
export const validate: UseCase<typeof validateModules> = async ({ db, caller }, { query, body }) => {
  requireType(caller, query.type)
  const all = await modules.modulesOf(db, query.type)
  const unknown = body.flatMap((code, at) =>
    all.some((one) => one.code === code) ? [] : [{ field: `${at}`, code: 'MODULE_UNKNOWN' as const, named: code }],
  )
  if (unknown.length > 0) throw invalid(unknown)
  const { missing, loops, incompatible } = moduleFaults(all, await newestApps(db), body)
  return {
    body: {
      apps_missing: missing,
      apps_loop: loops,
      apps_incompatible: incompatible.map(({ code, requires }) => ({ app_code: code, err_data: requires })),
    },
  }
}
