/** Lists the files that the sample instance imports, directly or indirectly, and the packages that they need. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import type { ImageEntry } from '#demo/sample-image/image-entry.ts'

const root = resolve(import.meta.dirname, '..', '..')
const program = 'demo/sample-instance/main.ts'
export const programFolder = 'app'

interface PackageFile {
  version: string
  imports: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const readPackageFile = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile

/** `version` is what the instance reports; by default the version of the portal. */
export function listProgramFiles(version?: string): ImageEntry[] {
  const ownPackage = readPackageFile(root)
  const { files, packages } = readImports(ownPackage.imports)
  const packageText = JSON.stringify({
    type: 'module',
    version: version ?? ownPackage.version,
    imports: ownPackage.imports,
  })
  return [
    { path: `${programFolder}/package.json`, kind: 'text', mode: 0o644, text: packageText },
    ...[...files, ...listPackageFiles(packages)].map(toEntry),
  ]
}

const toEntry = (source: string): ImageEntry => ({
  path: join(programFolder, relative(root, source)),
  kind: 'copy',
  mode: 0o644,
  source,
})

/** Matches the targets of imports, and of URLs relative to a module. */
const importPattern =
  /\bfrom '([^']+)'|\bimport '([^']+)'|\bimport\('([^']+)'\)|new URL\('([^']+)', import\.meta\.url\)/g
/** Types are removed before the program runs. */
const typePattern = /\b(?:import|export) type [^'"]*?from '[^']+'/g
const commentPattern = /\/\*[^]*?\*\//g

function readImports(aliases: Record<string, string>): { files: string[]; packages: string[] } {
  const files = new Set([join(root, program)])
  const packages = new Set<string>()
  // Files that are added here are visited by the same loop.
  for (const file of files) {
    if (!file.endsWith('.ts')) continue
    const code = readFileSync(file, 'utf8').replace(commentPattern, '').replace(typePattern, '')
    for (const [, ...targets] of code.matchAll(importPattern)) {
      const target = targets.find((text) => text !== undefined) ?? ''
      const importedFile = resolveFile(file, target, aliases)
      if (importedFile === join(root, 'package.json')) continue
      if (importedFile !== null) files.add(importedFile)
      else if (!isBuiltin(target)) packages.add(target)
    }
  }
  return { files: [...files], packages: [...packages] }
}

/** Returns null for a package. */
function resolveFile(importer: string, target: string, aliases: Record<string, string>): string | null {
  for (const [alias, path] of Object.entries(aliases))
    if (target.startsWith(alias.slice(0, -1))) return join(root, path.replace('*', target.slice(alias.length - 1)))
  const isRelative = /^\.|\.css$/.test(target)
  return isRelative ? resolve(dirname(importer), target) : null
}

/** Lists the files of packages and of the packages that they need. Types, source maps and tests are omitted. */
function listPackageFiles(names: readonly string[]): string[] {
  const folders = new Set(names.map((name) => findPackage(root, name)))
  for (const folder of folders) {
    if (folder === null) continue
    const { dependencies, optionalDependencies } = readPackageFile(folder)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) folders.add(findPackage(folder, name))
  }
  return [...folders].flatMap((folder) => (folder === null ? [] : listCode(folder)))
}

/** Looks in the folders of modules from `folder` upwards. Returns null for an optional package that is not installed. */
function findPackage(folder: string, name: string): string | null {
  for (let parent = folder; parent.startsWith(root); parent = dirname(parent)) {
    const path = join(parent, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return path
  }
  return null
}

const listCode = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:c?js|mjs|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(?:^|\/)(?:node_modules|tests?)\//.test(relative(folder, path)))
