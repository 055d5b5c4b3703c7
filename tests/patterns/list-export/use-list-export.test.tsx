/** Lists as files while the user acts for a customer. */
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useListExport } from '#patterns/list-export/useListExport.tsx'
import { signedIn } from '#state/session-slice.ts'
import { createCallRecorder } from '#tests/features/call-recorder.tsx'
import { buildUser } from '#tests/support/device/device-database.ts'

it('A list is offered as a file, but not while the user acts for a customer', () => {
  const { store, wrapper } = createCallRecorder()
  const options = { name: 'Users', isFiltered: false, buildColumns: () => [], source: {} as never }
  const { result } = renderHook(() => useListExport(options), { wrapper })
  expect(result.current.exportButton).toBeDefined()
  act(() => void store.dispatch(signedIn({ ...buildUser(1), acting_until: '2026-12-01 10:00:00' })))
  expect(result.current).toEqual({ exportButton: undefined, dialog: null })
})
