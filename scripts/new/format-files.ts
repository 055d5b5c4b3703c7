import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const biome = join(import.meta.dirname, '../../node_modules/@biomejs/biome/bin/biome')

/** Throws if a file of the project in `root` cannot be formatted. */
export function formatFiles(root: string, paths: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'format', '--write', ...paths], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The files were written, but could not be formatted:\n${stdout}${stderr}`)
}
