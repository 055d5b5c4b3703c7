import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { files } from '#tests/architecture/tree.ts'
import { composeSite } from '#scripts/site.ts'

const site = composeSite()
const readText = (name: string) => site.get(name) ?? ''
const pages = [...site.keys()].filter((name) => name.endsWith('.html'))

describe('the public pages (M7, M14)', () => {
  it('are the home page and the four policies', () => {
    expect(pages.toSorted()).toEqual([
      'acceptable-use.html',
      'api-policy.html',
      'index.html',
      'privacy.html',
      'terms.html',
    ])
    for (const name of pages) expect(readText(name)).not.toMatch(/<!--/)
  })

  it.each(pages)('%s has the same texts and a title in both languages (I-11)', (page) => {
    const html = readText(page)
    const countTexts = (language: string) => [...html.matchAll(new RegExp(`<span lang="${language}"`, 'g'))].length
    // Chinese has one more text, because the language switch shows the name of the other language.
    expect(countTexts('zh')).toBe(countTexts('en') + 1)
    const readArticle = (language: string) =>
      html.split(`<article lang="${language}">`)[1]?.split('</article>')[0] ?? ''
    const readOutline = (language: string) =>
      [...readArticle(language).matchAll(/<(h1|h2|p|li|mark|a href="\/[^"]*")/g)].map(([, tag]) => tag)
    expect(readOutline('zh-Hans')).toEqual(readOutline('en'))
    expect(html).toMatch(/<title data-zh="[^"]*服务门户[^"]*">[^<]*Service portal[^<]*<\/title>/)
  })

  it.each(pages.filter((name) => name !== 'index.html'))('%s is marked as a sample text', (page) => {
    expect(readText(page)).toMatch(/This is a sample text\.[^]*这是示例文本。/)
  })

  it('address style and script with their content hash, so that no outdated cached file is used', () => {
    const hashFile = (file: string) => createHash('sha256').update(readText(file)).digest('hex').slice(0, 8)
    for (const page of pages)
      expect([...readText(page).matchAll(/"\/(site\.\w+)\?v=(\w+)"/g)].map(([, file, hash]) => [file, hash])).toEqual(
        ['site.css', 'site.js'].map((file) => [file, hashFile(file)]),
      )
  })

  it.each(pages)('%s has no inline script or style and loads only from its own origin (P-33, S-64)', (page) => {
    const html = readText(page)
    expect(html).not.toMatch(/<style|<script>|\sstyle="|\son\w+="|javascript:/)
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].filter(([, to = '']) => !/^[/#](?!\/)/.test(to))).toEqual([])
  })

  it.each(pages)('%s links only to existing files', (page) => {
    const localFiles = [...readText(page).matchAll(/(?:href|src)="\/([\w-]+\.(?:html|css|js))(?:\?v=\w+)?"/g)].map(
      ([, to = '']) => to,
    )
    expect(localFiles.filter((file) => !site.has(file))).toEqual([])
    const assets = [...readText(page).matchAll(/href="\/saas\/([\w/-]+\.\w+)"/g)].map(([, to]) => `public/${to}`)
    expect(assets.filter((file) => !files.includes(file))).toEqual([])
  })
})
