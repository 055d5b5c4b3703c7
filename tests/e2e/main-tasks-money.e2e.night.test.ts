/** Does the main tasks with prices and due payments by keys alone, on a portal of their own: price lists are of all companies. */
import { expect, it } from 'vitest'
import { resumePage, setUp } from '#tests/support/browser/browser-setup.ts'
import { payDueItems } from '#tests/support/browser/main-tasks-orders.ts'
import { confirmPriceList, exportPriceProof } from '#tests/support/browser/main-tasks-staff.ts'
import { createTask } from '#tests/support/browser/main-tasks.ts'

const setup = setUp()

it('Two items that are due are paid with one payment from the home page', async () => {
  const page = await resumePage(setup, 'admin', '/app/profile/company')
  await payDueItems(createTask(page, setup.fixture.portal.url))
})

it('The staff copy a price list, change a price and confirm it; its entry is found, and its proof saved', async () => {
  const page = await resumePage(setup, 'staff', '/app/home', { acceptDownloads: true })
  const task = createTask(page, setup.fixture.portal.url)
  await confirmPriceList(task, '2031-03-01')
  const sentence = /Stella Chan changed Module core, HKD: [\d,.]+ → 24,000\.00 in the price list of 2031-03-01/
  expect(await exportPriceProof(task, sentence, '→ 24,000.00')).toMatch(/^audit-proof-\d+\.json$/)
})
