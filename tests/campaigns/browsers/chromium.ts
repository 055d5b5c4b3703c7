/** Drives Chromium through Playwright behind the same interface, so that the same kills can be counted in it. */
import { type EngineBrowser, findMiddle, toJsonCall } from '#tests/campaigns/browsers/engine.ts'
import { startChromium } from '#tests/support/browser/chromium.ts'

const loadMs = 60_000
const keyMs = 20

export async function openChromium(profile: string): Promise<EngineBrowser> {
  const chromium = await startChromium(profile)
  try {
    const page = await chromium.openPage()
    page.setDefaultTimeout(loadMs)
    const browser: EngineBrowser = {
      goTo: async (url) => void (await page.goto(url)),
      reload: async () => void (await page.reload()),
      leaveFor: async (url) => void (await page.goto(url, { waitUntil: 'commit' })),
      run: async (callback, ...args) => JSON.parse(await page.evaluate<string>(toJsonCall(callback as never, args))),
      async click(target) {
        const { x, y } = await findMiddle(browser, target)
        await page.mouse.click(x, y)
      },
      type: (text) => page.keyboard.type(text, { delay: keyMs }),
      async press(...keys) {
        for (const key of keys) await page.keyboard.press(key)
      },
      inFrame: () => Promise.reject(new Error('frames are tested by the suite')),
      resize: (width, height) => page.setViewportSize({ width, height }),
      screenshot: () => page.screenshot(),
      isRunning: chromium.isRunning,
      kill: chromium.kill,
      close: chromium.close,
    }
    return browser
  } catch (error) {
    await chromium.kill()
    throw error
  }
}
