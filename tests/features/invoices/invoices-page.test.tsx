/** Tests the list of invoices of a customer and of the staff, online and offline (decision 121). */
import { screen, within } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { getNamedField } from '#tests/support/pages/fields.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
afterEach(() => void vi.restoreAllMocks())

const findRows = () => [...document.querySelectorAll<HTMLTableRowElement>('main tbody tr:not(.waiting)')]
const readHeaders = () => [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
const readSubjects = () => findRows().map((row) => row.querySelector('.on-primary')?.textContent)

const findRowWith = (text: string) => findRows().find((row) => row.textContent?.includes(text)) ?? document.body

it('A customer sees its invoices, filters and searches them, and reads them offline', async () => {
  await fixture.browser.openAs('admin@acme', '/app/invoice')
  await expect
    .poll(() => readSubjects().toSorted())
    .toEqual([
      'Backup to S3: Acme trading (acmetrade)',
      'Change: Acme trading (acmetrade)',
      'New contract: Acme archive (acmeold)',
      'New contract: Acme trading (acmetrade)',
      'New contract: Acme, to try things out (acmetest)',
      expect.stringMatching(/^Traffic \d{4}-\d\d: Acme trading \(acmetrade\)$/),
    ])
  expect(readHeaders()).toEqual(['Number', 'Subject', 'Date', 'PO number', 'Method', 'Amount', 'Status'])
  const days = findRows().map((row) => row.querySelector('.w-day')?.textContent ?? '')
  expect(days).toEqual(days.toSorted().toReversed())
  expect(findRowWith('PO-4711').textContent).toMatch(
    /^I\d{12}New contract: Acme trading \(acmetrade\)\d{4}-\d\d-\d\dPO-4711Simulated paymentHKD [\d,]+\.\d\dPaid$/,
  )

  await fixture.user.selectOptions(getNamedField('currency'), 'USD')
  await waitForPath(fixture.browser, '/app/invoice?currency=USD')
  await screen.findByText('No invoice matches these filters')
  await press('Show all invoices')
  await expect.poll(() => readSubjects().length).toBe(6)

  await fixture.user.selectOptions(getNamedField('state'), 'Credit notes')
  await waitForPath(fixture.browser, '/app/invoice?kind=creditNote')
  await screen.findByText('No invoice matches these filters')
  await fixture.user.selectOptions(getNamedField('state'), 'Paid')
  await waitForPath(fixture.browser, '/app/invoice?state=paid')
  await expect.poll(() => readSubjects().length).toBe(6)

  fixture.browser.goOffline()
  await fixture.browser.open('/app/invoice?searchText=po-47')
  await expect.poll(readSubjects).toEqual(['New contract: Acme trading (acmetrade)'])
  await fixture.browser.open('/app/invoice?state=refunded&kind=invoice')
  await screen.findByText('No invoice matches these filters')
})

it('An invoice opens with all its facts, the link to the contract, and its document', async () => {
  await fixture.browser.openAs('admin@acme', '/app/invoice?searchText=PO-4711')
  await expect.poll(readSubjects).toEqual(['New contract: Acme trading (acmetrade)'])
  const code = document.querySelector('tbody .invoice-code')?.textContent ?? ''
  await fixture.user.click(within(document.querySelector('tbody') ?? document.body).getByRole('link', { name: code }))
  const drawer = await dialog(`Invoice ${code}`)
  const facts = [...drawer.element.querySelectorAll('dt')].map(({ textContent }) => textContent)
  expect(facts).toEqual(['Amount', 'Issued', 'Subject', 'Service', 'Contract', 'PO number', 'Method', 'Payment number'])
  expect(drawer.getByRole('link').getAttribute('href')).toMatch(/\/app\/contract\/\d+$/)
  expect(drawer.element.textContent).toContain('PO-4711')
  // The list behind the drawer stays where it was.
  expect(fixture.browser.path()).toMatch(/^\/app\/invoice\?searchText=PO-4711&invoice=\d+$/)
  for (const name of ['Open invoice', 'Download PDF']) expect(drawer.getByRole('button', { name })).toBeDefined()
  history.back()
  await noDialog()

  fixture.browser.goOffline()
  await fixture.browser.open('/app/invoice?invoice=999999')
  await screen.findByText('This invoice is not saved on this device', { exact: false })
})

it('Staff see the invoices of all companies, and those of one company', async () => {
  await fixture.browser.openAs('delete@m18', '/app/invoice')
  await expect.poll(() => findRows().length).toBe(6)
  expect(readHeaders().slice(0, 3)).toEqual(['Number', 'Company', 'Subject'])
  expect(findRows()[0]?.textContent).toContain('Acme Trading Limited')
  await fixture.browser.open(`/app/invoice?company=${fixture.server.world.companies.alpha}`)
  await screen.findByText('No invoices yet')
  expect(readHeaders()).not.toContain('Company')
})

function collectFiles() {
  const blobs: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:export'
  })
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  return { blobs, names }
}

it('The file that staff save of one company names the company', async () => {
  const { blobs, names } = collectFiles()
  const staff = await fixture.server.signIn('delete@m18')
  const { data } = (await staff.send({ url: '/api/sinvoice?searchText=PO-4711' })).json()
  await fixture.browser.openAs('delete@m18', `/app/invoice?company=${data[0].company_id}&searchText=PO-4711`)
  await expect.poll(() => findRows().length).toBe(1)
  await expect.poll(() => getNamedField('company')).toHaveProperty('value', 'Acme Trading Limited')
  await press('Export')
  await (await dialog('Export')).press(/^Save 1 row$/)
  await expect.poll(() => names.length).toBe(1)
  expect(names[0]).toMatch(/^invoices-acme-\d{4}/)
  const [head, row] = ((await blobs[0]?.text()) ?? '').replace('\uFEFF', '').split('\r\n')
  expect(head).toMatch(/^Number,Type,Credited invoice,Issued,Company code,Company,Subject,/)
  expect(row).toContain(',acme,Acme Trading Limited,New contract,')
})

it('The file of a year names the year and has numbers', async () => {
  const { blobs, names } = collectFiles()
  await fixture.browser.openAs('admin@acme', '/app/invoice')
  await expect.poll(() => findRows().length).toBe(6)
  const year = findRowWith('PO-4711').querySelector('.w-day')?.textContent?.slice(0, 4) ?? ''
  await fixture.browser.open(`/app/invoice?year=${year}&searchText=PO-4711`)
  await expect.poll(() => findRows().length).toBe(1)
  await press('Export')
  await (await dialog('Export')).press(/^Save 1 row$/)
  await expect.poll(() => names.length).toBe(1)
  expect(names[0]).toMatch(new RegExp(`^invoices-${year}-acme-\\d{4}-\\d\\d-\\d\\d-\\d{4}\\.csv$`))
  const [head, row] = ((await blobs[0]?.text()) ?? '').replace('\uFEFF', '').split('\r\n')
  expect(head).toBe(
    'Number,Type,Credited invoice,Issued,Subject,Service code,Service name,PO number,Currency,Amount,Refunded,Refund in progress,Method,Payment number,Status',
  )
  expect(row).toMatch(
    /,New contract,acmetrade,Acme trading,PO-4711,HKD,\d+\.\d\d,0\.00,0\.00,Simulated payment,demo-\d+,Paid$/,
  )

  await noDialog()
  await press('Export')
  const { press: pressInDialog } = await dialog('Export')
  await fixture.user.selectOptions(await screen.findByLabelText('File format'), 'xlsx')
  await pressInDialog(/^Save 1 row$/)
  await expect.poll(() => names[1]).toMatch(/\.xlsx$/)
  expect(await blobs[1]?.text()).toMatch(/<c><v>\d+\.\d\d<\/v><\/c><c><v>0\.00<\/v><\/c>/)
})

it('A user without the order right has no list of invoices', async () => {
  await fixture.browser.openAs('user@alpha', '/app/invoice')
  await waitForPath(fixture.browser, '/app/home')
  expect(screen.queryByRole('link', { name: 'Invoices' })).toBeNull()
})
