/**
 * Tests the staff's app catalogue: an app is packed on the command line, uploaded over a failing connection, published, found in the
 * history, and its change log read offline (contracts 2, 4, 5). Other contents of both pages are tested in `tests/features/apps`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { buildNoise } from '#tests/support/uploads/packages.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  desktop,
  resumePage,
  getRows,
  setUp,
  typeInto,
} from '#tests/support/browser/browser-setup.ts'
import { signIn } from '#tests/support/browser/browser.ts'
import { choose, fill, getOrderButton, listOrders, getSubmitButton } from '#tests/support/pages/wizard.ts'

const setup = setUp()
const folder = mkdtempSync(join(tmpdir(), 'portal-mapp-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const root = join(import.meta.dirname, '..', '..')
const mapp = (...args: string[]) => execFileSync(process.execPath, ['server/cli/mapp.ts', ...args], { cwd: root })

/** Packs an app like a developer: a folder with a manifest, a change log and incompressible data. */
function pack(code: string, version: string, bytes: number): string {
  const packageDir = join(folder, `${code}-${version}`)
  mkdirSync(packageDir)
  const facts = { provider: 'm18', code, name: `App ${code}`, module: 'crm', module_name: 'Customers', version }
  writeFileSync(join(packageDir, 'manifest.json'), JSON.stringify(facts))
  writeFileSync(join(packageDir, 'changelog.md'), `# What is new in ${version}\n\n- [More](https://example.org/more)\n`)
  writeFileSync(join(packageDir, 'data.bin'), buildNoise(bytes))
  const file = `${packageDir}.mapp`
  mapp('pack', packageDir, file)
  return file
}

/** The proxy between the staff's device and the server, shared by all tests. Each test leaves it without faults. */
let line: FaultProxy
beforeAll(async () => void (line = await openFaultProxy(Number(new URL(setup.fixture.portal.url).port))))
afterAll(() => line?.close())

/** Opens a staff page behind the proxy, on a device that staff have used before. */
async function staffPage(path: string): Promise<{ page: Page; errors: string[] }> {
  line.clearFaults()
  const { browser, portal } = setup.fixture
  const proxiedSetup = { fixture: { browser, portal: { ...portal, url: line.url } }, cleanups: setup.cleanups }
  const page = await resumePage(proxiedSetup, 'staff', path)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => message.text().includes('Content Security Policy') && errors.push(message.text()))
  await waitForController(page)
  return { page, errors }
}

const chooseFiles = (page: Page, ...files: string[]) => page.locator('input[type=file]').setInputFiles(files)
const isPiece = ({ method, path }: { method: string; path: string }) =>
  method === 'PATCH' && path.startsWith('/api/app/upload/tus/')

it('An app is uploaded over three dropped connections and published, and its change log opens offline', async () => {
  const file = pack('story', '1.0', 9_000_000)
  const { page, errors } = await staffPage('/app/m18/upload')
  await page.locator('.drop-zone').waitFor()
  await waitForCachedPart(page, 'staff')
  // The connection fails before anything was sent, after a piece was stored, and on the next attempt.
  const drops = ['reset', null, 'cut before the answer', 'reset'] as const
  let pieces = 0
  line.set((call) => (isPiece(call) ? (drops[pieces++] ?? null) : null))
  await chooseFiles(page, file)
  const pick = page.getByRole('checkbox', { name: 'Publish App story 1.0' })
  await expect.poll(() => pick.isChecked(), { timeout: 30_000 }).toBe(true)
  const publish = page.getByRole('button', { name: 'Publish 1 app' })
  await expect.poll(() => publish.getAttribute('aria-disabled'), { timeout: 60_000 }).toBeNull()
  expect(line.arrivals.filter((candidate) => isPiece(candidate) && candidate.fault !== null)).toHaveLength(3)
  await expectNoFaults(page, 'the upload page')
  await publish.click()
  await page.getByText('1 app is published.').waitFor({ timeout: 30_000 })

  await page.getByRole('main').getByRole('link', { name: 'App history' }).click()
  await typeInto(page.getByRole('textbox', { name: 'Search apps by code or name' }), 'story')
  await expect.poll(() => getRows(page).count()).toBe(1)
  const open = page.getByRole('button', { name: 'View Change log: App story 1.0' })
  await open.click()
  const frame = page.frameLocator('iframe.change-log')
  await frame.getByRole('heading', { name: 'What is new in 1.0' }).waitFor()
  const box = await page.locator('iframe.change-log').boundingBox()
  expect([box?.width, box?.height]).toEqual([700, 300])
  // The frame has the page's colours, so its style is allowed by the page's policy.
  expect(await frame.locator('body').evaluate((body) => getComputedStyle(body).marginTop)).toBe('16px')
  const [tab] = await Promise.all([page.waitForEvent('popup'), frame.getByRole('link', { name: 'More' }).click()])
  await tab.close()

  line.cut()
  await page.context().setOffline(true)
  await page.reload()
  await open.click()
  await frame.getByRole('heading', { name: 'What is new in 1.0' }).waitFor()
  await page.keyboard.press('Escape')
  await typeInto(page.getByRole('textbox', { name: 'Search apps by code or name' }), '')
  await page.goto(`${line.url}/saas/app/apphistory`)
  await page.getByRole('button', { name: 'View Change log: Framework 1.9' }).click()
  await page.getByRole('heading', { name: 'This change log is not saved on this device' }).waitFor()
  expect(errors).toEqual([])
})

it('A hidden module is created by keyboard, tested, and included in the next order of a customer (M138, M140)', async () => {
  const { page, errors } = await staffPage('/app/m18/automodule/new')
  const typed = async (name: string, text: string) => {
    await page.locator(`[name="${name}"]`).focus()
    await page.keyboard.type(text, { delay: 40 })
  }
  await page.locator('[name="conditions-doc"]').waitFor()
  await typed('name', 'Customer story')
  await page.locator('[name="conditions-doc"]').focus()
  await page.keyboard.press('Space')
  await page.getByText('No contract in effect meets these conditions now.').waitFor()
  await typed('add-app', 'story')
  await page.getByRole('option', { name: /App story/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Version 1.0').waitFor()
  await expectNoFaults(page, 'the form of a hidden module')
  await page.getByRole('button', { name: 'Create', exact: true }).focus()
  await page.keyboard.press('Enter')
  const storyRow = getRows(page).filter({ hasText: 'Customer story' })
  await storyRow.waitFor()
  const code = await storyRow.locator('.module-code').innerText()

  await page.getByRole('link', { name: 'Modules', exact: true }).click()
  await getRows(page).first().waitFor()
  await page.getByRole('button', { name: 'Dependencies' }).click()
  await page
    .getByRole('group', { name: 'Dependencies' })
    .getByRole('link', { name: /Customer story/ })
    .waitFor()
  await page.getByRole('button', { name: 'Test for missing apps' }).click()
  await page.getByLabel('Choose Documents').focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('No app is missing.').waitFor()
  await page.keyboard.press('Escape')
  await expectNoFaults(page, 'the list of modules')
  expect(errors).toEqual([])

  const context = await setup.fixture.browser.newContext(desktop)
  setup.cleanups.push(() => context.close())
  const customer = await context.newPage()
  await signIn(customer, { url: line.url }, 'admin', '/app/contract/new')
  await fill(customer, 'storyshop')
  await getSubmitButton(customer).click()
  await choose(customer, 'doc')
  await customer.getByRole('heading', { name: 'Included modules' }).waitFor()
  await customer.locator('.modules-auto').getByText(code).waitFor()
  await getOrderButton(customer).click()
  await expect.poll(async () => (await listOrders(customer, 'storyshop')).length).toBe(1)
  await customer.getByText('Customer story').first().waitFor()
})

it('A paused upload resumes after a reload when the same file is chosen, and sends nothing twice', async () => {
  const file = pack('again', '1.0', 12_000_000)
  const { page } = await staffPage('/app/m18/upload')
  await page.locator('.drop-zone').waitFor()
  const piecesNow = () => line.arrivals.filter(isPiece).length
  const sent = piecesNow()
  // The connection is so slow that the upload can be paused between two pieces.
  line.set((call) => (isPiece(call) ? 'slow' : null))
  await chooseFiles(page, file)
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.waitFor({ timeout: 30_000 })
  await expect.poll(() => piecesNow() - sent).toBeGreaterThan(2)
  await pause.click()
  await page.getByText(/^Paused$/).waitFor()
  const dialogTypes: string[] = []
  page.on('dialog', (dialog) => (dialogTypes.push(dialog.type()), void dialog.accept()))
  line.clearFaults()
  await page.reload()
  expect(dialogTypes).toEqual(['beforeunload'])
  await page.getByText(/^\d+% was uploaded earlier/).waitFor()
  const arrivalCountBefore = line.arrivals.length
  await chooseFiles(page, file)
  await page.getByRole('button', { name: 'Publish 1 app' }).waitFor()
  await expect
    .poll(() => page.getByRole('button', { name: 'Publish 1 app' }).getAttribute('aria-disabled'), {
      timeout: 60_000,
    })
    .toBeNull()
  const later = line.arrivals.slice(arrivalCountBefore)
  expect(later.filter(({ method, path }) => method === 'POST' && path.includes('/tus'))).toEqual([])
  expect(later.filter(isPiece).length).toBeLessThan(6)
  await page.getByRole('button', { name: 'Remove App again 1.0' }).click()
  await expect.poll(() => page.getByRole('table', { name: 'App info' }).count()).toBe(0)
})
