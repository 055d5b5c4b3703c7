/** Tests the "History" links of contracts, modules and price lists, and which users see them (contracts 2). */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

const readFilter = () => Object.fromEntries(new URLSearchParams(fixture.browser.path().split('?')[1]))

/** Opens the menu of the row that contains the text. */
async function openRowMenu(text: string | RegExp): Promise<void> {
  const menuButton = await vi.waitFor(
    () => {
      const row = [...document.querySelectorAll('tbody tr')].find(({ textContent }) => textContent?.match(text))
      const menu = row?.querySelector('[aria-haspopup=menu]')
      if (!menu) throw new Error(`there is no menu of ${text}`)
      return menu
    },
    { timeout: 15_000 },
  )
  await fixture.user.click(menuButton)
}
const openHistory = async () => {
  await fixture.user.click(await screen.findByRole('menuitem', { name: 'History' }))
  await screen.findByRole('heading', { level: 1, name: 'Audit trail' })
}

it('The history of a contract shows the entries of its service code', async () => {
  await fixture.browser.openAs('admin@acme', '/app/contract')
  await openRowMenu('acmetrade')
  await openHistory()
  expect(readFilter()).toEqual({ code: 'order', searchText: 'acmetrade' })
  const id = (await (await fixture.server.signIn('admin@acme')).send({ url: '/api/m18s/user' })).json().company_id
  const response = await (await fixture.server.signIn('admin@acme')).send({
    url: `/api/company/${id}/sorder?results=50`,
  })
  const shownOrder = (response.json() as { data: { id: number; code: string }[] }).data.find(
    ({ code }) => code === 'acmetrade',
  )
  await fixture.browser.open(`/app/contract/${shownOrder?.id}`)
  await fixture.user.click(await screen.findByRole('button', { name: 'More' }))
  await openHistory()
  expect(readFilter()).toEqual({ code: 'order', searchText: 'acmetrade' })
})

it('The history of modules and price lists is offered only to the delete level', async () => {
  await fixture.browser.openAs('delete@m18', '/app/m18/module')
  await openRowMenu('core')
  await openHistory()
  expect(readFilter()).toEqual({ code: 'module', searchText: 'core' })
  await fixture.browser.open('/app/m18/price')
  await openRowMenu(/\d{4}-\d\d-\d\d/)
  await openHistory()
  expect(readFilter()).toMatchObject({ code: 'price', searchText: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
  await fixture.browser.openAs('admin@m18', '/app/m18/module')
  await openRowMenu('core')
  await screen.findByRole('menuitem', { name: 'Delete module' })
  expect(screen.queryByRole('menuitem', { name: 'History' })).toBeNull()
})
