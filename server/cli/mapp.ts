/** Creates (`pack`) and checks (`check`) packages of apps (docs/mapp.md). Exits with code 1 if the server would refuse a package. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createMappFault, isMappName, mappFiles, mappLimits, type MappFault } from '#domain/catalogue/mapp.ts'
import en from '#locales/en/apps.json' with { type: 'json' }
import { createTranslator } from '#server/text/translator.ts'
import { packMapp } from '#server/use-cases/catalogue/pack-mapp.ts'
import { readMapp } from '#server/use-cases/uploads/read-mapp.ts'

class CommandError extends Error {}

const usage = `Usage:
  npm run mapp -- pack <folder> [file.mapp]   packs manifest.json and the other files of the folder
  npm run mapp -- check <file.mapp> ...       prints the content of a package, or why the server would refuse it`

const getFaultText = ({ code, named: detail = '' }: MappFault) =>
  createTranslator({ en, zh: en }, 'en')(`fault.${code}`, { named: detail })

async function packFolder([folder, target]: string[]): Promise<void> {
  if (folder === undefined) throw new CommandError(usage)
  const fields = await readManifestFields(join(folder, mappFiles.manifest))
  const files = new Map<string, Uint8Array>()
  for (const name of await listFileNames(folder)) files.set(name, await readFile(join(folder, name)))
  if (files.size >= mappLimits.entries) throw new CommandError(getFaultText(createMappFault('TOO_MANY_ENTRIES')))
  const file = resolve(target ?? `${basename(resolve(folder))}.mapp`)
  await writeFile(file, await packMapp(fields, files))
  await checkFiles([file])
}

/** Returns the manifest without the file hashes and the format, which `pack` computes again. */
async function readManifestFields(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(`The file ${path} does not exist. docs/mapp.md describes its content.`)
  })
  try {
    const {
      files: _files,
      format: _format,
      format_version: _version,
      ...fields
    } = JSON.parse(text) as Record<string, unknown>
    return fields
  } catch {
    throw new CommandError(getFaultText(createMappFault('MANIFEST_NO_JSON')))
  }
}

/** Returns paths with `/` as separator, without the files that operating systems add (D88). */
async function listFileNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
  const isHidden = (name: string) =>
    name.split('/').some((segment) => segment.startsWith('.') || segment === '__MACOSX')
  return names.filter((name) => name !== mappFiles.manifest && !isHidden(name)).toSorted()
}

async function checkFiles(files: string[]): Promise<void> {
  if (files.length === 0) throw new CommandError(usage)
  for (const file of files) {
    if (!(await stat(file).catch(() => null))?.isFile()) throw new CommandError(`The file ${file} does not exist.`)
    const reading = isMappName(basename(file)) ? await readMapp(file) : { fault: createMappFault('WRONG_ENDING') }
    if ('fault' in reading) {
      console.error(`${file}: refused (${reading.fault.code}). ${getFaultText(reading.fault)}`)
      process.exitCode = 1
      continue
    }
    const { manifest, size, md5 } = reading.content
    const summary = `${Object.keys(manifest.files).length} files, ${Math.ceil(size / 1024)} kB, MD5 ${md5}`
    console.log(`${file}: ${manifest.name} (${manifest.code}) ${manifest.version}, ${summary}`)
  }
}

const commands: Record<string, (args: string[]) => Promise<void>> = { pack: packFolder, check: checkFiles }

try {
  const [, , name = '', ...args] = process.argv
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new CommandError(usage)
  await command(args)
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
