import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { files } from '#tests/architecture/tree.ts'
import { composeSite } from '#scripts/site.ts'

const site = composeSite()
const textOf = (name: string) => site.get(name) ?? ''
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
    for (const name of pages) expect(textOf(name)).not.toMatch(/<!--/)
  })

  it.each(pages)('%s says everything in both languages, its title too (I-11)', (page) => {
    const html = textOf(page)
    const count = (language: string) => [...html.matchAll(new RegExp(`<span lang="${language}"`, 'g'))].length
    // One more in Chinese: the switch names the other language in itself.
    expect(count('zh')).toBe(count('en') + 1)
    const article = (language: string) => html.split(`<article lang="${language}">`)[1]?.split('</article>')[0] ?? ''
    const outline = (language: string) =>
      [...article(language).matchAll(/<(h1|h2|p|li|mark|a href="\/[^"]*")/g)].map(([, tag]) => tag)
    expect(outline('zh-Hans')).toEqual(outline('en'))
    expect(html).toMatch(/<title data-zh="[^"]*服务门户[^"]*">[^<]*Service portal[^<]*<\/title>/)
  })

  it.each(pages.filter((name) => name !== 'index.html'))('%s says that it is a sample', (page) => {
    expect(textOf(page)).toMatch(/This is a sample text\.[^]*这是示例文本。/)
  })

  it('ask for their parts by what is in them, so that a kept one is never an old one', () => {
    const digest = (file: string) => createHash('sha256').update(textOf(file)).digest('hex').slice(0, 8)
    for (const page of pages)
      expect([...textOf(page).matchAll(/"\/(site\.\w+)\?v=(\w+)"/g)].map(([, file, hash]) => [file, hash])).toEqual(
        ['site.css', 'site.js'].map((file) => [file, digest(file)]),
      )
  })

  it.each(pages)('%s has nothing inline that the policy forbids, and loads from here only (P-33, S-64)', (page) => {
    const html = textOf(page)
    expect(html).not.toMatch(/<style|<script>|\sstyle="|\son\w+="|javascript:/)
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].filter(([, to = '']) => !/^[/#](?!\/)/.test(to))).toEqual([])
  })

  it.each(pages)('%s leads only to what is there', (page) => {
    const local = [...textOf(page).matchAll(/(?:href|src)="\/([\w-]+\.(?:html|css|js))(?:\?v=\w+)?"/g)].map(
      ([, to = '']) => to,
    )
    expect(local.filter((file) => !site.has(file))).toEqual([])
    const assets = [...textOf(page).matchAll(/href="\/saas\/([\w/-]+\.\w+)"/g)].map(([, to]) => `public/${to}`)
    expect(assets.filter((file) => !files.includes(file))).toEqual([])
  })
})
