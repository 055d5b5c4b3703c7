import { describe, expect, it } from 'vitest'
import { files, read, under } from '#tests/house/tree.ts'

const pages = under('site').filter((file) => file.endsWith('.html'))
const appTokens = read('src/ui/tokens.css')
const siteTokens = read('site/site.css')

/** Values of the tokens in one block of a stylesheet. */
function tokens(css: string, selector: string) {
  const block = css.slice(css.indexOf(`${selector} {`)).split('\n}')[0] ?? ''
  return Object.fromEntries([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]))
}

describe('the public pages (M7, M14)', () => {
  it('are the home page and the four policies', () => {
    expect(pages.map((file) => file.replace('site/', '')).sort()).toEqual([
      'acceptable-use.html',
      'api-policy.html',
      'index.html',
      'privacy.html',
      'terms.html',
    ])
  })

  it.each([':root', "[data-theme='dark']"])('have the colours of the app: %s', (selector) => {
    const { light: _doorLight, ...repeated } = tokens(siteTokens, selector)
    expect(Object.keys(repeated).length).toBeGreaterThan(10)
    expect(tokens(appTokens, selector)).toMatchObject(repeated)
  })

  it.each(pages)('%s says everything in both languages', (page) => {
    const count = (language: string) => [...read(page).matchAll(new RegExp(`<span lang="${language}"`, 'g'))].length
    // One more in Chinese: the switch names the other language in itself.
    expect(count('zh')).toBe(count('en') + 1)
  })

  it.each(pages)('%s has nothing inline that the policy forbids, and loads from here only (P-33)', (page) => {
    const html = read(page)
    expect(html).not.toMatch(/<style|<script>|\sstyle="|\son\w+="|javascript:/)
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].filter(([, to = '']) => !/^[/#](?!\/)/.test(to))).toEqual([])
  })

  it.each(pages)('%s leads only to what is there', (page) => {
    const local = [...read(page).matchAll(/(?:href|src)="\/([\w-]+\.(?:html|css|js))"/g)].map(([, to]) => `site/${to}`)
    expect(local.filter((file) => !files.includes(file))).toEqual([])
    const assets = [...read(page).matchAll(/href="\/saas\/([\w/-]+\.\w+)"/g)].map(([, to]) => `public/${to}`)
    expect(assets.filter((file) => !files.includes(file))).toEqual([])
  })
})
