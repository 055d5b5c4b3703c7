/** Tests that the home page, the list, the contract and the payment show the same texts and amounts (decision 76). */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { addDays } from '#domain/plain-dates.ts'
import { createBackupOrder } from '#tests/support/hosting/backups.ts'
import { getButton } from '#tests/support/pages/fields.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)

const readFigure = () =>
  [...document.querySelectorAll('.home-figure')].find((figureElement) =>
    figureElement.textContent?.startsWith('To pay'),
  )?.textContent
const readDuty = (textStart: string) =>
  [...document.querySelectorAll('.home-item')].find((item) => item.textContent?.startsWith(textStart))?.textContent ??
  ''
const findRow = (code: string) =>
  [...document.querySelectorAll('tbody tr')].find(
    (tableRow) => tableRow.querySelector('.order-code')?.textContent === code,
  )
const readItem = (textStart: string) =>
  [...document.querySelectorAll('tbody tr')]
    .find(({ textContent }) => textContent?.startsWith(textStart))
    ?.textContent?.replaceAll('\u00a0', ' ') ?? ''
const readRow = (code: string) => findRow(code)?.textContent?.replaceAll('\u00a0', ' ') ?? ''

it('An unpaid change and an unpaid backup are named by their kind on every screen (fault 28c)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const { contract_id } = await buyOrder(fixture.server, adminSession, {
    code: 'dues',
    name: 'Dues',
    currency: 'RMB',
    period_start: today(),
  })
  const payload = { type: 'change', contract_id, users: 12 }
  const change = (await adminSession.send({ method: 'POST', url: '/api/contract', payload })).json()
  const backup = { currency: 'RMB', pdb_type: 'pdb2rds', status: 0, period_start: today() } as const
  await createBackupOrder(fixture.server, 'dues', { ...backup, period_end: addDays(today(), 365) })
  const [formattedSum] = [Number(change.amount) + 5400].map((total) =>
    total.toLocaleString('en', { minimumFractionDigits: 2 }),
  )
  const dueDate = addDays(today(), 7)

  await fixture.browser.openAs('admin@acme', '/app/home')
  await expect.poll(readFigure).toContain(`RMB ${formattedSum}`)
  await expect
    .poll(() => readDuty('RDS backup of Dues'))
    .toContain(`RDS backup of DuesRMB 5,400.00 · pay by ${dueDate} · in 7 days`)
  expect(readDuty('Change of Dues')).toContain(`Change of Dues (10 → 12 users)RMB `)

  await fixture.browser.open('/app/contract?status=0')
  await expect.poll(() => readItem('RDS backup of Dues')).toContain(`RMB 5,400.00${dueDate}pay by ${dueDate}in 7 days`)
  expect(readItem('Change of Dues')).toContain('Change of Dues (10 → 12 users)')

  await fixture.browser.open('/app/contract')
  await expect.poll(() => readRow('dues')).toContain(`EffectiveRMB ${formattedSum}by ${dueDate}`)
  expect(readRow('dues')).toContain('Change (10 → 12 users)')
  expect(readRow('dues')).toContain('Backup to RDS')

  await fixture.browser.open(`/app/contract/${change.id}`)
  await screen.findByText('Change (10 → 12 users) is unpaid:')
  await screen.findByText(`Pay by ${dueDate} 23:59:59, or this order is cancelled. The contract stays as it is.`)
  await screen.findByText('Backup to RDS is unpaid:')
  await expect.poll(() => getButton('Pay')).toBeTruthy()
  await press('Pay')
  const backupPayment = await dialog('Pay dues')
  await backupPayment.findByText('Backup to RDS')
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await press(`Pay RMB ${Number(change.amount).toLocaleString('en', { minimumFractionDigits: 2 })}`)
  const changePayment = await dialog('Pay dues')
  await changePayment.findByText('Change (10 → 12 users)')
})

it('The home page, the list and the contract show the same number of remaining days (fault 31f)', async () => {
  await fixture.browser.openAs('admin@acme', '/app/home')
  await expect.poll(() => readDuty('Acme, to try things out ends on')).not.toBe('')
  const daysLeft = Number(/in (\d+) days/.exec(readDuty('Acme, to try things out ends on'))?.[1])
  await fixture.browser.open('/app/contract')
  await expect.poll(() => readRow('acmetest')).toContain(`in ${daysLeft} days`)
  await fixture.user.click(findRow('acmetest')?.querySelector('a') ?? document.body)
  const term = await screen.findByText(/\d+ of \d+ days left/)
  expect(term.textContent).toMatch(new RegExp(`^${daysLeft} of`))
})

it('A contract in effect is shown as paid, never as still being checked (fault 31e)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const { id, contract_id } = await buyOrder(fixture.server, adminSession, {
    code: 'back',
    name: 'Back',
    period_start: today(),
  })
  const payload = { type: 'change', contract_id, users: 12 }
  await adminSession.send({ method: 'POST', url: '/api/contract', payload })
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  await screen.findByText('Change (10 → 12 users) is unpaid:')
  const noteTexts: string[] = []
  const observer = new MutationObserver(() => {
    noteTexts.push(document.querySelector('.payment-note')?.textContent ?? '')
  })
  observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  await fixture.browser.open(`/app/contract/${id}?payment=checking`)
  await screen.findByText('Payment received')
  observer.disconnect()
  expect(noteTexts.filter((text) => text !== '' && !text.startsWith('Payment received'))).toEqual([])
})

it.each(['status=0', 'ending=true'])(
  'Without the settings, /app/contract?%s says that they could not be loaded',
  async (query) => {
    const send = fetch
    let isFailing = true
    vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
      const url = typeof input === 'string' ? input : input.url
      return isFailing && url.includes('/api/m18s/settings')
        ? new Response('', { status: 500 })
        : await send(input, init)
    })
    await fixture.browser.openAs('admin@acme', `/app/contract?${query}`)
    const retry = await screen.findByRole('button', { name: 'Try again' })
    expect(document.querySelector('tbody .waiting')).toBeNull()
    isFailing = false
    await fixture.user.click(retry)
    await expect.poll(() => screen.queryByRole('button', { name: 'Try again' })).toBeNull()
    vi.stubGlobal('fetch', send)
  },
)
