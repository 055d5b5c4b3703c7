import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { uploadPriceList } from '#contract/prices.ts'
import { createLocalProblem } from '#contract/problem.ts'
import type { CallOptions } from '#request/call-results.ts'
import { useAction } from '#state/use-action.ts'
import { StoreProvider } from '#state/use-store.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'

it('keeps the intent of a lost upload for the same file alone', async () => {
  const intents: (string | undefined)[] = []
  const call = async (_endpoint: unknown, _input: unknown, { intent = crypto.randomUUID() }: CallOptions) => {
    intents.push(intent)
    return { kind: 'problem', problem: createLocalProblem('OFFLINE'), intent }
  }
  const store = createStore({ api: { call } } as unknown as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const { result } = renderHook(() => useAction(uploadPriceList), { wrapper })
  const [firstFile, secondFile] = [new File(['1'], 'a.zip'), new File(['2'], 'a.zip')]
  for (const file of [firstFile, firstFile, secondFile])
    await act(async () => void (await result.current.run({ body: { file } })))
  expect(intents[1]).toBe(intents[0])
  expect(intents[2]).not.toBe(intents[0])
})
