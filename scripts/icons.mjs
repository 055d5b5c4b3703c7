/**
 * Renders the PNG icons from their SVG sources in public/icons/src, and those of the demo's apps, with Chromium. The results are committed,
 * so run it by hand after a source has changed.
 *
 * npm run icons
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const icons = join(root, 'public', 'icons')
const tools = JSON.parse(readFileSync(join(root, 'node_modules', '.cache', 'portal-tools.json'), 'utf8'))

const drawings = [
  ['icon', 'icon-192', 192],
  ['icon', 'icon-512', 512],
  ['maskable', 'maskable-512', 512],
  ['monochrome', 'monochrome-512', 512],
  ['touch', 'apple-touch-icon', 180],
  ...['contracts', 'new-contract', 'users'].map((name) => [`shortcut-${name}`, `shortcut-${name}-192`, 192]),
]

const appIcons = join(root, 'demo', 'sample-data', 'app-icons')
const all = [
  ...drawings.map(([source, file, size]) => [icons, source, file, size]),
  ...['framework', 'barcode', 'labels'].map((name) => [appIcons, name, name, 128]),
]

const browser = await chromium.launch({ executablePath: tools.chromium, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage()
mkdirSync(icons, { recursive: true })
for (const [folder, source, file, size] of all) {
  const svg = readFileSync(join(folder, 'src', `${source}.svg`), 'utf8')
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`)
  writeFileSync(join(folder, `${file}.png`), await page.screenshot({ omitBackground: true }))
}
await browser.close()
