import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#tests/architecture/tree.ts'

interface LockedPackage {
  version: string
  dev?: boolean
  optional?: boolean
}

interface PackageManifest {
  name: string
  version: string
  license?: string | { type: string }
  licenses?: { type: string }[]
}

/** Licences that ask for no more than a notice. */
const allowedLicences = new Set([
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
const statedLicences: Record<string, string> = {
  'combine-errors': 'MIT',
  node: 'MIT',
  'pause-stream': 'MIT OR Apache-2.0',
}

const lockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}

/** What is shipped: everything but tools, and of the builds for other machines only those that are here. */
const shippedPackages = Object.entries(lockFile.packages)
  .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path, 'package.json')))
  .map(([path]) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as PackageManifest)

function getLicence({ name, license, licenses }: PackageManifest): string {
  if (statedLicences[name]) return statedLicences[name]
  if (typeof license === 'string') return license
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none'
}

/** `A OR B` lets us choose, `A AND B` binds us to both. */
function isAllowed(expression: string): boolean {
  const bareExpression = expression.replace(/^\(|\)$/g, '')
  if (/ OR /.test(bareExpression)) return bareExpression.split(' OR ').some(isAllowed)
  return bareExpression.split(' AND ').every((licence) => allowedLicences.has(licence))
}

const readInstalledManifest = (name: string) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as PackageManifest

describe('licences of what is shipped (S-93)', () => {
  it('are all on the list', () => {
    expect(shippedPackages.length).toBeGreaterThan(50)
    const refusedPackages = shippedPackages.filter((manifest) => !isAllowed(getLicence(manifest)))
    expect(refusedPackages.map((manifest) => `${manifest.name}@${manifest.version}: ${getLicence(manifest)}`)).toEqual(
      [],
    )
  })

  // The next major version is sold under a commercial licence; a bare `npm install` would take it.
  it('PrimeReact stays on its last MIT line', () => {
    const manifest = readInstalledManifest('primereact')
    expect(manifest.version).toMatch(/^10\.9\./)
    expect(getLicence(manifest)).toBe('MIT')
  })
})
