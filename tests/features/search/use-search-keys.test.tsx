import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { useSearchKeys } from '#features/search/dialog/useSearchKeys.ts'
import type { SearchItem } from '#patterns/search-source.ts'

const buildItem = (key: string): SearchItem => ({
  key,
  group: 'find',
  icon: 'person',
  label: key,
  detail: '',
  codes: [],
})

afterEach(cleanup)

interface FieldProps {
  itemKey: string
  isUpToDate: boolean
  onOpen: (item: SearchItem, isNewTab: boolean) => void
}

function Field({ itemKey, isUpToDate, onOpen }: FieldProps) {
  const items = [buildItem(itemKey)]
  const keys = useSearchKeys({ items, activeIndex: 0, isUpToDate, moveTo: () => undefined, onOpen })
  return <input onKeyDown={keys.onFieldKeyDown} onChange={keys.forgetEnter} />
}

it('Enter on results of an older text opens the first item of the typed text, once', () => {
  const onOpen = vi.fn()
  const { rerender } = render(<Field itemKey="older" isUpToDate={false} onOpen={onOpen} />)
  fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter', ctrlKey: true })
  expect(onOpen).not.toHaveBeenCalled()
  for (let count = 0; count < 2; count++) rerender(<Field itemKey="typed" isUpToDate onOpen={onOpen} />)
  expect(onOpen.mock.calls).toEqual([[buildItem('typed'), true]])
})

it('Enter is forgotten when the text changes before the results arrive', () => {
  const onOpen = vi.fn()
  const { rerender } = render(<Field itemKey="older" isUpToDate={false} onOpen={onOpen} />)
  fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter' })
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'other' } })
  rerender(<Field itemKey="other" isUpToDate onOpen={onOpen} />)
  expect(onOpen).not.toHaveBeenCalled()
})
