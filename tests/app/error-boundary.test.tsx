/** A page whose code could not be fetched without a line: what is said of it is true with a worker and without one. */
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

it('without a worker its code is not here, although the page may need no server', () => {
  renderFailedPage(null)
  screen.getByText(/^It is not saved on this device\./)
  expect(screen.queryByText(/works only with the server/)).toBeNull()
})

it('with a worker, which keeps what is of use without a line, it is a page that can do nothing then', () => {
  renderFailedPage({})
  screen.getByText(/^It works only with the server/)
})
