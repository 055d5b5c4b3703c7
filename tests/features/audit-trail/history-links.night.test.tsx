/** Where “History” of a contract, a module and a price list leads, and for whom it is there (contracts 2). */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()

const filter = () => Object.fromEntries(new URLSearchParams(the.browser.path().split('?')[1]))

/** Opens the menu of the row that has the text. */
async function menuOf(text: string | RegExp): Promise<void> {
  const found = await vi.waitFor(
    () => {
      const row = [...document.querySelectorAll('tbody tr')].find(({ textContent }) => textContent?.match(text))
      const menu = row?.querySelector('[aria-haspopup=menu]')
      if (!menu) throw new Error(`there is no menu of ${text}`)
      return menu
    },
    { timeout: 15_000 },
  )
  await the.user.click(found)
}
const history = async () => {
  await the.user.click(await screen.findByRole('menuitem', { name: 'History' }))
  await screen.findByRole('heading', { level: 1, name: 'Audit trail' })
}

it('a contract’s history is that of its service code', async () => {
  await the.browser.openAs('admin@acme', '/app/contract')
  await menuOf('acmetrade')
  await history()
  expect(filter()).toEqual({ code: 'order', searchText: 'acmetrade' })
  const id = (await (await the.server.signIn('admin@acme')).send({ url: '/api/m18s/user' })).json().company_id
  const orders = await (await the.server.signIn('admin@acme')).send({ url: `/api/company/${id}/sorder?results=50` })
  const shown = (orders.json() as { data: { id: number; code: string }[] }).data.find(
    ({ code }) => code === 'acmetrade',
  )
  await the.browser.open(`/app/contract/${shown?.id}`)
  await the.user.click(await screen.findByRole('button', { name: 'More' }))
  await history()
  expect(filter()).toEqual({ code: 'order', searchText: 'acmetrade' })
})

it('the history of modules and price lists is for the delete level', async () => {
  await the.browser.openAs('delete@m18', '/app/m18/module')
  await menuOf('core')
  await history()
  expect(filter()).toEqual({ code: 'module', searchText: 'core' })
  await the.browser.open('/app/m18/price')
  await menuOf(/\d{4}-\d\d-\d\d/)
  await history()
  expect(filter()).toMatchObject({ code: 'price', searchText: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
  await the.browser.openAs('admin@m18', '/app/m18/module')
  await menuOf('core')
  await screen.findByRole('menuitem', { name: 'Delete module' })
  expect(screen.queryByRole('menuitem', { name: 'History' })).toBeNull()
})
