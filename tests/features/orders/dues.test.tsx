/** What is to be paid, in the same words and sums on the home page, in the list, on the contract and in the payment (decision 76). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { addDays } from '#domain/period.ts'
import { backupOf } from '#tests/support/hosting/backups.ts'
import { button } from '#tests/support/pages/fields.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, noDialog } = handsOn(the)

const figure = () =>
  [...document.querySelectorAll('.home-figure')].find((one) => one.textContent?.startsWith('To pay'))?.textContent
const duty = (start: string) =>
  [...document.querySelectorAll('.home-item')].find((one) => one.textContent?.startsWith(start))?.textContent ?? ''
const rowOf = (code: string) =>
  [...document.querySelectorAll('tbody tr')].find((one) => one.querySelector('.order-code')?.textContent === code)
const row = (code: string) => rowOf(code)?.textContent?.replaceAll('\u00a0', ' ') ?? ''

it('fault 28c names an unpaid change and an unpaid backup with what they are on every screen', async () => {
  const admin = await the.server.signIn('admin@acme')
  const { contract_id } = await bought(the.server, admin, {
    code: 'dues',
    name: 'Dues',
    currency: 'RMB',
    period_start: today(),
  })
  const payload = { type: 'change', contract_id, users: 12 }
  const change = (await admin.send({ method: 'POST', url: '/api/contract', payload })).json()
  const backup = { currency: 'RMB', pdb_type: 'pdb2rds', status: 0, period_start: today() } as const
  await backupOf(the.server, 'dues', { ...backup, period_end: addDays(today(), 365) })
  const [sum] = [Number(change.amount) + 5400].map((all) => all.toLocaleString('en', { minimumFractionDigits: 2 }))
  const due = addDays(today(), 7)

  await the.browser.openAs('admin@acme', '/app/home')
  await expect.poll(figure).toContain(`RMB ${sum}`)
  await expect
    .poll(() => duty('Dues: Backup to RDS'))
    .toContain(`Dues: Backup to RDS, pay by ${due}RMB 5,400.00 · in 7 days`)
  expect(duty('Dues: Change')).toContain(`Dues: Change (10 → 12 users), pay by ${due}`)

  await the.browser.open('/app/contract?status=0')
  await expect.poll(() => row('dues')).toContain(`EffectiveRMB ${sum}by ${due}`)
  expect(row('dues')).toContain('Change (10 → 12 users)')
  expect(row('dues')).toContain('Backup to RDS')

  await the.browser.open(`/app/contract/${change.id}`)
  await screen.findByText('Change (10 → 12 users) is unpaid:')
  await screen.findByText(`Pay by ${due} 23:59:59, or this order is cancelled. The contract stays as it is.`)
  await screen.findByText('Backup to RDS is unpaid:')
  await expect.poll(() => button('Pay')).toBeTruthy()
  await press('Pay')
  const backupPayment = await dialog('Pay dues')
  await backupPayment.findByText('Backup to RDS')
  await the.user.keyboard('{Escape}')
  await noDialog()
  await press(`Pay RMB ${Number(change.amount).toLocaleString('en', { minimumFractionDigits: 2 })}`)
  const changePayment = await dialog('Pay dues')
  await changePayment.findByText('Change (10 → 12 users)')
})

it('fault 31f counts the days that are left alike on the home page, in the list and on the contract', async () => {
  await the.browser.openAs('admin@acme', '/app/home')
  await expect.poll(() => duty('Acme, to try things out ends on')).not.toBe('')
  const days = Number(/in (\d+) days/.exec(duty('Acme, to try things out ends on'))?.[1])
  await the.browser.open('/app/contract')
  await expect.poll(() => row('acmetest')).toContain(`in ${days} days`)
  await the.user.click(rowOf('acmetest')?.querySelector('a') ?? document.body)
  const term = await screen.findByText(/\d+ of \d+ days left/)
  expect(term.textContent).toMatch(new RegExp(`^${days} of`))
})

it('fault 31e says that it is paid, and never that it is still checked, where the contract is in effect', async () => {
  const admin = await the.server.signIn('admin@acme')
  const { id, contract_id } = await bought(the.server, admin, { code: 'back', name: 'Back', period_start: today() })
  const payload = { type: 'change', contract_id, users: 12 }
  await admin.send({ method: 'POST', url: '/api/contract', payload })
  await the.browser.openAs('admin@acme', `/app/contract/${id}`)
  await screen.findByText('Change (10 → 12 users) is unpaid:')
  const shown: string[] = []
  const observer = new MutationObserver(() => {
    shown.push(document.querySelector('.payment-note')?.textContent ?? '')
  })
  observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  await the.browser.open(`/app/contract/${id}?payment=checking`)
  await screen.findByText('Payment received')
  observer.disconnect()
  expect(shown.filter((text) => text !== '' && !text.startsWith('Payment received'))).toEqual([])
})
