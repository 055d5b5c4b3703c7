/**
 * Makes src/ui/prime/theme.css: PrimeReact's Lara theme for the components in use, its colours replaced by our roles
 * (src/ui/tokens.css), so that light and dark are the same rules. The result is committed; a test tells when it is old.
 *
 *   node scripts/theme.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postcss from 'postcss'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'node_modules', 'primereact', 'resources', 'themes', 'lara-light-teal', 'theme.css')
const target = join(root, 'src', 'ui', 'prime', 'theme.css')

/** Beginnings of the classes of each component in use. One that the theme has no rule for is a mistake. */
const components = { dialog: 'p-dialog' }

/** What a colour of Lara stands for. A colour that is not here must be given a role before it can be shown. */
const roles = {
  '#ffffff': 'raised',
  '#f9fafb': 'raised',
  '#f3f4f6': 'sunken',
  '#e5e7eb': 'line',
  '#d1d5db': 'line-strong',
  '#6b7280': 'muted',
  '#4b5563': 'text',
  '#374151': 'text',
  '#14b8a6': 'accent',
  '#0f766e': 'accent',
  '#99f6e4': 'focus',
  '#e24c4c': 'danger-fill',
}

/** What no part of ours shows, and what all of them have by rules of their own: corners, grounds, type, space. */
const notShown = /maximized|confirm-dialog/
const ownRules = /^(border.*|background|box-shadow|color|font-.*|margin.*|outline.*|padding|text-align|transition|width|height)$/

function classOf(selector) {
  return Object.values(components).find((start) =>
    // The first class decides: rules about a dialog inside something else belong to that something.
    new RegExp(`^\\.${start}(?![a-z])`).test(selector.trim()),
  )
}

function withRoles(value) {
  return value.replaceAll(/#[0-9a-f]{3,8}\b/gi, (colour) => {
    const role = roles[colour.toLowerCase()]
    if (!role) throw new Error(`${colour} has no role in scripts/theme.mjs`)
    return `var(--${role})`
  })
}

export function makeTheme(css) {
  const made = postcss.root()
  const seen = new Set()
  postcss.parse(css).walkRules((rule) => {
    const selectors = rule.selectors.filter((selector) => classOf(selector) && !notShown.test(selector))
    if (selectors.length === 0) return
    for (const selector of selectors) seen.add(classOf(selector))
    const kept = rule.clone({ selectors })
    kept.walkDecls((declaration) => {
      declaration.value = withRoles(declaration.value)
      if (ownRules.test(declaration.prop)) declaration.remove()
    })
    if (kept.nodes.length > 0) made.append(kept)
  })
  const missing = Object.values(components).filter((start) => !seen.has(start))
  if (missing.length > 0) throw new Error(`the theme has no rules for ${missing.join(', ')}`)
  const layer = postcss.atRule({ name: 'layer', params: 'primereact', nodes: made.nodes })
  return `/* Made by scripts/theme.mjs from PrimeReact's Lara theme; not edited by hand. */\n${layer.toString()}\n`
}

export const themeNow = () => makeTheme(readFileSync(source, 'utf8'))

if (import.meta.main) writeFileSync(target, themeNow())
