/** IBM's accessibility checker, with rules of its own beside those of axe, on every screen in both languages in Chromium. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import { visitScreens } from '#tests/campaigns/judges/screens.ts'
import { installPackage, setUpPrograms } from '#tests/campaigns/judges/tools.ts'

const [name, version] = ['accessibility-checker-engine', '4.0.34'] as const

interface CheckResult {
  ruleId: string
  reasonId: string | number
  /** Such as VIOLATION and FAIL. POTENTIAL and MANUAL need a person. */
  value: [kind: string, result: string]
  message: string
  snippet: string
}

declare global {
  interface Window {
    ace?: { Checker: new () => { check(node: Document, policies: string[]): Promise<{ results: CheckResult[] }> } }
  }
}

export const accessibility: Judge = {
  id: 'ibm',
  tool: `${name} ${version}`,
  async judge({ openPortal }) {
    setUpPrograms('--browser')
    const engine = await readFile(join(await installPackage(name, version), 'ace.js'), 'utf8')
    const failures = new Map<string, { example: CheckResult; screens: Set<string> }>()
    const { shownCount, missingScreens } = await visitScreens(
      await openPortal(),
      ['en', 'zh'],
      async (page, screen) => {
        // The page's policy allows no other script, so the engine is evaluated like a line of the console.
        if (!(await page.evaluate(() => window.ace !== undefined))) await page.evaluate(`${engine};window.ace = ace;0`)
        const results = await page.evaluate(async () => {
          const report = await new (window.ace as NonNullable<typeof window.ace>).Checker().check(document, [
            'IBM_Accessibility',
          ])
          return report.results
            .filter(({ value }) => value[0] === 'VIOLATION' && value[1] === 'FAIL')
            .map(({ ruleId, reasonId, value, message, snippet }) => ({ ruleId, reasonId, value, message, snippet }))
        })
        for (const result of results) {
          const key = `${result.ruleId} ${result.reasonId} ${readElement(result.snippet)}`
          const entry = failures.get(key) ?? { example: result, screens: new Set() }
          failures.set(key, entry)
          entry.screens.add(screen.name)
        }
      },
    )
    const findings: Finding[] = [...failures].map(([key, { example, screens }]) => ({
      key,
      text: `${example.message} ${example.snippet.slice(0, 200)} On ${[...screens].slice(0, 5).join(', ')} (${screens.size}).`,
    }))
    for (const screen of missingScreens) findings.push({ key: `screen ${screen}`, text: 'could not be shown' })
    return { result: `${shownCount} screens, ${findings.length} findings`, findings }
  },
}

/** Returns the element with its first class, such as `button.link`. */
function readElement(snippet: string): string {
  const [, element = ''] = /^<([\w-]+)/.exec(snippet) ?? []
  const [, firstClass] = /^<[^>]*?\sclass="([\w-]+)/.exec(snippet) ?? []
  return firstClass === undefined ? element : `${element}.${firstClass}`
}
