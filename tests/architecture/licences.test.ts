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

/** Allowed licences. They require only a copyright notice. */
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

/**
 * Licence of fonts. It allows to embed them in documents and to ship them with their licence text, which these packages contain. It does not
 * suit other packages.
 */
const fontLicence = 'OFL-1.1'
const fontPackages = /^@expo-google-fonts\//

/** Licences of packages that state none in package.json, taken from their licence text. */
const statedLicences: Record<string, string> = {
  'combine-errors': 'MIT',
  node: 'MIT',
  'pause-stream': 'MIT OR Apache-2.0',
  'png-js': 'MIT',
}

const lockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}

/** Packages that are shipped: all installed packages except development tools. Builds for other platforms are not installed. */
const shippedPackages = Object.entries(lockFile.packages)
  .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path, 'package.json')))
  .map(([path]) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as PackageManifest)

function getLicence({ name, license, licenses }: PackageManifest): string {
  if (statedLicences[name]) return statedLicences[name]
  if (typeof license === 'string') return license
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none'
}

/** For `A OR B` one of the licences must be allowed, for `A AND B` both. */
function isAllowed(expression: string, name: string): boolean {
  const bareExpression = expression.replace(/^\(|\)$/g, '')
  if (/ OR /.test(bareExpression)) return bareExpression.split(' OR ').some((part) => isAllowed(part, name))
  const isFont = fontPackages.test(name)
  return bareExpression
    .split(' AND ')
    .every((licence) => allowedLicences.has(licence) || (isFont && licence === fontLicence))
}

const readInstalledManifest = (name: string) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as PackageManifest

describe('licences of the shipped packages (S-93)', () => {
  it('are all on the list of allowed licences', () => {
    expect(shippedPackages.length).toBeGreaterThan(50)
    const refusedPackages = shippedPackages.filter((manifest) => !isAllowed(getLicence(manifest), manifest.name))
    expect(refusedPackages.map((manifest) => `${manifest.name}@${manifest.version}: ${getLicence(manifest)}`)).toEqual(
      [],
    )
  })

  // The next major version has a commercial licence, and `npm install` without a version would install it.
  it('PrimeReact keeps the last version that has the MIT licence', () => {
    const manifest = readInstalledManifest('primereact')
    expect(manifest.version).toMatch(/^10\.9\./)
    expect(getLicence(manifest)).toBe('MIT')
  })
})
