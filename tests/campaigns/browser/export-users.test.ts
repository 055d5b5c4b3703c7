/**
 * Tests the export of the filtered users as a file: it has all rows in list order, and its name shows if the export is incomplete (C-08,
 * S-13).
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations, type PersonOrName } from '#tests/support/browser/browser.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  waitForCompleteList,
  takeOwnCompany,
  resumePage,
  getRows,
  setUpShared,
  readText,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { code, admin } = takeOwnCompany()

async function enter(person: PersonOrName, query: string): Promise<Page> {
  const page = await resumePage(setup, person, `/app/user${query}`)
  await getRows(page).first().waitFor()
  return page
}

const getDialog = (page: Page) => page.getByRole('dialog')

async function save(page: Page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    getDialog(page).locator('.button.primary').click(),
  ])
  const text = await readText(download)
  expect(text.startsWith('\uFEFF')).toBe(true)
  const [head = [], ...lines] = text
    .slice(1)
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  return { name: download.suggestedFilename(), head, lines }
}

/** Deletes all cached rows after the first page, as with a list that is too long to be cached completely. */
async function removeRowsAfterFirstPage(page: Page) {
  await page.evaluate(async () => {
    const toPromise = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve) => (request.onsuccess = () => resolve(request.result)))
    const names = (await indexedDB.databases()).map(({ name }) => name ?? '')
    const db = await toPromise(indexedDB.open(names.find((name) => /^portal-\d+-\d+$/.test(name)) ?? ''))
    const stores = db.transaction(['users', 'syncPoints'], 'readwrite')
    await toPromise(stores.objectStore('syncPoints').clear())
    for (const id of (await toPromise(stores.objectStore('users').getAllKeys())).slice(20))
      await toPromise(stores.objectStore('users').delete(id))
    db.close()
  })
}

it('A user export has every filtered row in list order, from device or server, and no formula that runs', async () => {
  const page = await enter(admin, '?user=new')
  await getDialog(page).locator('input[name=name]').fill('=HYPERLINK("http://evil.example")')
  await getDialog(page).locator('input[name=email]').fill('formula@acme.example')
  await getDialog(page).locator('button[type=submit]').click()
  await getDialog(page).waitFor({ state: 'detached' })
  await page.goto(`${setup.fixture.portal.url}/saas/app/user?statusType=0&sortField=email&sortOrder=desc`)
  await getRows(page).first().waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await getDialog(page).getByText('Users: all rows that match the filters of the list, in its order.').waitFor()
  await getDialog(page).getByText('All dates and times: Hong Kong time (UTC+8)').waitFor()
  await getDialog(page).getByText('All of them are on this device, updated', { exact: false }).waitFor()
  expect(await findViolations(page)).toEqual([])
  const countShown = async () => Number(/ of (\d+)/.exec(await page.locator('.list-foot p').innerText())?.[1])
  const displayedCount = await countShown()
  const { name, head, lines } = await save(page)
  const fileNamePattern = new RegExp(`^users-${code}-20\\d\\d-\\d\\d-\\d\\d-\\d{4}\\.csv$`)
  expect(name).toMatch(fileNamePattern)
  expect(head).toEqual([
    'Name',
    'E-mail',
    'Title',
    'Status',
    'Admin',
    'Order',
    'Alert',
    'Created (Asia/Hong_Kong)',
    'Updated (Asia/Hong_Kong)',
  ])
  expect(lines).toHaveLength(displayedCount)
  expect(displayedCount).toBeGreaterThan(10)
  const mails = lines.map(([, email]) => email)
  expect(mails).toEqual([...mails].sort().reverse())
  expect(new Set(lines.map((line) => line[3]))).toEqual(new Set(['Not activated']))
  expect(lines.find(([, email]) => email === 'formula@acme.example')?.[0]).toBe(
    `"'=HYPERLINK(""http://evil.example"")"`,
  )
  await page.getByText(`Saved as ${name}.`).waitFor()

  await page.goto(`${setup.fixture.portal.url}/saas/app/user?statusType=1&sortField=email&sortOrder=desc`)
  await getRows(page).first().waitFor()
  // Requests in progress would restore the rows that are removed below.
  await waitForCompleteList(page)
  const activated = await countShown()
  await removeRowsAfterFirstPage(page)
  await waitForCachedPart(page, 'users')
  await page.getByRole('button', { name: 'Export' }).click()
  await getDialog(page).getByText('They are loaded from the server now.').waitFor()
  const serverExport = await save(page)
  expect(serverExport.name).toMatch(fileNamePattern)
  expect(serverExport.lines).toHaveLength(activated)
  const sorted = serverExport.lines.map(([, email]) => email)
  expect(sorted).toEqual([...sorted].sort().reverse())
  expect(new Set(serverExport.lines.map((line) => line[3]))).toEqual(new Set(['Activated']))

  // Offline only cached rows are exported, and the file name contains their share of the total.
  await page.getByRole('button', { name: '中文' }).click()
  await page.getByRole('button', { name: '导出' }).waitFor()
  await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
  await waitForController(page)
  await Promise.all([
    page.waitForResponse((response) => response.url().includes('sortField=')),
    page.goto(`${setup.fixture.portal.url}/saas/app/user`),
  ])
  await waitForCompleteList(page)
  await removeRowsAfterFirstPage(page)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: '导出' }).click()
  await getDialog(page).getByText('文件名中会注明', { exact: false }).waitFor()
  expect(await findViolations(page)).toEqual([])
  const partialExport = await save(page)
  expect(partialExport.name).toMatch(
    new RegExp(`^用户-${code}-20\\d\\d-\\d\\d-\\d\\d-\\d{4}-${partialExport.lines.length}-of-\\d+\\.csv$`),
  )
  expect(partialExport.head.slice(0, 2)).toEqual(['姓名', '邮箱'])
  expect(partialExport.lines.length).toBeLessThan(21)
})

it("A user export has only the caller's company, and access levels only if the caller may grant them", async () => {
  const staff = await enter('staff', '')
  await staff.getByRole('button', { name: 'Export' }).click()
  const { head, lines } = await save(staff)
  expect(head).toContain('Access level')
  expect(new Set(lines.map(([, email]) => email?.split('@')[1]))).toEqual(new Set(['m18.example']))
})
