/**
 * Packages of apps on the command line (docs/mapp.md): `pack <folder> [file]` makes one, `check <file>...` reads some as the server
 * does. Exit code 1 and the reason, where a package would be refused.
 */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { faultOf, isMappName, mappFiles, mappLimits, type MappFault } from '#domain/catalogue/mapp.ts'
import en from '#locales/en/apps.json' with { type: 'json' }
import { translator } from '#server/text/i18n.ts'
import { packMapp } from '#server/use-cases/catalogue/pack-mapp.ts'
import { readMapp } from '#server/use-cases/uploads/read-mapp.ts'

class Trouble extends Error {}

const usage = `Usage:
  npm run mapp -- pack <folder> [file.mapp]   packs manifest.json and the files beside it
  npm run mapp -- check <file.mapp> ...       says what a package is, or why it would be refused`

const textOf = ({ code, named = '' }: MappFault) => translator({ en, zh: en }, 'en')(`fault.${code}`, { named })

async function pack([folder, target]: string[]): Promise<void> {
  if (folder === undefined) throw new Trouble(usage)
  const facts = await factsIn(join(folder, mappFiles.manifest))
  const files = new Map<string, Uint8Array>()
  for (const name of await namesIn(folder)) files.set(name, await readFile(join(folder, name)))
  if (files.size >= mappLimits.entries) throw new Trouble(textOf(faultOf('TOO_MANY_ENTRIES')))
  const file = resolve(target ?? `${basename(resolve(folder))}.mapp`)
  await writeFile(file, await packMapp(facts, files))
  await check([file])
}

/** The fields of its maker; hashes and format are worked out anew. */
async function factsIn(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Trouble(`There is no ${path}. docs/mapp.md says what stands in one.`)
  })
  try {
    const {
      files: _files,
      format: _format,
      format_version: _version,
      ...facts
    } = JSON.parse(text) as Record<string, unknown>
    return facts
  } catch {
    throw new Trouble(textOf(faultOf('MANIFEST_NO_JSON')))
  }
}

/** With / between folders, without what systems put beside files (D88). */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
  const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
  return names.filter((name) => name !== mappFiles.manifest && !isHidden(name)).toSorted()
}

async function check(files: string[]): Promise<void> {
  if (files.length === 0) throw new Trouble(usage)
  for (const file of files) {
    if (!(await stat(file).catch(() => null))?.isFile()) throw new Trouble(`There is no file ${file}.`)
    const read = isMappName(basename(file)) ? await readMapp(file) : { fault: faultOf('WRONG_ENDING') }
    if ('fault' in read) {
      console.error(`${file}: refused (${read.fault.code}). ${textOf(read.fault)}`)
      process.exitCode = 1
      continue
    }
    const { manifest, size, md5 } = read.content
    const parts = `${Object.keys(manifest.files).length} files, ${Math.ceil(size / 1024)} kB, MD5 ${md5}`
    console.log(`${file}: ${manifest.name} (${manifest.code}) ${manifest.version}, ${parts}`)
  }
}

const commands: Record<string, (args: string[]) => Promise<void>> = { pack, check }

try {
  const [, , name = '', ...args] = process.argv
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Trouble(usage)
  await command(args)
} catch (error) {
  if (!(error instanceof Trouble)) throw error
  console.error(error.message)
  process.exitCode = 1
}
