import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#tests/architecture/tree.ts'

interface Installed {
  version: string
  dev?: boolean
  optional?: boolean
}

interface Manifest {
  name: string
  version: string
  license?: string | { type: string }
  licenses?: { type: string }[]
}

/** Licences that ask for no more than a notice. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
])

/** Packages that state no licence in package.json, with what their own text says. */
const stated: Record<string, string> = { 'combine-errors': 'MIT', node: 'MIT', 'pause-stream': 'MIT OR Apache-2.0' }

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Installed>
}

/** What is shipped: everything but tools, and of the builds for other machines only those that are here. */
const shipped = Object.entries(lock.packages)
  .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path, 'package.json')))
  .map(([path]) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest)

function licenceOf({ name, license, licenses }: Manifest): string {
  if (stated[name]) return stated[name]
  if (typeof license === 'string') return license
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none'
}

/** `A OR B` lets us choose, `A AND B` binds us to both. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\(|\)$/g, '')
  if (/ OR /.test(plain)) return plain.split(' OR ').some(isAllowed)
  return plain.split(' AND ').every((licence) => allowed.has(licence))
}

const installed = (name: string) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as Manifest

describe('licences of what is shipped (S-93)', () => {
  it('are all on the list', () => {
    expect(shipped.length).toBeGreaterThan(50)
    const others = shipped.filter((manifest) => !isAllowed(licenceOf(manifest)))
    expect(others.map((manifest) => `${manifest.name}@${manifest.version}: ${licenceOf(manifest)}`)).toEqual([])
  })

  // The next major version is sold under a commercial licence; a bare `npm install` would take it.
  it('PrimeReact stays on its last MIT line', () => {
    const manifest = installed('primereact')
    expect(manifest.version).toMatch(/^10\.9\./)
    expect(licenceOf(manifest)).toBe('MIT')
  })
})
