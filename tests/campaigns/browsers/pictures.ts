/** Takes screenshots of the main pages for a person to look at, and checks whether each page fits the screen. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineBrowser, waitFor } from '#tests/campaigns/browsers/engine.ts'
import { enter, type EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { people } from '#tests/support/browser/browser.ts'

const sizes = { desktop: [1280, 800], tablet: [1024, 768], phone: [390, 844] } as const
/** Languages and themes of the screenshots. They alternate between the screen sizes, so each page is captured with both. */
const looks = [
  { language: 'en', theme: 'light' },
  { language: 'zh', theme: 'dark' },
] as const
/** Waiting time for rows and pictures after the heading is visible, ms. */
const settleMs = 1_500

const visitorPaths = ['login', 'signup', 'entrance']
const companyPaths = [
  'app/home',
  'app/user',
  'app/user?user=new',
  'app/contract',
  'app/contract/new',
  'app/profile/company',
  'app/profile/user',
  'app/profile/security',
  'app/profile/sessions',
  'app/systrail',
  'app/outbox',
  'app/device',
  'app/activity',
]
const providerPaths = [
  'app/home',
  'app/service',
  'app/apphistory',
  'app/m18/upload',
  'app/m18/module',
  'app/m18/price',
  'app/systrail',
]

/** Returns obvious faults: a page wider than the screen, or an error message. */
function findFaults(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const errors = [...document.querySelectorAll('main [role="alert"]')].map(({ textContent }) => textContent.trim())
  return [
    ...(scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px wider than the screen`] : []),
    ...errors.filter((text) => text !== ''),
  ]
}

export async function takePictures(
  stage: EngineStage,
  folder: string,
  report: (line: string) => void,
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const faults: string[] = []
  let count = 0
  const takePicturesOf = async (browser: EngineBrowser, userName: string, paths: readonly string[]) => {
    for (const [index, path] of paths.entries())
      for (const [sizeIndex, [size, [width, height]]] of Object.entries(sizes).entries()) {
        const look = looks[(index + sizeIndex) % looks.length] ?? looks[0]
        await browser.resize(width, height)
        await browser.run(({ language, theme }) => {
          localStorage.setItem('portal.language', language)
          localStorage.setItem('portal.theme', theme)
        }, look)
        await browser.goTo(`${stage.proxy.url}/saas/${path}`)
        await waitFor(browser, `${path} is shown`, () => document.querySelector('main h1, main h2') !== null, [])
        await wait(settleMs)
        const name = `${userName}-${path.replaceAll(/[^\w]+/g, '-')}-${size}-${look.language}-${look.theme}.png`
        await writeFile(join(folder, name), await browser.screenshot())
        count += 1
        for (const fault of await browser.run(findFaults)) faults.push(`${name}: ${fault}`)
      }
  }
  for (const [visitor, paths] of [
    ['company', companyPaths],
    ['provider', providerPaths],
  ] as const) {
    const browser = await stage.openWithKeys(`pictures-${visitor}`)
    try {
      if (visitor === 'company') {
        await browser.goTo(`${stage.proxy.url}/saas/login`)
        await takePicturesOf(browser, 'nobody', visitorPaths)
      }
      await enter(browser, stage.proxy.url, visitor === 'company' ? people.globex : people.staff)
      await takePicturesOf(browser, visitor, paths)
    } finally {
      await browser.kill()
    }
  }
  report(`${count} pictures in ${folder}`)
  return faults
}
