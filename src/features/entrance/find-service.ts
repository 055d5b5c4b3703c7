import { createLocalProblem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type EntranceService, isOptionalWebUrl, isWebUrl } from '#features/entrance/found-services.ts'

/**
 * Finds a service by its code. NOT_FOUND means that the server has no such service; every other problem means that the look-up failed. The
 * endpoint imports its schemas, so it is loaded on first use.
 */
export const findService =
  (code: string): AppThunk<CallResult<EntranceService>> =>
  async (_dispatch, _getState, { api }) => {
    const { serviceUrl } = await import('#contract/public.ts')
    const result = await api.call(serviceUrl, { query: { code } })
    if (result.kind === 'problem') return result
    const output = result.kind === 'fresh' || result.kind === 'cached' ? result.output : null
    if (!output || !isWebUrl(output.url) || !isOptionalWebUrl(output.admin_url))
      return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
    const foundAt = result.kind === 'cached' ? result.asOf : Date.now()
    return { kind: 'fresh', output: { code, url: output.url, adminUrl: output.admin_url, at: foundAt } }
  }
