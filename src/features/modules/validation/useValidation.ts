import { validateModules } from '#contract/modules.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { findModuleFaults, findRequiredModules } from '#domain/catalogue/apps.ts'
import { useServerResponse } from '#state/use-server-response.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

export type ModuleFaults = OutputOf<typeof validateModules>

export type ModuleValidation =
  | { kind: 'loading' }
  | { kind: 'problem'; problem: Problem }
  /**
   * `asOf`: server time of the cached catalogue, if the device has validated; null if the server has. `requiredCodes`: further modules that
   * were validated, because the selected ones require them.
   */
  | { kind: 'tested'; faults: ModuleFaults; requiredCodes: string[]; asOf: number | null }
  /** There is no connection, and the device does not have all modules and apps. */
  | { kind: 'notHere' }

/** Validates modules on the server or, offline, by the same rule with the cached catalogue. */
export function useValidation(codes: readonly string[]): ModuleValidation {
  const catalogue = useCatalogue()
  const { type, modules, apps, isComplete } = catalogue
  const response = useServerResponse(validateModules, { query: { type }, body: [...codes] })
  if (!response) return { kind: 'loading' }
  const requiredCodes = findRequiredModules(modules ?? [], codes).filter((code) => !codes.includes(code))
  if (response.kind === 'fresh') return { kind: 'tested', faults: response.output, requiredCodes, asOf: null }
  if (response.kind === 'problem' && !isOffline(response.problem)) return response
  if (!modules || !apps) return { kind: 'loading' }
  if (!isComplete) return { kind: 'notHere' }
  const { missing: missingAppCodes, loops, incompatible: incompatibleApps } = findModuleFaults(modules, apps, codes)
  const faults = {
    apps_missing: missingAppCodes,
    apps_loop: loops,
    apps_incompatible: incompatibleApps.map(({ code, requires }) => ({ app_code: code, err_data: requires })),
  }
  return { kind: 'tested', faults, requiredCodes, asOf: catalogue.asOf }
}
