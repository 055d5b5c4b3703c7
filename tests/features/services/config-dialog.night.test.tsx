/** The configuration of a service on the screen, where its host has no memory for it. */
import { screen } from '@testing-library/dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { getNamedField, readProblems, typeValues } from '#tests/support/pages/fields.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

// Real processes are started, beside those of other tests.
vi.setConfig({ testTimeout: 90_000 })

const fixture = setUpShopPages()
const { choose, dialog, noDialog, findText } = createUserActions(fixture)

let host: LocalUnderTest
let acmeSession: SignedIn
afterEach(() => host.end())
beforeEach(async () => {
  host = openLocalHosting({ memoryMb: 3000 })
  fixture.server.app.hosting = host.driver
  acmeSession = await fixture.server.signIn('admin@acme')
})

async function runServerWork() {
  await expect.poll(() => runOneJob(fixture.server.app, hostingJobKinds), { interval: 50 }).toBeTruthy()
  fixture.server.clock.now = Date.now()
}
const readFieldValue = (name: string) => (getNamedField(name) as HTMLInputElement | HTMLSelectElement).value

it('fault 15o keeps the form with what was typed when there is no memory for it, and says so beside the field', async () => {
  const { contract_id: contractId } = await buyOrder(fixture.server, acmeSession, {
    code: 'shop1',
    name: 'Shop',
    period_start: today(),
  })
  await acmeSession.send({ method: 'POST', url: `/api/aws/service?contractId=${contractId}` })
  await runServerWork()
  const { data } = (await acmeSession.send({ url: '/api/aws/service?searchText=shop1' })).json()
  await fixture.browser.openAs('delete@m18', `/app/service/${data[0].id}`)
  await choose('More for the service shop1', 'Change configuration')
  const form = await dialog('Configuration of shop1')
  await form.findByLabelText('Memory of a task (MB)')
  await typeValues(fixture.user, { memory: '8000' })
  await fixture.user.selectOptions(getNamedField('tasks'), '4')
  await form.press('Change configuration')
  await findText('The configuration is being changed.')
  await runServerWork()
  await expect
    .poll(() => readProblems()['memory'])
    .toMatch(/Tasks: 4, with 8000 MB each and 100 MB more each for the program itself: 32400 MB in all. Free: 3000 MB./)
  expect([readFieldValue('memory'), readFieldValue('tasks')]).toEqual(['8000', '4'])
  expect(document.activeElement).toBe(getNamedField('memory'))

  // Who closes it meanwhile is told at the edge of the window.
  await typeValues(fixture.user, { memory: '7000' })
  expect(readProblems()).toEqual({})
  await form.press('Change configuration')
  await findText('The configuration is being changed.')
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await runServerWork()
  await screen.findByText(/Tasks: 4, with 7000 MB each/)
})
