import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import { type UserRow, userListSpec } from '#contract/users.ts'
import { openSession } from '#local/session/session.ts'
import { getRowTable } from '#local/storage/database.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { useInitialRow } from '#patterns/edit-form/useInitialRow.ts'
import type { CallResult } from '#request/call-results.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'
import { StoreProvider } from '#state/use-store.ts'
import { buildUser, companyId } from '#tests/support/device/device-database.ts'

const session = { companyId, userId: 1 }
const { table } = userListSpec
const storeRow = async (row: UserRow) =>
  await getRowTable(getThisDevice().getDatabase(session), table).put({ id: row.id, row } as never)
const buildRefusal = (code: 'OFFLINE' | 'STORAGE_FAILED', status: number): CallResult<never> => ({
  kind: 'problem',
  problem: { ...createLocalProblem(code), status },
})

/** Renders the hook for the row. The test responds to each call through `responses`. */
async function renderForm(id: number) {
  await openSession(getThisDevice(), session)
  const responses: ((result: CallResult<UserRow>) => Promise<void>)[] = []
  const fetch = () => () =>
    new Promise<CallResult<UserRow>>((resolve) => {
      responses.push((result) => act(async () => resolve(result)))
    })
  const store = createStore({} as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const { result } = renderHook(() => useInitialRow<UserRow>({ table, id, fetch }), { wrapper })
  return { result, responses }
}

it('useInitialRow returns the cached row as it was when the form opened, and does not fetch it', async () => {
  await storeRow(buildUser(21))
  const { result, responses } = await renderForm(21)
  expect(result.current).toMatchObject({ initialRow: undefined, missingReason: null })
  await expect.poll(() => result.current.initialRow?.row).toEqual(buildUser(21))
  await act(() => storeRow(buildUser(21, { name: 'Grace' })))
  expect(result.current.initialRow?.row).toEqual(buildUser(21))
  expect(responses).toEqual([])
})

it('useInitialRow fetches a row that is not on the device, and again on retry', async () => {
  const { result, responses } = await renderForm(22)
  await expect.poll(() => responses.length).toBe(1)
  await responses[0]?.(buildRefusal('STORAGE_FAILED', 500))
  expect(result.current.missingReason).toMatchObject({ code: 'STORAGE_FAILED' })
  act(() => result.current.retry())
  await responses[1]?.({ kind: 'fresh', output: buildUser(22) })
  expect(result.current).toMatchObject({ initialRow: { row: buildUser(22), waiting: null }, missingReason: null })
})

it('useInitialRow returns whether the row does not exist or the server is unreachable', async () => {
  const { result, responses } = await renderForm(23)
  await expect.poll(() => responses.length).toBe(1)
  await responses[0]?.(buildRefusal('OFFLINE', 0))
  expect(result.current.missingReason).toBe('notHere')
  act(() => result.current.retry())
  await responses[1]?.(buildRefusal('OFFLINE', 404))
  expect(result.current.missingReason).toBe('unknown')
})
