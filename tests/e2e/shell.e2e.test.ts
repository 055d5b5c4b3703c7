/** The frame of the portal in real Chromium: who gets where, in which language and colours, on which screen. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { seriousTrouble } from '#tests/support/browser.ts'
import { address, desk, focused, listed, phone, rows, visits } from '#tests/support/visit.ts'

const { open, enter, inside, go } = visits()

describe('every screen can be used by everybody (A-01)', () => {
  const looks = [
    ['en', 'light'],
    ['zh', 'dark'],
  ] as const

  it.each(looks)('in %s, %s: login, lost address, entrance', async (language, colorScheme) => {
    const { page, close, wrong } = await open({ ...desk, colorScheme, reducedMotion: 'reduce' })
    for (const path of ['/login', '/nowhere', '/entrance']) {
      await go(page, `${path}?lang=${language}`)
      await page.locator('main h1').waitFor()
      expect([path, await seriousTrouble(page)]).toEqual([path, []])
    }
    expect(wrong).toEqual([])
    await close()
  })

  it.each(looks)('in %s, %s: home, users with menu and drawer, a place to come', async (language, colorScheme) => {
    const { page, close, wrong } = await open({ ...desk, colorScheme, reducedMotion: 'reduce' })
    await go(page, `/login?lang=${language}`)
    await enter(page, 'staff')
    expect(['home', await seriousTrouble(page)]).toEqual(['home', []])
    await go(page, '/app/user')
    await listed(page)
    expect(['users', await seriousTrouble(page)]).toEqual(['users', []])
    await page.locator('.row-actions [aria-haspopup=menu]').first().click()
    await page.locator('[role=menu]').waitFor()
    expect(['row menu', await seriousTrouble(page)]).toEqual(['row menu', []])
    await page.keyboard.press('Escape')
    await rows(page).first().locator('a').click()
    await page.locator('[role=dialog] input').first().waitFor()
    expect(['drawer', await seriousTrouble(page)]).toEqual(['drawer', []])
    await go(page, '/app/m18/price')
    await page.locator('main h1').waitFor()
    expect(['a place to come', await seriousTrouble(page)]).toEqual(['a place to come', []])
    expect(wrong).toEqual([])
    await close()
  })

  it('on a phone: cards, and the navigation in its drawer', async () => {
    const { page, close } = await inside('admin', '/app/user', { ...phone, reducedMotion: 'reduce' })
    await listed(page)
    expect(['cards', await seriousTrouble(page)]).toEqual(['cards', []])
    await page.locator('.bar-menu button').click()
    await page.locator('.nav-drawer').waitFor()
    expect(['drawer', await seriousTrouble(page)]).toEqual(['drawer', []])
    await close()
  })
})

describe('ways in and out', () => {
  it('a deep link waits for the login and is then opened (M10)', async () => {
    const { page, close } = await open()
    await enter(page, 'admin', '/app/user?statusType=0')
    await page.waitForURL((url) => url.pathname === '/saas/app/user')
    expect(address(page).search).toBe('?statusType=0')
    await close()
  })

  it('a page one may not see leads home, and the menu does not offer it (M11, M12)', async () => {
    const { page, close } = await inside('user', '/app/home')
    await go(page, '/app/user')
    await page.waitForURL((url) => url.pathname === '/saas/app/home')
    await go(page, '/app/m18/price/new')
    await page.waitForURL((url) => url.pathname === '/saas/app/home')
    await page.locator('.rail nav').waitFor()
    expect(await page.locator('.rail nav a').allInnerTexts()).toEqual(['Home'])
    await close()
  })

  it('the header has the company, the language and the own menu, and a way in for visitors (M13)', async () => {
    const { page, close } = await inside('admin', '/app/home')
    const header = page.locator('header')
    const choose = async (label: string) => {
      await header.getByRole('button', { name: 'My account' }).click()
      await page.getByRole('menuitem', { name: label }).click()
    }
    await header.getByText('Acme Trading Limited').waitFor()
    await header.getByRole('button', { name: '中文' }).waitFor()
    await choose('Service centre')
    await page.waitForURL((url) => url.pathname === '/saas/entrance')
    await go(page, '/app/home')
    await choose('Log out')
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
    await header.getByRole('link', { name: 'Login' }).click()
    await page.waitForURL((url) => url.pathname === '/saas/login')
    await close()
  })

  it("the provider's items say who they are for (M12)", async () => {
    const { page, close } = await inside('staff', '/app/home')
    const item = page.locator('.rail nav a', { hasText: 'Price lists' })
    expect(
      await item.evaluate((link) => document.getElementById(link.getAttribute('aria-describedby') ?? '')?.textContent),
    ).toBe('For provider staff only')
    await item.hover()
    const hint = page.locator('.nav-hint:visible')
    await expect.poll(() => hint.allInnerTexts()).toEqual(['For provider staff only'])
    await close()
  })

  it('what is no place of the portal says so and leads back (M5)', async () => {
    const { page, close } = await open()
    await go(page, '/no/such/place')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.locator('main').innerText()).toContain('/no/such/place')
    await page.getByRole('link', { name: 'Login' }).waitFor()
    await close()
  })

  it('names the window by page, company and product, and follows the focus to the heading (C-19, A-14)', async () => {
    const { page, close } = await inside('admin', '/app/home')
    await page.locator('.rail nav a', { hasText: 'Contracts' }).click()
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor()
    await expect.poll(() => page.title()).toBe('Contracts · Acme Trading Limited · Service portal')
    await expect.poll(() => focused(page)).toBe('Contracts')
    await close()
  })

  it('the first stop of the Tab key skips to the content (A-15)', async () => {
    const { page, close } = await inside('admin', '/app/home')
    await page.reload()
    await page.locator('main h1').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(address(page).hash).toBe('')
    await close()
  })
})

describe('what runs here', () => {
  it('is told from the menu, the worker and the server included, in a line for whoever reports a problem (P-16)', async () => {
    const { page, close } = await inside('admin', '/app/home')
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.getByRole('button', { name: 'My account' }).click()
    await page.getByRole('menuitem', { name: 'About this app' }).click()
    const about = page.getByRole('dialog', { name: 'About this app' })
    await about.getByText('This is the newest version.').waitFor()
    const [version = '', built, worker, server] = await about.locator('dd').allInnerTexts()
    expect(version).toMatch(/^\d{14}-[0-9a-f]+$/)
    expect([worker, server]).toEqual([version, version])
    expect(built).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(await about.locator('code').innerText()).toContain(`page ${version}, worker ${version}, server ${version}`)
    expect(await seriousTrouble(page)).toEqual([])
    await page.keyboard.press('Escape')
    await about.waitFor({ state: 'detached' })
    await close()
  })
})

describe('language and colours', () => {
  it('the toggle changes every word at once and is remembered (M4, A-32, I-11)', async () => {
    const { page, close, wrong } = await inside('admin', '/app/user')
    await listed(page)
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en')
    await page.getByRole('button', { name: '中文' }).click()
    await page.getByRole('heading', { level: 1, name: '用户' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-Hans')
    await expect.poll(() => page.title()).toMatch(/^用户 · /)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: '用户' }).waitFor()
    expect(wrong).toEqual([])
    await close()
  })

  it('no raw key of a text is ever seen', async () => {
    const { page, close } = await open()
    const seen: string[] = []
    for (const path of ['/login', '/entrance', '/signup', '/forget', '/resetPwd', '/sys/activate', '/nowhere']) {
      await go(page, path)
      await page.locator('main h1').waitFor()
      seen.push(...(await page.locator('body').innerText()).split('\n'))
    }
    expect(seen.filter((line) => /^[a-z][A-Za-z]*(\.[A-Za-z_]+)+$/.test(line))).toEqual([])
    await close()
  })

  it('dark is chosen in the header, painted at once and remembered (C-34)', async () => {
    const { page, close } = await inside('admin', '/app/home')
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await ground()
    await page.getByRole('button', { name: 'Appearance' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await expect.poll(ground).not.toBe(light)
    const dark = await ground()
    await page.reload()
    await page.locator('main h1').waitFor()
    expect(await ground()).toBe(dark)
    await close()
  })
})

/** What reaches beyond the right edge of the window; what is meant to (hints, words for readers alone) left out. */
const cutOff = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.closest('.hint, .sr-only, .skip, [aria-hidden=true]'),
      )
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => `${element.tagName} ${element.className}`)
      .slice(0, 5),
  )

describe('room and reach', () => {
  const widths = [320, 390, 768, 820, 1024, 1180, 1280, 1920]

  it('no page has to be scrolled sideways, from a narrow phone to a wide desk (T-02, A-30)', async () => {
    const { page, close } = await inside('staff', '/app/home')
    const wide: string[] = []
    for (const path of ['/app/home', '/app/user', '/app/m18/price', '/entrance', '/nowhere'])
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        if (address(page).pathname !== `/saas${path}`) await go(page, path)
        await page.locator('main h1').waitFor()
        if (path === '/app/user') await listed(page)
        const cut = await cutOff(page)
        if (cut.length > 0) wide.push(`${path} at ${width}: ${cut.join(', ')}`)
      }
    expect(wide).toEqual([])
    await close()
  })

  it.each([390, 820, 1024])('at %i px everything one touches is at least 44 px high (T-01)', async (width) => {
    const { page, close } = await inside('staff', '/app/user', {
      viewport: { width, height: 900 },
      hasTouch: true,
      isMobile: true,
    })
    await listed(page)
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, select, main input, nav a, footer a')]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0)
        .map((element) => ({ element, box: (element.closest('.check') ?? element).getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && box.height < 44)
        .map(({ element, box }) => `${element.className || element.tagName} ${element.textContent} ${box.height}`),
    )
    expect(small).toEqual([])
    await close()
  })

  it('text twice as large still fits (A-30)', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    expect(await cutOff(page)).toEqual([])
    await close()
  })

  it('nothing moves where the system asks for stillness (P-34)', async () => {
    const { page, close } = await inside('admin', '/app/user', { ...desk, reducedMotion: 'reduce' })
    await listed(page)
    await page.locator('.row-actions [aria-haspopup=menu]').first().click()
    const moving = await page.locator('.menu').evaluate((menu) => getComputedStyle(menu).animationDuration)
    expect(Number.parseFloat(moving)).toBeLessThan(0.01)
    await close()
  })
})

describe('the connection', () => {
  it('that is cut in the first moments of a visit costs nothing that stays away (P-11)', async () => {
    const { page, close } = await open()
    let cut = true
    const lost: string[] = []
    // What no page waits for, and what only its being kept would spare the network.
    await page.context().route(/\/assets\/(bars|worker)-/, async (route) => {
      if (!cut) return await route.continue()
      lost.push(new URL(route.request().url()).pathname)
      await route.abort('internetdisconnected')
    })
    await enter(page, 'admin', '/app/user')
    await expect.poll(() => lost.join()).toContain('/bars-')
    await listed(page)
    cut = false
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await page.locator('.bar-activity button').waitFor()
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await close()
  })

  it('is not gone where one address fails alone: nobody asks without end, and what is missing can be asked for again (P-11)', async () => {
    const { page, close } = await open()
    const asked: string[] = []
    page.context().on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.context().route('**/api/module/info?**', (route) => route.fulfill({ status: 504, body: 'late' }))
    await enter(page, 'admin', '/app/contract')
    await listed(page)
    await expect.poll(() => asked.join()).toContain('/api/module/info')
    await page.waitForTimeout(3000)
    const before = asked.length
    await page.waitForTimeout(4000)
    expect(asked.slice(before).filter((path) => path.startsWith('/api/')).length).toBeLessThan(12)
    expect(await page.locator('.bar [role=status]').first().innerText()).toContain('Online')
    await listed(page)
    await go(page, '/app/contract/new')
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await page.context().unroute('**/api/module/info?**')
    await retry.click()
    await page.locator('[name=code]').waitFor()
    await close()
  })

  it('is told quietly and at once, and nothing stays in the way when it is back (P-11, R-42)', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    const line = page.locator('.bar [role=status]').first()
    await expect.poll(() => line.innerText()).toContain('Online')
    await page.context().setOffline(true)
    await expect.poll(() => line.innerText()).toContain('Offline')
    // However often it goes and comes: it is a state, and no event to be told.
    for (let flip = 0; flip < 20; flip++) {
      await page.context().setOffline(flip % 2 === 0)
      await page.waitForTimeout(200)
    }
    expect(await page.locator('.toast').count()).toBe(0)
    await page.context().setOffline(false)
    // A knock that the machine was too busy to answer is followed by another one ten seconds later.
    await expect.poll(() => line.innerText(), { timeout: 30_000 }).toContain('Online')
    await close()
  })
})
