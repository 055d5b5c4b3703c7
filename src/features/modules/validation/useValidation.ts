import { useEffect, useState } from 'react'
import { validateModules } from '#contract/modules.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { findModuleFaults, findRequiredModules } from '#domain/catalogue/apps.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

export type ModuleFaults = OutputOf<typeof validateModules>

export type ModuleValidation =
  | { kind: 'loading' }
  | { kind: 'problem'; problem: Problem }
  /**
   * `asOf`: server time of what the device tested by; null: the server has tested. `requiredCodes`: modules that were tested along,
   * because the chosen ones need them.
   */
  | { kind: 'tested'; faults: ModuleFaults; requiredCodes: string[]; asOf: number | null }
  /** There is no line, and the device does not have all modules and apps. */
  | { kind: 'notHere' }

/** By the server, or without a line by the same rule over what is kept here. */
export function useValidation(codes: readonly string[]): ModuleValidation {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const { type, modules, apps, isComplete, asOf } = useCatalogue()
  const [serverResult, setServerResult] = useState<ModuleFaults | Problem | 'none'>()
  const codesKey = codes.join()
  useEffect(() => {
    if (connection !== 'online') return setServerResult('none')
    let isActive = true
    void dispatch(callEndpoint(validateModules, { query: { type }, body: codesKey.split(',') })).then((result) => {
      if (!isActive) return
      if (result.kind === 'problem') setServerResult(isOffline(result.problem) ? 'none' : result.problem)
      else setServerResult(('output' in result && result.output) || 'none')
    })
    return () => void (isActive = false)
  }, [codesKey, type, connection, dispatch])
  if (serverResult === undefined) return { kind: 'loading' }
  const requiredCodes = findRequiredModules(modules ?? [], codes).filter((code) => !codes.includes(code))
  if (serverResult !== 'none')
    return 'code' in serverResult
      ? { kind: 'problem', problem: serverResult }
      : { kind: 'tested', faults: serverResult, requiredCodes, asOf: null }
  if (!modules || !apps) return { kind: 'loading' }
  if (!isComplete) return { kind: 'notHere' }
  const { missing: missingAppCodes, loops, incompatible: incompatibleApps } = findModuleFaults(modules, apps, codes)
  const faults = {
    apps_missing: missingAppCodes,
    apps_loop: loops,
    apps_incompatible: incompatibleApps.map(({ code, requires }) => ({ app_code: code, err_data: requires })),
  }
  return { kind: 'tested', faults, requiredCodes, asOf }
}
