/** Tests what the payment dialog sends as purchase order number (decision 121). */
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { usePoNumber } from '#features/orders/po-number/usePoNumber.ts'

it('A field that was opened but not touched sends nothing, and one that was emptied removes the number', () => {
  const { result } = renderHook(() => usePoNumber())
  act(() => result.current.open())
  expect(result.current).toMatchObject({ isOpen: true, text: '', value: undefined, error: null })
  act(() => result.current.setText(' PO-1 '))
  expect(result.current.value).toBe('PO-1')
  act(() => result.current.setText(''))
  expect(result.current).toMatchObject({ isOpen: true, value: '' })
})
