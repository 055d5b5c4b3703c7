/**
 * Opens the dialogs that need steps of their own, in English and Chinese, and checks them with axe. `dialogs.e2e.night.test.ts` opens
 * the others. Companies and price lists are changed, so the portal is not shared.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { people } from '#tests/support/browser/browser.ts'
import {
  getRows,
  openFreshPage,
  setUp,
  waitForCompleteList,
  waitForController,
  waitForList,
} from '#tests/support/browser/browser-setup.ts'
import { createDialogVisits, type DialogVisit } from '#tests/support/browser/dialog-visits.ts'
import { visitedDialogs } from '#tests/support/browser/dialogs.ts'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { prepareMoneyDuties } from '#tests/support/invoices/money-duties.ts'
import { addAuthenticator } from '#tests/support/pages/authenticator.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import { callApi, getField, listOrders } from '#tests/support/pages/wizard.ts'
import { buildNoise, packApp } from '#tests/support/uploads/packages.ts'
import { jpeg } from '#tests/support/uploads/pictures.ts'

const setup = setUp()
const timeoutMs = 300_000

type Open = ReturnType<typeof createDialogVisits>['open']

const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148'
const go = (page: Page, path: string) => page.goto(`${setup.fixture.portal.url}/saas${path}`)
const pressFirst = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click()

async function visitFrame(open: Open) {
  const { page, match, press, size, check, leave } = await open('user', '/app/home', { userAgent: iPhone })
  await size('phone')
  await press('shell.openMenu')
  await check('shell.navigation', 'phone')
  await press('shell.closeMenu')
  await press('shell.avatar.title')
  await page.getByRole('menuitem', { name: match('shell.avatar.install') }).click()
  await check('about.install.title')
  await leave()
}

async function visitAccount(open: Open) {
  const { page, match, press, check, leave } = await open('user', '/app/profile/security')
  await addAuthenticator(page)
  await press('factors.passkey.add')
  await getField(page, 'password').waitFor()
  await check('factors.confirm.title')
  await getField(page, 'password').fill(people.user.password)
  await press('factors.confirm.submit')
  await page.getByLabel(match('factors.name')).fill('Laptop')
  await check('factors.wish.passkey')
  await press('factors.passkey.submit')
  await check('factors.codes.title')
  await press('factors.codes.done')
  await press('factors.rename.action')
  await check('factors.rename.action')
  await leave()
  // The next language starts without a second factor.
  await press('factors.remove.action')
  await press('factors.prove.assertion.submit')
  await press('factors.remove.submit')
  await page.getByRole('button', { name: match('factors.rename.action') }).waitFor({ state: 'detached' })

  const other = await openFreshPage(setup, 'globex', '/app/profile/sessions')
  const session = await open('globex', '/app/profile/sessions')
  await session.press('sessions.endOthers')
  await session.check('sessions.others.title')
  await other.close()

  await go(page, '/app/profile/user?edit=1')
  const picture = { name: 'me.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(await jpeg(800, 600)) }
  await page.locator('input[type="file"]').setInputFiles(picture)
  await check('profile.crop.title')
}

async function visitUsers(open: Open) {
  const { page, match, check, leave } = await open('admin', '/app/user?statusType=1')
  await waitForList(page)
  const pickedRow = (index: number) => getRows(page).nth(index).getByRole('checkbox')
  await pickedRow(1).check()
  await pickedRow(2).check()
  const bar = page.getByRole('region', { name: match('people.pick.bar') })
  await bar.getByRole('button', { name: match('users.action.disable') }).click()
  await check('people.many.ask.disable_other')
  await leave()
  await go(page, '/app/user?user=99999999')
  await check('people.missing.unknown.title')
}

/** Changes the same user on the device, which is offline, and on the server. */
async function visitOutbox(open: Open) {
  const { page, lang, match, press, check, leave } = await open('admin', '/app/user?searchText=andrew')
  await waitForList(page)
  await go(page, '/app/profile/user?edit=1')
  await getField(page, 'name').waitFor()
  await go(page, '/app/user')
  await waitForCompleteList(page)
  await waitForController(page)
  await waitForCachedPart(page, 'users')
  await go(page, '/app/user?searchText=andrew')
  await waitForList(page)
  const [, id] = /user=(\d+)/.exec((await page.locator('.lead a').first().getAttribute('href')) ?? '') ?? []
  await page.context().setOffline(true)
  await page.locator('.lead a').first().click()
  await page.getByRole('dialog').locator('input[name="name"]').fill(`Andrew here ${lang}`)
  await page.getByRole('dialog').locator('button[type="submit"]').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await go(page, '/app/profile/user?edit=1')
  await getField(page, 'name').fill(`Amelia Chan ${lang}`)
  await page.locator('main button[type="submit"]').click()
  await page.locator('.profile .pending-mark').waitFor()
  await page.locator('.bar-waiting').click()
  await press('outbox.act.drop')
  await check('outbox.drop.title')
  await leave()
  const ownWrite = page.locator('.write', { hasText: `Amelia Chan ${lang}` })
  await ownWrite.getByRole('button', { name: match('outbox.act.edit') }).click()
  await check('outbox.mend.edit')
  await leave()

  const elsewhere = await openFreshPage(setup, 'admin', '/app/home')
  const path = `/api/m18s/company-user/${id}`
  expect((await callApi(elsewhere, 'PUT', path, { name: `Andrew there ${lang}` })).status).toBe(200)
  await elsewhere.close()
  await page.context().setOffline(false)
  const compare = page.getByRole('button', { name: match('outbox.act.compare') })
  await compare.click({ timeout: 60_000 })
  await check('outbox.compare.title')
}

async function visitOrders(open: Open) {
  const { page, lang, match, press, size, check, leave } = await open('admin', '/app/contract/new?step=1')
  await getField(page, 'code').fill(`visit${lang}`)
  await getField(page, 'name').fill('Visit')
  await press('wizard.draft.discard')
  await check('wizard.draft.title')
  await leave()

  const [order] = await listOrders(page, 'acmetrade')
  await go(page, `/app/contract/${order?.id}`)
  await page.locator('.order-intro').waitFor()
  await press('contract.act.modify')
  await size('phone')
  await press('wizard.why.short')
  await check('wizard.why.title', 'phone')
  await leave()
  await size('desktop')
  await page.locator('input[name="module-scm"]').click()
  await check('wizard.confirm.removeTitle')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: match('wizard.confirm.removeOne') })
    .click()
  await page.locator('form button[type="submit"]').click()
  await check('contract.discard.title')
  await press('contract.discard.goOn')
  await check('contract.consent.appsTitle')
  await press('contract.consent.goOn')
  // The change is undone, so the other language finds the contract as it was.
  await press('contract.undo.act')
  await check('contract.consent.appsTitle')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: match('contract.undo.act') })
    .click()
  await page.getByRole('button', { name: match('contract.undo.act') }).waitFor({ state: 'detached' })
}

/** Withdraws the next price list, unless the other language has. */
async function withdrawNextList({ page, match }: DialogVisit) {
  const day = '2027-01-01'
  const row = getRows(page).filter({ hasText: day })
  if ((await row.count()) === 0) return
  await row.locator('.row-actions [aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name: match('prices.act.withdraw') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[name=typed-value]').pressSequentially(day)
  const code = (await dialog.locator('.confirm-code code').allInnerTexts()).join('')
  await dialog.locator('[name=typed-code]').pressSequentially(code)
  await dialog.getByRole('button', { name: match('prices.act.withdraw') }).click()
  await row.waitFor({ state: 'detached' })
}

async function visitPrices(staff: DialogVisit) {
  const { page, lang, match, press, check, leave } = staff
  const day = lang === 'en' ? '2031-05-01' : '2031-06-01'
  await go(page, '/app/m18/price')
  await waitForList(page)
  await withdrawNextList(staff)
  await getRows(page).first().locator('.row-actions [aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name: match('prices.act.saveAs') }).click()
  await page.locator('[name=effective_date]').fill(day)
  await page
    .locator('.modules')
    .getByRole('button', { name: match('prices.module.remove') })
    .first()
    .click()
  await check('prices.removeModule.title')
  await leave()
  await press('prices.act.save')
  await page.getByRole('heading', { level: 1 }).filter({ hasText: day }).waitFor()
  await press('prices.act.confirmShort')
  await check('prices.confirm.unrehearsed')
  await leave()
  await go(page, '/app/m18/price?tab=withdrawn')
  await waitForList(page)
  await getRows(page).first().locator('.lead a').click()
  await press('prices.act.reinstate')
  await check('prices.reinstate.title')
}

/** Leaves the page while a file is uploaded over a slow connection. */
async function visitUpload(open: Open) {
  const line = await openFaultProxy(Number(new URL(setup.fixture.portal.url).port))
  setup.cleanups.push(() => line.close())
  const { page, match, check } = await open('staff', '/app/m18/upload', { url: line.url })
  const isPiece = ({ method, path }: { method: string; path: string }) =>
    method === 'PATCH' && path.startsWith('/api/app/upload/tus/')
  line.set((call) => (isPiece(call) ? 'slow' : null))
  const buffer = await packApp({ facts: { code: 'visit' }, files: { 'data.bin': buildNoise(9_000_000) } })
  await page.locator('input[type=file]').setInputFiles({ name: 'visit.mapp', mimeType: 'application/zip', buffer })
  await expect.poll(() => line.arrivals.some(isPiece), { timeout: 60_000 }).toBe(true)
  await page
    .getByRole('link', { name: match('shell.menu.home') })
    .first()
    .click()
  await check('apps.leave.title')
}

async function visitStaffPages(open: Open) {
  const staff = await open('staff', '/app/m18/module')
  const { page, match, press, check, leave } = staff
  await waitForList(page)
  await press('modules.act.test')
  await getRows(page).first().getByRole('checkbox').check()
  await press('modules.test.run')
  await check('modules.test.title_one')
  await leave()

  await go(page, '/app/service')
  await waitForList(page)
  await pressFirst(page, match('services.info.open'))
  await check('services.info.title')
  await leave()

  const admin = await openFreshPage(setup, 'admin', '/app/home')
  const [order] = await listOrders(admin, 'acmetrade')
  await admin.close()
  await go(page, `/app/contract/${order?.id}?tab=subscribe`)
  await press('backups.traffic.suspend')
  await check('backups.traffic.suspendTitle')
  await leave()
  await pressFirst(page, match('backups.restore.of'))
  await check('backups.restore.title')
  await leave()
  await go(page, '/app/invoice')
  await waitForList(page)
  await getRows(page).first().locator('.lead a').click()
  await press('refunds.act')
  await check('refunds.title')
  await leave()
  await visitPrices(staff)
}

/** Records two transfers of Acme, of which one is credited to it. */
async function visitMoney(open: Open) {
  const { page, match, press, check, leave } = await open('staff', '/app/money?tab=transfers')
  await press('money-page.action.import')
  await check('bank-transfers.import.title')
  await leave()
  for (const number of [1, 2]) {
    await press('money-page.action.record')
    if (number === 1) await check('bank-transfers.record.title')
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())
    const values = { day, amount: '12.50', sender: 'Acme', bank_reference: crypto.randomUUID() }
    for (const [name, value] of Object.entries(values)) await getField(page, name).fill(value)
    await page.locator('.p-dialog-footer button').first().click()
    await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  }
  const openRow = page.locator('[aria-labelledby=open-transfers] tbody tr').first()
  await openRow.locator('[aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name: match('bank-transfers.action.returned') }).click()
  await check('bank-transfers.close.returned.title')
  await leave()
  await openRow.locator('.row-actions button').first().click()
  await check('bank-transfers.credit.title')
  await getField(page, 'company').fill('acme')
  await page.getByRole('option').first().click()
  await page.locator('.money-sum').waitFor()
  await page.locator('.p-dialog-footer button').first().click()
  await page.locator('[aria-labelledby=settled-transfers] .row-actions button').first().click()
  await check('bank-transfers.correct.title')
  await leave()

  await go(page, '/app/money')
  await page.locator('.money-credit button').first().click()
  await check('money-page.withdraw.title')
  await leave()
  await page.locator('.money-credit a').first().click()
  await press('invoices.credit.show')
  await check('invoices.credit.title')
  await leave()
}

let areDutiesPrepared = false

/** The duties stay, so the other language finds them too. */
async function visitDuties(open: Open) {
  if (!areDutiesPrepared) await prepareMoneyDuties(setup)
  areDutiesPrepared = true
  const { page, match, check, leave } = await open('staff', '/app/home')
  // The name of a duty's button ends with that of the duty.
  const pressDuty = (path: string) => pressFirst(page, new RegExp(match(path).source.replace(/\$$/, ' ')))
  await pressDuty('refunds.task.settle')
  await check('refunds.task.settleTitle')
  await leave()
  await pressDuty('money.details')
  await check('money.foundTitle_other')
}

const visits = {
  visitFrame,
  visitAccount,
  visitUsers,
  visitOutbox,
  visitOrders,
  visitStaffPages,
  visitMoney,
  visitUpload,
  visitDuties,
}

for (const lang of ['en', 'zh'] as const) {
  const { open, checkedTitles, faults } = createDialogVisits(setup, lang)
  it.each(Object.entries(visits))(
    `The dialogs of %s are accessible, in "${lang}"`,
    async (_name, openDialogs) => {
      await openDialogs(open)
      expect(faults).toEqual({})
    },
    timeoutMs,
  )

  it(`Every dialog that needs steps was opened, in "${lang}"`, () => {
    expect(Object.values(visitedDialogs).filter((title) => !checkedTitles.has(title))).toEqual([])
  })
}
