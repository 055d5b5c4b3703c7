import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { act } from 'react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import '#ui/icons/app-icons.ts'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'

beforeEach(startMessages)
afterEach(cleanup)

it('says the same thing once, however often it happens, and another thing beside it', async () => {
  render(<Toasts />)
  act(() => {
    for (let round = 0; round < 3; round += 1) showToast({ kind: 'failed', text: 'Update failed.' })
    showToast({ kind: 'note', text: 'Update failed.' })
    showToast({ kind: 'failed', text: 'Code not exists' })
  })
  expect(screen.getAllByText('Update failed.')).toHaveLength(2)
  screen.getByText('Code not exists')
})

it('what was said in a frame that is gone is no news in the next one; what failed still is', () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  const firstRender = render(<Toasts />)
  act(() => {
    showToast({ kind: 'note', text: 'Saved on this device.' })
    showToast({ kind: 'failed', text: 'Delete failed.' })
  })
  firstRender.unmount()
  vi.advanceTimersByTime(8_000)
  const next = within(render(<Toasts />).container)
  expect(next.queryByText('Saved on this device.')).toBeNull()
  next.getByText('Delete failed.')
  vi.useRealTimers()
})

const getFocusedText = () => document.activeElement?.textContent ?? ''

it('gives the focus back to where it was before it was entered, or to the heading (A-10, C-13)', async () => {
  let undoCount = 0
  render(
    <MemoryRouter>
      <main>
        <h1 tabIndex={-1}>Users</h1>
        <button type="button">Disable Ada</button>
      </main>
      <Toasts />
    </MemoryRouter>,
  )
  const showUndoToast = (text: string) =>
    act(() => showToast({ kind: 'done', text, action: { label: `Undo ${text}`, onRun: () => (undoCount += 1) } }))
  const focusUndo = (text: string) => act(() => screen.getByRole('button', { name: `Undo ${text}` }).focus())
  screen.getByRole('button', { name: 'Disable Ada' }).focus()
  showUndoToast('one')
  focusUndo('one')
  act(() => (document.activeElement as HTMLElement).click())
  await waitFor(() => expect(getFocusedText()).toBe('Disable Ada'))
  expect(undoCount).toBe(1)
  showUndoToast('two')
  const closeButton = screen.getByText('two').closest('.toast')?.querySelector('.toast-close') as HTMLElement
  act(() => closeButton.focus())
  act(() => closeButton.click())
  await waitFor(() => expect(getFocusedText()).toBe('Disable Ada'))
  act(() => (document.activeElement as HTMLElement).blur())
  showUndoToast('three')
  focusUndo('three')
  act(() => (document.activeElement as HTMLElement).click())
  await waitFor(() => expect(getFocusedText()).toBe('Users'))
})

it('names what it is about and leads to it', () => {
  render(
    <MemoryRouter>
      <Toasts />
    </MemoryRouter>,
  )
  act(() =>
    showToast({ kind: 'done', text: 'Create successfully.', link: { label: 'Tim Timed', path: '/app/user?user=7' } }),
  )
  expect(screen.getByText(/Create successfully\./).textContent).toBe('Create successfully. Tim Timed – Open Tim Timed')
  expect(screen.getByRole('link', { name: 'Open Tim Timed' }).getAttribute('href')).toBe('/app/user?user=7')
})
