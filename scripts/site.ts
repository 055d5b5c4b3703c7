/**
 * Builds the public pages from site/pages and site/frame.html. They use only two style sheets of the app: those of the design tokens and of
 * the tags.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const readSource = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')

export const siteFolder = join(root, 'dist-site')

const sheets = [
  'src/ui/tokens.css',
  'src/ui/display/tag.css',
  'site/site.css',
  'site/home.css',
  'site/policies.css',
  'site/screens.css',
]

export function composeSite(): Map<string, string> {
  const parts = new Map([
    ['site.css', sheets.map((file) => readSource(file)).join('\n')],
    ['site.js', readSource('site/site.js')],
  ])
  const frame = [...parts].reduce(
    (html, [name, text]) => html.replace(`"/${name}"`, `"/${name}?v=${hashText(text)}"`),
    readSource('site/frame.html'),
  )
  const pages = readdirSync(join(root, 'site', 'pages')).map((name): [string, string] => {
    const page = readSource('site', 'pages', name)
    const main = page.indexOf('    <main')
    const insertText = (html: string, mark: string, text: string) => html.replace(`    <!-- ${mark} -->\n`, () => text)
    return [name, insertText(insertText(frame, 'head', page.slice(0, main)), 'main', page.slice(main))]
  })
  return new Map([...pages, ...parts])
}

/** Hash of the content, used in the address, so that a cached file is never an old one. */
const hashText = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

export async function writeSite(folder = siteFolder): Promise<string[]> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const files = [...composeSite()]
  await Promise.all(files.map(([name, text]) => writeFile(join(folder, name), text)))
  return files.map(([name]) => join(folder, name))
}
