import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { fillLogin, people, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { imageBytes } from '#domain/images.ts'
import { jpeg, padded, png } from '#tests/support/pictures.ts'
import { desk, phone, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()

async function open(options: BrowserContextOptions = desk): Promise<Page> {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  return context.newPage()
}
async function inside(who: keyof typeof people, path: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await open(options)
  await signIn(page, the.portal, who, path)
  return page
}
/** The network goes once the worker has everything. */
async function cut(page: Page) {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.context().setOffline(true)
}
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text }).first().waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** Labels of fields that may be left empty say so behind their name. */
const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}`))
const submit = (page: Page) => page.locator('main button[type="submit"]').click()
const drawnWidth = (page: Page, where: string) =>
  page.locator(where).evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : -1))

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(the.portal.dataDir, name)
  writeFileSync(path, bytes)
  return path
}
const choose = async (page: Page, path: string) => page.locator('input[type="file"]').setInputFiles(path)

describe('the own profile', () => {
  it('is edited without a network, picture and all, and arrives when the line is back (M43, M44)', async () => {
    const page = await inside('user', '/app/profile/user')
    await page.getByText('user@acme.example').first().waitFor()
    await button(page, 'Edit profile').click()
    await expect.poll(() => new URL(page.url()).search).toBe('?edit=1')

    await choose(page, await file('large.png', padded(await png(), imageBytes)))
    await page.getByText('Image must smaller than 2MB!').waitFor()
    await choose(page, await file('none.png', Buffer.from('<svg/>')))
    await page.getByText('This file could not be read as a picture.').waitFor()

    await choose(page, await file('me.jpg', await jpeg(800, 600)))
    const area = page.getByRole('group', { name: 'Part of the picture' })
    await area.waitFor()
    const left = () => page.locator('.crop-area img').evaluate((image) => parseFloat(image.style.left))
    const before = await left()
    await area.focus()
    await page.keyboard.press('ArrowRight')
    expect(await left()).toBeGreaterThan(before)
    await page.keyboard.press('+')
    expect(Number(await page.getByLabel('Enlarge').inputValue())).toBeGreaterThan(1)
    const box = await area.boundingBox()
    if (!box) throw new Error('the picture is not drawn')
    const dragged = await left()
    await page.mouse.move(box.x + 100, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(box.x + 60, box.y + 100, { steps: 3 })
    await page.mouse.up()
    // Unlike a key, a moving pointer is drawn when there is time for it.
    await expect.poll(left).toBeLessThan(dragged)
    expect(await seriousTrouble(page)).toEqual([])
    await button(page, 'Use this part').click()
    await page.locator('.profile-picture .avatar img').waitFor()

    await field(page, 'Name').fill('')
    await submit(page)
    await page.getByText('Please input new name').waitFor()
    await field(page, 'Name').fill('Victor Yeung Ka-fai')
    await cut(page)
    await submit(page)
    await toast(page, 'Saved on this device.')
    await page.locator('.profile-name', { hasText: 'Victor Yeung Ka-fai' }).waitFor()
    await page.locator('.profile .pending-mark').waitFor()
    await expect.poll(() => drawnWidth(page, '.profile-head .avatar img')).toBe(512)
    await page.reload()
    await page.locator('.profile-name', { hasText: 'Victor Yeung Ka-fai' }).waitFor()
    await expect.poll(() => drawnWidth(page, '.profile-head .avatar img')).toBe(512)

    await page.context().setOffline(false)
    await page.locator('.profile .pending-mark').waitFor({ state: 'detached', timeout: 30_000 })
    // The frame hears of it as well.
    await page.locator('header .avatar img[src^="/public/asset/"]').waitFor()
    await expect.poll(() => drawnWidth(page, 'header .avatar img')).toBe(512)
    await page.reload()
    await page.locator('.profile-name', { hasText: 'Victor Yeung Ka-fai' }).waitFor()
    await expect.poll(() => drawnWidth(page, '.profile-head .avatar img')).toBe(512)
    expect(await page.locator('.bar-waiting').count()).toBe(0)

    await button(page, 'Edit profile').click()
    await button(page, 'Remove picture').click()
    await submit(page)
    await toast(page, 'Update successfully.')
    await page.locator('header .avatar img').waitFor({ state: 'detached' })
  })
})

describe('changing the password', () => {
  const chosen = 'Slow-river-under-9-bridges'
  const type = async (page: Page, original: string, next: string, again = next) => {
    await field(page, 'Original password').fill(original)
    await field(page, 'New password').fill(next)
    await field(page, 'Confirm new password').fill(again)
    await submit(page)
  }

  it('says what is wrong in the specified words, keeps this session and ends the others (M33, S-38)', async () => {
    const other = await inside('globex', '/app/home')
    const page = await inside('globex', '/app/profile/password')
    const { password } = people.globex
    await submit(page)
    await page.getByText('Please input "Original password" as it\'s required.').waitFor()
    await page.getByText('Please input "New password" as it\'s required.').waitFor()
    await type(page, password, chosen, `${chosen}!`)
    await page.getByText('The passwords you entered do not match!').waitFor()
    await type(page, password, password)
    await page.getByText('New password is same as the original password.').waitFor()
    await type(page, 'Not-the-one-44', chosen)
    await page.getByText('The original password is wrong').waitFor()
    await type(page, password, 'globex2026')
    await page.getByText('This password is too easy to guess.', { exact: false }).waitFor()

    await cut(page)
    await page.getByText('Changing the password needs a connection.', { exact: false }).waitFor({ state: 'attached' })
    await expect.poll(() => page.locator('main button[type="submit"]').getAttribute('aria-disabled')).toBe('true')
    await page.context().setOffline(false)
    await page.locator('main button[type="submit"]:not([aria-disabled])').waitFor({ timeout: 30_000 })

    await type(page, password, chosen)
    await toast(page, 'Update successfully.')
    await expect.poll(() => field(page, 'New password').inputValue()).toBe('')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Change password' }).waitFor()
    await other.reload()
    await other.waitForURL((url) => url.pathname.endsWith('/login'))
    await fillLogin(other, { ...people.globex, password: chosen })
    await other.locator('form button[type="submit"]').click()
    await other.waitForURL((url) => url.pathname.startsWith('/saas/app'))
  })
})

describe('the company', () => {
  it('is changed by its admin, the code never, with and without a network (M35)', async () => {
    const page = await inside('admin', '/app/profile/company')
    await expect.poll(() => field(page, 'Company name').inputValue()).toBe('Acme Trading Limited')
    expect(await field(page, 'Company code').getAttribute('readonly')).not.toBeNull()
    expect(await field(page, 'Number').inputValue()).toBe('21104400')
    await field(page, 'Country or region').selectOption('CN')
    expect(await field(page, 'Dial code').inputValue()).toBe('86')
    await field(page, 'Province').fill('Guangdong')
    await expect.poll(() => page.locator('datalist option[value="深圳市"]').count(), { timeout: 10_000 }).toBe(1)
    await field(page, 'Country or region').selectOption('HK')
    expect(await field(page, 'Dial code').inputValue()).toBe('852')
    await field(page, 'Province').fill('')
    await field(page, 'District').fill('Wan Chai')

    await field(page, 'Company name').fill(' ')
    await field(page, 'Number').fill('12a')
    await field(page, 'E-mail').fill('nobody')
    await submit(page)
    await page.getByText('Please input company name').waitFor()
    // In the words of the sign-up, whose form it is.
    await page.getByText('Please use digits only: the country code, then the number.').waitFor()
    await page.getByText('Email format is invalid!').waitFor()
    await expect.poll(() => field(page, 'Number').getAttribute('aria-invalid')).toBe('true')
    await field(page, 'Company name').fill('Acme Trading (HK) Limited')
    await field(page, 'Number').fill('21104455')
    await field(page, 'E-mail').fill('office@acme.example')
    await submit(page)
    await toast(page, 'Update successfully.')
    await expect.poll(() => page.locator('main button[type="submit"]').getAttribute('aria-disabled')).toBe('true')

    await cut(page)
    await page.reload()
    await expect.poll(() => field(page, 'District').inputValue()).toBe('Wan Chai')
    await field(page, 'Website').fill('www.acme.example')
    await submit(page)
    await toast(page, 'Saved on this device.')
    await page.locator('main .pending-mark').waitFor()
    await page.context().setOffline(false)
    await page.locator('main .pending-mark').waitFor({ state: 'detached', timeout: 30_000 })
    await page.reload()
    await expect.poll(() => field(page, 'Website').inputValue()).toBe('www.acme.example')
  })

  it('is not there for who is no admin (M11)', async () => {
    const page = await inside('user', '/app/profile/company')
    await page.waitForURL((url) => url.pathname.endsWith('/app/home'))
  })
})

describe('the entrance', () => {
  it('says what is wrong in words, however late these come, and in the other language when that is chosen', async () => {
    const page = await open()
    await page.route('**/assets/answers-*.js', async (route) => {
      await wait(1000)
      await route.continue()
    })
    await page.goto(`${the.portal.url}/saas/entrance`)
    await button(page, 'Find service').click()
    await page.getByText('Please input "Service code" as it\'s required.').waitFor()
    await button(page, '中文').click()
    await page.getByText('请输入“服务代码”', { exact: false }).waitFor()
  })

  it('leads to a service and its admin site, by known codes without a network too (M9, M58)', async () => {
    const page = await open()
    await page.goto(`${the.portal.url}/saas/entrance`)
    const find = async (code: string) => {
      await field(page, 'Service code').fill(code)
      await button(page, 'Find service').click()
    }
    await find('')
    await page.getByText('Please input "Service code" as it\'s required.').waitFor()
    for (const code of ['ab', '1abc', 'acme-trade', 'nosuch']) {
      await find(code)
      await page.getByText('service does not exist').waitFor()
    }
    await find('select')
    await page.getByText('"select" is reserved by system').waitFor()

    await find('acmetrade')
    const way = (name: string) => page.getByRole('link', { name }).getAttribute('href')
    await page.getByRole('heading', { name: 'Service acmetrade' }).waitFor()
    expect(await way('Go to the service')).toBe('https://www.acmetrade.m18.example/')
    expect(await way('Go to the admin site')).toBe('https://admin.acmetrade.m18.example/')
    expect(await seriousTrouble(page)).toEqual([])

    await cut(page)
    await page.goto(`${the.portal.url}/saas/entrance`)
    await button(page, 'Show acmetrade').click()
    await page.getByText('As it was when it was last found here', { exact: false }).waitFor()
    expect(await way('Go to the service')).toBe('https://www.acmetrade.m18.example/')
    await find('acmetest')
    await toast(page, 'Code not exists')
    await button(page, 'Forget acmetrade').click()
    await expect.poll(() => page.getByRole('heading', { name: 'Found here before' }).count()).toBe(0)
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('every page of them fits a phone and bars nobody, in both languages (A-01, T-02)', async () => {
    const page = await inside('admin', '/app/profile/user', { ...phone, colorScheme })
    for (const language of ['en', 'zh'])
      for (const path of [
        '/app/profile/user',
        '/app/profile/user?edit=1',
        '/app/profile/password',
        '/app/profile/company',
        '/entrance',
      ]) {
        await page.goto(`${the.portal.url}/saas${path}${path.includes('?') ? '&' : '?'}lang=${language}`)
        await page.locator('main h1').waitFor()
        if (path.endsWith('company')) await page.locator('main form').waitFor()
        expect({ path, trouble: await seriousTrouble(page) }).toEqual({ path, trouble: [] })
        expect({ path, sideways: await sidewaysScroll(page) }).toEqual({ path, sideways: 0 })
      }
  })
})
