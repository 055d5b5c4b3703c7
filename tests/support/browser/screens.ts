/** Lists all screens of the product by name, for the sweep and for screenshots. */
import type { Page } from 'playwright-core'
import { signedInRouteNames, routes } from '#app/routes/paths.ts'

export interface Screen {
  /** Name of the screen's screenshot. */
  name: string
  /** `:code` is replaced by the id of the company's order with that code. */
  path: string
  /** Element that shows that the screen is rendered. Default: its heading. */
  readySelector?: string
  prepare?: (page: Page) => Promise<unknown>
  /** Set if the screen exists in this size only. */
  onlySize?: 'phone'
  /**
   * Selector of a menu or bar that overlaps rows. Axe checks only this element, because it would report partly covered elements as too
   * small.
   */
  dialogSelector?: string
}

/** Submits the open form empty and waits for its error messages. */
async function submitRefused(page: Page): Promise<void> {
  await page.locator('main button[type=submit], [role=dialog] button[type=submit]').last().click()
  await page.locator('.field-error').first().waitFor()
}

const openWith = (openerSelector: string, readySelector: string) => async (page: Page) => {
  await page.locator(openerSelector).first().click()
  await page.locator(readySelector).first().waitFor()
}

const form = '[role=dialog] form'
const dialog = '[role=dialog]'
const menu = '[role=menu]'
/** Returns a selector for buttons with any of these names, one per language. */
const buildButtonSelector = (...names: string[]) => names.map((name) => `button:has-text("${name}")`).join()
const noMatchQuery = '?searchText=nobody+at+all'
const openHelp = openWith(['Help', '帮助'].map((name) => `.bar button:has-text("${name}")`).join(), dialog)

async function selectFirstRow(page: Page) {
  await page.locator('tbody .pick input').first().check()
  await page.locator('.picks').waitFor()
}

/** Opens the first step, even if the draft is at a later step. */
const wizard = '/app/contract/new?step=1'

/** Submits the first step without a code. The draft of the previous language would be valid. */
async function submitWithoutCode(page: Page) {
  await page.locator('[name=code]').fill('')
  await submitRefused(page)
}

/** Opens the second step with a draft that is never ordered. */
async function chooseModules(page: Page) {
  await page.locator('[name=code]').fill('acmesweep')
  await page.locator('[name=name]').fill('Acme swept')
  await page.locator('.wizard form button[type=submit]').click()
  await page.locator('[name=module-core]').waitFor()
}

export const visitorScreens: Screen[] = [
  { name: 'login', path: '/login' },
  { name: 'login-refused', path: '/login', prepare: submitRefused },
  { name: 'signup', path: '/signup' },
  { name: 'signup-refused', path: '/signup', prepare: submitRefused },
  { name: 'forget', path: '/forget' },
  { name: 'reset-password', path: '/resetPwd?otk=x' },
  { name: 'activate', path: '/sys/activate?otk=x' },
  { name: 'entrance-found', path: '/entrance?code=acmetrade', readySelector: '.entrance-found' },
  { name: 'entrance-reserved', path: '/entrance?code=select', readySelector: '.field-error' },
  { name: 'nowhere', path: '/nowhere/at/all' },
]

export const adminScreens: Screen[] = [
  { name: 'users', path: '/app/user', readySelector: '.lead a' },
  {
    name: 'users-menu',
    path: '/app/user',
    readySelector: '.lead a',
    prepare: openWith('.row-actions [aria-haspopup=menu]', menu),
    dialogSelector: menu,
  },
  { name: 'user', path: '/app/user', readySelector: '.lead a', prepare: openWith('.lead a', form) },
  { name: 'user-new-refused', path: '/app/user?user=new', readySelector: form, prepare: submitRefused },
  { name: 'users-chosen', path: '/app/user', readySelector: '.lead a', prepare: selectFirstRow },
  {
    name: 'users-roles',
    path: '/app/user',
    readySelector: '.lead a',
    prepare: async (page) => {
      if ((await page.locator('.picks').count()) === 0) await selectFirstRow(page)
      await openWith(buildButtonSelector('Change roles', '更改角色'), dialog)(page)
    },
  },
  {
    name: 'users-filter',
    path: '/app/user',
    readySelector: '.lead a',
    onlySize: 'phone',
    prepare: openWith('.filters button[aria-haspopup=dialog]', dialog),
  },
  // This screen is the last of the users list, because the list keeps its search when it is visited again.
  { name: 'users-none', path: `/app/user${noMatchQuery}`, readySelector: '.empty' },
  { name: 'home', path: '/app/home', readySelector: '.home-item' },
  { name: 'help', path: '/app/home', readySelector: '.home-item', prepare: openHelp },
  { name: 'profile', path: '/app/profile/user' },
  { name: 'profile-edit', path: '/app/profile/user?edit=1', readySelector: 'main form' },
  { name: 'password', path: '/app/profile/password', readySelector: 'main form' },
  { name: 'security', path: '/app/profile/security' },
  { name: 'sessions', path: '/app/profile/sessions' },
  { name: 'notifications', path: '/app/profile/notifications', readySelector: '.channel-choices' },
  { name: 'company', path: '/app/profile/company', readySelector: 'main form' },
  { name: 'trail', path: '/app/systrail', readySelector: '.trail-list .lead a' },
  {
    name: 'trail-entry',
    path: '/app/systrail',
    readySelector: '.trail-list .lead a',
    prepare: openWith('.trail-list .lead a', '.trail-entry'),
  },
  { name: 'trail-none', path: `/app/systrail${noMatchQuery}`, readySelector: '.empty' },
  { name: 'inbox', path: '/app/activity' },
  { name: 'tasks', path: '/app/activity?tab=tasks' },
  { name: 'outbox', path: '/app/outbox', readySelector: '.empty' },
  { name: 'device', path: '/app/device', readySelector: '.device-lists tbody tr' },
  {
    name: 'device-clear',
    path: '/app/device',
    readySelector: '.device-lists tbody tr',
    prepare: openWith('.device-acts button >> nth=-1', '[role=dialog]'),
  },
  { name: 'contracts', path: '/app/contract', readySelector: 'tbody .order-code' },
  { name: 'contracts-to-pay', path: '/app/contract?status=0', readySelector: 'tbody .to-pay-date' },
  { name: 'invoices', path: '/app/invoice', readySelector: 'tbody .invoice-code' },
  {
    name: 'invoice',
    path: '/app/invoice',
    readySelector: 'tbody .invoice-code',
    prepare: openWith('tbody a', '[role=dialog] .facts'),
  },
  { name: 'contract-new', path: wizard, readySelector: '[name=code]' },
  { name: 'contract-new-refused', path: wizard, readySelector: '[name=code]', prepare: submitWithoutCode },
  { name: 'contract-new-modules', path: wizard, readySelector: '[name=code]', prepare: chooseModules },
  { name: 'contract', path: '/app/contract/:acmetrade', readySelector: '.order-history tbody tr' },
  {
    name: 'contract-modify',
    path: '/app/contract/:acmetrade',
    readySelector: '.order-intro',
    prepare: openWith(buildButtonSelector('Modify', '变更'), '.order-edit'),
  },
  { name: 'contract-backups', path: '/app/contract/:acmetrade?tab=subscribe', readySelector: '.backup-table tbody tr' },
  { name: 'contract-unpaid', path: '/app/contract/:acmehr', readySelector: '.order-intro' },
  { name: 'contract-expired', path: '/app/contract/:acmeold', readySelector: '.order-intro' },
  {
    name: 'contract-extend',
    path: '/app/contract/:acmeold',
    readySelector: '.order-intro',
    prepare: openWith(buildButtonSelector('Extend', '续期'), form),
  },
]

export const appScreens: Screen[] = [
  { name: 'app-history', path: '/app/apphistory', readySelector: 'tbody .app-icon' },
  {
    name: 'app-change-log',
    path: '/app/apphistory',
    readySelector: 'tbody .app-icon',
    prepare: openWith('tbody button', 'iframe.change-log'),
  },
  { name: 'app-history-none', path: `/app/apphistory${noMatchQuery}`, readySelector: '.empty' },
  { name: 'app-upload', path: '/app/m18/upload', readySelector: '.drop-zone' },
]

/** Shows an address that is longer than a phone is wide. The demo's addresses are short. */
const lengthenAddress = (page: Page) =>
  page
    .locator('.web-address > span')
    .first()
    .evaluate((element) => {
      element.textContent = `https://${'long-name.'.repeat(12)}example/`
      element.parentElement?.setAttribute('title', element.textContent)
    })

export const serviceScreens: Screen[] = [
  { name: 'services', path: '/app/service', readySelector: 'tbody .service-code' },
  {
    name: 'services-menu',
    path: '/app/service',
    readySelector: 'tbody .service-code',
    prepare: openWith('.row-actions [aria-haspopup=menu]', menu),
    dialogSelector: menu,
  },
  { name: 'services-none', path: `/app/service${noMatchQuery}`, readySelector: '.empty' },
  { name: 'service', path: '/app/service/1', readySelector: '.service-config-table' },
  {
    name: 'service-menu',
    path: '/app/service/1',
    readySelector: '.service-config-table',
    prepare: openWith('.page-action [aria-haspopup=menu]', menu),
    dialogSelector: menu,
  },
  {
    name: 'service-long-address',
    path: '/app/service/1',
    readySelector: '.service-config-table',
    prepare: lengthenAddress,
  },
  { name: 'service-log', path: '/app/service/1/log', readySelector: '.log-tools' },
]

/** Screens of users without further rights. */
export const userScreens: Screen[] = [{ name: 'user-home', path: '/app/home', readySelector: 'main h2' }]

export const staffScreens: Screen[] = [
  { name: 'staff-home', path: '/app/home', readySelector: '.home-figure' },
  ...signedInRouteNames
    .filter((pageName) => routes[pageName].access === 'providerAdmin')
    .map((pageName) => ({ name: `staff-${pageName}`, path: routes[pageName].path.replace(/:\w+/, '1') })),
  { name: 'staff-customers', path: '/app/m18/customer', readySelector: 'tbody .customer-code' },
  { name: 'staff-customers-none', path: `/app/m18/customer${noMatchQuery}`, readySelector: '.empty' },
  { name: 'staff-contracts', path: '/app/contract', readySelector: 'tbody .order-code' },
  { name: 'staff-invoices', path: '/app/invoice', readySelector: 'tbody .invoice-code' },
  { name: 'staff-customer', path: '/app/m18/customer/2', readySelector: '.customer-cards' },
  ...['contracts', 'users', 'payments', 'services', 'backups', 'trail', 'notes'].map((tab) => ({
    name: `staff-customer-${tab}`,
    path: `/app/m18/customer/2/${tab}`,
    readySelector: '.tabs',
  })),
  {
    name: 'hidden-module-refused',
    path: '/app/m18/automodule/new',
    readySelector: '[name=code]',
    prepare: submitRefused,
  },
  // The rehearsal button shows the field errors, because a rehearsal needs a valid form.
  {
    name: 'price-new-refused',
    path: '/app/m18/price/new',
    readySelector: '[name=desc]',
    prepare: openWith('.price-rehearsal button', '.field-error'),
  },
  {
    name: 'prices-import',
    path: '/app/m18/price',
    readySelector: '.lead a',
    prepare: openWith(
      ['Import', '导入'].map((name) => `.page-action button:has-text("${name}")`).join(),
      'input[type=file]',
    ),
  },
  {
    name: 'module-graph',
    path: '/app/m18/module',
    readySelector: '.module-code',
    prepare: openWith('.page-action button[aria-pressed]', '.module-graph li'),
  },
  { name: 'staff-money', path: '/app/money', readySelector: '.money-grid' },
  { name: 'staff-money-transfers', path: '/app/money?tab=transfers', readySelector: '.empty' },
]
