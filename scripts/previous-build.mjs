/**
 * Keeps the files of the previous build with those of the new one for one release (W-10): a page that was opened under it may load one of
 * its chunks only later. They are listed in former.json, so that the next build does not treat them as its predecessor's.
 *
 * Plain JavaScript, like the build's other scripts.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const getListPath = (folder) => join(folder, 'former.json')

export async function readFormer(folder) {
  if (!existsSync(join(folder, 'build.json'))) return new Map()
  const older = new Set(existsSync(getListPath(folder)) ? JSON.parse(await readFile(getListPath(folder), 'utf8')) : [])
  const names = (await readdir(join(folder, 'assets'))).filter((name) => !older.has(name))
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, 'assets', name))])))
}

export async function keepFormer(folder, former) {
  const own = new Set(await readdir(join(folder, 'assets')))
  const restoredNames = [...former.keys()].filter((name) => !own.has(name))
  await Promise.all(restoredNames.map((name) => writeFile(join(folder, 'assets', name), former.get(name))))
  await writeFile(getListPath(folder), `${JSON.stringify(restoredNames)}\n`)
}
