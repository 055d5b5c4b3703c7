/** Tests the contracts of all companies and the picker of companies (decision 107, D53). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

const readCodes = () => [...document.querySelectorAll('tbody .order-code')].map(({ textContent }) => textContent)
const readHeaders = () => [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
const getPicker = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Company' })
const findOptions = () => [...document.querySelectorAll('.combobox-option')]
const readOptions = () => findOptions().map(({ textContent }) => textContent?.trim())
const chooseOption = async (text: RegExp) => {
  await expect.poll(readOptions).toContainEqual(expect.stringMatching(text))
  await fixture.user.click(
    findOptions().find(({ textContent }) => text.test(textContent?.trim() ?? '')) ?? document.body,
  )
}

it('Staff start with the contracts of all companies, choose one, and order for it', async () => {
  await fixture.browser.openAs('delete@m18', '/app/contract')
  await expect.poll(() => readCodes().length).toBe(5)
  expect(readHeaders().slice(0, 3)).toEqual(['Service code', 'Name', 'Company'])
  expect(document.querySelector('tbody tr')?.textContent).toContain('Acme Trading Limited')

  // The list opens on focus, with all names, and can be used by keyboard alone.
  const picker = await getPicker()
  picker.focus()
  await expect.poll(() => readOptions().length).toBeGreaterThan(3)
  expect(readOptions()[0]).toBe('All')
  await fixture.user.keyboard('acme')
  await expect.poll(readOptions).toEqual(['Acme Trading Limited acme'])
  await fixture.user.keyboard('{Enter}')
  await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/contract\?company=\d+$/)
  await expect.poll(readHeaders).not.toContain('Company')
  await expect.poll(() => readCodes().length).toBe(5)

  const path = fixture.browser.path().replace('/app/contract?', '/app/contract/new?')
  const [link] = await screen.findAllByRole('link', { name: 'New contract' })
  expect(link?.getAttribute('href')).toMatch(new RegExp(`${path.replace('?', '\\?')}$`))
  await fixture.user.click(link ?? document.body)
  await waitForPath(fixture.browser, '/app/contract/new')
  await expect
    .poll(() => document.querySelector<HTMLInputElement>('input[name=company]')?.value)
    .toBe('Acme Trading Limited')
})

it('The picker offers recent companies first, and the choice of all', async () => {
  await fixture.browser.openAs('delete@m18', '/app/contract')
  const picker = await getPicker()
  await fixture.user.click(picker)
  await chooseOption(/beta$/)
  await expect.poll(() => fixture.browser.path()).toContain('company=')
  await fixture.user.tab()
  await fixture.user.click(await getPicker())
  await expect.poll(() => readOptions()[1]).toMatch(/beta$/)
  await screen.findByText('Recent')
  await chooseOption(/^All$/)
  await waitForPath(fixture.browser, '/app/contract')
  await expect.poll(() => readCodes().length).toBe(5)
})

it('A customer has only its own contracts, whatever the address says', async () => {
  await fixture.browser.openAs('admin@acme', `/app/contract?company=${fixture.server.world.companies.beta}`)
  await expect.poll(() => readCodes().length).toBe(5)
  expect(readHeaders()).not.toContain('Company')
  expect(screen.queryByRole('combobox', { name: 'Company' })).toBeNull()
})
