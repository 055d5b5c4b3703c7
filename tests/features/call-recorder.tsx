/** Provides a page's store with a recorded server: the test sees each call and chooses its response. */
import { act } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router-dom'
import { createLocalProblem } from '#contract/problem.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { signedIn } from '#state/session-slice.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'
import { StoreProvider } from '#state/use-store.ts'
import { buildUser } from '#tests/support/device/device-database.ts'

interface RecordedCall {
  endpointName: string
  input: unknown
  options: CallOptions | undefined
  respond: (result: CallResult<unknown>) => Promise<void>
}

export function createCallRecorder() {
  const calls: RecordedCall[] = []
  const call = (endpoint: { name: string }, input: unknown, options?: CallOptions) =>
    new Promise((resolve) => {
      const respond = (result: CallResult<unknown>) => act(async () => resolve(result))
      calls.push({ endpointName: endpoint.name, input, options, respond })
    })
  const store = createStore({ api: { call } } as unknown as ThunkExtra)
  store.dispatch(signedIn(buildUser(1)))
  const wrapper = ({ children }: { children: ReactNode }) => (
    <StoreProvider store={store}>
      <MemoryRouter>{children}</MemoryRouter>
    </StoreProvider>
  )
  /** Responds to the latest call. */
  const respond = async (result: CallResult<unknown>) => await calls.at(-1)?.respond(result)
  return { calls, store, wrapper, respond }
}

/** Result of a call whose response was lost. The call may have taken effect. */
export const lostResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

export const buildRefusal = (code: string, data: unknown = null): CallResult<never> => ({
  kind: 'problem',
  problem: { ...createLocalProblem('OFFLINE'), status: 409, code, data } as never,
})
