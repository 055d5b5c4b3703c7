import { cleanup, render, screen, within } from '@testing-library/react'
import { act } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import '#ui/icons/app-icons.ts'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'

afterEach(cleanup)

it('says the same thing once, however often it happens, and another thing beside it', async () => {
  render(<Toasts />)
  act(() => {
    for (let time = 0; time < 3; time += 1) showToast({ kind: 'failed', text: 'Update failed.' })
    showToast({ kind: 'note', text: 'Update failed.' })
    showToast({ kind: 'failed', text: 'Code not exists' })
  })
  expect(screen.getAllByText('Update failed.')).toHaveLength(2)
  screen.getByText('Code not exists')
})

it('what was said in a frame that is gone is no news in the next one; what failed still is', () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  const first = render(<Toasts />)
  act(() => {
    showToast({ kind: 'note', text: 'Saved on this device.' })
    showToast({ kind: 'failed', text: 'Delete failed.' })
  })
  first.unmount()
  vi.advanceTimersByTime(8_000)
  const next = within(render(<Toasts />).container)
  expect(next.queryByText('Saved on this device.')).toBeNull()
  next.getByText('Delete failed.')
  vi.useRealTimers()
})
