/** recheck on every regular expression of `src` and `server`: can a text make it take more than linear time (ReDoS)? */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import { importFile, installPackage, root } from '#tests/campaigns/judges/tools.ts'

const [name, version] = ['recheck', '4.5.0'] as const
/** Time for one expression, ms. */
const timeoutMs = 20_000

interface Diagnostics {
  status: 'safe' | 'vulnerable' | 'unknown'
  complexity?: { summary: string }
  attack?: { pattern: string }
  error?: { kind: string }
}

interface Recheck {
  checkSync(source: string, flags: string, params: { timeout: number; randomSeed: number }): Diagnostics
}

interface RegexLiteral {
  source: string
  flags: string
  files: Set<string>
}

/** Returns each different expression once, with the files that contain it. */
function listRegexes(): RegexLiteral[] {
  const regexes = new Map<string, RegexLiteral>()
  for (const file of globSync('{src,server}/**/*.{ts,tsx}', { cwd: root }).toSorted()) {
    const visitNode = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { regex } = node as { regex?: { pattern: string; flags: string } }
      if (!regex) return Object.values(node).forEach(visitNode)
      const { pattern: source, flags } = regex
      const key = `/${source}/${flags}`
      regexes.set(key, { source, flags, files: (regexes.get(key)?.files ?? new Set()).add(file) })
    }
    visitNode(parseSync(file, readFileSync(join(root, file), 'utf8')).program)
  }
  return [...regexes.values()]
}

export const regexes: Judge = {
  id: 'recheck',
  tool: `${name} ${version}`,
  async judge() {
    const { checkSync } = await importFile<Recheck>(await installPackage(name, version), 'lib/main.js')
    const list = listRegexes()
    const findings = list.flatMap(({ source, flags, files }): Finding[] => {
      const { status, complexity, attack, error } = checkSync(source, flags, { timeout: timeoutMs, randomSeed: 1 })
      if (status === 'safe') return []
      const places = [...files].join(', ')
      const detail = [complexity?.summary, error?.kind, attack?.pattern].filter(Boolean).join(', ')
      return [...files].map((file) => ({
        key: `${file} /${source}/${flags}`,
        text: `/${source}/${flags} is ${status}: ${detail} (${places})`,
      }))
    })
    return { result: `${list.length} expressions, ${findings.length} findings`, findings }
  },
}
