/** Every screen of the product by its name, for whoever goes through all of them: the sweep, and who takes their pictures. */
import type { Page } from 'playwright-core'
import { insidePlaces, places } from '#app/routes/paths.ts'

export interface Screen {
  /** What its picture is called. */
  name: string
  /** `:code` stands for the number of the company's order of that code. */
  path: string
  /** Stands when the screen does; else its heading. */
  shows?: string
  /** What is done on it before it is looked at. */
  act?: (page: Page) => Promise<unknown>
  /** It is there at this size alone. */
  only?: 'phone'
  /** A menu or bar that it lays over rows: axe looks at it alone, because it finds what is half covered too small to be pressed. */
  over?: string
}

/** Sends the form that is open, empty, and waits until it says what is missing. */
async function refused(page: Page): Promise<void> {
  await page.locator('main button[type=submit], [role=dialog] button[type=submit]').last().click()
  await page.locator('.field-error').first().waitFor()
}

/** Presses the first `button` and waits for what it opens. */
const opened = (button: string, shows: string) => async (page: Page) => {
  await page.locator(button).first().click()
  await page.locator(shows).first().waitFor()
}

const form = '[role=dialog] form'
const dialog = '[role=dialog]'
const menu = '[role=menu]'
/** In whichever language is shown. */
const button = (...names: string[]) => names.map((name) => `button:has-text("${name}")`).join()
const nobody = '?searchText=nobody+at+all'
const help = opened(['Help', '帮助'].map((name) => `.bar button:has-text("${name}")`).join(), dialog)

async function pickOne(page: Page) {
  await page.locator('tbody .pick input').first().check()
  await page.locator('.picks').waitFor()
}

/** Its first step, also when a draft was left at a later one. */
const wizard = '/app/contract/new?step=1'

/** The draft that the other language has left would be taken. */
async function refusedWithoutCode(page: Page) {
  await page.locator('[name=code]').fill('')
  await refused(page)
}

/** The step after it, with a draft that orders nothing. */
async function chooseModules(page: Page) {
  await page.locator('[name=code]').fill('acmesweep')
  await page.locator('[name=name]').fill('Acme swept')
  await page.locator('.wizard form button[type=submit]').click()
  await page.locator('[name=module-core]').waitFor()
}

export const visitorScreens: Screen[] = [
  { name: 'login', path: '/login' },
  { name: 'login-refused', path: '/login', act: refused },
  { name: 'signup', path: '/signup' },
  { name: 'signup-refused', path: '/signup', act: refused },
  { name: 'forget', path: '/forget' },
  { name: 'reset-password', path: '/resetPwd?otk=x' },
  { name: 'activate', path: '/sys/activate?otk=x' },
  { name: 'entrance-found', path: '/entrance?code=acmetrade', shows: '.entrance-found' },
  { name: 'entrance-reserved', path: '/entrance?code=select', shows: '.field-error' },
  { name: 'nowhere', path: '/nowhere/at/all' },
]

export const adminScreens: Screen[] = [
  { name: 'users', path: '/app/user', shows: '.lead a' },
  {
    name: 'users-menu',
    path: '/app/user',
    shows: '.lead a',
    act: opened('.row-actions [aria-haspopup=menu]', menu),
    over: menu,
  },
  { name: 'user', path: '/app/user', shows: '.lead a', act: opened('.lead a', form) },
  { name: 'user-new-refused', path: '/app/user?user=new', shows: form, act: refused },
  { name: 'users-chosen', path: '/app/user', shows: '.lead a', act: pickOne },
  {
    name: 'users-roles',
    path: '/app/user',
    shows: '.lead a',
    act: async (page) => {
      if ((await page.locator('.picks').count()) === 0) await pickOne(page)
      await opened(button('Change roles', '更改角色'), dialog)(page)
    },
  },
  {
    name: 'users-filter',
    path: '/app/user',
    shows: '.lead a',
    only: 'phone',
    act: opened('.filters button[aria-haspopup=dialog]', dialog),
  },
  // A list that is come back to is as it was left.
  { name: 'users-none', path: `/app/user${nobody}`, shows: '.empty' },
  { name: 'home', path: '/app/home', shows: '.home-item' },
  { name: 'help', path: '/app/home', shows: '.home-item', act: help },
  { name: 'profile', path: '/app/profile/user' },
  { name: 'profile-edit', path: '/app/profile/user?edit=1', shows: 'main form' },
  { name: 'password', path: '/app/profile/password', shows: 'main form' },
  { name: 'security', path: '/app/profile/security' },
  { name: 'sessions', path: '/app/profile/sessions' },
  { name: 'company', path: '/app/profile/company', shows: 'main form' },
  { name: 'trail', path: '/app/systrail', shows: '.trail-list .lead a' },
  {
    name: 'trail-entry',
    path: '/app/systrail',
    shows: '.trail-list .lead a',
    act: opened('.trail-list .lead a', '.trail-entry'),
  },
  { name: 'trail-none', path: `/app/systrail${nobody}`, shows: '.empty' },
  { name: 'tasks', path: '/app/activity' },
  { name: 'outbox', path: '/app/outbox', shows: '.empty' },
  { name: 'device', path: '/app/device', shows: '.device-lists tbody tr' },
  {
    name: 'device-clear',
    path: '/app/device',
    shows: '.device-lists tbody tr',
    act: opened('.device-acts button >> nth=-1', '[role=dialog]'),
  },
  { name: 'contracts', path: '/app/contract', shows: 'tbody .order-code' },
  { name: 'contract-new', path: wizard, shows: '[name=code]' },
  { name: 'contract-new-refused', path: wizard, shows: '[name=code]', act: refusedWithoutCode },
  { name: 'contract-new-modules', path: wizard, shows: '[name=code]', act: chooseModules },
  { name: 'contract', path: '/app/contract/:acmetrade', shows: '.order-history tbody tr' },
  {
    name: 'contract-modify',
    path: '/app/contract/:acmetrade',
    shows: '.order-intro',
    act: opened(button('Modify', '修改'), '.order-edit'),
  },
  { name: 'contract-backups', path: '/app/contract/:acmetrade?tab=subscribe', shows: '.backup-table tbody tr' },
  { name: 'contract-unpaid', path: '/app/contract/:acmehr', shows: '.order-intro' },
  { name: 'contract-expired', path: '/app/contract/:acmeold', shows: '.order-intro' },
  {
    name: 'contract-extend',
    path: '/app/contract/:acmeold',
    shows: '.order-intro',
    act: opened(button('Extend', '续期'), form),
  },
]

export const appScreens: Screen[] = [
  { name: 'app-history', path: '/app/apphistory', shows: 'tbody .app-icon' },
  {
    name: 'app-change-log',
    path: '/app/apphistory',
    shows: 'tbody .app-icon',
    act: opened('tbody button', 'iframe.change-log'),
  },
  { name: 'app-history-none', path: `/app/apphistory${nobody}`, shows: '.empty' },
  { name: 'app-upload', path: '/app/m18/upload', shows: '.drop-zone' },
]

export const serviceScreens: Screen[] = [
  { name: 'services', path: '/app/service', shows: 'tbody .service-code' },
  {
    name: 'services-menu',
    path: '/app/service',
    shows: 'tbody .service-code',
    act: opened('.row-actions [aria-haspopup=menu]', menu),
    over: menu,
  },
  { name: 'services-none', path: `/app/service${nobody}`, shows: '.empty' },
  { name: 'service', path: '/app/service/1', shows: '.service-config-table' },
  {
    name: 'service-menu',
    path: '/app/service/1',
    shows: '.service-config-table',
    act: opened('.page-action [aria-haspopup=menu]', menu),
    over: menu,
  },
  { name: 'service-log', path: '/app/service/1/log', shows: '.log-tools' },
]

/** Of who has no rights but their own. */
export const userScreens: Screen[] = [{ name: 'user-home', path: '/app/home', shows: 'main h2' }]

export const staffScreens: Screen[] = [
  { name: 'staff-home', path: '/app/home', shows: '.home-figure' },
  ...insidePlaces
    .filter((place) => places[place].who === 'providerAdmin')
    .map((place) => ({ name: `staff-${place}`, path: places[place].path.replace(/:\w+/, '1') })),
  { name: 'hidden-module-refused', path: '/app/m18/automodule/new', shows: '[name=code]', act: refused },
  // Nothing is rehearsed before the form is sound.
  {
    name: 'price-new-refused',
    path: '/app/m18/price/new',
    shows: '[name=desc]',
    act: opened('.price-rehearsal button', '.field-error'),
  },
  {
    name: 'prices-import',
    path: '/app/m18/price',
    shows: '.lead a',
    act: opened('.page-action button:not(.bare)', 'input[type=file]'),
  },
  {
    name: 'module-graph',
    path: '/app/m18/module',
    shows: '.module-code',
    act: opened('.page-action button[aria-pressed]', '.module-graph li'),
  },
]
