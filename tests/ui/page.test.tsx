import { cleanup, render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import '#ui/icons/app-icons.ts'
import { Menu } from '#ui/overlay/Menu.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'

beforeEach(startMessages)
const { matchMedia } = window
afterEach(() => {
  cleanup()
  vi.stubGlobal('matchMedia', matchMedia)
})

it('A breadcrumb starts with a link back and ends with the page itself, without a link (C-18, M97)', () => {
  render(
    <MemoryRouter>
      <Page
        title="Log of acme"
        crumbs={[
          { label: 'Services', to: '/app/service' },
          { label: 'Acme', to: '/app/service/7' },
        ]}
      />
    </MemoryRouter>,
  )
  const crumbs = within(screen.getByRole('navigation', { name: 'Breadcrumb' }))
  expect(crumbs.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Services',
    'Acme',
    'Log of acme',
  ])
  const currentCrumb = crumbs.getByText('Log of acme')
  expect([currentCrumb.getAttribute('aria-current'), currentCrumb.querySelector('a')]).toEqual(['page', null])
  expect(crumbs.getByRole('link', { name: 'Return' }).getAttribute('href')).toBe('/app/service/7')
  expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1)
})

/** Makes media queries match that start with this text. */
const stubMedia = (prefix: string) =>
  vi.stubGlobal('matchMedia', (query: string) => ({
    ...matchMedia.call(window, query),
    matches: query.startsWith(prefix),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))

function renderWithTools(onExport: () => void) {
  const tools: PageTool[] = [
    { key: 'export', label: 'Export', icon: 'install', hasDialog: true, onSelect: onExport },
    { key: 'import', label: 'Import', icon: 'upload', disabledReason: 'You are offline.', onSelect: onExport },
    { key: 'graph', label: 'Graph', icon: 'activity', isPressed: true, onSelect: onExport },
    {
      key: 'more',
      label: 'Tools',
      icon: 'more',
      items: ['My company', 'All companies'].map((label) => ({ key: label, label, onSelect: onExport })),
    },
  ]
  render(
    <MemoryRouter>
      <Page title="Modules" intro="What customers order." tools={tools} action={<button type="button">New</button>} />
    </MemoryRouter>,
  )
}

it('A page shows its tools as buttons before the primary action', () => {
  renderWithTools(() => undefined)
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Export',
    'Import',
    'Graph',
    'Tools',
    'New',
  ])
  expect(screen.getByRole('button', { name: 'Graph' }).getAttribute('aria-pressed')).toBe('true')
  expect(screen.getByRole('button', { name: 'Export' }).getAttribute('aria-haspopup')).toBe('dialog')
})

it('On a phone all tools of a page are in one menu, with their reasons and states', async () => {
  stubMedia('(width <')
  const { default: userEvent } = await import('@testing-library/user-event')
  const user = userEvent.setup()
  const onExport = vi.fn()
  renderWithTools(onExport)
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['More', 'New'])
  const openMenu = async () => user.click(screen.getByRole('button', { name: 'More' }))
  await openMenu()
  const names = [...document.querySelectorAll('[role^=menuitem]')].map(({ textContent }) => textContent)
  expect(names).toEqual(['Export', 'ImportYou are offline.', 'Graph', 'My company', 'All companies'])
  expect(screen.getByRole('menuitemcheckbox', { name: 'Graph' }).getAttribute('aria-checked')).toBe('true')
  expect(screen.getByRole('menuitem', { name: 'Export' }).getAttribute('aria-haspopup')).toBe('dialog')
  await user.click(screen.getByRole('menuitem', { name: /^Import/ }))
  expect(onExport).not.toHaveBeenCalled()
  await user.click(screen.getByRole('menuitem', { name: 'Export' }))
  expect(onExport).toHaveBeenCalledOnce()
  expect(screen.queryByRole('menu')).toBeNull()
})

it('A menu with one item is a button with the state of a switch, and says that it opens a dialog', () => {
  const item = {
    key: 'graph',
    label: 'Graph',
    isSwitch: true,
    isChosen: true,
    hasDialog: true,
    onSelect: () => undefined,
  }
  render(<Menu label="More" items={[item]} />)
  const button = screen.getByRole('button', { name: 'Graph' })
  expect([button.getAttribute('aria-pressed'), button.getAttribute('aria-haspopup')]).toEqual(['true', 'dialog'])
})

it('A menu with one item is a button that runs it, with a reason if it is disabled', async () => {
  const { default: userEvent } = await import('@testing-library/user-event')
  const user = userEvent.setup()
  const print = vi.fn()
  const item = { key: 'print', label: 'Print', onSelect: print }
  const { rerender } = render(<Menu label="More" items={[item]} formatSingleLabel={(name) => `${name} acme`} />)
  await user.click(screen.getByRole('button', { name: 'Print acme' }))
  expect(print).toHaveBeenCalledOnce()
  expect(screen.queryByRole('menu')).toBeNull()
  rerender(<Menu label="More" items={[{ ...item, disabledReason: 'There is nothing to print.' }]} />)
  await user.click(screen.getByRole('button', { name: 'Print' }))
  expect(print).toHaveBeenCalledOnce()
  screen.getByText('There is nothing to print.')
})

it('A page reports several failed parts once, and one retry loads them all (fault 37t)', async () => {
  const { default: userEvent } = await import('@testing-library/user-event')
  const user = userEvent.setup()
  const onRetry = vi.fn()
  const problem = { status: 500, code: 'INTERNAL_ERROR', message: '', data: null, requestId: 'r-1' }
  const renderPage = (failingParts: readonly string[]) => (
    <MemoryRouter>
      <Page title="Contract">
        {['backups', 'history', 'traffic'].map((part) => (
          <LoadProblem
            key={part}
            problem={failingParts.includes(part) ? problem : null}
            onRetry={() => void onRetry(part)}
          />
        ))}
      </Page>
    </MemoryRouter>
  )
  const { rerender } = render(renderPage(['backups', 'history', 'traffic']))
  expect(screen.getAllByRole('alert')).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(onRetry.mock.calls.flat()).toEqual(['backups', 'history', 'traffic'])
  rerender(renderPage(['traffic']))
  expect(screen.getAllByRole('alert')).toHaveLength(1)
  rerender(renderPage([]))
  expect(screen.queryByRole('alert')).toBeNull()
})
