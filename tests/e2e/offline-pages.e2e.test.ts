/** Every place that one may enter opens without a network, in a tab that was never there (P-09, R-41). */
import { expect, it } from 'vitest'
import { insidePlaces, places } from '#app/routes/paths.ts'
import { partKept } from '#tests/support/parts.ts'
import { controlled, resumedPage, setUpShared } from '#tests/support/visit.ts'

const setup = setUpShared()

/** Without a price list, and none was read here yet, these lead to the list (M68). */
const toList: readonly string[] = ['newContract', 'contract']

it('for staff, who may open all', async () => {
  const page = await resumedPage(setup, 'staff', '/app/home')
  await controlled(page)
  await partKept(page, 'orders')
  await partKept(page, 'staff')
  await page.context().setOffline(true)
  const broken: string[] = []
  for (const place of insidePlaces) {
    const path = places[place].path.replace(/:\w+/, '1')
    await page.goto(`${setup.the.portal.url}/saas${path}`)
    await page.locator('main h1, main h2').first().waitFor()
    const at = `/saas${toList.includes(place) ? places.contracts.path : path}`
    await page.waitForURL((url) => url.pathname === at)
    if ((await page.getByText(/Something went wrong here|This page needs a connection/).count()) > 0) broken.push(place)
  }
  expect(broken).toEqual([])
})
