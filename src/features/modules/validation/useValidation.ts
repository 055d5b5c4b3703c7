import { useEffect, useState } from 'react'
import { validateModules } from '#contract/modules.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { moduleFaults, requiredModules } from '#domain/catalogue/apps.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

export type Faults = OutputOf<typeof validateModules>

export type Validation =
  | { kind: 'asking' }
  | { kind: 'problem'; problem: Problem }
  /**
   * `asOf`: server time of what the device tested by; null: the server has tested. `required`: modules that were tested along,
   * because the chosen ones need them.
   */
  | { kind: 'tested'; faults: Faults; required: string[]; asOf: number | null }
  /** There is no line, and the device does not have all modules and apps. */
  | { kind: 'notHere' }

/** By the server, or without a line by the same rule over what is kept here. */
export function useValidation(codes: readonly string[]): Validation {
  const dispatch = useDispatch()
  const { line } = useConnection()
  const { type, modules, apps, whole, asOf } = useCatalogue()
  const [told, setTold] = useState<Faults | Problem | 'none'>()
  const key = codes.join()
  useEffect(() => {
    if (line !== 'online') return setTold('none')
    let counts = true
    void dispatch(callEndpoint(validateModules, { query: { type }, body: key.split(',') })).then((result) => {
      if (!counts) return
      if (result.kind === 'problem') setTold(isOffline(result.problem) ? 'none' : result.problem)
      else setTold(('output' in result && result.output) || 'none')
    })
    return () => void (counts = false)
  }, [key, type, line, dispatch])
  if (told === undefined) return { kind: 'asking' }
  const required = requiredModules(modules ?? [], codes).filter((code) => !codes.includes(code))
  if (told !== 'none')
    return 'code' in told ? { kind: 'problem', problem: told } : { kind: 'tested', faults: told, required, asOf: null }
  if (!modules || !apps) return { kind: 'asking' }
  if (!whole) return { kind: 'notHere' }
  const { missing, loops, incompatible } = moduleFaults(modules, apps, codes)
  const faults = {
    apps_missing: missing,
    apps_loop: loops,
    apps_incompatible: incompatible.map(({ code, requires }) => ({ app_code: code, err_data: requires })),
  }
  return { kind: 'tested', faults, required, asOf }
}
