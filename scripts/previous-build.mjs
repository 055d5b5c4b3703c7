/**
 * The files of the build before stay beside the new one's for one release (W-10): a page that was opened under it may fetch
 * a part of itself only now. Named in former.json, so that the next build does not take them for the last one's.
 *
 * Plain JavaScript, as the build's other scripts.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const getListPath = (folder) => join(folder, 'former.json')

/** Reads what a finished build left in this folder: its own hashed files, by name. */
export async function readFormer(folder) {
  if (!existsSync(join(folder, 'build.json'))) return new Map()
  const older = new Set(existsSync(getListPath(folder)) ? JSON.parse(await readFile(getListPath(folder), 'utf8')) : [])
  const names = (await readdir(join(folder, 'assets'))).filter((name) => !older.has(name))
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, 'assets', name))])))
}

/** Puts those back that the build in this folder has no more. */
export async function keepFormer(folder, former) {
  const own = new Set(await readdir(join(folder, 'assets')))
  const restoredNames = [...former.keys()].filter((name) => !own.has(name))
  await Promise.all(restoredNames.map((name) => writeFile(join(folder, 'assets', name), former.get(name))))
  await writeFile(getListPath(folder), `${JSON.stringify(restoredNames)}\n`)
}
