/** Tests the error page for code that could not be loaded offline, with and without a worker. */
import { cleanup, render, screen } from '@testing-library/react'
import { Provider } from 'react-redux'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { ErrorBoundary } from '#app/shell/ErrorBoundary.tsx'
import { type ThunkExtra, createStore } from '#state/store.ts'

function FailedChunk(): never {
  throw new TypeError('Failed to fetch dynamically imported module: https://portal.example/saas/assets/pages-1.js')
}

beforeEach(async () => {
  await startMessages()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  Reflect.deleteProperty(navigator, 'serviceWorker')
})

function renderFailedPage(controller: object | null) {
  Object.defineProperty(navigator, 'serviceWorker', { value: { controller }, configurable: true })
  render(
    <Provider store={createStore({} as ThunkExtra)}>
      <MemoryRouter>
        <ErrorBoundary resetKey="/app/outbox">
          <FailedChunk />
        </ErrorBoundary>
      </MemoryRouter>
    </Provider>,
  )
  screen.getByRole('heading', { level: 1, name: 'This page needs a connection' })
}

it('Without a worker, the error page states that the page is not saved on this device', () => {
  renderFailedPage(null)
  screen.getByText(/^It is not saved on this device\./)
  expect(screen.queryByText(/works only with the server/)).toBeNull()
})

it('With a worker, the error page states that the page needs the server', () => {
  renderFailedPage({})
  screen.getByText(/^It works only with the server/)
})
