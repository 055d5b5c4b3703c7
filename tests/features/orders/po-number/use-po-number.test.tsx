/** Tests what the payment dialog sends as purchase order number (decision 121). */
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { usePoNumber } from '#features/orders/po-number/usePoNumber.ts'

it('A field that was opened but not touched sends nothing, and one that was emptied removes the number', () => {
  const { result } = renderHook(() => usePoNumber(async () => null))
  act(() => result.current.open())
  expect(result.current).toMatchObject({ isOpen: true, text: '', value: undefined, error: null })
  act(() => result.current.setText(' PO-1 '))
  expect(result.current.value).toBe('PO-1')
  act(() => result.current.setText(''))
  expect(result.current).toMatchObject({ isOpen: true, value: '' })
})

it('An opened field shows the number of an earlier payment, which is sent only if it is changed', async () => {
  const { result } = renderHook(() => usePoNumber(async () => 'PO-7'))
  expect(result.current.text).toBe('')
  await act(async () => result.current.open())
  expect(result.current).toMatchObject({ text: 'PO-7', value: undefined, error: null })
  act(() => result.current.setText('PO-8'))
  expect(result.current).toMatchObject({ text: 'PO-8', value: 'PO-8' })
  act(() => result.current.setText(''))
  expect(result.current).toMatchObject({ text: '', value: '' })
})

it('What is typed stays if the number of an earlier payment arrives later', async () => {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const { result } = renderHook(() => usePoNumber(() => promise))
  act(() => result.current.open())
  act(() => result.current.setText('PO-9'))
  await act(async () => resolve('PO-7'))
  expect(result.current).toMatchObject({ text: 'PO-9', value: 'PO-9' })
})
