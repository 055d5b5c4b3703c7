/** Reads the trace of a round (`trace.jsonl` of Bombadil) and says which properties were violated, and what led to it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type TracedAction = string | Record<string, Record<string, unknown>> | null

interface TraceEntry {
  /** The action that led to the state. */
  action: TracedAction
  state: { url: string; screenshot: string }
  snapshots: readonly { name: string | null; value: unknown }[]
  violations: readonly { name: string }[]
}

export interface RoundViolation {
  property: string
  /** What was wrong, as far as the trace says it. */
  details: string[]
  /** Addresses and actions before it, the latest last. */
  steps: string[]
  screenshot: string
}

export interface RoundTrace {
  actionCount: number
  /** Paths of the pages that were visited. */
  paths: string[]
  violations: RoundViolation[]
}

const maxSteps = 15

function describeAction(action: TracedAction): string {
  if (action === null || typeof action === 'string') return action ?? 'start'
  const [kind = '', values = {}] = Object.entries(action)[0] ?? []
  const { fingerprint, ...others } = values as { fingerprint?: Record<string, string | null> }
  if (!fingerprint) return `${kind} ${JSON.stringify(others)}`
  const names = ['accessible_name', 'text_content', 'name_attr', 'placeholder', 'href', 'id']
  return `${kind} ${fingerprint['tag']} "${names.map((name) => fingerprint[name]).find(Boolean) ?? ''}"`
}

const getPath = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url)

/** Names of the extractors with the details of Bombadil's own properties. */
const detailNames: Readonly<Record<string, string>> = {
  noConsoleErrors: 'consoleErrors',
  noUncaughtExceptions: 'uncaughtExceptions',
  noUnhandledPromiseRejections: 'uncaughtExceptions',
  noHttpErrorCodes: 'responseStatus',
}

function readDetails({ snapshots }: TraceEntry, property: string): string[] {
  const readValue = (name: string) => snapshots.find((snapshot) => snapshot.name === name)?.value
  const ownName = detailNames[property]
  if (ownName) return [JSON.stringify(readValue(ownName))]
  const faults = (readValue('faults') ?? []) as { rule: string; text: string; path: string }[]
  return faults.filter(({ rule }) => rule === property).map(({ text, path }) => `${path}: ${text}`)
}

export function parseTrace(text: string): RoundTrace {
  // A round that was ended by a signal may have half a line.
  const lines = text.split('\n').filter((line) => line.endsWith('}'))
  const entries = lines.map((line) => JSON.parse(line) as TraceEntry)
  const violations = new Map<string, RoundViolation>()
  for (const [index, entry] of entries.entries())
    for (const { name } of entry.violations) {
      if (violations.has(name)) continue
      const steps = entries
        .slice(Math.max(0, index - maxSteps), index + 1)
        .map(({ action, state }) => `${describeAction(action)} → ${getPath(state.url)}`)
      const details = readDetails(entry, name)
      violations.set(name, { property: name, details, steps, screenshot: entry.state.screenshot })
    }
  return {
    actionCount: entries.filter(({ action }) => action !== null).length,
    paths: [...new Set(entries.map(({ state }) => getPath(state.url)))].toSorted(),
    violations: [...violations.values()],
  }
}

export function readTrace(folder: string): RoundTrace {
  const path = join(folder, 'trace.jsonl')
  return parseTrace(existsSync(path) ? readFileSync(path, 'utf8') : '')
}
