import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPngSize, readPng } from '#tests/architecture/png.ts'
import { readFileText, readJson, root } from '#tests/architecture/tree.ts'

interface ManifestImage {
  src: string
  sizes: string
  type: string
  purpose?: string
  form_factor?: string
  label?: string
}

interface WebManifest extends Record<string, unknown> {
  name: string
  short_name: string
  description: string
  theme_color: string
  icons: ManifestImage[]
  screenshots: ManifestImage[]
  shortcuts: { name: string; url: string; icons: ManifestImage[] }[]
}

const manifest = readJson<WebManifest>('public/manifest.webmanifest')
const page = readFileText('index.html')
const tokens = readFileText('src/ui/tokens.css')

const toPublicPath = (src: string) => join(root, 'public', src)
const isPng = ({ type }: ManifestImage) => type === 'image/png'
const findIcon = (sizes: string, purpose: string) =>
  manifest.icons.find((image) => image.sizes === sizes && image.purpose === purpose) ?? { src: 'missing' }

function readColourToken(name: string, theme: 'light' | 'dark') {
  const [light = '', dark = ''] = tokens.split("[data-theme='dark'] {")
  const values = [...(theme === 'light' ? light : dark).matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))]
  return values[0]?.[1]
}

describe('the web app manifest (P-02, P-03)', () => {
  it("keeps the app's id, scope and start URL", () => {
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

  it('has names within the length limits', () => {
    expect(manifest.short_name.length).toBeLessThanOrEqual(12)
    expect(manifest.name.length).toBeLessThanOrEqual(45)
    expect(manifest.description).not.toBe('')
    expect(manifest['categories']).toEqual(expect.arrayContaining(['business']))
  })

  it('has the theme colours of the page, light and dark', () => {
    const readThemeColour = (media: string) =>
      new RegExp(
        `<meta name="theme-color"[^>]*content="(#\\w+)"[^>]*media="\\(prefers-color-scheme: ${media}\\)"`,
      ).exec(page.replace(/media="([^"]*)"\s+content="([^"]*)"/g, 'content="$2" media="$1"'))?.[1]
    expect(readThemeColour('light')).toBe(manifest.theme_color)
    expect(readThemeColour('dark')).toMatch(/^#/)
    const barTokens = ['canvas', 'surface']
    expect(barTokens.map((name) => readColourToken(name, 'light'))).toContain(manifest.theme_color)
    expect(barTokens.map((name) => readColourToken(name, 'dark'))).toContain(readThemeColour('dark'))
    expect(manifest['background_color']).toBe(readColourToken('canvas', 'light'))
  })

  it('is linked from the page, with a touch icon and an SVG favicon (P-01, P-04)', () => {
    expect(page).toMatch(/<link rel="manifest" href="[^"]*manifest\.webmanifest"/)
    expect(page).toMatch(/<link rel="apple-touch-icon" href="[^"]*icons\/apple-touch-icon\.png"/)
    expect(page).toMatch(/<link rel="icon" [^>]*href="[^"]*\.svg"/)
  })
})

describe('the Chinese manifest (I-11)', () => {
  const chineseManifest = readJson<WebManifest>('public/manifest.zh.webmanifest')
  const removeTexts = (source: WebManifest) => ({
    ...source,
    name: '',
    short_name: '',
    description: '',
    lang: '',
    shortcuts: source.shortcuts.map(({ url, icons }) => [url, icons]),
    // Each language lists its own screenshots first, so the order is ignored.
    screenshots: source.screenshots.toSorted((a, b) => (a.src < b.src ? -1 : 1)),
  })

  it('describes the same app with the same pictures', () => {
    expect(removeTexts(chineseManifest)).toEqual(removeTexts(manifest))
    expect(chineseManifest.screenshots[0]?.src).toMatch(/-zh/)
  })

  it('has Chinese texts, and the English manifest has none', () => {
    const listTexts = ({ name, short_name, description, shortcuts }: WebManifest) => [
      name,
      short_name,
      description,
      ...shortcuts.map((shortcut) => shortcut.name),
    ]
    expect(chineseManifest['lang']).toBe('zh-Hans')
    expect(listTexts(chineseManifest).filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
    expect(listTexts(manifest).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([])
  })
})

describe('icons (P-04)', () => {
  const pngImages = [
    ...manifest.icons,
    ...manifest.screenshots,
    ...manifest.shortcuts.flatMap(({ icons }) => icons),
  ].filter(isPng)

  it.each(pngImages.map(({ src, sizes }) => [src, sizes]))('%s has the size %s', (src, sizes) => {
    const { width, height } = readPngSize(toPublicPath(src))
    expect(`${width}x${height}`).toBe(sizes)
  })

  it('exist in every required size and purpose', () => {
    const requiredIcons = [
      findIcon('192x192', 'any'),
      findIcon('512x512', 'any'),
      findIcon('512x512', 'maskable'),
      findIcon('512x512', 'monochrome'),
    ]
    expect(requiredIcons.filter(({ src }) => !existsSync(toPublicPath(src)))).toEqual([])
    expect(readPngSize(toPublicPath('icons/apple-touch-icon.png'))).toEqual({ width: 180, height: 180 })
    // An icon for the purposes `any` and `maskable` would be clipped or too small.
    expect(manifest.icons.filter(({ purpose }) => purpose?.includes(' '))).toEqual([])
  })

  it('the maskable icon has a full background, and its symbol is within the inner 80 %', () => {
    const { width, height, getPixel } = readPng(toPublicPath(findIcon('512x512', 'maskable').src))
    const background = getPixel(0, 0)
    expect(background[3]).toBe(255)
    let maxDistance = 0
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const isForeground = getPixel(x, y).some((value, channel) => Math.abs(value - (background[channel] ?? 0)) > 24)
        if (isForeground) maxDistance = Math.max(maxDistance, Math.hypot(x + 0.5 - width / 2, y + 0.5 - height / 2))
      }
    }
    expect(maxDistance).toBeLessThanOrEqual(width * 0.4)
    expect(maxDistance).toBeGreaterThan(width * 0.2)
  })

  it('the monochrome icon uses only the alpha channel', () => {
    const { width, height, getPixel } = readPng(toPublicPath(findIcon('512x512', 'monochrome').src))
    const alphas = new Set<number>()
    for (let y = 0; y < height; y += 8) for (let x = 0; x < width; x += 8) alphas.add(getPixel(x, y)[3])
    expect(alphas.has(0)).toBe(true)
    expect(alphas.has(255)).toBe(true)
  })
})

describe('shortcuts and screenshots in the manifest', () => {
  it('shortcuts lead to the most used pages (P-07)', () => {
    expect(manifest.shortcuts.map(({ name, url }) => [name, url])).toEqual([
      ['Contracts', '/saas/app/contract?src=pwa'],
      ['New contract', '/saas/app/contract/new?src=pwa'],
      ['Users', '/saas/app/user?src=pwa'],
    ])
    expect(manifest.shortcuts.every(({ icons }) => icons.some(({ sizes }) => sizes === '192x192'))).toBe(true)
  })

  it('screenshots exist for wide and narrow windows in both languages (P-08)', () => {
    const screenshotKinds = manifest.screenshots.map(({ form_factor, label }) => [
      form_factor,
      /\p{Script=Han}/u.test(label ?? '') ? 'zh' : 'en',
    ])
    for (const form of ['wide', 'narrow']) {
      for (const language of ['en', 'zh']) expect(screenshotKinds).toContainEqual([form, language])
    }
  })
})
