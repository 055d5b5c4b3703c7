/** Opens dialogs that need steps of their own, in English and Chinese, and checks each with axe, in light and dark, on desktop and phone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { findViolations, type PersonOrName } from '#tests/support/browser/browser.ts'
import { openFreshPage, type TestSetup } from '#tests/support/browser/browser-setup.ts'
import { resize, sizes } from '#tests/support/browser/screen-walk.ts'

type Lang = 'en' | 'zh'
type TextTree = { [key: string]: string | TextTree }
type SizeName = 'desktop' | 'phone'

const dialogSelector = '[role=dialog], dialog[open]'
const locales = join(import.meta.dirname, '..', '..', '..', 'src', 'locales')

function readText(lang: Lang, path: string): string {
  const [namespace = '', ...keys] = path.split('.')
  let node: TextTree | string = JSON.parse(readFileSync(join(locales, lang, `${namespace}.json`), 'utf8')) as TextTree
  for (const key of keys) {
    const child: TextTree | string | undefined = typeof node === 'string' ? undefined : node[key]
    if (child === undefined) throw new Error(`there is no text ${path}`)
    node = child
  }
  if (typeof node !== 'string') throw new Error(`${path} is not one text`)
  return node
}

/** Returns what a text of `src/locales` matches as a whole. Its values may be any text. */
function matchText(lang: Lang, path: string): RegExp {
  const parts = readText(lang, path).split(/\{\{\w+\}\}/)
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`)
}

export interface DialogVisit {
  page: Page
  lang: Lang
  /** Matches the text of this path, for example `wizard.draft.discard`, in the language of the visit. */
  match: (path: string) => RegExp
  press: (path: string) => Promise<void>
  size: (name: SizeName) => Promise<void>
  /** Waits for the dialog with this title and checks it. A dialog that exists in one size is checked in that size only. */
  check: (titlePath: string, onlySize?: SizeName) => Promise<void>
  /** Closes the topmost dialog. */
  leave: () => Promise<void>
}

/** Opens visits. `checkedTitles` and `faults` collect what all of them found. */
export function createDialogVisits(setup: TestSetup, lang: Lang) {
  const checkedTitles = new Set<string>()
  const faults: Record<string, unknown> = {}

  /** `url`: the address of a proxy in front of the portal. */
  async function open(
    person: PersonOrName,
    path: string,
    { url, ...options }: BrowserContextOptions & { url?: string } = {},
  ): Promise<DialogVisit> {
    const { browser, portal } = setup.fixture
    const fixture = { browser, portal: { ...portal, url: url ?? portal.url } }
    const page = await openFreshPage({ ...setup, fixture }, person, path, { ...options, language: lang })
    const session = await page.context().newCDPSession(page)
    const size = (name: SizeName) => resize(session, sizes[name])
    const match = (textPath: string) => matchText(lang, textPath)
    const dialogs = page.locator(dialogSelector)
    await size('desktop')
    return {
      page,
      lang,
      match,
      size,
      press: (textPath) =>
        page
          .getByRole('button', { name: match(textPath) })
          .first()
          .click(),
      async check(titlePath, onlySize) {
        await page.getByRole('dialog', { name: match(titlePath) }).waitFor()
        checkedTitles.add(titlePath)
        for (const sizeName of onlySize ? [onlySize] : (['phone', 'desktop'] as const)) {
          await size(sizeName)
          for (const colorScheme of ['dark', 'light'] as const) {
            await page.emulateMedia({ colorScheme })
            const violations = await findViolations(page, dialogSelector)
            if (violations.length > 0) faults[`${titlePath}, ${lang}, ${sizeName}, ${colorScheme}`] = violations
          }
        }
      },
      async leave() {
        const count = await dialogs.count()
        await page.keyboard.press('Escape')
        await dialogs.nth(count - 1).waitFor({ state: 'detached' })
      },
    }
  }

  return { open, checkedTitles, faults }
}
