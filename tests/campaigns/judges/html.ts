/** The Nu HTML checker of the W3C on the pages that the server sends, and on the document of every screen as Chromium has rendered it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import type { JudgePortal } from '#tests/campaigns/judges/portal.ts'
import { visitScreens } from '#tests/campaigns/judges/screens.ts'
import { installPackage, runProgram, setUpPrograms } from '#tests/campaigns/judges/tools.ts'

const [name, version] = ['vnu-jar', '26.9.27'] as const

/** Pages that are not part of the app. Pages that they link to on the same host are checked too. */
const firstPaths = ['/index.html', '/saas/', '/saas/login', '/public/none', '/public/payment/none']

interface Message {
  type: 'error' | 'info' | 'non-document-error'
  subType?: string
  url: string
  message: string
  extract?: string
}

const linkPattern = /\shref="(\/[^"#?]*)/g

/** Fetches the pages and what they link to. Returns the HTML by path. */
async function readServedPages({ send }: JudgePortal): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const paths = new Set(firstPaths)
  for (const path of paths) {
    const { headers, body } = await send(path, { headers: { accept: 'text/html' } })
    if (!String(headers['content-type']).startsWith('text/html')) continue
    const html = body.toString()
    pages.set(path, html)
    // All paths of the app have one document.
    for (const [, link = ''] of html.matchAll(linkPattern)) if (!link.startsWith('/saas/')) paths.add(link)
  }
  return pages
}

/** Ids and numbers differ between pages and runs. */
const normalise = (message: string) => message.replace(/[“"][^”"]*[:_\d][^”"]*[”"]/g, '“…”').replace(/\d+/g, 'N')

export const html: Judge = {
  id: 'vnu',
  tool: `${name} ${version}`,
  async judge({ folder, openPortal }) {
    setUpPrograms('--judges', '--browser')
    const jar = join(await installPackage(name, version), 'build', 'dist', 'vnu.jar')
    const portal = await openPortal()
    const pagesFolder = join(folder, 'pages')
    await mkdir(pagesFolder)
    const served = await readServedPages(portal)
    for (const [path, text] of served)
      await writeFile(join(pagesFolder, `served${path.replace(/[^\w.-]/g, '_')}.html`), text)
    const { shownCount, missingScreens } = await visitScreens(portal, ['en'], async (page, screen) =>
      writeFile(join(pagesFolder, `screen-${screen.name}.html`), await page.content()),
    )
    const args = ['-jar', jar, '--format', 'json', '--exit-zero-always', '--stdout', '--skip-non-html', pagesFolder]
    const { stdout } = await runProgram('java', args)
    const { messages } = JSON.parse(stdout) as { messages: Message[] }
    const pagesByKey = new Map<string, { example: Message; pages: Set<string> }>()
    for (const message of messages) {
      const key = normalise(message.message)
      const entry = pagesByKey.get(key) ?? { example: message, pages: new Set() }
      pagesByKey.set(key, entry)
      entry.pages.add(basename(message.url, '.html'))
    }
    const findings: Finding[] = [...pagesByKey].map(([key, { example, pages }]) => ({
      key,
      text: `${example.subType ?? example.type}: ${example.message} On ${[...pages].slice(0, 5).join(', ')} (${pages.size}). ${example.extract ?? ''}`,
    }))
    for (const screen of missingScreens) findings.push({ key: `screen ${screen}`, text: 'could not be shown' })
    return { result: `${served.size} served pages, ${shownCount} screens, ${findings.length} findings`, findings }
  },
}
