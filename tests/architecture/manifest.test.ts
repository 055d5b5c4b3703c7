import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pngSize, readPng } from '#tests/architecture/png.ts'
import { read, readJson, root } from '#tests/architecture/tree.ts'

interface Image {
  src: string
  sizes: string
  type: string
  purpose?: string
  form_factor?: string
  label?: string
}

interface Manifest extends Record<string, unknown> {
  name: string
  short_name: string
  description: string
  theme_color: string
  icons: Image[]
  screenshots: Image[]
  shortcuts: { name: string; url: string; icons: Image[] }[]
}

const manifest = readJson<Manifest>('public/manifest.webmanifest')
const page = read('index.html')
const tokens = read('src/ui/tokens.css')

const inPublic = (src: string) => join(root, 'public', src)
const isPng = ({ type }: Image) => type === 'image/png'
const icon = (sizes: string, purpose: string) =>
  manifest.icons.find((one) => one.sizes === sizes && one.purpose === purpose) ?? { src: 'missing' }

/** Value of a colour token in light or dark. */
function token(name: string, theme: 'light' | 'dark') {
  const [light = '', dark = ''] = tokens.split("[data-theme='dark'] {")
  const values = [...(theme === 'light' ? light : dark).matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))]
  return values[0]?.[1]
}

describe('the app can be installed under one name for ever (P-02, P-03)', () => {
  it('keeps its identity', () => {
    const { id, scope, start_url, display, display_override, lang, dir } = manifest
    expect({ id, scope, start_url, display, display_override, lang, dir }).toMatchInlineSnapshot(`
      {
        "dir": "ltr",
        "display": "standalone",
        "display_override": [
          "standalone",
          "minimal-ui",
        ],
        "id": "/saas/",
        "lang": "en",
        "scope": "/saas/",
        "start_url": "/saas/?src=pwa",
      }
    `)
  })

  it('has names that fit', () => {
    expect(manifest.short_name.length).toBeLessThanOrEqual(12)
    expect(manifest.name.length).toBeLessThanOrEqual(45)
    expect(manifest.description).not.toBe('')
    expect(manifest['categories']).toEqual(expect.arrayContaining(['business']))
  })

  it('has the colours of the page, light and dark', () => {
    const colour = (media: string) =>
      new RegExp(
        `<meta name="theme-color"[^>]*content="(#\\w+)"[^>]*media="\\(prefers-color-scheme: ${media}\\)"`,
      ).exec(page.replace(/media="([^"]*)"\s+content="([^"]*)"/g, 'content="$2" media="$1"'))?.[1]
    expect(colour('light')).toBe(manifest.theme_color)
    expect(colour('dark')).toMatch(/^#/)
    const bars = ['canvas', 'surface']
    expect(bars.map((name) => token(name, 'light'))).toContain(manifest.theme_color)
    expect(bars.map((name) => token(name, 'dark'))).toContain(colour('dark'))
    expect(manifest['background_color']).toBe(token('canvas', 'light'))
  })

  it('is linked from the page, with the touch icon and a drawn favicon (P-01, P-04)', () => {
    expect(page).toMatch(/<link rel="manifest" href="[^"]*manifest\.webmanifest"/)
    expect(page).toMatch(/<link rel="apple-touch-icon" href="[^"]*icons\/apple-touch-icon\.png"/)
    expect(page).toMatch(/<link rel="icon" [^>]*href="[^"]*\.svg"/)
  })
})

describe('in the other language (I-11)', () => {
  const chinese = readJson<Manifest>('public/manifest.zh.webmanifest')
  const wordless = (one: Manifest) => ({
    ...one,
    name: '',
    short_name: '',
    description: '',
    lang: '',
    shortcuts: one.shortcuts.map(({ url, icons }) => [url, icons]),
    // Each shows its own pictures first.
    screenshots: one.screenshots.toSorted((a, b) => (a.src < b.src ? -1 : 1)),
  })

  it('it is the same app, with the same pictures', () => {
    expect(wordless(chinese)).toEqual(wordless(manifest))
    expect(chinese.screenshots[0]?.src).toMatch(/-zh/)
  })

  it('what is read is Chinese there, and only there', () => {
    const words = ({ name, short_name, description, shortcuts }: Manifest) => [
      name,
      short_name,
      description,
      ...shortcuts.map((one) => one.name),
    ]
    expect(chinese['lang']).toBe('zh-Hans')
    expect(words(chinese).filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
    expect(words(manifest).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([])
  })
})

describe('icons (P-04)', () => {
  const pictures = [
    ...manifest.icons,
    ...manifest.screenshots,
    ...manifest.shortcuts.flatMap(({ icons }) => icons),
  ].filter(isPng)

  it.each(pictures.map(({ src, sizes }) => [src, sizes]))('%s is %s', (src, sizes) => {
    const { width, height } = pngSize(inPublic(src))
    expect(`${width}x${height}`).toBe(sizes)
  })

  it('are there in every kind that systems ask for', () => {
    const kinds = [
      icon('192x192', 'any'),
      icon('512x512', 'any'),
      icon('512x512', 'maskable'),
      icon('512x512', 'monochrome'),
    ]
    expect(kinds.filter(({ src }) => !existsSync(inPublic(src)))).toEqual([])
    expect(pngSize(inPublic('icons/apple-touch-icon.png'))).toEqual({ width: 180, height: 180 })
    // One file for both purposes is either cut off or too small.
    expect(manifest.icons.filter(({ purpose }) => purpose?.includes(' '))).toEqual([])
  })

  it('fill the maskable one to the edge and keep its sign within the inner 80 %', () => {
    const { width, height, at } = readPng(inPublic(icon('512x512', 'maskable').src))
    const ground = at(0, 0)
    expect(ground[3]).toBe(255)
    let furthest = 0
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const differs = at(x, y).some((value, channel) => Math.abs(value - (ground[channel] ?? 0)) > 24)
        if (differs) furthest = Math.max(furthest, Math.hypot(x + 0.5 - width / 2, y + 0.5 - height / 2))
      }
    }
    expect(furthest).toBeLessThanOrEqual(width * 0.4)
    expect(furthest).toBeGreaterThan(width * 0.2)
  })

  it('draw the monochrome one by its alpha alone', () => {
    const { width, height, at } = readPng(inPublic(icon('512x512', 'monochrome').src))
    const alphas = new Set<number>()
    for (let y = 0; y < height; y += 8) for (let x = 0; x < width; x += 8) alphas.add(at(x, y)[3])
    expect(alphas.has(0)).toBe(true)
    expect(alphas.has(255)).toBe(true)
  })
})

describe('what an installed app offers', () => {
  it('leads to the places people go to most (P-07)', () => {
    expect(manifest.shortcuts.map(({ name, url }) => [name, url])).toEqual([
      ['Contracts', '/saas/app/contract?src=pwa'],
      ['New contract', '/saas/app/contract/new?src=pwa'],
      ['Users', '/saas/app/user?src=pwa'],
    ])
    expect(manifest.shortcuts.every(({ icons }) => icons.some(({ sizes }) => sizes === '192x192'))).toBe(true)
  })

  it('shows itself wide and narrow, in both languages (P-08)', () => {
    const shown = manifest.screenshots.map(({ form_factor, label }) => [
      form_factor,
      /\p{Script=Han}/u.test(label ?? '') ? 'zh' : 'en',
    ])
    for (const form of ['wide', 'narrow']) {
      for (const language of ['en', 'zh']) expect(shown).toContainEqual([form, language])
    }
  })
})
