/** Every screen of a company's administrator, as `sweep-outside` looks at the others (A-01, A-30, A-32, T-02, I-01). */
import { expect, it } from 'vitest'
import { expectSwept, opened, patience, refused, type Screen } from '#tests/support/sweep.ts'
import { setUpShared } from '#tests/support/visit.ts'

const setup = setUpShared()

const form = '[role=dialog] form'
const menu = '[role=menu]'
const picks = '.picks'
/** In whichever language is shown. */
const button = (...names: string[]) => names.map((name) => `button:has-text("${name}")`).join()
const screens: Screen[] = [
  { path: '/app/user', shows: '.lead a' },
  { path: '/app/user', shows: '.lead a', act: opened('.row-actions [aria-haspopup=menu]', menu), over: menu },
  { path: '/app/user', shows: '.lead a', act: opened('.lead a', form) },
  { path: '/app/user?user=new', shows: form, act: refused },
  { path: '/app/user', shows: '.lead a', act: opened('td.pick input', picks), over: picks },
  // A list that is come back to is as it was left.
  { path: '/app/user?searchText=nobody+at+all', shows: '.empty' },
  { path: '/app/home', shows: '.home-item' },
  { path: '/app/profile/user' },
  { path: '/app/profile/user?edit=1', shows: 'main form' },
  { path: '/app/profile/password', shows: 'main form' },
  { path: '/app/profile/security' },
  { path: '/app/profile/sessions' },
  { path: '/app/profile/company', shows: 'main form' },
  { path: '/app/systrail', shows: '.trail-list .lead a' },
  { path: '/app/systrail', shows: '.trail-list .lead a', act: opened('.trail-list .lead a', '.trail-entry') },
  { path: '/app/systrail?searchText=nobody+at+all', shows: '.empty' },
  { path: '/app/activity' },
  { path: '/app/outbox', shows: '.empty' },
  { path: '/app/device', shows: '.device-lists tbody tr' },
  {
    path: '/app/device',
    shows: '.device-lists tbody tr',
    act: opened('.device-acts button >> nth=-1', '[role=dialog]'),
  },
  { path: '/app/contract', shows: 'tbody .order-code' },
  { path: '/app/contract/new', shows: '[name=code]' },
  { path: '/app/contract/new', shows: '[name=code]', act: refused },
  { path: '/app/contract/:acmetrade', shows: '.order-history tbody tr' },
  { path: '/app/contract/:acmetrade', shows: '.order-intro', act: opened(button('Modify', '修改'), '.order-edit') },
  { path: '/app/contract/:acmetrade?tab=subscribe', shows: '.backup-table tbody tr' },
  { path: '/app/contract/:acmehr', shows: '.order-intro' },
  { path: '/app/contract/:acmeold', shows: '.order-intro' },
  { path: '/app/contract/:acmeold', shows: '.order-intro', act: opened(button('Extend', '续期'), form) },
]

const appScreens: Screen[] = [
  { path: '/app/apphistory', shows: 'tbody .app-icon' },
  { path: '/app/apphistory', shows: 'tbody .app-icon', act: opened('tbody button', 'iframe.change-log') },
  { path: '/app/apphistory?searchText=nobody+at+all', shows: '.empty' },
  { path: '/app/m18/upload', shows: '.drop-zone' },
]

const serviceScreens: Screen[] = [
  { path: '/app/service', shows: 'tbody .service-code' },
  {
    path: '/app/service',
    shows: 'tbody .service-code',
    act: opened('.row-actions [aria-haspopup=menu]', menu),
    over: menu,
  },
  { path: '/app/service?searchText=nobody+at+all', shows: '.empty' },
  { path: '/app/service/1', shows: '.service-config-table' },
  {
    path: '/app/service/1',
    shows: '.service-config-table',
    act: opened('.page-action [aria-haspopup=menu]', menu),
    over: menu,
  },
  { path: '/app/service/1/log', shows: '.log-tools' },
]

it(
  'the screens of services',
  async () => {
    const titles = await expectSwept(setup, 'staff', serviceScreens)
    expect(titles.filter((title) => !/ · M18 /.test(title))).toEqual([])
  },
  patience,
)

it(
  'the screens of apps',
  async () => {
    const titles = await expectSwept(setup, 'staff', appScreens)
    expect(titles.filter((title) => !/^(App|应用|上传)/.test(title))).toEqual([])
  },
  patience,
)

it(
  'the screens of an admin',
  async () => {
    const titles = await expectSwept(setup, 'admin', screens)
    // Each is called by a name of its own, with its company's.
    expect(titles.filter((title) => !title.includes(' · Acme Trading Limited · '))).toEqual([])
  },
  patience,
)
