/** What a read endpoint last said: live from the device, and fetched anew by `useFetch`. */
import { createSlice } from '@reduxjs/toolkit'
import { useCallback } from 'react'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { AgedResponse } from '#local/lists/responses.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'
import { useFetch } from '#state/use-fetch.ts'

interface ReadRequest {
  endpoint: Endpoint
  /** The input as JSON: a request is the same as long as it is written alike. */
  input: string
}

const toRequestKey = ({ endpoint, input }: ReadRequest) => `${endpoint.name} ${input}`

const fetchResponse = createAppThunk(
  'responses/fetch',
  async (request: ReadRequest, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(request.endpoint, JSON.parse(request.input) as never)
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    // The device had something to show, and the server said why it has nothing newer.
    return result.kind === 'cached' ? (result.problem ?? null) : null
  },
)

interface RequestState {
  /** Of the latest request while it is under way. */
  requestId: string | null
  problem: Problem | null
}

/** By endpoint and input. */
type ResponsesState = Record<string, RequestState>

const responses = createSlice({
  name: 'responses',
  initialState: {} as ResponsesState,
  reducers: {},
  extraReducers: (builder) => {
    const endRequest = (
      state: ResponsesState,
      meta: { arg: ReadRequest; requestId: string },
      problem: Problem | null,
    ): ResponsesState => {
      const key = toRequestKey(meta.arg)
      return state[key]?.requestId === meta.requestId ? { ...state, [key]: { requestId: null, problem } } : state
    }
    builder
      .addCase(fetchResponse.pending, (state, { meta }) => ({
        ...state,
        [toRequestKey(meta.arg)]: { requestId: meta.requestId, problem: null },
      }))
      .addCase(fetchResponse.fulfilled, (state, { meta, payload }) => endRequest(state, meta, payload))
      .addCase(fetchResponse.rejected, (state, action) => endRequest(state, action.meta, getRejectedProblem(action)))
      .addCase(signedOut, () => ({}))
  },
})
const injectedSlice = responses.injectInto(rootReducer)
const selectResponses = (state: object): ResponsesState => injectedSlice.selectSlice(state)

type ReadResponse = <E extends Endpoint>(endpoint: E, input: InputOf<E>) => Promise<AgedResponse<OutputOf<E>> | null>

/**
 * `input` null: it is not known yet what to ask for. `response`: undefined until the device has answered, null where it
 * holds none.
 */
export function useCachedResponse<E extends Endpoint>(read: ReadResponse, endpoint: E, input: InputOf<E> | null) {
  const dispatch = useDispatch()
  const json = input && JSON.stringify(input)
  const request = useSelector((state): RequestState | undefined =>
    json === null ? undefined : selectResponses(state)[toRequestKey({ endpoint: endpoint as Endpoint, input: json })],
  )
  const refetch = useCallback(async () => {
    if (json !== null) await dispatch(fetchResponse({ endpoint: endpoint as Endpoint, input: json }))
  }, [dispatch, endpoint, json])
  useFetch(useCallback(() => void refetch(), [refetch]))
  const cachedEntry = useLiveQuery(
    async () => json && { json, response: await read(endpoint, JSON.parse(json) as InputOf<E>) },
    [endpoint, json],
  )
  return {
    // The last answer stays until the next is there: what was asked before is no answer to this.
    response: cachedEntry && cachedEntry.json === json ? cachedEntry.response : undefined,
    isFetching: (request?.requestId ?? null) !== null,
    problem: request?.problem ?? null,
    refetch,
  }
}
