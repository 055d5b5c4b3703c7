/** Lists the files of the project and the imports of each, for the architecture tests. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { parseSync } from 'vite'

export const root = resolve(import.meta.dirname, '..', '..')

/** Files that are tracked or new, not ignored and not deleted. Paths use `/` on every platform. */
export const files: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
  { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 },
)
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)))

export const readFileText = (file: string): string => readFileSync(join(root, file), 'utf8')
export const readJson = <T>(file: string): T => JSON.parse(readFileText(file)) as T

export const listFilesUnder = (...folders: string[]) =>
  files.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)))

export const isCode = (file: string) => /\.(ts|tsx|mts|mjs)$/.test(file) && !file.endsWith('.d.ts')

export interface ModuleImport {
  specifier: string
  /** File in the project that the specifier resolves to, or null for a package. */
  file: string | null
  isTypeOnly: boolean
  /** True for `import('...')`. */
  isLazy: boolean
}

const subpathTargets = Object.entries(readJson<{ imports: Record<string, string> }>('package.json').imports).map(
  ([key, target]) => [key.replace('*', ''), target.replace('*', '').replace('./', '')] as const,
)

function resolveImport(specifier: string, from: string): string | null {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier))
  const subpath = subpathTargets.find(([prefix]) => specifier.startsWith(prefix))
  return subpath ? subpath[1] + specifier.slice(subpath[0].length) : null
}

export function readImports(file: string): ModuleImport[] {
  const text = readFileText(file)
  const { module } = parseSync(file, text)
  const buildImport = (specifier: string, isTypeOnly: boolean, isLazy: boolean): ModuleImport => ({
    specifier,
    file: resolveImport(specifier.replace(/\?.*$/, ''), file),
    isTypeOnly,
    isLazy,
  })
  return [
    ...module.staticImports.map(({ moduleRequest, entries }) =>
      buildImport(moduleRequest.value, entries.length > 0 && entries.every((entry) => entry.isType), false),
    ),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) =>
        entry.moduleRequest ? [buildImport(entry.moduleRequest.value, entry.isType, false)] : [],
      ),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      // Assumes that the path in `import()` is a constant. Imports of many files use Vite's `import.meta.glob` instead.
      buildImport(text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''), false, true),
    ),
  ]
}
