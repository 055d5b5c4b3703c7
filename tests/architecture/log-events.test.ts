/** Checks that every log line has an event in snake_case, and that docs/operating.md explains each event. */
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { securityMessages } from '#server/context/log.ts'
import { findMarker } from '#tests/architecture/plain-language.ts'
import { isCode, listFilesUnder, readFileText } from '#tests/architecture/tree.ts'

interface SyntaxNode {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

interface LogCall {
  position: string
  /** Null if the first argument does not begin with an event. */
  event: string | null
  messages: string[]
}

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as Partial<SyntaxNode>).type === 'string'

function* listNodes(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) for (const item of value) yield* listNodes(item)
  else if (isNode(value)) {
    yield value
    for (const field of Object.values(value)) if (typeof field === 'object') yield* listNodes(field)
  }
}

const readText = (node: unknown): string | null =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null

/** Returns the constant text, or both texts of `isEnough ? 'a' : 'b'`. Returns null for anything else. */
function readMessages(node: SyntaxNode | undefined): string[] | null {
  const branches = node?.type === 'ConditionalExpression' ? [node['consequent'], node['alternate']] : [node]
  const texts = branches.map(readText)
  return texts.every((text) => text !== null) ? texts : null
}

function readEvent(node: SyntaxNode | undefined): string | null {
  if (node?.type !== 'ObjectExpression') return null
  const [first] = node['properties'] as SyntaxNode[]
  const key = isNode(first?.['key']) ? first['key']['name'] : null
  return key === 'event' ? readText(first?.['value']) : null
}

/** Returns true for calls such as `log.warn(…)`, `app.log[level](…)` and `logSupervisorError(…)`. */
function isLogCall(callee: SyntaxNode, text: string): boolean {
  if (callee.type === 'Identifier') return callee['name'] === 'logSupervisorError'
  if (callee.type !== 'MemberExpression') return false
  const { object, property, computed } = callee as unknown as Record<'object' | 'property', SyntaxNode> & {
    computed: boolean
  }
  const isLog = /(^|\.)log$/.test(text.slice(object.start, object.end))
  return isLog && (computed || levels.has(String(property['name'])))
}

function listLogCalls(file: string, text = readFileText(file)): LogCall[] {
  const calls = [...listNodes(parseSync(file, text).program)].filter((node) => node.type === 'CallExpression')
  return calls.flatMap((call) => {
    if (!isLogCall(call['callee'] as SyntaxNode, text)) return []
    const [fields, message] = call['arguments'] as SyntaxNode[]
    const position = `${file}:${text.slice(0, call.start).split('\n').length}`
    const event = readEvent(fields)
    // The call in this file has a variable as its event. Its possible events are the keys of `securityMessages`.
    if (event === null && file === 'server/context/log.ts') return []
    return [{ position, event, messages: readMessages(message) ?? [] }]
  })
}

const logCalls = listFilesUnder('server', 'demo')
  .filter(isCode)
  // The sample instance is a separate program with a log of its own.
  .filter((file) => !file.startsWith('demo/sample-instance/'))
  .flatMap((file) => listLogCalls(file))
const securityEvents = Object.keys(securityMessages)

describe('log lines', () => {
  it('have an event in snake_case and a constant sentence in lower case', () => {
    const isPlain = ({ event, messages }: LogCall) =>
      event !== null &&
      /^[a-z]+(_[a-z]+)*$/.test(event) &&
      messages.length > 0 &&
      messages.every((message) => /^([a-z]|[A-Z_]{2})/.test(message) && message.length <= 120)
    expect(logCalls.filter((call) => !isPlain(call))).toEqual([])
    expect(logCalls.length).toBeGreaterThan(60)
  })

  it('are found in every form of a log call', () => {
    const text = "app.log[level]({ err }, 'a')\nlog.warn('b')\nthis.app.log.error({ event: 'c_d' }, isOn ? 'e' : 'f')"
    expect(listLogCalls('server/planted.ts', text)).toEqual([
      { position: 'server/planted.ts:1', event: null, messages: ['a'] },
      { position: 'server/planted.ts:2', event: null, messages: [] },
      { position: 'server/planted.ts:3', event: 'c_d', messages: ['e', 'f'] },
    ])
  })

  it('contain none of the unclear words that the language rules list', () => {
    const messages = [...logCalls.flatMap((call) => call.messages), ...Object.values(securityMessages)]
    expect(messages.filter((message) => findMarker(message))).toEqual([])
  })

  it('use exactly the events that the tables in docs/operating.md explain', () => {
    const tables = readFileText('docs/operating.md').split('\n## Log events\n')[1]?.split('\n## ')[0] ?? ''
    const documentedEvents = tables
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => (line.split('|')[1] ?? '').match(/[a-z_]+/g) ?? [])
    expect(documentedEvents.toSorted()).toEqual(
      [...new Set([...logCalls.flatMap(({ event }) => event ?? []), ...securityEvents])].toSorted(),
    )
  })
})
