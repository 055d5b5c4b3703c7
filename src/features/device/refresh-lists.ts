import type { Endpoint } from '#contract/endpoint.ts'
import { createLocalProblem } from '#contract/problem.ts'
import type { CachedListUsage } from '#local/space/usage.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'

/** Rows per request, which is the maximum. The request pipeline itself fetches further pages of a complete list. */
const pageSize = 50

/** Resolves to the first failure, if there is one. */
export const refreshLists =
  (lists: readonly CachedListUsage[]): AppThunk<CallResult<unknown>> =>
  async (dispatch) => {
    // Loaded on demand, because it contains the endpoints of all lists, which no page needs otherwise.
    const { endpoints } = await import('#contract/index.ts')
    const calls = lists.flatMap(({ table, scope }) => {
      const endpoint = endpoints.find(({ list }) => list?.table === table)
      const input = endpoint && toListInput(endpoint, scope)
      return endpoint && input ? [callEndpoint(endpoint, input as never)] : []
    })
    const results: CallResult<unknown>[] = await Promise.all(calls.map((call) => dispatch(call)))
    const failure = results.find(({ kind }) => kind === 'problem' || kind === 'cached')
    if (!failure) return { kind: 'fresh', output: null }
    return failure.kind === 'problem' ? failure : { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  }

/** Returns null if the owner of the list is unknown, because an earlier build did not store it. */
export function toListInput({ path, list }: Endpoint, scope: number | null) {
  const query = { results: pageSize, page: 1 }
  const scopeParam = list?.scope
  if (!scopeParam) return { query }
  if (scope === null) return null
  const scopeInput = { [scopeParam.param]: scope }
  return path.includes(`:${scopeParam.param}`) ? { params: scopeInput, query } : { query: { ...query, ...scopeInput } }
}
