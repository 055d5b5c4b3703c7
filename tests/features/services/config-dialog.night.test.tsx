/** The configuration of a service on the screen, where its host has no memory for it. */
import { screen } from '@testing-library/dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hostingKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { named, problems, type } from '#tests/support/pages/fields.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

// Real processes are started, beside those of other tests.
vi.setConfig({ testTimeout: 90_000 })

const the = setUpShopPages()
const { choose, dialog, noDialog, says } = handsOn(the)

let host: LocalUnderTest
let acme: SignedIn
afterEach(() => host.end())
beforeEach(async () => {
  host = openLocalHosting({ memoryMb: 3000 })
  the.server.app.hosting = host.driver
  acme = await the.server.signIn('admin@acme')
})

async function work() {
  await expect.poll(() => workOne(the.server.app, hostingKinds), { interval: 50 }).toBeTruthy()
  the.server.clock.now = Date.now()
}
const value = (name: string) => (named(name) as HTMLInputElement | HTMLSelectElement).value

it('fault 15o keeps the form with what was typed when there is no memory for it, and says so beside the field', async () => {
  const { contract_id: contract } = await bought(the.server, acme, {
    code: 'shop1',
    name: 'Shop',
    period_start: today(),
  })
  await acme.send({ method: 'POST', url: `/api/aws/service?contractId=${contract}` })
  await work()
  const { data } = (await acme.send({ url: '/api/aws/service?searchText=shop1' })).json()
  await the.browser.openAs('delete@m18', `/app/service/${data[0].id}`)
  await choose('More for the service shop1', 'Change configuration')
  const form = await dialog('Configuration of shop1')
  await form.findByLabelText('Memory of a task (MB)')
  await type(the.user, { memory: '8000' })
  await the.user.selectOptions(named('tasks'), '4')
  await form.press('Change configuration')
  await says('The configuration is being changed.')
  await work()
  await expect
    .poll(() => problems()['memory'])
    .toMatch(/Tasks: 4, with 8000 MB each and 100 MB more each for the program itself: 32400 MB in all. Free: 3000 MB./)
  expect([value('memory'), value('tasks')]).toEqual(['8000', '4'])
  expect(document.activeElement).toBe(named('memory'))

  // Who closes it meanwhile is told at the edge of the window.
  await type(the.user, { memory: '7000' })
  expect(problems()).toEqual({})
  await form.press('Change configuration')
  await says('The configuration is being changed.')
  await the.user.keyboard('{Escape}')
  await noDialog()
  await work()
  await screen.findByText(/Tasks: 4, with 7000 MB each/)
})
