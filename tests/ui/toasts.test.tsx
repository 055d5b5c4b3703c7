import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { act } from 'react'
import { Link, MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import '#ui/icons/app-icons.ts'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'

beforeEach(startMessages)
afterEach(cleanup)

it('A repeated toast is shown once, next to toasts of another text or kind', async () => {
  render(<Toasts />, { wrapper: MemoryRouter })
  act(() => {
    for (let round = 0; round < 3; round += 1) showToast({ kind: 'failed', text: 'Update failed.' })
    showToast({ kind: 'note', text: 'Update failed.' })
    showToast({ kind: 'failed', text: 'Code not exists' })
  })
  expect(screen.getAllByText('Update failed.')).toHaveLength(2)
  screen.getByText('Code not exists')
})

it('A toast of a removed page is not announced again on the next page, unless it is a failure', () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  const firstRender = render(<Toasts />, { wrapper: MemoryRouter })
  act(() => {
    showToast({ kind: 'note', text: 'Saved on this device.' })
    showToast({ kind: 'failed', text: 'Delete failed.' })
  })
  firstRender.unmount()
  vi.advanceTimersByTime(8_000)
  const next = within(render(<Toasts />, { wrapper: MemoryRouter }).container)
  expect(next.queryByText('Saved on this device.')).toBeNull()
  next.getByText('Delete failed.')
  vi.useRealTimers()
})

const getFocusedText = () => document.activeElement?.textContent ?? ''

it('A toast that is used or closed returns the focus to the previous element, or to the heading (A-10, C-13)', async () => {
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

it('A toast names its record and links to it', () => {
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

it('A toast that explains a page ends when the user leaves this page', async () => {
  render(
    <MemoryRouter initialEntries={['/new']}>
      <Link to="/list">Redirected</Link>
      <Link to="/users">Users</Link>
      <Toasts />
    </MemoryRouter>,
  )
  act(() => {
    showToast({ kind: 'note', text: 'That page needs a price list.', page: '/list' })
    showToast({ kind: 'note', text: 'One change waits.' })
  })
  act(() => screen.getByRole('link', { name: 'Redirected' }).click())
  screen.getByText('That page needs a price list.')
  act(() => screen.getByRole('link', { name: 'Users' }).click())
  await waitFor(() => expect(screen.queryByText('That page needs a price list.')).toBeNull())
  screen.getByText('One change waits.')
})
