/**
 * Checks that `t('key', { name })` passes the values that the text names (`{{name}}`). The compiler does not check this, and a missing
 * value would leave a gap on the screen.
 */
import { basename } from 'node:path'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { isCode, listFilesUnder, readFileText, readJson } from '#tests/architecture/tree.ts'

interface Node {
  type: string
  [field: string]: unknown
}
interface TextCall {
  namespace: string
  key: string
  /** Names of the passed values. Null if the call spreads an object (`...values`), whose names are not known. */
  values: string[] | null
}

type Texts = { [key: string]: string | Texts }

const texts = new Map(
  listFilesUnder('src/locales/en').map((file) => [basename(file, '.json'), readJson<Texts>(file)] as const),
)

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
const listChildren = (node: Node): Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
const getText = (node: unknown): string | null =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null
const getName = (node: unknown): string | null =>
  isNode(node) && node.type === 'Identifier' ? String(node['name']) : null

/**
 * Returns the namespace of each translator: with `{ t: tUi } = useTranslation('ui')`, tUi reads `ui`. A translator name with two namespaces
 * in one file is mapped to null.
 */
function findTranslators(program: Node): Map<string, string | null> {
  const translators = new Map<string, string | null>()
  const walk = (node: Node) => {
    const call = node.type === 'VariableDeclarator' && isNode(node['init']) ? node['init'] : null
    const pattern = node['id']
    if (call?.type === 'CallExpression' && getName(call['callee']) === 'useTranslation' && isNode(pattern)) {
      const namespace = getText((call['arguments'] as unknown[])[0])
      for (const property of (pattern['properties'] ?? []) as Node[])
        if (getName(property['key']) === 't') {
          const name = getName(property['value']) ?? ''
          const isClear = !translators.has(name) || translators.get(name) === namespace
          translators.set(name, isClear ? namespace : null)
        }
    }
    listChildren(node).forEach(walk)
  }
  walk(program)
  return translators
}

const ownOptions = new Set(['ns', 'count', 'replace', 'context', 'defaultValue', 'lng'])

function readOptions(options: unknown): { namespace: string | null; values: string[] | null } {
  if (options === undefined) return { namespace: null, values: [] }
  if (!isNode(options) || options.type !== 'ObjectExpression') return { namespace: null, values: null }
  const properties = options['properties'] as Node[]
  const namespace =
    properties
      .map((property) => (getName(property['key']) === 'ns' ? getText(property['value']) : null))
      .find(Boolean) ?? null
  const names = properties.map((property) => (property.type === 'Property' ? getName(property['key']) : null))
  const isUnclear = names.some((name) => name === null || name === 'replace')
  return { namespace, values: isUnclear ? null : names.flatMap((name) => (name === null ? [] : [name])) }
}

function findTextCalls(program: Node): TextCall[] {
  const translators = findTranslators(program)
  const calls: TextCall[] = []
  const walk = (node: Node) => {
    if (node.type === 'CallExpression') {
      const [first, second] = node['arguments'] as unknown[]
      const callee = node['callee'] as Node
      const isGlobal =
        callee.type === 'MemberExpression' &&
        getName(callee['object']) === 'i18n' &&
        getName(callee['property']) === 't'
      const { namespace: ownNamespace, values } = readOptions(second)
      const namespace = isGlobal ? ownNamespace : (ownNamespace ?? translators.get(getName(callee) ?? '') ?? null)
      const key = getText(first)
      if (key !== null && namespace !== null) calls.push({ namespace, key, values })
    }
    listChildren(node).forEach(walk)
  }
  walk(program)
  return calls
}

/** Returns all plural forms of a text. */
function findTexts(namespace: string, key: string): string[] {
  const path = key.split('.')
  const last = path.pop() ?? ''
  const parent = path.reduce<Texts | string | undefined>(
    (node, step) => (typeof node === 'object' ? node[step] : undefined),
    texts.get(namespace),
  )
  if (typeof parent !== 'object') return []
  return [last, ...['zero', 'one', 'other'].map((form) => `${last}_${form}`)].flatMap((name) => {
    const text = parent[name]
    return typeof text === 'string' ? [text] : []
  })
}

const listPlaceholders = (text: string): string[] => [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name = '']) => name)

function findFaults(file: string, text: string): string[] {
  const { program } = parseSync(file, text)
  return findTextCalls(program as unknown as Node).flatMap(({ namespace, key, values }) => {
    const forms = findTexts(namespace, key)
    if (forms.length === 0 || values === null) return []
    const placeholders = new Set(forms.flatMap(listPlaceholders))
    const missing = [...placeholders].filter((name) => !values.includes(name))
    const unused = values.filter((name) => !placeholders.has(name) && !ownOptions.has(name))
    return [
      ...missing.map((name) => `${file}: ${namespace}:${key} lacks a value for {{${name}}}`),
      ...unused.map((name) => `${file}: ${namespace}:${key} has no {{${name}}}`),
    ]
  })
}

const code = listFilesUnder('src').filter(isCode)

it('Every translated text is requested with exactly the values that its placeholders need', () => {
  expect(code.flatMap((file) => findFaults(file, readFileText(file)))).toEqual([])
  const calls = code.flatMap((file) => findTextCalls(parseSync(file, readFileText(file)).program as unknown as Node))
  expect(calls.filter(({ values }) => values && values.length > 0).length).toBeGreaterThan(300)
})

it('The check finds a value with a wrong name and a missing value', () => {
  const useUi = "const { t: tUi } = useTranslation('ui')\n"
  expect(findFaults('planted.tsx', `${useUi}tUi('fresh.partly', { cached: 1, total: 2 })`)).toEqual([
    'planted.tsx: ui:fresh.partly lacks a value for {{cachedCount}}',
    'planted.tsx: ui:fresh.partly has no {{cached}}',
  ])
  expect(findFaults('planted.ts', "i18n.t('fresh.partly', { ns: 'ui', cachedCount: 1, total: 2 })")).toEqual([])
  expect(findFaults('planted.ts', "i18n.t('fresh.partly', { ns: 'ui', ...values })")).toEqual([])
})
