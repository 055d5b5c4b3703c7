/** Tests the payment over the current page: two clicks and the card. The ways of a payment are tested in `tests/campaigns/browser`. */
import { expect, it } from 'vitest'
import { getCardField, typeCard } from '#tests/support/orders/card-fields.ts'
import { getAddress, resumePage, setUpShared, takeOwnCompany } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { admin } = takeOwnCompany()

it('What is due is paid in two clicks; the address ?pay=1 survives a reload, and Back closes it', async () => {
  const page = await resumePage(setup, admin, '/app/contract?status=0')
  const dialog = page.getByRole('dialog')
  const row = page.getByRole('row').filter({ hasText: 'Change of Acme, to try things out' })
  await row.getByRole('link').click()
  await page.locator('.order-intro').waitFor()
  const { pathname, origin } = getAddress(page)
  await page.goto(`${origin}${pathname}?pay=1`)
  await dialog.waitFor()
  await page.reload()
  await dialog.getByRole('button', { name: /^Pay HKD [\d,.]+ by card$/ }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => getAddress(page).search).toBe('')
  await page.getByRole('button', { name: /^Pay HKD/ }).click()
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => [getAddress(page).pathname, getAddress(page).search]).toEqual([pathname, ''])

  await page.getByRole('link', { name: 'Contracts', exact: true }).first().click()
  await page.getByRole('link', { name: /^To pay/ }).click()
  await page.getByRole('button', { name: 'Pay Change of Acme, to try things out' }).click()
  await getCardField(page, 'number').waitFor()
  await typeCard(page, '4242424242424242')
  await dialog.getByRole('button', { name: /by card$/ }).click()
  await page.getByText('Payment received').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await row.waitFor({ state: 'detached' })
  await expect
    .poll(() => [getAddress(page).pathname, getAddress(page).search])
    .toEqual(['/saas/app/contract', '?status=0'])
})
