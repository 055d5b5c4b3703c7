/** Tests the contract page while the contracts that it replaced cannot be read. */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

/** Lets the requests of the history fail. Returns their number, and a function that delays the answers of all later ones. */
function failHistory() {
  const send = globalThis.fetch
  let count = 0
  let delay: Promise<void> = Promise.resolve()
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : input
    if (!/\/contract\/\d+\/history$/.test(url)) return send(input, init)
    count++
    await delay
    return Response.json({ code: 'INTERNAL' }, { status: 500 })
  })
  return {
    readCount: () => count,
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>()
      delay = promise
      return resolve
    },
  }
}

it('A retry of the history leaves the terms visible, and the focus on its button', async () => {
  const session = await fixture.server.signIn('admin@acme')
  const { id } = await buyOrder(fixture.server, session, { code: 'retry', period_start: today() })
  const history = failHistory()
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  const retryButton = await screen.findByRole('button', { name: 'Try again' })
  expect(document.querySelector('.order-loading')).toBeNull()
  const releaseAnswers = history.holdAnswers()
  const previousCount = history.readCount()
  await fixture.user.click(retryButton)
  await expect.poll(history.readCount).toBeGreaterThan(previousCount)
  expect(document.querySelector('.order-loading')).toBeNull()
  expect(document.activeElement).toBe(retryButton)
  releaseAnswers()
})
